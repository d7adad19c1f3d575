//! What is asked, with the length of its prompt, so that a packet's tokens can be estimated without a prompt.

use std::sync::Arc;

use probity_core::case::{Case, CaseId, Entry, Reply, Situation};
use probity_core::gate::{Admitted, Gate};
use probity_core::packet::{self, Ask, NotAPair, PairAsk};

use super::asking::{Asking, SizedPacket};
use crate::judge::prompt::TemplateError;

/// What is asked about one reply.
#[derive(Debug)]
pub(super) struct SizedAsk {
    pub(super) ask: Arc<Ask>,
    /// Everything in its prompt that is not the case's own text.
    overhead_chars: u64,
}

/// What is asked about a pair of replies.
#[derive(Debug)]
pub(super) struct SizedPairAsk {
    ask: PairAsk,
    /// Everything in its prompt that is not the case's own text.
    overhead_chars: u64,
}

impl SizedAsk {
    /// Measures the prompt of `ask`.
    pub(super) fn new(ask: Arc<Ask>, asking: &Asking) -> Result<SizedAsk, TemplateError> {
        let overhead_chars = asking.overhead_chars(&packet::question(&blank(), &ask))?;
        Ok(SizedAsk { ask, overhead_chars })
    }

    /// The packets that ask each of `asks` about an admitted reply.
    pub(super) fn packets(asks: &[SizedAsk], admitted: &Admitted) -> Vec<SizedPacket> {
        let packets = packet::questions(admitted, asks.iter().map(|sized| &sized.ask));
        let sized = asks.iter().zip(packets);
        sized.map(|(sized, packet)| SizedPacket::new(packet, sized.overhead_chars)).collect()
    }
}

impl SizedPairAsk {
    /// Measures the prompt of `ask`.
    pub(super) fn new(ask: PairAsk, asking: &Asking) -> Result<SizedPairAsk, TemplateError> {
        let empty = packet::pair(&blank(), &blank(), &ask).expect("a reply is to its own case");
        Ok(SizedPairAsk { overhead_chars: asking.overhead_chars(&empty)?, ask })
    }

    /// The packet that asks about two replies to one case, in this order.
    pub(super) fn packet(&self, first: &Admitted, second: &Admitted) -> Result<SizedPacket, NotAPair> {
        Ok(SizedPacket::new(packet::pair(first, second, &self.ask)?, self.overhead_chars))
    }
}

/// A reply of nothing to nothing, for measuring prompts.
fn blank() -> Admitted {
    let case = Case::new(CaseId::new("blank").expect("a plain word is an id"), Situation::Ticket("".into()));
    let reply = Reply::new("");
    Gate::open().screen(Entry { case, reply }).expect("no rule, nothing blocked")
}
