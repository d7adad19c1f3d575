//! What people have seen of what was hidden, so that labels can say who was blind.
//!
//! It is noted by what it was about and not by where it was seen: a reply is the same in every queue, alone or in
//! a pair, under every rubric. Two items have a reply in common where case and variant are the same, or the
//! conversation and the words of the reply.
//!
//! What always holds: a note is on the disk before what it is about leaves the store, and none is ever removed.

use probity_core::review::{Exhibit, Hidden};

use super::act::{LoggedAct, log};
use super::hand_out::{place, shown};
use super::people::PersonId;
use super::{ItemId, text};
use crate::ledger::db::{Db, DbError, vals};

probity_core::named! {
    /// What a person can have seen.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) enum Sight {
        /// What a judge said.
        Verdict = "verdict",
        /// What other people said.
        Labels = "labels",
    }
}

impl Sight {
    /// What makes a person's own label one that was not given blind.
    pub(super) const ANY: &'static [Sight] = &[Sight::Verdict, Sight::Labels];

    /// What makes it so for a lead who settles, which is done by looking at what people said.
    pub(super) const WHEN_SETTLING: &'static [Sight] = &[Sight::Verdict];
}

/// Whether a person has seen one of `sights` on a reply of the item, wherever that was.
pub(super) fn has_seen(db: &Db, item: ItemId, person: PersonId, sights: &[Sight]) -> Result<bool, DbError> {
    const SQL: &str = "SELECT 1 FROM sight WHERE person = ?1 AND reply = ?2 AND kind = ?3";
    let replies = replies(db, item)?;
    for sight in sights {
        if is_noted(db, (item, person), *sight)? {
            return Ok(true);
        }
        for reply in &replies {
            if db.row(SQL, &vals![person.0, reply, sight.name()], |_| Ok(()))?.is_some() {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Notes that a person sees something of an item, once.
pub(super) fn note(
    db: &Db,
    (item, person): (ItemId, PersonId),
    sight: Sight,
    now: i64,
) -> Result<(), DbError> {
    const SQL: &str = "INSERT INTO sight (person, reply, kind) VALUES (?1, ?2, ?3)
        ON CONFLICT (person, reply, kind) DO NOTHING";
    if is_noted(db, (item, person), sight)? {
        return Ok(());
    }
    for reply in replies(db, item)? {
        db.run(SQL, &vals![person.0, &reply, sight.name()])?;
    }
    log(db, (item, person), LoggedAct { sight: Some(sight.name()), ..LoggedAct::of("reveal") }, now)
}

/// Whether it is noted already that a person saw something of this very item.
fn is_noted(db: &Db, (item, person): (ItemId, PersonId), sight: Sight) -> Result<bool, DbError> {
    const SQL: &str = "SELECT 1 FROM act WHERE item = ?1 AND person = ?2 AND kind = 'reveal' AND sight = ?3
        LIMIT 1";
    Ok(db.row(SQL, &vals![item.0, person.0, sight.name()], |_| Ok(()))?.is_some())
}

/// What the replies of an item are known by, wherever they are shown.
fn replies(db: &Db, item: ItemId) -> Result<Vec<String>, DbError> {
    let Some(place) = place(db, item)? else { return Ok(Vec::new()) };
    Ok(known_by(&place.hidden, &shown(db, item)?))
}

/// Two hashes for each reply: one of its case and variant, one of the conversation and its words.
fn known_by(hidden: &Hidden, shown: &Exhibit) -> Vec<String> {
    let hash = |document: String| blake3::hash(document.as_bytes()).to_hex().to_string();
    let by_name = hidden.variants.iter().map(|variant| hash(text(&("case", &hidden.case, variant))));
    let by_words = shown.replies.iter().map(|reply| hash(text(&("reply", &shown.conversation, reply))));
    by_name.chain(by_words).collect()
}
