//! Sessions as leads see and end them, and tokens for programs that read the room's figures.

use serde::Serialize;

use super::ReviewRoom;
use super::people::{Person, PersonId, PersonRole, is_open, person};
use super::token::AccessToken;
use crate::ledger::StoreError;
use crate::ledger::db::{Db, DbError, vals};

/// A session that has not ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionView {
    /// What it is called: the hash of its token, which opens nothing.
    pub id: String,
    /// Whose it is.
    pub person: Person,
    /// What it is for: `browser` or `metrics`.
    pub kind: String,
    /// Where it was begun from.
    pub client: String,
    /// When it was begun, in seconds.
    pub created: i64,
    /// When it was last used, in seconds.
    pub seen: i64,
}

impl ReviewRoom {
    /// The sessions that have not ended, the latest used first.
    pub fn sessions(&self, now: i64) -> Result<Vec<SessionView>, StoreError> {
        let mut all = self.read(|reader| reader.ask(sessions))?;
        all.retain(|each| each.kind == METRICS || is_open(each.created, each.seen, now));
        Ok(all)
    }

    /// Ends the session of this name; `false` where there is none.
    pub async fn end_named_session(&self, id: &str, now: i64) -> Result<bool, StoreError> {
        let Ok(hash) = blake3::Hash::from_hex(id) else { return Ok(false) };
        self.write("ending a session", move |db| {
            const SQL: &str = "UPDATE session SET ended = ?2 WHERE hash = ?1 AND ended IS NULL";
            Ok(db.run(SQL, &vals![hash.as_bytes(), now])? > 0)
        })
        .await
    }

    /// A token with which a program reads the room's figures in the name of a lead, and nothing else. It works until it is
    /// ended.
    pub async fn metrics_token(
        &self,
        person: PersonId,
        client: &str,
        now: i64,
    ) -> Result<AccessToken, StoreError> {
        const SQL: &str = "INSERT INTO session (hash, person, kind, client, created, seen)
            VALUES (?1, ?2, 'metrics', ?3, ?4, ?4)";
        let (token, client) = (AccessToken::fresh(), client.to_owned());
        let hash = token.hash();
        self.write("making a token", move |db| {
            Ok(db.run(SQL, &vals![hash.as_bytes(), person.0, &client, now]).map(drop)?)
        })
        .await?;
        Ok(token)
    }

    /// Whether a token reads the room's figures: its person is still a lead.
    pub fn reads_metrics(&self, token: &AccessToken) -> Result<bool, StoreError> {
        const SQL: &str = "SELECT session.hash, person.id, person.name, person.role FROM session
            JOIN person ON person.id = session.person
            WHERE hash = ?1 AND kind = 'metrics' AND ended IS NULL AND person.state = 'active'";
        let hash = token.hash();
        let found = self.read(|reader| {
            reader.ask(|db| {
                db.row(SQL, &vals![hash.as_bytes()], |row| {
                    Ok((blake3::Hash::from_bytes(row.get(0)?), person(row, 1)?))
                })
            })
        })?;
        Ok(found.is_some_and(|(stored, person)| stored == hash && person.role == PersonRole::Lead))
    }
}

/// What a token for programs is called.
const METRICS: &str = "metrics";

fn sessions(db: &Db) -> Result<Vec<SessionView>, DbError> {
    const SQL: &str = "SELECT session.hash, person.id, person.name, person.role, kind, client, created, seen
        FROM session JOIN person ON person.id = session.person
        WHERE ended IS NULL AND person.state = 'active' ORDER BY seen DESC, person.name";
    db.rows(SQL, &[], |row| {
        Ok(SessionView {
            id: blake3::Hash::from_bytes(row.get(0)?).to_hex().to_string(),
            person: person(row, 1)?,
            kind: row.get(4)?,
            client: row.get(5)?,
            created: row.get(6)?,
            seen: row.get(7)?,
        })
    })
}
