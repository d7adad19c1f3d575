//! Inspect: the samples of a log, out of its archive or its JSON.
//!
//! Where a person edited a score, the first entry of its history is the machine's, and the edit is a label.

use probity_core::json::{Json, Object};

use super::beside::{ForeignLabel, ForeignScore, ForeignVerdict};
use super::case::{FileContext, ForeignCase, Paths};
use super::conversation::Conversation;
use super::messages::{messages, text_of};
use super::path::{as_text, at, list_at, text_at};
use super::{Form, Read, has};

const PATHS: Paths = Paths {
    id: &["id"],
    slice: &["metadata.intent", "metadata.category"],
    variant: &[],
    reference: &["target"],
    context: &["metadata.context"],
};

/// What stands in an edit for a value that stayed as it was.
const UNCHANGED: &str = "UNCHANGED";

/// A sample.
pub(super) const FORM: Form =
    Form { tool: "inspect", is: |record| has(record, &["epoch", "target", "messages"]), read, pieces: None };

fn read(record: &Json, context: &FileContext<'_>) -> Read {
    let said = at(record, "messages").map(messages).unwrap_or_default();
    let mut case = ForeignCase::of(record, &PATHS, context).with(Conversation::of(&said));
    case.variant = text_at(context.frame, &["eval.model"]);
    let epochs = at(context.frame, "eval.config.epochs").and_then(Json::as_u64).unwrap_or(1);
    if let (Some(model), Some(epoch)) = (&case.variant, at(record, "epoch").filter(|_| epochs > 1)) {
        case.variant = Some(format!("{model}#{}", epoch.canonical()));
    }
    let error = at(record, "error");
    if let Some(error) = error {
        let message = text_at(error, &["message"]).unwrap_or_else(|| as_text(error));
        case.failed(format!("error: {message}"));
    }
    let scores = at(record, "scores").and_then(Json::as_object);
    for (scorer, score) in scores.into_iter().flat_map(Object::iter) {
        judged(&mut case, scorer, score);
        if let Some(verdict) = case.beside.verdicts.last_mut() {
            verdict.asked = asked(scorer, score, context.frame);
        }
    }
    let graders = list_at(context.frame, "results.scores").iter().filter_map(|one| text_at(one, &["scorer"]));
    for scorer in
        graders.filter(|scorer| error.is_none() && scores.is_none_or(|all| all.get(scorer).is_none()))
    {
        let unscored = ForeignScore::Unscored { error: None };
        case.beside.verdicts.push(ForeignVerdict::new(format!("inspect:{scorer}"), unscored));
    }
    Read::Cases(vec![case])
}

/// What a scorer asked its model: the instructions that it was given for all samples, or else what it wrote for this one.
fn asked(scorer: &str, score: &Json, frame: &Json) -> Option<String> {
    let scorers = list_at(frame, "eval.scorers").iter();
    let is_this = |name: &str| name.rsplit('/').next() == Some(scorer);
    let own = scorers.filter(|one| text_at(one, &["name"]).is_some_and(|name| is_this(&name)));
    let mut told = own.filter_map(|one| text_at(one, &["options.instructions", "options.template"]));
    told.next().or_else(|| Some(text_of(at(score, "metadata.grading[0].content")?, "\n")))
}

fn judged(case: &mut ForeignCase, scorer: &str, score: &Json) {
    let history = list_at(score, "history");
    let machine = history.first().unwrap_or(score);
    // What an edit leaves unchanged stays as the edit before it left it.
    let mut stands = at(machine, "value").cloned();
    let said = match stands.clone() {
        Some(value) => ForeignScore::Scored { score: Some(value), label: None, passed: None },
        None => ForeignScore::Unscored { error: None },
    };
    case.beside.verdicts.push(ForeignVerdict {
        reason: text_at(machine, &["explanation"]).filter(|reason| reason != UNCHANGED),
        ..ForeignVerdict::new(format!("inspect:{scorer}"), said)
    });
    for entry in history {
        let changed = at(entry, "value").filter(|value| value.as_str() != Some(UNCHANGED));
        stands = changed.cloned().or(stands);
        if at(entry, "provenance").is_some() {
            case.beside.labels.push(ForeignLabel {
                criterion: Some(scorer.to_owned()),
                annotator: text_at(entry, &["provenance.author"]),
                label: stands.clone().unwrap_or(Json::Null),
                comment: text_at(entry, &["provenance.reason"]),
                at: text_at(entry, &["provenance.timestamp"]),
            });
        }
    }
}
