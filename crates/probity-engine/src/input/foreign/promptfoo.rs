//! promptfoo: the rows of a results file, alone or in its frame.
//!
//! A rating overwrites what the row says as a whole; the components keep who said what, so verdicts and labels are
//! taken from them alone. A row without an assertion has no verdict.

use std::io;

use probity_core::case::{Role, Turn};
use probity_core::json::Json;

use super::beside::{ForeignLabel, ForeignScore, ForeignVerdict};
use super::case::{FileContext, ForeignCase, Paths};
use super::conversation::{Conversation, turn};
use super::messages::messages;
use super::path::{as_text, at, list_at, text_at};
use super::{Form, Pieced, Read, has};

const PATHS: Paths = Paths {
    id: &["vars.ticket_id", "vars.id", "testIdx"],
    slice: &["testCase.metadata.intent", "vars.intent", "testCase.metadata.category"],
    variant: &["provider.label", "provider.id", "provider"],
    reference: &["vars.reference", "vars.expected"],
    context: &["vars.context"],
};

/// A row of results.
pub(super) const FORM: Form = Form {
    tool: "promptfoo",
    is: |record| has(record, &["promptIdx", "testIdx"]),
    read,
    pieces: Some(pieces),
};

/// Which prompts a provider has: with several, each is a variant.
fn pieces(record: &Json, found: &mut Pieced<'_>) -> io::Result<()> {
    match (text_at(record, PATHS.variant), at(record, "promptIdx")) {
        (Some(provider), Some(prompt)) => found.add(&format!("provider:{provider}"), prompt),
        _ => Ok(()),
    }
}

fn read(record: &Json, context: &FileContext<'_>) -> Read {
    let mut case = ForeignCase::of(record, &PATHS, context);
    if let (Some(provider), Some(prompt)) = (&case.variant, at(record, "promptIdx"))
        && context.pieces.of(&format!("provider:{provider}")).len() > 1
    {
        case.variant = Some(format!("{provider}#{}", prompt.canonical()));
    }
    let reply = at(record, "response.output").map(as_text);
    if reply.is_none() {
        let error = at(record, "error").map_or_else(|| "no output".to_owned(), as_text);
        case.no_reply = Some(format!("error: {error}"));
    }
    case.conversation = Conversation::answered(asked(record), reply);
    let components = list_at(record, "gradingResult.componentResults");
    for component in components {
        judged(&mut case, component);
    }
    let note = text_at(record, &["gradingResult.comment"]).filter(|_| case.beside.labels.is_empty());
    case.beside.notes.extend(note);
    Read::Cases(vec![case])
}

/// What was asked: turns, a ticket, or the whole prompt.
fn asked(record: &Json) -> Vec<Turn> {
    if let Some(said) = at(record, "vars.messages") {
        return Conversation::of(&messages(said)).turns;
    }
    let known = ["vars.ticket", "vars.question", "vars.input", "vars.message", "prompt.raw"];
    text_at(record, &known).map(|text| turn(Role::Customer, text)).into_iter().collect()
}

fn judged(case: &mut ForeignCase, component: &Json) {
    let passed = match at(component, "pass") {
        Some(Json::Bool(passed)) => Some(*passed),
        _ => None,
    };
    let kind = text_at(component, &["assertion.type"]);
    if kind.as_deref() == Some("human") {
        case.beside.labels.extend(passed.map(|passed| ForeignLabel {
            criterion: None,
            annotator: None,
            label: Json::text(if passed { "pass" } else { "fail" }),
            comment: text_at(component, &["comment"]),
            at: None,
        }));
        return;
    }
    let name = text_at(component, &["assertion.metric"]).or(kind).unwrap_or_else(|| "?".to_owned());
    let score = at(component, "score").cloned();
    case.beside.verdicts.push(ForeignVerdict {
        reason: text_at(component, &["reason"]),
        asked: at(component, "assertion.value").map(as_text),
        threshold: at(component, "assertion.threshold").cloned(),
        ..ForeignVerdict::new(
            format!("promptfoo:{name}"),
            ForeignScore::Scored { score, label: None, passed },
        )
    });
}
