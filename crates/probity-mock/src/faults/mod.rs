//! The faults that real judges and their services have, by case number.
//!
//! One table in four parts: the flag, the listing, the draw and the tests come from it. A fault is drawn for a call by
//! its share; it then breaks the text of the answer, the message around the text, or the response itself.

mod connection;
mod message;
mod refusal;
mod text;

use std::collections::BTreeMap;

use super::answer::MockCall;
use super::draw::CallDraw;
use super::envelope::AnswerMessage;
use super::http::WireAct;

/// A fault.
#[derive(Debug)]
pub struct MockFault {
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
    Text(fn(&MockCall<'_>) -> FaultMade<String>),
    /// The message that carries the text.
    Message(fn(&MockCall<'_>) -> FaultMade<AnswerMessage>),
    /// The response.
    Response(fn(&MockCall<'_>) -> FaultMade<WireAct>),
}

/// What a fault makes of a call.
#[derive(Debug)]
pub(crate) enum FaultMade<T> {
    /// Something in which a careful reader finds the verdict, perhaps after a clean-up that loses nothing.
    Verdict(T),
    /// Something in which there is none.
    Nothing(T),
    /// The call as it is: its dialect or its packet does not allow the fault.
    Unbroken,
}

impl<T> FaultMade<T> {
    fn map<U>(self, change: impl FnOnce(T) -> U) -> FaultMade<U> {
        match self {
            FaultMade::Verdict(made) => FaultMade::Verdict(change(made)),
            FaultMade::Nothing(made) => FaultMade::Nothing(change(made)),
            FaultMade::Unbroken => FaultMade::Unbroken,
        }
    }
}

impl MockFault {
    /// What the fault makes of `call`.
    pub(crate) fn make(&self, call: &MockCall<'_>) -> FaultMade<WireAct> {
        match self.breaks {
            Breaks::Text(make) => make(call).map(|text| call.spoken(&text)),
            Breaks::Message(make) => make(call).map(|message| call.sent(&message)),
            Breaks::Response(make) => make(call),
        }
    }
}

const fn text(
    number: &'static str,
    sentence: &'static str,
    make: fn(&MockCall<'_>) -> FaultMade<String>,
) -> MockFault {
    MockFault { number, sentence, breaks: Breaks::Text(make) }
}

const fn message(
    number: &'static str,
    sentence: &'static str,
    make: fn(&MockCall<'_>) -> FaultMade<AnswerMessage>,
) -> MockFault {
    MockFault { number, sentence, breaks: Breaks::Message(make) }
}

const fn response(
    number: &'static str,
    sentence: &'static str,
    make: fn(&MockCall<'_>) -> FaultMade<WireAct>,
) -> MockFault {
    MockFault { number, sentence, breaks: Breaks::Response(make) }
}

/// Every fault, in order of its number.
pub fn faults() -> impl Iterator<Item = &'static MockFault> {
    [refusal::FAULTS, connection::FAULTS, message::FAULTS, text::FAULTS].into_iter().flatten()
}

/// Which calls get which fault.
#[derive(Debug, Clone, Default)]
pub struct FaultPlan {
    /// Faults with their shares, in order; the shares add up to at most 1.
    shares: Vec<(&'static MockFault, f64)>,
    /// Only the first so many calls about a packet draw a fault; `None` for all of them.
    attempts_max: Option<u32>,
}

impl FaultPlan {
    /// The plan for faults by number. The error says what is wrong with it.
    pub fn new(shares: &BTreeMap<String, f64>, attempts_max: Option<u32>) -> Result<Self, String> {
        let mut planned = Vec::new();
        for (number, share) in shares {
            let fault = faults().find(|fault| fault.number == number);
            let fault = fault.ok_or_else(|| {
                format!("fault {number:?}: expected one of those that --list-faults prints, such as F17")
            })?;
            if !(0.0..=1.0).contains(share) {
                return Err(format!("fault {number}: expected a share from 0 to 1, found {share}"));
            }
            planned.push((fault, *share));
        }
        let sum: f64 = planned.iter().map(|(_, share)| share).sum();
        // Decimal shares that add up to 1 may miss it by a rounding error.
        if sum > 1.0 + 1e-9 {
            return Err(format!("the shares of all faults add up to {sum}, expected at most 1"));
        }
        Ok(FaultPlan { shares: planned, attempts_max })
    }

    /// The fault of a call, if it has one. Each fault meets exactly its share of all calls.
    pub(crate) fn drawn(&self, draw: &CallDraw, attempt: u32) -> Option<&'static MockFault> {
        if self.shares.is_empty() || self.attempts_max.is_some_and(|max| attempt > max) {
            return None;
        }
        let mut left = draw.share("fault");
        for (fault, share) in &self.shares {
            if left < *share {
                return Some(fault);
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
    toml::from_str(text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{CallDraw, FaultPlan, MockFault, faults, share, shares};

    fn plan(shares: &[(&str, f64)], attempts_max: Option<u32>) -> Result<FaultPlan, String> {
        let shares: BTreeMap<String, f64> =
            shares.iter().map(|(number, share)| ((*number).to_owned(), *share)).collect();
        FaultPlan::new(&shares, attempts_max)
    }

    #[test]
    fn numbers_are_in_order_and_stand_once() {
        let faults: Vec<&MockFault> = faults().collect();
        assert!(faults.windows(2).all(|pair| pair[0].number < pair[1].number));
    }

    #[test]
    fn shares_are_met() {
        let plan = plan(&[("F17", 0.2), ("F01", 0.1), ("F60", 0.7)], None).unwrap();
        let mut met: BTreeMap<&str, u32> = BTreeMap::new();
        for n in 0..5000_u32 {
            let draw = CallDraw::of_call(1, &blake3::hash(&n.to_le_bytes()), 1);
            let fault = plan.drawn(&draw, 1).expect("the shares add up to 1");
            *met.entry(fault.number).or_default() += 1;
        }
        for (number, want) in [("F01", 500), ("F17", 1000), ("F60", 3500)] {
            assert!(met[number].abs_diff(want) < 150, "{number}: {} calls, expected {want}", met[number]);
        }
    }

    #[test]
    fn later_attempts_are_spared_where_asked() {
        let draw = CallDraw::of_call(1, &blake3::hash(b"x"), 1);
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
