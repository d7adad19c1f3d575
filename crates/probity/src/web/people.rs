//! Who labels, and the links that let them in.

use axum::Extension;
use axum::Form;
use axum::extract::{Path, State};
use minijinja::context;
use minijinja::value::Serde;
use probity_core::case::Moment;
use probity_engine::review::{Person, PersonId, PersonName, PersonView, Role};
use serde::{Deserialize, Serialize};

use super::app::{App, now};
use super::link;
use super::pages::{Body, Place, go};
use super::refusal::{Answer, Refusal};

/// What the form sends.
#[derive(Debug, Deserialize)]
pub(super) struct Invited {
    name: String,
    #[serde(default)]
    lead: Option<String>,
}

/// A link that was made just now, which is shown once.
#[derive(Debug, Serialize)]
struct LinkView {
    name: String,
    link: String,
}

/// `GET /people`
pub(super) async fn page(State(app): State<App>, Extension(person): Extension<Person>) -> Answer {
    shown(&app, &person, None).await
}

/// `POST /people`: a link for a new person, or another one for somebody who lost theirs.
pub(super) async fn invite(
    State(app): State<App>,
    Extension(person): Extension<Person>,
    Form(invited): Form<Invited>,
) -> Answer {
    let name = PersonName::new(&invited.name);
    let name = name.map_err(|_| Refusal::unusable("expected a name of 1 to 80 characters"))?;
    // An invitation gives its role to whoever has the name, and leads are not to lose theirs by a slip.
    if name.as_str() == person.name {
        return Err(Refusal::unusable("this is your own name"));
    }
    let role = if invited.lead.is_some() { Role::Lead } else { Role::Reviewer };
    let (_, token) = app.room.invite(&name, role, now()).await?;
    let made = LinkView { name: name.to_string(), link: link(app.port, &token) };
    shown(&app, &person, Some(made)).await
}

/// `POST /people/{person}/remove`: the person's sessions and links end; what they said stays.
pub(super) async fn remove(
    State(app): State<App>,
    Extension(person): Extension<Person>,
    Path(removed): Path<i64>,
) -> Answer {
    if PersonId(removed) == person.id {
        return Err(Refusal::unusable("you cannot remove yourself"));
    }
    app.room.remove(PersonId(removed), now()).await?;
    Ok(go("/people"))
}

async fn shown(app: &App, person: &Person, made: Option<LinkView>) -> Answer {
    let mut people: Vec<PersonView> = app.read(|room| room.people(now())).await?;
    people.sort_by_key(|each| each.removed);
    let seen: Vec<String> = people.iter().map(|each| each.seen.and_then(day).unwrap_or_default()).collect();
    let body = context! {
        people => Serde(people), seen, made => Serde(made), own => person.id.0,
    };
    app.pages.page(person, Place::People, "People", &Body::new("people", body))
}

/// The day of a moment, as people write it.
pub(super) fn day(seconds: i64) -> Option<String> {
    let moment = Moment::from_seconds(seconds)?.to_string();
    Some(moment.get(..16)?.replace('T', " "))
}
