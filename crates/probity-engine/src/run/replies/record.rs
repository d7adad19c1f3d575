//! What the store holds about the reply to a case: the reply, or why there is none.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Mutex, MutexGuard};

use probity_core::case::{Case, Entry, Reply, Variant};
use probity_core::packet::PacketHash;
use probity_core::score::Unscored;

use crate::input::Skipped;
use crate::ledger::{Found, Reader, Settled, Settlement};
use crate::run::RunError;
use crate::run::record::ended;
use crate::target::{ReplyRecord, TargetDefinition};

/// A case for which the target gave no reply.
#[derive(Debug, Clone)]
pub struct NoReply {
    /// The case.
    pub case: Box<Case>,
    /// Where it stands.
    pub skipped: Skipped,
    /// What the target is called.
    pub variant: Variant,
    /// What happened.
    pub why: Unscored,
}

/// Reads replies back.
pub(in crate::run) struct Replies {
    reader: Mutex<Reader>,
    repeat: u32,
    doubts: Mutex<Doubts>,
}

impl fmt::Debug for Replies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replies").field("repeat", &self.repeat).finish_non_exhaustive()
    }
}

/// Answers whose confidence is none.
#[derive(Debug, Default)]
struct Doubts {
    packets: HashSet<PacketHash>,
    first: String,
}

impl Replies {
    /// What `reader` has under this repeat.
    pub(in crate::run) fn new(reader: Reader, repeat: u32) -> Replies {
        Replies { reader: Mutex::new(reader), repeat, doubts: Mutex::default() }
    }

    /// The case with its reply, or why it has none.
    pub(in crate::run) fn answered(
        &self,
        target: &TargetDefinition,
        case: Box<Case>,
        skipped: Skipped,
    ) -> Result<Result<Entry, NoReply>, RunError> {
        Ok(match self.found(target, &case)? {
            Err(why) => Err(NoReply { case, skipped, variant: target.variant.clone(), why }),
            Ok(reply) => Ok(Entry { case: *case, reply }),
        })
    }

    fn found(&self, target: &TargetDefinition, case: &Case) -> Result<Result<Reply, Unscored>, RunError> {
        let hash = target.request(case)?.hash;
        let found = locked(&self.reader).found(&target.id, self.repeat, &[hash])?;
        Ok(Err(match found.get(&hash) {
            Some(Found::Settled(Settlement { decision: Settled::Verdict { body }, .. })) => {
                let damaged = |problem: String| RunError::damaged(hash, &problem);
                let record: ReplyRecord =
                    serde_json::from_str(body).map_err(|error| damaged(error.to_string()))?;
                if let Some(fault) = &record.confidence_fault {
                    self.doubt(hash, fault);
                }
                return record.reply(&target.variant).map(Ok).map_err(damaged);
            }
            Some(Found::Settled(Settlement { decision: Settled::Unscored { reason, detail }, attempts })) => {
                no_reply(reason, detail, *attempts)
            }
            Some(Found::Attempted(last)) => {
                let (outcome, detail) = ended(last);
                no_reply(outcome, detail, last.n)
            }
            None => not_asked(),
        }))
    }

    fn doubt(&self, hash: PacketHash, fault: &str) {
        let mut doubts = locked(&self.doubts);
        if doubts.packets.is_empty() {
            fault.clone_into(&mut doubts.first);
        }
        doubts.packets.insert(hash);
    }

    /// What a reader should know about the confidences in the target's answers.
    pub(in crate::run) fn warning(&self, target: &TargetDefinition) -> Option<String> {
        let doubts = locked(&self.doubts);
        let (n, name) = (doubts.packets.len(), &target.settings.name);
        (n > 0).then(|| {
            format!(
                "{n} answers of target {name} came with a confidence that is none, and their replies count as \
                 replies without one ({})",
                doubts.first
            )
        })
    }
}

/// Why there is no reply where the target was not asked.
pub(in crate::run) fn not_asked() -> Unscored {
    no_reply("not_attempted", "", 0)
}

/// Why there is no reply, with the cause of the last attempt.
fn no_reply(cause: &str, detail: &str, attempts: u32) -> Unscored {
    let detail = if detail.is_empty() { cause.to_owned() } else { format!("{cause}: {detail}") };
    Unscored { cause: probity_core::report::NO_REPLY.to_owned(), detail, attempts }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no thread panics while it reads replies")
}
