//! Who labels, and the links that let them in.

use axum::Form;
use axum::extract::Path;
use minijinja::value::Serde;
use minijinja::{Value, context};
use probity_engine::review::{PersonId, PersonName, PersonRole, PersonView};
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
    // It was made just now and is shown once.
    shown(&visit, context! { name => name.as_str(), link => link(&visit.app.address, &token) }).await
}

/// `POST /people/{person}/remove`: the person's sessions and links end; what they said stays.
pub(super) async fn remove(visit: Visit, Path(removed): Path<i64>) -> PageResult {
    if PersonId(removed) == visit.person.id {
        return Err(Refusal::unusable("you cannot remove yourself"));
    }
    visit.app.room.remove(PersonId(removed), now()).await?;
    Ok(go("/people"))
}

async fn shown(visit: &Visit, made: impl Into<Value>) -> PageResult {
    let mut people: Vec<PersonView> = visit.app.read(|room| room.people(now())).await?;
    people.sort_by_key(|each| each.removed);
    let made = made.into();
    visit.page("people", "People", context! { people => Serde(people), made, own => visit.person.id.0 })
}
