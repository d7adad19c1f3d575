//! How long people wait for a page while a run writes to the store in which their answers are kept.
//!
//! Each reviewer comes in by a link of their own, over a connection of their own, and gets a page, thinks, and sends
//! an answer, one after the other. What counts is what was asked for while a run was going on; answers are counted from
//! the first to the last, and compared with the labels that the store has afterwards. No page is drawn here, so
//! what a browser adds is not in the figures.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use probity_core::stats::Random;
use reqwest::header::{COOKIE, LOCATION, ORIGIN, SET_COOKIE};
use reqwest::{Client, Response, StatusCode, Url};
use serde_json::Value;

use crate::bench::{Bench, CALLS_PER_CASE};
use crate::child::{Mock, Room, measure, probity};
use crate::figure::{Bar, Figure};

const REVIEWERS: usize = 100;
const ITEMS: usize = 2_000;
/// How many people label each item item: more seats than answers are given.
const OVERLAP: &str = "10";
const CALLS: usize = 2_000;
const IN_FLIGHT: &str = "64";
/// Runs that follow each other, each by another judge, so that there are enough waits for a percentile.
const RUNS: usize = 3;
/// What a reviewer thinks between a page and the answer, in milliseconds. People take longer.
const THINK_MS: Range<usize> = 250..750;
/// The longest that 99 of 100 may wait, in milliseconds.
const WAIT_MS_MAX: f64 = 150.0;

/// What a reviewer waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Page,
    Answer,
    /// A page of the viewer: home, the list of runs, or one run with its replies.
    LeadPage,
}

/// One wait of a reviewer.
struct Wait {
    asked: Asked,
    started: Instant,
    taken: Duration,
}

/// 100 reviewers who label beside runs of 2,000 calls.
pub(crate) fn room(bench: &Bench) -> Vec<Figure> {
    let (n_reviewers, n_calls) = (REVIEWERS / bench.scale, CALLS / bench.scale);
    let mut command = probity(&bench.folder);
    command.arg("review").arg(bench.cases(ITEMS / bench.scale)).args(["--judge", "baseline", "--no-open"]);
    command.args(["--store", "review.db", "--as", "lead", "--overlap", OVERLAP]);
    command.args((0..n_reviewers).flat_map(|n| ["--person".to_owned(), format!("reviewer-{n}")]));
    let room = Room::start(&mut command);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    // The ring provider may be installed already by an earlier job.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let reviewers: Vec<Reviewer> = runtime.block_on(async {
        let mut reviewers = Vec::new();
        for (n, (name, token)) in room.invited.iter().enumerate() {
            reviewers.push(Reviewer::enter(&room.origin, name, token, n).await);
        }
        reviewers
    });
    let stop = Arc::new(AtomicBool::new(false));
    let labelling = reviewers.into_iter().map(|each| match each.name.as_str() {
        "lead" => runtime.spawn(each.look(Arc::clone(&stop))),
        _ => runtime.spawn(each.label(Arc::clone(&stop))),
    });
    let labelling: Vec<_> = labelling.collect();
    let runs = runs(bench, n_calls);
    stop.store(true, Ordering::Relaxed);
    let (mut waits, mut given) = (Vec::new(), BTreeMap::new());
    for labelled in labelling {
        let Reviewer { name, waits: own, .. } =
            runtime.block_on(labelled).expect("a reviewer does not panic");
        if name != "lead" {
            given.insert(name, own.iter().filter(|wait| wait.asked == Asked::Answer).count());
        }
        waits.extend(own);
    }
    drop(room);
    let found = found(bench);
    assert_eq!(given, found, "an answer was lost or doubled");
    waits.retain(|wait| runs.iter().any(|run| run.contains(&wait.started)));
    let name = format!("{n_reviewers} reviewers thinking 0.5 s beside {RUNS} runs of {n_calls} calls");
    let mut figures = waited(&name, &waits);
    let counts = [("answers given", given.values().sum()), ("answers in the store", found.values().sum())];
    for (what, n) in counts {
        let n: usize = n;
        figures.push(Figure::new(format!("{name}: {what}"), n as f64, "", Bar::None));
    }
    let all = Bar::AtLeast((n_calls * RUNS) as f64);
    figures.push(Figure::new(format!("{name}: calls settled"), settled(bench), "", all));
    figures
}

/// The runs, one after the other, and when each was going on.
fn runs(bench: &Bench, n_calls: usize) -> Vec<Range<Instant>> {
    let mock = Mock::start(&bench.folder, "50ms");
    let cases = bench.cases(n_calls / CALLS_PER_CASE);
    let run = |n: usize| {
        let mut command = probity(&bench.folder);
        command.arg("run").arg(&cases).args(["--base-url", &mock.url, "--model", &format!("judge-{n}")]);
        command.args(["--concurrency", IN_FLIGHT, "--store", "review.db", "--quiet"]);
        let started = Instant::now();
        measure(&mut command);
        started..Instant::now()
    };
    (0..RUNS).map(run).collect()
}

/// The percentiles of what was waited for pages and for answers.
fn waited(name: &str, waits: &[Wait]) -> Vec<Figure> {
    let mut figures = Vec::new();
    let kinds =
        [(Asked::Page, "a page"), (Asked::Answer, "an answer"), (Asked::LeadPage, "a page about runs")];
    for (asked, what) in kinds {
        let of_kind = waits.iter().filter(|wait| wait.asked == asked);
        let mut taken: Vec<f64> = of_kind.map(|wait| wait.taken.as_secs_f64() * 1000.0).collect();
        taken.sort_by(f64::total_cmp);
        assert!(!taken.is_empty(), "nobody asked for {what} while a run was going on");
        let at = |percent: usize| taken[(taken.len() * percent).div_ceil(100) - 1];
        let name = format!("{name}: {what}");
        figures.extend([
            Figure::new(format!("{name}, waits"), taken.len() as f64, "", Bar::None),
            Figure::new(format!("{name}, p50"), at(50), "ms", Bar::None),
            Figure::new(format!("{name}, p99"), at(99), "ms", Bar::AtMost(WAIT_MS_MAX)),
            Figure::new(format!("{name}, longest"), at(100), "ms", Bar::None),
        ]);
    }
    figures
}

/// How many answers of each person the store has: one label for each criterion is one answer.
fn found(bench: &Bench) -> BTreeMap<String, usize> {
    let mut command = probity(&bench.folder);
    let output = command.args(["export", "labels", "--store", "review.db"]).output().expect("it starts");
    let text = String::from_utf8(output.stdout).expect("labels are text");
    let mut found = BTreeMap::new();
    for line in text.lines() {
        let label: Value = serde_json::from_str(line).expect("a label is JSON");
        if label["criterion"] == "tone" {
            *found.entry(label["annotator"].as_str().unwrap_or_default().to_owned()).or_insert(0) += 1;
        }
    }
    assert_eq!(found.values().sum::<usize>() * CALLS_PER_CASE, text.lines().count(), "half an answer");
    found
}

/// How many calls of all runs have a settlement.
fn settled(bench: &Bench) -> f64 {
    let store = rusqlite::Connection::open(bench.folder.join("review.db")).expect("the store can be opened");
    let count = "SELECT count(*) FROM settlement WHERE verdict IS NOT NULL";
    store.query_row(count, [], |row| row.get(0)).expect("the store can be read")
}

/// Somebody with a session of their own.
struct Reviewer {
    name: String,
    client: Client,
    origin: String,
    cookie: String,
    think: Random,
    waits: Vec<Wait>,
}

impl Reviewer {
    /// Comes in by a link.
    async fn enter(origin: &str, name: &str, token: &str, n: usize) -> Reviewer {
        let address = Url::parse(origin).expect("the room prints an address");
        let (host, port) = (address.host_str().unwrap_or_default(), address.port().unwrap_or_default());
        let client = Client::builder().http1_only().tcp_nodelay(true).no_proxy();
        // Browsers take every name under `localhost` for this machine; resolvers may not know it.
        let client = client.resolve(host, SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
        let client = client.redirect(reqwest::redirect::Policy::none()).build().expect("a client");
        let mut reviewer = Reviewer {
            name: name.to_owned(),
            client,
            origin: origin.to_owned(),
            cookie: String::new(),
            think: Random::new(n as u64),
            waits: Vec::new(),
        };
        let entered = reviewer.post("/enter", &format!("token={token}")).await;
        let cookie = entered.headers().get(SET_COOKIE).expect("whoever enters gets a session");
        let cookie = cookie.to_str().expect("a session is text");
        cookie.split(';').next().unwrap_or_default().clone_into(&mut reviewer.cookie);
        reviewer
    }

    /// Labels one item after the other until told to stop.
    async fn label(mut self, stop: Arc<AtomicBool>) -> Reviewer {
        self.pause(0..THINK_MS.end).await;
        let mut place = place(&self.post("/queues/1/next", "x=1").await);
        while !stop.load(Ordering::Relaxed) {
            let started = Instant::now();
            let page = self.get(&place).await;
            self.waits.push(Wait { asked: Asked::Page, started, taken: started.elapsed() });
            assert!(page.contains("name=\"revision\" value=\"0\""), "{place} is no page to label: {page}");
            self.pause(THINK_MS).await;
            let (relevance, tone) = (1 + self.think.below(5), 1 + self.think.below(5));
            let form = format!("revision=0&note=&level.relevance={relevance}&level.tone={tone}");
            let started = Instant::now();
            let answered = self.post(&format!("{place}/label"), &form).await;
            self.waits.push(Wait { asked: Asked::Answer, started, taken: started.elapsed() });
            place = self::place(&answered);
        }
        self
    }

    /// Looks at the pages about runs, one after the other, until told to stop.
    async fn look(mut self, stop: Arc<AtomicBool>) -> Reviewer {
        while !stop.load(Ordering::Relaxed) {
            for path in
                ["/", "/runs", "/runs/1", "/runs/1?q=parcel&sort=-total", "/runs/1/blocks/0", "/runs/1/raw/0"]
            {
                self.pause(THINK_MS).await;
                let started = Instant::now();
                let asked = self.client.get(format!("{}{path}", self.origin)).header(COOKIE, &self.cookie);
                let response = asked.send().await.expect("the room answers");
                let is_there = response.status() == StatusCode::OK;
                response.bytes().await.expect("a page arrives whole");
                // The first run has to record its cases before it can be shown.
                if is_there {
                    self.waits.push(Wait { asked: Asked::LeadPage, started, taken: started.elapsed() });
                }
            }
        }
        self
    }

    async fn pause(&mut self, ms: Range<usize>) {
        let drawn = ms.start + self.think.below(ms.len());
        tokio::time::sleep(Duration::from_millis(drawn as u64)).await;
    }

    async fn get(&self, path: &str) -> String {
        let asked = self.client.get(format!("{}{path}", self.origin)).header(COOKIE, &self.cookie);
        let response = asked.send().await.expect("the room answers");
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        response.text().await.expect("a page arrives whole")
    }

    async fn post(&self, path: &str, form: &str) -> Response {
        let asked = self.client.post(format!("{}{path}", self.origin)).header(COOKIE, &self.cookie);
        let asked = asked
            .header(ORIGIN, &self.origin)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form.to_owned());
        let response = asked.send().await.expect("the room answers");
        assert_eq!(response.status(), StatusCode::SEE_OTHER, "{path}");
        response
    }
}

/// The item that a response leads to.
fn place(response: &Response) -> String {
    let place = response.headers().get(LOCATION).and_then(|place| place.to_str().ok()).unwrap_or_default();
    assert!(place.starts_with("/items/"), "an item is left for everybody, not {place:?}");
    place.to_owned()
}
