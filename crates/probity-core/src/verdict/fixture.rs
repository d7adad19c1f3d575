//! Packets for the tests of this stage, built without a rubric file.

use crate::case::{Case, CaseId, Entry, Reply, Situation};
use crate::gate::{Admitted, Gate};
use crate::packet::{self, Ask, Packet, PairAsk};
use crate::rubric::{
    Anchor, AutomaticFail, Criterion, CriterionId, Decider, Direction, Judged, Oracle, ReasoningDemand,
    ReferenceUse, Scale,
};

/// A criterion called `id` on `levels`.
pub(super) fn criterion(id: &str, levels: &[i64]) -> Criterion {
    Criterion {
        id: CriterionId::new(id).expect("an id"),
        title: id.to_owned(),
        question: format!("How good is the {id} of the reply?"),
        scale: Scale::new(levels.to_vec(), Direction::HigherIsBetter).expect("a scale"),
        anchors: levels
            .iter()
            .map(|level| Anchor { level: *level, text: format!("level {level}") })
            .collect(),
        weight: None,
        tie: None,
        outside: Vec::new(),
        violations: Vec::new(),
        oracle: Oracle::None,
        decider: Decider::Judge,
        judged: Judged::Pointwise,
        better: None,
        rules: Vec::new(),
        reference: ReferenceUse::Hidden,
        reasoning: ReasoningDemand::Given,
    }
}

/// A packet that asks about `ids` on 1 to 5.
pub(super) fn packet(ids: &[&str], reply: &str) -> Packet {
    packet_of(ids.iter().map(|id| criterion(id, &[1, 2, 3, 4, 5])).collect(), "Where is my order?", reply)
}

/// A packet that asks about `ids` on 1 to 5, where anything below 4 of `fatal` fails the reply.
pub(super) fn failing_packet(ids: &[&str], fatal: &str) -> Packet {
    let criteria = ids.iter().map(|id| criterion(id, &[1, 2, 3, 4, 5])).collect();
    let fail = AutomaticFail { criterion: CriterionId::new(fatal).expect("an id"), worse_than: 4 };
    let ask = Ask::failing(criteria, vec![fail]).expect("criteria");
    packet::question(&admitted("Where is my order?", "Hello"), &ask)
}

/// A packet that asks which of two replies is better by two criteria.
pub(super) fn pair(a: &str, b: &str) -> Packet {
    let comparing = |id| Criterion {
        tie: Some("Both are alike.".to_owned()),
        better: Some(format!("Has the better {id}.")),
        judged: Judged::Pairwise,
        ..criterion(id, &[0, 1])
    };
    let ask = PairAsk::new(["tone", "clarity"].map(comparing).into()).expect("criteria with a tie");
    let [a, b] = [a, b].map(|reply| admitted("Where is my order?", reply));
    packet::pair(&a, &b, &ask).expect("replies to one case")
}

/// A packet that asks about `criteria`.
pub(super) fn packet_of(criteria: Vec<Criterion>, ticket: &str, reply: &str) -> Packet {
    packet::question(&admitted(ticket, reply), &Ask::new(criteria).expect("criteria"))
}

fn admitted(ticket: &str, reply: &str) -> Admitted {
    let case = Case::new(CaseId::new("t1").expect("an id"), Situation::Ticket(ticket.into()));
    Gate::open().screen(Entry { case, reply: Reply::new(reply) }).expect("admitted")
}
