//! The text of an answer becomes the objects that stand in it, outside reasoning and outside each other.
//!
//! No object is searched inside a broken one, and no brace is counted: what starts like an object is read
//! by the JSON reader or the answer is refused. Every byte is read at most twelve times (as part of the whole, without
//! reasoning, without its fence and in the scan, each time under three tolerances), because the scan only moves forward
//! and stops at the first object that cannot be read.

use super::invalid::{Invalid, InvalidReason};
use super::read::ParseMode;
use super::repair::{Repair, Repairs};
use crate::json::{self, Json, JsonError, JsonProblem, JsonRepair, Object, Tolerance};

const REASONING_TAGS: [&str; 3] = ["think", "thinking", "reasoning"];
const FENCE: &str = "```";
const BOM: char = '\u{feff}';

/// The objects of an answer and what stood around them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Located<'a> {
    /// Whether the answer is one object or was searched for some.
    pub(super) place: Placement,
    /// The objects in order; exactly one for [`Placement::Whole`].
    pub(super) objects: Vec<FoundObject<'a>>,
    /// The text after the last object, without reasoning.
    pub(super) after: String,
    /// Clean-ups outside the objects.
    pub(super) repairs: Repairs,
}

impl Located<'_> {
    /// The whole text, without reasoning.
    pub(super) fn text(&self) -> String {
        let objects = self.objects.iter().flat_map(|found| [found.before.as_str(), found.source]);
        objects.chain([self.after.as_str()]).collect::<Vec<_>>().join("\n")
    }
}

/// Where the objects of an answer stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Placement {
    /// The answer is one object.
    Whole,
    /// The objects stand in prose.
    Prose,
}

/// An object and the text it was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FoundObject<'a> {
    /// The text between the object before this one and this one, without reasoning.
    pub(super) before: String,
    pub(super) object: Object,
    pub(super) source: &'a str,
    pub(super) repairs: Repairs,
}

/// The objects in `text`.
pub(super) fn locate(text: &str, mode: ParseMode) -> Result<Located<'_>, Invalid> {
    let mut repairs = Repairs::new();
    let mut rest = text.trim();
    if let Some(after) = rest.strip_prefix(BOM) {
        repairs.insert(Repair::Bom.name());
        rest = after.trim();
    }
    let whole = |found, repairs| Located {
        place: Placement::Whole,
        objects: vec![found],
        after: String::new(),
        repairs,
    };
    if let Some(found) = whole_object(rest, mode)? {
        return Ok(whole(found, repairs));
    }
    let answer = without_reasoning(rest)?;
    if answer.len() < rest.len() {
        repairs.insert(Repair::ReasoningStripped.name());
        if let Some(found) = whole_object(answer, mode)? {
            return Ok(whole(found, repairs));
        }
    }
    if let Some(inner) = fenced(answer)
        && let Some(found) = whole_object(inner, mode)?
    {
        repairs.insert(Repair::Fence.name());
        return Ok(whole(found, repairs));
    }
    let (objects, after) = scan(answer, mode, &mut repairs)?;
    Ok(Located { place: Placement::Prose, objects, after, repairs })
}

/// Whether `text` is one strict object with nothing but white space around it.
pub(super) fn is_complete_object(text: &str) -> bool {
    json::parse(text.trim()).is_ok_and(|value| value.as_object().is_some())
}

/// Whether `text` begins a reasoning block that never ends.
pub(super) fn is_open_reasoning(text: &str) -> bool {
    without_reasoning(text.trim().trim_start_matches(BOM)).is_err()
}

/// Whether what follows a `{` makes it the start of an object and not a brace in prose.
pub(super) fn starts_object(after_brace: &str) -> bool {
    let next = after_brace.trim_start_matches([' ', '\t', '\n', '\r']).chars().next();
    matches!(next, Some('"' | '\'' | '\u{201c}' | '\u{201d}' | '}'))
}

/// `text` as exactly one object. What is not one is left to the scan, which names the reason.
fn whole_object(text: &str, mode: ParseMode) -> Result<Option<FoundObject<'_>>, Invalid> {
    if !text.starts_with(['{', '[']) {
        return Ok(None);
    }
    let Ok((value, end, repairs)) = value_at(text, 0, mode) else { return Ok(None) };
    if !text[end..].trim().is_empty() {
        return Ok(None);
    }
    match value {
        Json::Object(object) => Ok(Some(found(object, &text[..end], &repairs, String::new()))),
        other => Err(Invalid::new(
            InvalidReason::Type,
            format!("expected the verdict to be one object, found {}", other.kind()),
        )),
    }
}

/// The objects that stand in `text` outside reasoning blocks, none inside another, and the text after them.
fn scan<'a>(
    text: &'a str,
    mode: ParseMode,
    around: &mut Repairs,
) -> Result<(Vec<FoundObject<'a>>, String), Invalid> {
    let (mut objects, mut prose) = (Vec::new(), String::new());
    let (mut at, mut prose_from) = (0, 0);
    while let Some(offset) = text[at..].find(['{', '<']) {
        let start = at + offset;
        at = start + 1;
        if let Some(tag) = opening_tag(&text[start..]) {
            at = text.len() - after_reasoning(&text[start..], tag)?.len();
            around.insert(Repair::ReasoningStripped.name());
            prose.extend([&text[prose_from..start], "\n"]);
            prose_from = at;
        } else if text[start..].starts_with('{') && starts_object(&text[at..]) {
            let (value, end, repairs) = value_at(text, start, mode).map_err(|error| refusal(&error))?;
            prose.push_str(&text[prose_from..start]);
            if let Json::Object(object) = value {
                objects.push(found(object, &text[start..end], &repairs, std::mem::take(&mut prose)));
            }
            (at, prose_from) = (end, end);
        }
    }
    prose.push_str(&text[prose_from..]);
    Ok((objects, prose))
}

/// One value at byte `from`: strictly, then with the clean-ups that could help with what stopped it.
fn value_at(text: &str, from: usize, mode: ParseMode) -> Result<(Json, usize, Vec<JsonRepair>), JsonError> {
    let mut result = json::parse_prefix(text, from, Tolerance::Strict);
    if matches!(&result, Err(error) if error.problem == JsonProblem::LoneSurrogate) {
        result = json::parse_prefix(text, from, Tolerance::LoneSurrogates);
    }
    match (&result, mode) {
        (Err(error), ParseMode::Tolerant) if json5_may_help(&error.problem) => {
            json::parse_prefix(text, from, Tolerance::Json5)
        }
        _ => result,
    }
}

fn found<'a>(object: Object, source: &'a str, repairs: &[JsonRepair], before: String) -> FoundObject<'a> {
    FoundObject { before, object, source, repairs: repairs.iter().map(|repair| repair.name()).collect() }
}

/// `text` after its leading reasoning blocks.
fn without_reasoning(text: &str) -> Result<&str, Invalid> {
    let mut rest = text;
    while let Some(tag) = opening_tag(rest) {
        rest = after_reasoning(rest, tag)?.trim_start();
    }
    Ok(rest)
}

/// The reasoning tag that `text` starts with.
fn opening_tag(text: &str) -> Option<&'static str> {
    let inner = text.strip_prefix('<')?;
    REASONING_TAGS.into_iter().find(|tag| {
        let name = inner.get(..tag.len()).is_some_and(|name| name.eq_ignore_ascii_case(tag));
        name && inner[tag.len()..].starts_with('>')
    })
}

/// What follows the reasoning block that `text` starts with.
fn after_reasoning<'a>(text: &'a str, tag: &str) -> Result<&'a str, Invalid> {
    let mut rest = text;
    while let Some(at) = rest.find("</") {
        rest = &rest[at + 2..];
        let name = rest.get(..tag.len()).is_some_and(|name| name.eq_ignore_ascii_case(tag));
        if name && rest[tag.len()..].starts_with('>') {
            return Ok(&rest[tag.len() + 1..]);
        }
    }
    Err(Invalid::new(
        InvalidReason::LengthReasoning,
        format!("expected </{tag}>, found the end of the answer"),
    ))
}

/// What stands in the fence that is the whole of `text`.
fn fenced(text: &str) -> Option<&str> {
    let inner = text.strip_prefix(FENCE)?.strip_suffix(FENCE)?;
    let label = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+' | '.');
    Some(inner.trim_start_matches(label).trim())
}

/// Text that ends too early, repeats a key, is too deep or not finite is so under any tolerance.
fn json5_may_help(problem: &JsonProblem) -> bool {
    matches!(problem, JsonProblem::Unexpected(_) | JsonProblem::RawControl | JsonProblem::BadEscape)
}

fn refusal(error: &JsonError) -> Invalid {
    let reason = match error.problem {
        JsonProblem::UnexpectedEnd => InvalidReason::Truncated,
        JsonProblem::DuplicateKey(_) => InvalidReason::DuplicateKey,
        JsonProblem::TooDeep => InvalidReason::TooDeep,
        JsonProblem::NotFinite => InvalidReason::NotFinite,
        JsonProblem::Unexpected(_)
        | JsonProblem::TrailingText
        | JsonProblem::BadNumber
        | JsonProblem::BadEscape
        | JsonProblem::LoneSurrogate
        | JsonProblem::RawControl => InvalidReason::Malformed,
    };
    Invalid::new(reason, error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str) {
        let got = match locate(text, ParseMode::Tolerant) {
            Ok(located) => {
                let sources: Vec<&str> = located.objects.iter().map(|found| found.source).collect();
                let repairs: Vec<&str> = located.repairs.into_iter().collect();
                format!("{:?} {} [{}]", located.place, sources.join(" "), repairs.join(","))
            }
            Err(invalid) => invalid.reason.name().to_owned(),
        };
        assert_eq!(got, want, "{}", &text[..text.floor_char_boundary(80)]);
    }

    #[test]
    fn f60_a_fence_is_taken_off_whole() {
        check("```json\n{\"a\":1}\n```", "Whole {\"a\":1} [fence]");
        check("```{\"a\":\"```\"}```", "Whole {\"a\":\"```\"} [fence]");
        check("```json\n{\"a\":1}\n```\n```json\n{\"b\":1}\n```", "Prose {\"a\":1} {\"b\":1} []");
    }

    #[test]
    fn f61_braces_in_prose_are_prose() {
        check("{so} { {} {\"a\":1} }", "Prose {} {\"a\":1} []");
        check("set {x} and {{y}}", "Prose  []");
    }

    #[test]
    fn f63_reasoning_is_passed_over_wherever_it_stands() {
        check("<think>{\"a\":2}</think>\n{\"a\":1}", "Whole {\"a\":1} [reasoning_stripped]");
        check("<Think>x</THINK><reasoning>y</reasoning>{\"a\":1}", "Whole {\"a\":1} [reasoning_stripped]");
        check("So <thinking>{\"a\":2}</thinking> {\"a\":1}", "Prose {\"a\":1} [reasoning_stripped]");
        check("So <thinking>{\"a\":2}", "length_reasoning");
        check("<thin {\"a\":1}", "Prose {\"a\":1} []");
    }

    #[test]
    fn hostile_text_is_read_in_one_pass() {
        let mebibyte = 1 << 20;
        check(&"{\"a\":".repeat(mebibyte / 5), "too_deep");
        check(&"{\"a\":[".repeat(60), "truncated");
        check(&"{".repeat(mebibyte), "Prose  []");
        check(&format!("x{}", "{ ".repeat(mebibyte / 2)), "Prose  []");
        check(&"{\u{201c}".repeat(mebibyte / 4), "truncated");
        check(&"{\"a\":/*".repeat(mebibyte / 7), "truncated");
        check(&format!("<think>{}", "</thin".repeat(mebibyte / 6)), "length_reasoning");
        check(&"<".repeat(mebibyte), "Prose  []");
        let many = "{\"a\":1}".repeat(mebibyte / 7);
        let located = locate(&many, ParseMode::Tolerant).expect("objects");
        assert_eq!(located.objects.len(), mebibyte / 7);
    }

    #[test]
    fn f63_only_its_own_tag_ends_reasoning() {
        check(
            "<think>x</table>{\"a\":2}</thinker>{\"a\":3}</think>{\"a\":1}",
            "Whole {\"a\":1} [reasoning_stripped]",
        );
    }
}
