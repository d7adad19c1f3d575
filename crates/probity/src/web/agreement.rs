//! How far people agree on a queue, the judge with them, and what a contract still asks for.

use axum::extract::Path;
use minijinja::value::Serde;
use minijinja::{Value, context};
use probity_core::review::{Agreement, PersonPace};
use probity_engine::review::{QueueFigures, QueueId};

use super::app::{Visit, now};
use super::pages::percent;
use super::refusal::{PageResult, Refusal};
use crate::args::default_counting;

/// A person is named whose items take less than this share of what they take the others.
const HASTE: f64 = 0.5;

/// `GET /queues/{queue}/agreement`
pub(super) async fn page(visit: Visit, Path(queue): Path<i64>) -> PageResult {
    let app = &visit.app;
    let (contract, who) = (app.contract.clone(), visit.person.id);
    let _turn = app.computing.acquire().await.map_err(|_| Refusal::broken())?;
    let found = app
        .read(move |room| {
            let Some(queue) = room.queue(QueueId(queue))? else { return Ok(None) };
            let figures = room.figures(queue.id, contract.as_ref(), default_counting(), now())?;
            let to_settle = room.to_settle(queue.id, who)?;
            Ok(Some((queue, figures, to_settle)))
        })
        .await?;
    let (queue, QueueFigures { agreement, progress, problem }, to_settle) =
        found.ok_or_else(Refusal::not_found)?;
    let open: Vec<_> = to_settle.iter().filter(|each| !each.is_settled).collect();
    let body = context! {
        queue_id => queue.id.0, queue => &queue.name,
        n_items => queue.n_items, n_submitted => queue.n_submitted, overlap => queue.spec.overlap,
        n_wanted => queue.n_items * queue.spec.overlap,
        n_open => open.len(), first_open => open.first().map(|each| each.item.0),
        has_contract => app.contract.is_some(),
        title => title(agreement.as_ref()),
        hasty => agreement.as_ref().and_then(|found| hasty(&found.people)),
        matrix => agreement.as_ref().map(matrix),
        problem, progress => Serde(progress), agreement => Serde(agreement),
    };
    visit.page("agreement", "Agreement", body)
}

/// How far people agree, and where least, in a sentence.
fn title(agreement: Option<&Agreement>) -> String {
    let Some((found, points)) = agreement.and_then(|found| Some((found, found.agreement.points?))) else {
        return "Too few answers by two people to say how far they agree".to_owned();
    };
    let weakest =
        found.criteria.first().filter(|row| row.agreement.points.is_some_and(|weak| weak[1] < points[1]));
    let weakest = weakest.map(|row| format!(" They differ most on {}.", row.name.to_lowercase()));
    format!("People agree on {} of answers.{}", percent(points[1]), weakest.unwrap_or_default())
}

/// The person who takes far less time than the others, in a sentence.
fn hasty(people: &[PersonPace]) -> Option<String> {
    let pace = |pace: &PersonPace| Some((pace.seconds?, pace.name.clone()));
    let mut paces: Vec<(f64, String)> = people.iter().filter_map(pace).collect();
    paces.sort_by(|one, other| one.0.total_cmp(&other.0));
    let ((fastest, name), others) = paces.split_first()?;
    let (usual, _) = others.get(others.len() / 2)?;
    let is_hasty = *fastest < HASTE * usual;
    is_hasty.then(|| {
        format!(
            "{name} took {fastest:.0} seconds a reply, the others {usual:.0}: talk about the guidelines before \
             using those labels."
        )
    })
}

/// Every person with every other and with the judge, as rows of cells; a cell without a figure is empty.
fn matrix(agreement: &Agreement) -> Vec<Value> {
    let names = agreement.people.iter().map(|pace| Some(pace.name.as_str()));
    let names: Vec<Option<&str>> = names.chain(agreement.judge.is_some().then_some(None)).collect();
    let cell = |one: Option<&str>, other: Option<&str>| {
        let is_of = |a: Option<&str>, b: Option<&str>| (a, b) == (one, other) || (a, b) == (other, one);
        let found = agreement.pairs.iter().find(|pair| is_of(Some(&*pair.one), pair.other.as_deref()));
        let share = found.and_then(|pair| Some((pair.agreement.points?[1], pair.n)));
        context! {
            one => one.unwrap_or("judge"), other => other.unwrap_or("judge"), is_same => one == other,
            opens => one.is_some() && other.is_some(),
            text => share.map(|(share, _)| percent(share)), n => share.map(|(_, n)| n),
            reason => found.map_or(Some("nothing in common"), |pair| pair.agreement.reason.as_deref()),
            ink => share.map(|(share, _)| match share {
                0.75.. => "calm",
                0.65.. => "h3",
                0.5.. => "h2",
                _ => "h1",
            }),
        }
    };
    let row = |one: Option<&str>| {
        let cells: Vec<Value> = names.iter().map(|other| cell(one, *other)).collect();
        context! { name => one.unwrap_or("judge"), cells }
    };
    names.iter().copied().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_person_who_hurries_is_named() {
        let pace = |(name, seconds): (&str, f64)| PersonPace {
            name: name.to_owned(),
            n_items: 1,
            cannot_tell: 0,
            seconds: Some(seconds),
        };
        let found = hasty(&[("ann", 38.0), ("bob", 44.0), ("chidi", 9.0)].map(pace)).unwrap();
        assert!(found.starts_with("chidi took 9 seconds a reply, the others 44:"), "{found}");
        assert_eq!(hasty(&[("ann", 38.0), ("bob", 44.0)].map(pace)), None);
        assert_eq!(hasty(&[("ann", 38.0)].map(pace)), None);
    }
}
