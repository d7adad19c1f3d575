//! Who labels, and the links that let them in.

use axum::Form;
use axum::extract::Path;
use minijinja::value::Serde;
use minijinja::{Value, context};
use probity_engine::review::{
    DoorAct, PersonId, PersonName, PersonRole, PersonView, ReviewRoom, SessionView,
};
use serde::Deserialize;

use super::app::{Visit, now};
use super::link;
use super::pages::go;
use super::refusal::{PageResult, Refusal};

/// What the form sends.
#[derive(Debug, Deserialize)]
pub(super) struct Invited {
    name: String,
    #[serde(default)]
    lead: Option<String>,
}

/// `GET /people`
pub(super) async fn page(visit: Visit) -> PageResult {
    shown(&visit, ()).await
}

/// `POST /people`: a link for a new person, or another one for a person who lost theirs.
pub(super) async fn invite(visit: Visit, Form(invited): Form<Invited>) -> PageResult {
    let name = PersonName::new(&invited.name);
    let name = name.map_err(|_| Refusal::unusable("expected a name of 1 to 80 characters"))?;
    let role = if invited.lead.is_some() { PersonRole::Lead } else { PersonRole::Reviewer };
    let (_, token) = visit.app.room.invite(&name, role, now()).await?;
    visit.log(DoorAct::Invite, &format!("{name} as {}", role.name())).await?;
    // It was made just now and is shown once.
    shown(&visit, context! { name => name.as_str(), link => link(&visit.app.address, &token) }).await
}

/// `POST /people/{person}/remove`: the person's sessions and links end; what they said stays.
pub(super) async fn remove(visit: Visit, Path(removed): Path<i64>) -> PageResult {
    if PersonId(removed) == visit.person.id {
        return Err(Refusal::unusable("you cannot remove yourself"));
    }
    let known = visit.app.read(move |room| room.people(now())).await?;
    let name = known.into_iter().find(|each| each.person.id.0 == removed).map(|each| each.person.name);
    visit.app.room.remove(PersonId(removed), now()).await?;
    visit.log(DoorAct::Remove, &name.unwrap_or_default()).await?;
    Ok(go("/people"))
}

/// `POST /sessions/{session}/end`
pub(super) async fn end_session(visit: Visit, Path(session): Path<String>) -> PageResult {
    let id = session.clone();
    let open = visit.app.read(|room| room.sessions(now())).await?.into_iter().find(|each| each.id == id);
    let whose = open.ok_or_else(Refusal::not_found)?.person.name;
    if !visit.app.room.end_named_session(&session, now()).await? {
        return Err(Refusal::not_found());
    }
    visit.log(DoorAct::EndSession, &whose).await?;
    Ok(go("/people"))
}

/// `POST /people/metrics`: a token with which a program reads `/metrics`.
pub(super) async fn metrics_token(visit: Visit) -> PageResult {
    let client = visit.client.0.to_string();
    let token = visit.app.room.metrics_token(visit.person.id, &client, now()).await?;
    visit.log(DoorAct::MetricsToken, "").await?;
    shown(&visit, context! { name => "a program that reads /metrics", link => token.expose() }).await
}

async fn shown(visit: &Visit, made: impl Into<Value>) -> PageResult {
    let read = |room: &ReviewRoom| Ok((room.people(now())?, room.sessions(now())?));
    let (mut people, sessions): (Vec<PersonView>, Vec<SessionView>) = visit.app.read(read).await?;
    people.sort_by_key(|each| each.removed);
    let made = made.into();
    let own = visit.person.id.0;
    let body = context! { people => Serde(people), sessions => Serde(sessions), made, own };
    visit.page("people", "People", body)
}
