//! The one way from an answer to a verdict.

use super::echo::is_echo;
use super::invalid::{Invalid, InvalidReason};
use super::object::{ObjectReading, is_shaped, reading};
use super::prose::check_prose;
use super::repair::Repair;
use super::suspect::suspicions;
use super::text::{FoundObject, Located, Placement, is_complete_object, is_open_reasoning, locate};
use super::{Completion, Finish, ToolCall, Verdict};
use crate::packet::Packet;

/// The tool through which a judge may state its verdict.
const VERDICT_TOOL: &str = "verdict";

/// Which JSON an answer may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ParseMode {
    /// A JSON5 subset is read where strict JSON fails, and listed as repaired.
    #[default]
    Tolerant,
    /// Strict JSON only; a lone surrogate escape is still repaired.
    Strict,
}

/// Reads a judge's answer about `packet`: a verdict, or the reason why it is none.
pub fn read(completion: &Completion, packet: &Packet, mode: ParseMode) -> Result<Verdict, Invalid> {
    check_finish(completion)?;
    let text = completion.text.as_deref().filter(|text| !is_blank(text));
    if completion.extra_tool_calls > 0 {
        return Err(Invalid::new(InvalidReason::Ambiguous, "expected one tool call, found several"));
    }
    let answer = match (&completion.tool, text) {
        (Some(tool), _) => arguments(tool)?,
        (None, Some(text)) => text,
        (None, None) => "",
    };
    let limit = check_length(completion, answer)?;
    if is_blank(answer) {
        return Err(Invalid::new(InvalidReason::Empty, "the answer has no text"));
    }
    let mut reading = answer_reading(answer, packet, mode)?;
    if let (Some(_), Some(text)) = (&completion.tool, text) {
        check_beside(text, &reading, packet, mode)?;
    }
    reading.repairs.extend(limit.map(Repair::name));
    if completion.finish == Finish::Missing {
        if reading.repairs.contains(Repair::Prose.name()) {
            let detail = "the server gave no finish reason, and the answer is more than one object";
            return Err(Invalid::new(InvalidReason::Unfinished, detail));
        }
        reading.repairs.insert(Repair::NoFinishReason.name());
    }
    reading.suspicions.extend(suspicions(&reading.statement, packet));
    let mut repairs: Vec<String> = reading.repairs.iter().map(|repair| (*repair).to_owned()).collect();
    repairs.extend(completion.repairs.iter().cloned());
    repairs.sort_unstable();
    repairs.dedup();
    let mut suspicions: Vec<String> = reading.suspicions.iter().map(|seen| seen.name().to_owned()).collect();
    suspicions.sort_unstable();
    let (statement, model) = (reading.statement, completion.model.clone());
    Ok(Verdict { statement, repairs, suspicions, model, confidence: None })
}

fn is_blank(text: &str) -> bool {
    text.trim().trim_start_matches('\u{feff}').trim().is_empty()
}

/// A filter, a refusal or an end that is not known to be one makes whatever else was sent worthless, even what
/// looks complete.
fn check_finish(completion: &Completion) -> Result<(), Invalid> {
    if completion.finish == Finish::ContentFilter {
        return Err(Invalid::new(InvalidReason::ContentFilter, "a filter ended the answer"));
    }
    let refusal = completion.refusal.as_deref().filter(|text| !is_blank(text));
    if refusal.is_some() || completion.finish == Finish::Refusal {
        let words = refusal.or(completion.text.as_deref()).unwrap_or_default();
        return Err(Invalid::new(InvalidReason::Refused, words));
    }
    let unfinished = |found: &str| {
        let detail = format!("expected a finish reason that means a complete answer, found {found}");
        Err(Invalid::new(InvalidReason::Unfinished, detail))
    };
    match &completion.finish {
        Finish::Other(reason) => unfinished(reason),
        Finish::ToolCalls if completion.tool.is_none() => unfinished("a tool call that is not there"),
        _ => Ok(()),
    }
}

/// The text beside a call of the verdict tool may say the same or nothing.
fn check_beside(
    text: &str,
    reading: &ObjectReading,
    packet: &Packet,
    mode: ParseMode,
) -> Result<(), Invalid> {
    let differ =
        || Invalid::new(InvalidReason::Ambiguous, "the text and the tool call state different verdicts");
    match answer_reading(text, packet, mode) {
        Ok(beside) if beside.statement == reading.statement => Ok(()),
        Err(invalid) if invalid.reason == InvalidReason::NoJson => check_prose(&locate(text, mode)?.text()),
        // Reasoning that never ends is no answer either.
        Err(invalid) if invalid.reason == InvalidReason::LengthReasoning => Ok(()),
        Ok(_) | Err(_) => Err(differ()),
    }
}

fn arguments(tool: &ToolCall) -> Result<&str, Invalid> {
    if tool.name == VERDICT_TOOL {
        return Ok(&tool.arguments);
    }
    let detail = format!("expected a verdict, found a call of the tool {:?}", tool.name);
    Err(Invalid::new(InvalidReason::UnexpectedTool, detail))
}

/// An answer that met the token limit is cut, unless its object had ended and only white space followed:
/// some servers let a model pad a finished object with spaces until the limit.
fn check_length(completion: &Completion, answer: &str) -> Result<Option<Repair>, Invalid> {
    if completion.finish != Finish::Length {
        return Ok(None);
    }
    if is_complete_object(answer) {
        return Ok(Some(Repair::CompleteBeforeLimit));
    }
    if is_blank(answer) || is_open_reasoning(answer) {
        let detail =
            "the token limit was reached before an answer began; raise thinking_tokens_max or lower effort";
        return Err(Invalid::new(InvalidReason::LengthReasoning, detail));
    }
    Err(Invalid::new(InvalidReason::Length, "the token limit cut the answer"))
}

fn answer_reading(answer: &str, packet: &Packet, mode: ParseMode) -> Result<ObjectReading, Invalid> {
    let located = locate(answer, mode)?;
    let (source, mut reading) = match located.place {
        Placement::Whole => {
            let found = located.objects.first().expect("a whole answer is one object");
            (found.source, found_reading(found, packet)?)
        }
        Placement::Prose => {
            let (source, mut reading) = only_reading(&located.objects, packet)?;
            reading.repairs.insert(Repair::Prose.name());
            (source, reading)
        }
    };
    if is_echo(source, &reading.statement, packet) {
        let detail = "the object stands in the packet's own texts, or they are too costly to search";
        return Err(Invalid::new(InvalidReason::Echo, detail));
    }
    if located.place == Placement::Prose {
        check_prose(&prose_around(&located, packet))?;
    }
    reading.repairs.extend(located.repairs);
    Ok(reading)
}

/// What stands around the verdicts of an answer. Objects that are none are part of it.
fn prose_around(located: &Located<'_>, packet: &Packet) -> String {
    let mut prose = located.after.clone();
    for found in &located.objects {
        prose.extend(["\n", &found.before]);
        if !is_shaped(&found.object, packet.ask()) {
            prose.push_str(found.source);
        }
    }
    prose
}

fn found_reading(found: &FoundObject<'_>, packet: &Packet) -> Result<ObjectReading, Invalid> {
    let mut reading = reading(&found.object, packet)?;
    reading.repairs.extend(&found.repairs);
    Ok(reading)
}

/// What the objects in prose say, if all that look like a verdict say the same.
fn only_reading<'a>(
    objects: &[FoundObject<'a>],
    packet: &Packet,
) -> Result<(&'a str, ObjectReading), Invalid> {
    let mut shaped = objects.iter().filter(|found| is_shaped(&found.object, packet.ask()));
    let Some(first) = shaped.next() else {
        return Err(Invalid::new(InvalidReason::NoJson, "expected a JSON object with a verdict, found none"));
    };
    let mut result = found_reading(first, packet);
    for other in shaped {
        match (&mut result, found_reading(other, packet)) {
            (Ok(one), Ok(two)) if one.statement == two.statement => {
                one.repairs.extend(two.repairs);
                one.suspicions.extend(two.suspicions);
            }
            (Err(_), Err(_)) if first.object == other.object => {}
            _ => {
                let detail = "expected one verdict, found objects that differ";
                return Err(Invalid::new(InvalidReason::Ambiguous, detail));
            }
        }
    }
    result.map(|reading| (first.source, reading))
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[track_caller]
    fn check(finish: Finish, text: &str, want: &str) {
        let completion = Completion { text: Some(text.to_owned()), finish, ..Completion::default() };
        let packet = fixture::packet(&["tone"], "Your parcel will arrive on Friday.");
        let got = match read(&completion, &packet, ParseMode::Tolerant) {
            Ok(verdict) => format!("{} {}", verdict.scores()[0].level, verdict.repairs.join(",")),
            Err(invalid) => invalid.to_string(),
        };
        assert_eq!(got, want, "{text}");
    }

    const GOOD: &str = r#"{"score": 4, "reasoning": "Warm."}"#;

    #[test]
    fn n11_prose_that_refuses_or_corrects_leaves_no_verdict() {
        let around = |before: &str, after: &str| format!("{before}{GOOD}{after}");
        let more = |words: &str| {
            format!("ambiguous: the prose around the verdict does more than introduce it: {words}")
        };
        check(Finish::Stop, &around("I can't assess this. ", ""), &more("i can't assess this"));
        check(Finish::Stop, &around("", " My final score is 2"), &more("my final score is 2"));
        check(Finish::Stop, &around("", " Scratch that."), &more("scratch that"));
        check(Finish::Stop, &around("An example: ", ""), &more("an example"));
        check(Finish::Stop, &around("If you know the answer: ", ""), &more("if you know the answer"));
        check(
            Finish::Stop,
            &around("Here is my verdict:\n", "\nThe reply is warm."),
            &more("the reply is warm"),
        );
        check(
            Finish::Stop,
            &around("Sure! Here\u{2019}s my verdict:\n", "\nLet me know if you need more."),
            "4 prose",
        );
    }

    #[test]
    fn n12_what_is_not_known_to_be_complete_is_no_verdict() {
        let expected = "unfinished: expected a finish reason that means a complete answer, found";
        check(Finish::Stop, GOOD, "4 ");
        check(Finish::Other("abort".to_owned()), GOOD, &format!("{expected} abort"));
        check(Finish::ToolCalls, GOOD, &format!("{expected} a tool call that is not there"));
        check(Finish::ContentFilter, GOOD, "content_filter: a filter ended the answer");
        check(Finish::Missing, GOOD, "4 no_finish_reason");
        check(
            Finish::Missing,
            &format!("Here: {GOOD}"),
            "unfinished: the server gave no finish reason, and the answer is more than one object",
        );
    }
}
