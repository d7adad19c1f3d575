//! OpenAI Evals: output items of the API and the lines that the dashboard exports.
//!
//! Every grade is a verdict of a foreign judge; the format has no people. A variant is a run: two runs may share a model.

use probity_core::case::Role;
use probity_core::json::{Json, Object};

use super::beside::{ForeignScore, ForeignVerdict};
use super::case::{FileContext, ForeignCase, Paths};
use super::conversation::{Conversation, turn};
use super::messages::{messages, text_of, with_role};
use super::path::{as_text, at, first_at, list_at, text_at};
use super::{Form, Read, has};

const PATHS: Paths = Paths {
    id: &["datasource_item.ticket_id", "item.ticket_id", "datasource_item_id", "data_source_idx"],
    slice: &[
        "datasource_item.intent",
        "item.intent",
        "datasource_item.expected_category",
        "item.expected_category",
        "datasource_item.category",
        "item.category",
    ],
    variant: &["run_id"],
    reference: &[
        "datasource_item.expected",
        "item.expected",
        "datasource_item.expected_answer",
        "item.expected_answer",
        "datasource_item.ideal",
        "item.ideal",
        "datasource_item.correct_label",
        "item.correct_label",
    ],
    context: &["datasource_item.policy", "item.policy"],
};

const TICKET: &[&str] = &["ticket", "input", "question", "ticket_text"];

/// A graded item.
pub(super) const FORM: Form = Form {
    tool: "openai-evals",
    is: |record| {
        has(record, &["run_id"]) && (has(record, &["datasource_item"]) || has(record, &["item", "grades"]))
    },
    read,
    pieces: None,
};

fn read(record: &Json, context: &FileContext<'_>) -> Read {
    let mut case = ForeignCase::of(record, &PATHS, context);
    case.beside.verdicts = verdicts(record);
    let item = first_at(record, &["datasource_item", "item"]).unwrap_or(&Json::Null);
    let ticket = || text_at(item, TICKET).map(|text| turn(Role::Customer, text));
    let Some(sample) = at(record, "sample") else {
        let answer = text_at(item, &["answer"]);
        if answer.is_none() {
            case.no_reply = Some("the row has no sample and its item no reply".to_owned());
        }
        return Read::Cases(vec![case.with(Conversation::answered(ticket().into_iter().collect(), answer))]);
    };
    let side = |paths: &[&str], role: &str| {
        with_role(first_at(sample, paths).map(messages).unwrap_or_default(), role)
    };
    let mut said = side(&["input", "trajectory"], "user");
    said.extend(side(&["output", "outputs"], "assistant"));
    case.conversation = Conversation::of(&said);
    if !case.conversation.before().iter().any(|turn| turn.role == Role::Customer) {
        // The prompt around the ticket was a system message: the item has what the customer wrote.
        let ticket: Vec<_> = ticket().into_iter().collect();
        case.conversation.reply = case.conversation.reply.map(|at| at + ticket.len());
        case.conversation.turns.splice(0..0, ticket);
    }
    if let Some(error) = at(sample, "error") {
        let message = text_at(error, &["message"]).unwrap_or_else(|| as_text(error));
        case.failed(format!("error: {message}"));
    }
    Read::Cases(vec![case])
}

fn verdicts(record: &Json) -> Vec<ForeignVerdict> {
    let verdict = |name: &str, score: Option<&Json>, passed: Option<&Json>| {
        let passed =
            passed.and_then(|passed| if let Json::Bool(passed) = passed { Some(*passed) } else { None });
        let said = match (score, passed) {
            (None, None) => ForeignScore::Unscored { error: None },
            _ => ForeignScore::Scored { score: score.cloned(), label: None, passed },
        };
        ForeignVerdict::new(format!("openai-evals:{name}"), said)
    };
    let graded = list_at(record, "results").iter().map(|result| {
        let name = text_at(result, &["name"]).unwrap_or_default();
        let mut verdict = verdict(&name, at(result, "score"), at(result, "passed"));
        let words = |path: &str| Some(text_of(at(result, path)?, "\n")).filter(|text| !text.is_empty());
        verdict.reason = words("sample.output[-1].content");
        verdict.asked = words("sample.input[-1].content");
        verdict
    });
    let names = |path: &str| at(record, path).and_then(Json::as_object).into_iter().flat_map(Object::iter);
    let mut dashboard: Vec<ForeignVerdict> = Vec::new();
    for (name, _) in names("grades").chain(names("passes")) {
        let member = |path: &str| {
            at(record, path).and_then(|found| found.get(name)).filter(|json| **json != Json::Null)
        };
        let one = verdict(name, member("grades"), member("passes"));
        if !dashboard.iter().any(|known| known.judge == one.judge) {
            let words = |paths: &[&str]| {
                Some(text_of(first_at(member("grader_samples")?, paths)?, "\n"))
                    .filter(|text| !text.is_empty())
            };
            let asked = words(&["trajectory[-1].content", "inputs[-1].content", "input[-1].content"]);
            dashboard.push(ForeignVerdict { reason: words(&["outputs[-1].content"]), asked, ..one });
        }
    }
    graded.chain(dashboard).collect()
}
