//! The faults that real judges and their services have, by case number.
//!
//! One table: the flag, the listing, the draw and the tests come from it. A fault is drawn for a call by
//! its share; it then breaks the text of the answer, the message around the text, or the response itself.

mod connection;
mod message;
mod refusal;
mod text;

use std::collections::BTreeMap;

use super::answer::{Call, Message};
use super::draw::Draw;
use super::http::Act;

/// A fault.
#[derive(Debug)]
pub struct Fault {
    /// Its case number, such as `F17`.
    pub number: &'static str,
    /// What it does. Where there are several ways, each call draws one.
    pub sentence: &'static str,
    breaks: Breaks,
}

/// What a fault breaks.
#[derive(Debug)]
enum Breaks {
    /// The text of the answer.
    Text(fn(&Call<'_>) -> Made<String>),
    /// The message that carries the text.
    Message(fn(&Call<'_>) -> Made<Message>),
    /// The response.
    Response(fn(&Call<'_>) -> Made<Act>),
}

/// What a fault makes of a call.
#[derive(Debug)]
pub(crate) enum Made<T> {
    /// Something in which a careful reader finds the verdict, perhaps after a clean-up that loses nothing.
    Verdict(T),
    /// Something in which there is none.
    Nothing(T),
    /// The call as it is: its dialect or its packet does not allow the fault.
    Unbroken,
}

impl<T> Made<T> {
    fn map<U>(self, change: impl FnOnce(T) -> U) -> Made<U> {
        match self {
            Made::Verdict(made) => Made::Verdict(change(made)),
            Made::Nothing(made) => Made::Nothing(change(made)),
            Made::Unbroken => Made::Unbroken,
        }
    }
}

impl Fault {
    /// What the fault makes of `call`.
    pub(crate) fn make(&self, call: &Call<'_>) -> Made<Act> {
        match self.breaks {
            Breaks::Text(make) => make(call).map(|text| call.spoken(&text)),
            Breaks::Message(make) => make(call).map(|message| call.sent(&message)),
            Breaks::Response(make) => make(call),
        }
    }
}

const fn text(number: &'static str, sentence: &'static str, make: fn(&Call<'_>) -> Made<String>) -> Fault {
    Fault { number, sentence, breaks: Breaks::Text(make) }
}

const fn message(
    number: &'static str,
    sentence: &'static str,
    make: fn(&Call<'_>) -> Made<Message>,
) -> Fault {
    Fault { number, sentence, breaks: Breaks::Message(make) }
}

const fn response(number: &'static str, sentence: &'static str, make: fn(&Call<'_>) -> Made<Act>) -> Fault {
    Fault { number, sentence, breaks: Breaks::Response(make) }
}

/// Every fault, in order of its number.
pub const FAULTS: &[Fault] = &[
    response("F01", "429 with Retry-After in seconds (--retry-after)", refusal::f01),
    response("F03", "429 with retry-after-ms 350 beside Retry-After 1", refusal::f03),
    response("F04", "429 with Retry-After 0", refusal::f04),
    response("F05", "429 with a Retry-After that is no time: -5, abc, NaN, 1e309, empty", refusal::f05),
    response("F06", "429 with Retry-After 86400", refusal::f06),
    response("F07", "429 without any header", refusal::f07),
    response("F08", "429 with only x-ratelimit-reset-requests: 1m30s, 6m0s, 12ms", refusal::f08),
    response("F09", "429 with the delay only in the body, as a field or in a sentence", refusal::f09),
    response("F10", "429 with code insufficient_quota", refusal::f10),
    response("F11", "429 with another code that says that credit or a spend limit is used up", refusal::f11),
    response("F12", "429 whose message says INSUFFICIENT QUOTA and whose code does not", refusal::f12),
    response("F13", "429 or 503 with code slow_down", refusal::f13),
    response("F15", "an answer with x-ratelimit-remaining-tokens 0 and a reset in 500ms", refusal::f15),
    response("F16", "500", refusal::f16),
    response("F17", "502, 503 or 504 with a page of HTML from a proxy", refusal::f17),
    response("F18", "529 overloaded_error", refusal::f18),
    response("F19", "503 with Retry-After in seconds (--retry-after)", refusal::f19),
    response("F20", "408, 409 or 425", refusal::f20),
    response("F22", "400 context_length_exceeded with token counts", refusal::f22),
    response("F23", "400 unsupported parameter", refusal::f23),
    response("F24", "401 or 403", refusal::f24),
    response("F25", "404 or 410: no such model", refusal::f25),
    response("F26", "413, 414 or 431", refusal::f26),
    response("F27", "422: the schema is refused", refusal::f27),
    response("F28", "a redirect to another host", refusal::f28),
    response("F30", "the connection is reset before any byte", connection::f30),
    response("F31", "the connection is reset in the middle of the body", connection::f31),
    response("F35", "headers never come", connection::f35),
    response("F36", "an event stream stalls while keep-alive comments go on (--drip)", connection::f36),
    response("F37", "one byte at a time, with a long pause before each (--drip)", connection::f37),
    response("F38", "an event stream ends with [DONE] and the connection stays open", connection::f38),
    response("F39", "an event stream ends without a finish reason or [DONE]", connection::f39),
    response("F40", "an error inside a 200 body or inside an event stream", connection::f40),
    response("F41", "1 GB out of 1 MB of gzip, or a body without end", connection::f41),
    response("F42", "a wrong Content-Length, bad chunking, or a body that is not UTF-8", connection::f42),
    message("F44", "no choice, or an empty list of them", message::f44),
    message("F45", "content null or empty, finish stop", message::f45),
    message("F46", "empty content, finish length: reasoning took all tokens", message::f46),
    message("F47", "finish length with a cut object", message::f47),
    message("F48", "finish content_filter without content", message::f48),
    message("F49", "finish content_filter with a whole verdict", message::f49),
    message("F50", "a refusal in its own field", message::f50),
    text("F51", "a refusal in plain text", message::f51),
    message("F52", "a tool call instead of content: the tool verdict, or another", message::f52),
    message("F53", "the verdict stands only in the reasoning beside the content", message::f53),
    message("F54", "content as a list of parts", message::f54),
    message("F55", "two choices although one was asked for (chat completions only)", message::f55),
    message("F56", "usage is missing, negative or text", message::f56),
    text("F60", "a fence around the verdict", text::f60),
    text("F61", "prose around the verdict", text::f61),
    text("F62", "two verdicts that differ", text::f62),
    text("F63", "a reasoning block with a draft before the verdict", text::f63),
    text("F64", "a reasoning block that never ends", text::f64),
    text("F65", "a literal <think> inside the reasoning's text", text::f65),
    text("F66", "braces inside the reasoning's text", text::f66),
    text("F67", "the verdict that stands in the reply itself (where one does)", text::f67),
    text("F68", "the level as a string", text::f68),
    text("F69", "the level with a fraction: 4.0 or 4.5", text::f69),
    text("F70", "the level in words, stars or as x/5", text::f70),
    text("F71", "a level outside of the scale", text::f71),
    text("F72", "NaN, Infinity, 1e999 or \"nan\" as level", text::f72),
    text("F73", "true, a list, an object or null as level", text::f73),
    text("F74", "the level's key twice", text::f74),
    text("F75", "a criterion, or the only level, is missing", text::f75),
    text("F78", "a trailing comma, single quotes, a comment, a raw line break or smart quotes", text::f78),
    text("F79", "a byte order mark before the verdict", text::f79),
    text("F80", "a lone surrogate in the reasoning", text::f80),
    text("F81", "a NUL in the reasoning", text::f81),
    text("F82", "nesting 200 levels deep", text::f82),
    text("F83", "a reasoning of 5 MB, or one that repeats itself 20,000 times", text::f83),
];

/// Which calls get which fault.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FaultPlan {
    /// Places in [`FAULTS`] with their shares, in order; the shares add up to at most 1.
    shares: Vec<(usize, f64)>,
    /// Only the first so many calls about a packet draw a fault; `None` for all of them.
    attempts_max: Option<u32>,
}

impl FaultPlan {
    /// The plan for faults by number. The error says what is wrong with it.
    pub fn new(shares: &BTreeMap<String, f64>, attempts_max: Option<u32>) -> Result<Self, String> {
        let mut planned = Vec::new();
        for (number, share) in shares {
            let at = FAULTS.iter().position(|fault| fault.number == number);
            let at = at.ok_or_else(|| {
                format!("fault {number:?}: expected one of those that --list-faults prints, such as F17")
            })?;
            if !(0.0..=1.0).contains(share) {
                return Err(format!("fault {number}: expected a share from 0 to 1, found {share}"));
            }
            planned.push((at, *share));
        }
        planned.sort_by_key(|(at, _)| *at);
        let sum: f64 = planned.iter().map(|(_, share)| share).sum();
        // Decimal shares that add up to 1 may miss it by a rounding error.
        if sum > 1.0 + 1e-9 {
            return Err(format!("the shares of all faults add up to {sum}, expected at most 1"));
        }
        Ok(FaultPlan { shares: planned, attempts_max })
    }

    /// The fault of a call, if it has one. Each fault meets exactly its share of all calls.
    pub(crate) fn drawn(&self, draw: &Draw, attempt: u32) -> Option<usize> {
        if self.shares.is_empty() || self.attempts_max.is_some_and(|max| attempt > max) {
            return None;
        }
        let mut left = draw.share("fault");
        for (at, share) in &self.shares {
            if left < *share {
                return Some(*at);
            }
            left -= share;
        }
        None
    }
}

/// Reads `F17=0.05`.
pub fn share(text: &str) -> Result<(String, f64), String> {
    let expected = || format!("expected a fault and its share such as F17=0.05, found {text:?}");
    let (number, share) = text.split_once('=').ok_or_else(expected)?;
    Ok((number.trim().to_owned(), share.trim().parse().map_err(|_| expected())?))
}

/// Reads a TOML file whose lines are faults with their shares: `F17 = 0.05`.
pub fn shares(text: &str) -> Result<BTreeMap<String, f64>, String> {
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| error.to_string())?;
    let share = |(number, value): (String, toml::Value)| {
        let share = match value {
            toml::Value::Float(share) => Some(share),
            toml::Value::Integer(0) => Some(0.0),
            toml::Value::Integer(1) => Some(1.0),
            _ => None,
        };
        match share {
            Some(share) => Ok((number, share)),
            None => Err(format!("fault {number}: expected a share from 0 to 1")),
        }
    };
    table.into_iter().map(share).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Draw, FAULTS, FaultPlan, share, shares};

    fn plan(shares: &[(&str, f64)], attempts_max: Option<u32>) -> Result<FaultPlan, String> {
        let shares: BTreeMap<String, f64> =
            shares.iter().map(|(number, share)| ((*number).to_owned(), *share)).collect();
        FaultPlan::new(&shares, attempts_max)
    }

    #[test]
    fn numbers_are_in_order_and_stand_once() {
        assert!(FAULTS.windows(2).all(|pair| pair[0].number < pair[1].number));
    }

    #[test]
    fn shares_are_met() {
        let plan = plan(&[("F17", 0.2), ("F01", 0.1), ("F60", 0.7)], None).unwrap();
        let mut met: BTreeMap<&str, u32> = BTreeMap::new();
        for n in 0..5000_u32 {
            let draw = Draw::of_call(1, &blake3::hash(&n.to_le_bytes()), 1);
            let at = plan.drawn(&draw, 1).expect("the shares add up to 1");
            *met.entry(FAULTS[at].number).or_default() += 1;
        }
        for (number, want) in [("F01", 500), ("F17", 1000), ("F60", 3500)] {
            assert!(met[number].abs_diff(want) < 150, "{number}: {} calls, expected {want}", met[number]);
        }
    }

    #[test]
    fn later_attempts_are_spared_where_asked() {
        let draw = Draw::of_call(1, &blake3::hash(b"x"), 1);
        assert!(plan(&[("F16", 1.0)], Some(2)).unwrap().drawn(&draw, 2).is_some());
        assert!(plan(&[("F16", 1.0)], Some(2)).unwrap().drawn(&draw, 3).is_none());
        assert!(plan(&[("F16", 0.0)], None).unwrap().drawn(&draw, 1).is_none());
    }

    #[test]
    fn plans_that_make_no_sense() {
        assert!(plan(&[("F99", 0.1)], None).unwrap_err().contains("--list-faults"));
        assert!(plan(&[("F16", 1.5)], None).unwrap_err().contains("from 0 to 1"));
        assert!(plan(&[("F16", f64::NAN)], None).unwrap_err().contains("from 0 to 1"));
        assert!(plan(&[("F16", 0.6), ("F17", 0.6)], None).unwrap_err().contains("at most 1"));
        assert_eq!(share("F17=0.05"), Ok(("F17".to_owned(), 0.05)));
        assert!(share("F17").is_err() && share("F17=x").is_err());
        let read = shares("F16 = 1\nF17 = 0.25\n").unwrap();
        assert_eq!(format!("{read:?}"), r#"{"F16": 1.0, "F17": 0.25}"#);
        assert!(shares("F16 = \"x\"").unwrap_err().contains("F16"));
    }
}
