//! What a reviewer's connection carries before an answer, searched byte by byte.

use axum::http::Method;
use probity_engine::review::{After, PersonRole};

use super::fixture::{CANARIES, Wanted};
use super::{Got, Site};
use crate::web::routes::routes;

#[track_caller]
fn unseen(got: &Got, route: &str, words: &[&str]) {
    let all = format!("{}\n{}", got.head, got.body).to_lowercase();
    for word in words {
        assert!(!all.contains(&word.to_lowercase()), "{word} in {route}:\n{all}");
    }
}

/// Every route, with every number that could mean something, as one person asks for it.
async fn everything(site: &Site, cookie: &str, words: &[&str]) {
    for route in routes() {
        if route.path == "/leave" || route.path.ends_with("/label") || route.path.ends_with("/undo") {
            continue;
        }
        for n in 1..=6 {
            let path: Vec<String> = route
                .path
                .split('/')
                .map(|part| if part.starts_with('{') { n.to_string() } else { part.to_owned() })
                .collect();
            let path = path.join("/");
            let got = match route.method {
                Method::GET => site.get(&path, cookie).await,
                _ => site.post(&path, cookie, "x=1").await,
            };
            unseen(&got, &format!("{} {path}", route.method), words);
        }
    }
}

#[tokio::test]
async fn w14_g15_before_an_answer_nothing_of_judge_or_others_is_sent() {
    for after in [After::Nothing, After::Reveal] {
        for wanted in [Wanted::LEVELS, Wanted::PAIRS] {
            let site = Site::open();
            let queue = site.queue(Wanted { after, overlap: 3, ..wanted }).await;
            let (ann, ben) = (
                site.cookie("canary-ann", PersonRole::Reviewer).await,
                site.cookie("Ben", PersonRole::Reviewer).await,
            );
            let form = "revision=0&note=canary-note&level.relevance=5&level.tone=1&side=first";
            let mut place = site.next(queue, &ann).await;
            while place.starts_with("/items/") {
                let kept = site.post(&format!("{place}/label"), &ann, form).await.leads();
                place = if kept == place { site.next(queue, &ann).await } else { kept };
            }
            let mut words = CANARIES.to_vec();
            words.extend(["canary-note", "canary-ann", "canary-", "\"blind\""]);
            site.next(queue, &ben).await;
            everything(&site, &ben, &words).await;
        }
    }
}

#[tokio::test]
async fn w14_a_queue_that_shows_nothing_shows_nothing_after_the_answer() {
    let site = Site::open();
    let queue = site.queue(Wanted::LEVELS).await;
    let ann = site.cookie("Ann", PersonRole::Reviewer).await;
    let place = site.next(queue, &ann).await;
    let form = "revision=0&note=&level.relevance=5&level.tone=1";
    site.post(&format!("{place}/label"), &ann, form).await.leads();
    let got = site.post(&format!("{place}/reveal"), &ann, "x=1").await;
    assert_eq!(got.status, 403);
    everything(&site, &ann, &CANARIES).await;
}
