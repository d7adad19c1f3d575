//! What one call gets: an answer or a fault, and its line in the ledger. The same whether it came alone or in a batch.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::answer::MockCall;
use super::counts::UnderWay;
use super::envelope::AnswerMessage;
use super::faults::{FaultMade, MockFault};
use super::host::Treatment;
use super::http::{HttpResponse, WireAct};
use super::pairs::Pairs;

/// What a call gets.
pub(crate) struct CallDecision {
    /// The fault that it has.
    pub(crate) fault: Option<&'static MockFault>,
    /// What is done with the connection.
    pub(crate) act: WireAct,
    /// How long it takes.
    pub(crate) latency: Duration,
    /// The verdict that a careful reader finds in it; null where there is none.
    pub(crate) verdict: Value,
}

/// What `call` gets.
pub(crate) fn decide(call: &MockCall<'_>) -> CallDecision {
    let latency = call.settings.latency.sample(&call.draw);
    let nothing = |act| CallDecision { fault: None, act, latency, verdict: Value::Null };
    match &call.asked.treatment {
        Treatment::Refused(status, body) => return nothing(HttpResponse::json(*status, body.clone()).into()),
        Treatment::ThoughtAway => {
            let message = AnswerMessage { finish: "length", ..AnswerMessage::text("") };
            return nothing(call.sent(&message));
        }
        Treatment::Cut(_) | Treatment::Served => {}
    }
    let drawn = call.settings.faults.drawn(&call.draw, call.attempt);
    let (fault, act, verdict) = match drawn.map_or(FaultMade::Unbroken, |fault| fault.make(call)) {
        FaultMade::Verdict(act) => (drawn, act, verdict(call)),
        FaultMade::Nothing(act) => (drawn, act, Value::Null),
        FaultMade::Unbroken => (None, call.clean(), verdict(call)),
    };
    CallDecision { fault, act, latency, verdict }
}

/// What the call's answer says.
fn verdict(call: &MockCall<'_>) -> Value {
    let word = call.said.word();
    if word.is_some() && call.settings.pairs == Pairs::Malformed {
        return Value::Null;
    }
    let levels = call.said.levels().into_iter().map(|(criterion, level)| (criterion, json!(level)));
    let word = word.map(|word| ("verdict".to_owned(), json!(word)));
    Value::Object(levels.chain(word).collect::<Map<String, Value>>())
}

/// The call's line in the ledger.
pub(crate) fn line(call: &MockCall<'_>, decision: &CallDecision, under_way: &UnderWay<'_>) -> Value {
    json!({
        "n": under_way.n,
        "packet": call.packet.to_hex().as_str(),
        "attempt": call.attempt,
        "fault": decision.fault.map(|fault| fault.number),
        "status": decision.act.status,
        "verdict": decision.verdict,
        "mark": call.draw.mark(),
        "in_flight": under_way.in_flight,
        "latency_us": decision.latency.as_micros(),
        "dialect": call.asked.dialect.name(),
        "model": call.asked.model,
    })
}
