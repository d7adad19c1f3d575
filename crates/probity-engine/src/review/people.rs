//! Who may enter: people by name, invitations that open once, sessions that end.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::token::AccessToken;
use super::{ReviewRoom, word};
use crate::ledger::db::{Db, DbError, Row, vals};
use crate::ledger::{Fault, StoreError};

/// For how long an invitation opens the door, in seconds: 7 days.
pub(crate) const INVITATION_SECONDS_MAX: i64 = 7 * 24 * 3600;

/// After how long without a request a session ends, in seconds: 12 hours.
pub(crate) const SESSION_IDLE_SECONDS_MAX: i64 = 12 * 3600;

/// After how long a session ends whatever happens, in seconds: 7 days.
pub const SESSION_SECONDS_MAX: i64 = 7 * 24 * 3600;

/// A session's last request is noted when the noted one is older than this, in seconds.
const SEEN_STEP_SECONDS: i64 = 60;

/// The longest name, in characters.
const NAME_CHARS_MAX: usize = 80;

/// A person of one store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PersonId(pub i64);

probity_core::named! {
    /// What a person may do.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum PersonRole {
        /// Label what they are given.
        Reviewer = "reviewer",
        /// Also settle disagreements, invite people, and see figures and runs.
        Lead = "lead",
    }
}

/// A name that labels can carry: something to read, without control characters, spaces around it do not count.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PersonName(String);

/// A text that is no name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{found:?} is no name, expected 1 to 80 characters without control characters")]
pub struct NotAName {
    /// The text.
    pub found: String,
}

impl PersonName {
    /// The name that `text` is.
    pub fn new(text: &str) -> Result<PersonName, NotAName> {
        let name = text.trim();
        let hides = |c: char| c.is_control() || probity_core::case::is_format(c);
        if name.is_empty() || name.chars().count() > NAME_CHARS_MAX || name.chars().any(hides) {
            return Err(NotAName { found: text.to_owned() });
        }
        Ok(PersonName(name.to_owned()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether both name one person: upper and lower case do not tell people apart.
    pub fn is_same(&self, other: &str) -> bool {
        self.0.to_lowercase() == other.to_lowercase()
    }
}

impl fmt::Display for PersonName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A person who is in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Person {
    /// Who.
    pub id: PersonId,
    /// Their name, as their labels have it.
    pub name: String,
    /// What they may do.
    pub role: PersonRole,
}

/// A person as leads see them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PersonView {
    /// Who.
    pub person: Person,
    /// Whether they were removed: they cannot enter, and what they said stays.
    pub removed: bool,
    /// Invitations that still open the door.
    pub n_invitations: u32,
    /// When a session of theirs was last seen, in seconds.
    pub seen: Option<i64>,
    /// Items that they have answered.
    pub n_submitted: u32,
}

impl ReviewRoom {
    /// Makes an invitation, which opens the door once. A person who has the name already, in whatever case, is the
    /// one invited, under the name that their labels carry, and may enter again if they were removed. Inviting
    /// again takes nothing away: earlier invitations open the door until one of them was used, and a lead stays one
    /// until they are removed.
    pub async fn invite(
        &self,
        name: &PersonName,
        role: PersonRole,
        now: i64,
    ) -> Result<(PersonId, AccessToken), StoreError> {
        let (name, token) = (name.clone(), AccessToken::fresh());
        let hash = token.hash();
        let person = self.write("inviting a person", move |db| invite(db, &name, role, hash, now)).await?;
        Ok((person, token))
    }

    /// Opens the door to the person with an invitation, and gives them a session. `None` for an invitation that is
    /// unknown, used or too old. The person's other invitations open nothing any more. `client` is where they come from.
    pub async fn redeem(
        &self,
        invitation: &AccessToken,
        client: &str,
        now: i64,
    ) -> Result<Option<(Person, AccessToken)>, StoreError> {
        let (invitation, session, client) = (invitation.hash(), AccessToken::fresh(), client.to_owned());
        let hash = session.hash();
        // Trying what is unknown costs a look, and no transaction.
        if !self.read(|reader| reader.ask(|db| is_known(db, invitation)))? {
            return Ok(None);
        }
        let person = self
            .write("redeeming an invitation", move |db| redeem(db, (invitation, hash), &client, now))
            .await?;
        Ok(person.map(|person| (person, session)))
    }

    /// Whose session it is; `None` for one that is unknown or has ended. A read, but for a note once a minute
    /// that is not waited for.
    pub fn session(&self, session: &AccessToken, now: i64) -> Result<Option<Person>, StoreError> {
        let hash = session.hash();
        let found = self.read(|reader| reader.ask(|db| session_of(db, hash)))?;
        let Some((stored, created, seen, person)) = found else { return Ok(None) };
        if stored != hash || !is_open(created, seen, now) {
            return Ok(None);
        }
        if now - seen >= SEEN_STEP_SECONDS {
            self.store.write_unasked("noting a session", move |tables| {
                const SQL: &str = "UPDATE session SET seen = ?2 WHERE hash = ?1 AND seen < ?2";
                Ok(tables.db.run(SQL, &vals![hash.as_bytes(), now]).map(drop)?)
            });
        }
        Ok(Some(person))
    }

    /// Ends a session. One that is unknown has ended already.
    pub async fn end_session(&self, session: &AccessToken, now: i64) -> Result<(), StoreError> {
        let hash = session.hash();
        self.write("ending a session", move |db| {
            const SQL: &str = "UPDATE session SET ended = ?2 WHERE hash = ?1 AND ended IS NULL";
            Ok(db.run(SQL, &vals![hash.as_bytes(), now]).map(drop)?)
        })
        .await
    }

    /// All who were ever invited, by name.
    pub fn people(&self, now: i64) -> Result<Vec<PersonView>, StoreError> {
        self.read(|reader| reader.ask(|db| people(db, now)))
    }

    /// Shuts a person out: their sessions and invitations end, and the seats they held are free. What they said
    /// stays.
    pub async fn remove(&self, person: PersonId, now: i64) -> Result<(), StoreError> {
        self.write("removing a person", move |db| remove(db, person, now)).await
    }
}

fn invite(
    db: &Db,
    name: &PersonName,
    role: PersonRole,
    hash: blake3::Hash,
    now: i64,
) -> Result<PersonId, Fault> {
    const KNOWN: &str = "SELECT name FROM person";
    const PERSON: &str = "INSERT INTO person (name, role, state) VALUES (?1, ?2, 'active')
        ON CONFLICT (name) DO UPDATE SET state = 'active', role = CASE
            WHEN person.state = 'active' AND person.role = 'lead' THEN 'lead' ELSE excluded.role END
        RETURNING id";
    const INVITATION: &str = "INSERT INTO invitation (hash, person, expires) VALUES (?1, ?2, ?3)";
    let known: Vec<String> = db.rows(KNOWN, &[], |row| row.get(0))?;
    let known = known.iter().find(|known| name.is_same(known)).map_or(name.as_str(), String::as_str);
    let person: Option<i64> = db.row(PERSON, &vals![known, role.name()], |row| row.get(0))?;
    let person = person.expect("an insertion returns its row");
    db.run(INVITATION, &vals![hash.as_bytes(), person, now + INVITATION_SECONDS_MAX])?;
    Ok(PersonId(person))
}

fn is_known(db: &Db, invitation: blake3::Hash) -> Result<bool, DbError> {
    const SQL: &str = "SELECT 1 FROM invitation WHERE hash = ?1 AND used IS NULL";
    Ok(db.row(SQL, &vals![invitation.as_bytes()], |_| Ok(()))?.is_some())
}

fn redeem(
    db: &Db,
    (invitation, session): (blake3::Hash, blake3::Hash),
    client: &str,
    now: i64,
) -> Result<Option<Person>, Fault> {
    const FIND: &str = "SELECT invitation.hash, person.id, person.name, person.role FROM invitation
        JOIN person ON person.id = invitation.person
        WHERE hash = ?1 AND used IS NULL AND expires > ?2 AND person.state = 'active'";
    const USE: &str = "UPDATE invitation SET used = ?2 WHERE person = ?1 AND used IS NULL";
    const ENTER: &str = "INSERT INTO session (hash, person, kind, client, created, seen)
        VALUES (?1, ?2, 'browser', ?3, ?4, ?4)";
    let found = db.row(FIND, &vals![invitation.as_bytes(), now], |row| {
        Ok((row.get::<[u8; 32]>(0)?, person(row, 1)?))
    })?;
    let Some((stored, person)) = found else { return Ok(None) };
    if blake3::Hash::from_bytes(stored) != invitation {
        return Ok(None);
    }
    db.run(USE, &vals![person.id.0, now])?;
    db.run(ENTER, &vals![session.as_bytes(), person.id.0, client, now])?;
    Ok(Some(person))
}

/// Whether a session has not ended by time. A clock that was set back makes a session of the future, which would never
/// end.
pub(super) fn is_open(created: i64, seen: i64, now: i64) -> bool {
    let is_young = |since: i64, most: i64| (-SEEN_STEP_SECONDS..most).contains(&(now - since));
    is_young(created, SESSION_SECONDS_MAX) && is_young(seen, SESSION_IDLE_SECONDS_MAX)
}

type SessionRow = (blake3::Hash, i64, i64, Person);

fn session_of(db: &Db, hash: blake3::Hash) -> Result<Option<SessionRow>, DbError> {
    const SQL: &str = "SELECT session.hash, created, seen, person.id, person.name, person.role FROM session
        JOIN person ON person.id = session.person
        WHERE hash = ?1 AND kind = 'browser' AND ended IS NULL AND person.state = 'active'";
    db.row(SQL, &vals![hash.as_bytes()], |row| {
        Ok((blake3::Hash::from_bytes(row.get(0)?), row.get(1)?, row.get(2)?, person(row, 3)?))
    })
}

/// The person in three columns from `column` on: id, name and role.
pub(super) fn person(row: &Row<'_>, column: usize) -> Result<Person, DbError> {
    let role = word(row, column + 2, "role")?;
    Ok(Person { id: PersonId(row.get(column)?), name: row.get(column + 1)?, role })
}

/// The active person of this number.
pub(super) fn active(db: &Db, id: PersonId) -> Result<Option<Person>, DbError> {
    const SQL: &str = "SELECT id, name, role FROM person WHERE id = ?1 AND state = 'active'";
    db.row(SQL, &vals![id.0], |row| person(row, 0))
}

fn people(db: &Db, now: i64) -> Result<Vec<PersonView>, DbError> {
    const SQL: &str = "SELECT id, name, role, state,
            (SELECT count(*) FROM invitation
                WHERE invitation.person = person.id AND used IS NULL AND expires > ?1),
            (SELECT max(seen) FROM session WHERE session.person = person.id AND kind = 'browser'),
            (SELECT count(*) FROM seat WHERE seat.person = person.id AND seat.state = 'submitted')
        FROM person ORDER BY name";
    db.rows(SQL, &vals![now], |row| {
        Ok(PersonView {
            person: person(row, 0)?,
            removed: row.text(3)? == "removed",
            n_invitations: row.get(4)?,
            seen: row.get(5)?,
            n_submitted: row.get(6)?,
        })
    })
}

fn remove(db: &Db, person: PersonId, now: i64) -> Result<(), Fault> {
    db.run("UPDATE person SET state = 'removed' WHERE id = ?1", &vals![person.0])?;
    for sql in [
        "UPDATE session SET ended = ?2 WHERE person = ?1 AND ended IS NULL",
        "UPDATE invitation SET used = ?2 WHERE person = ?1 AND used IS NULL",
        "UPDATE seat SET state = 'skipped', at = ?2 WHERE person = ?1 AND state = 'leased'",
    ] {
        db.run(sql, &vals![person.0, now])?;
    }
    Ok(())
}
