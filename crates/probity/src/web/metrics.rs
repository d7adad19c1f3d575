//! The room's figures as Prometheus reads them: what was answered and how long it took, and what room and store hold.
//!
//! For leads, and for a program that a lead gave a token to. Queues are named, people and cases are not.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse as _;
use probity_engine::review::{QueueView, ReviewRoom, RoomCounts};

use super::app::{App, now};
use super::refusal::PageResult;

/// The upper ends of the classes of waits, in milliseconds.
const ENDS_MS: [u64; 8] = [5, 10, 25, 50, 100, 250, 1000, 5000];

/// The classes of status codes.
const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// What was answered since the start.
#[derive(Debug, Default)]
pub(super) struct Traffic {
    by_class: [AtomicU64; 5],
    by_wait: [AtomicU64; ENDS_MS.len() + 1],
    wait_us: AtomicU64,
}

impl Traffic {
    /// Counts a response.
    pub(super) fn count(&self, status: StatusCode, taken: Duration) {
        let class = usize::from(status.as_u16() / 100).clamp(1, 5) - 1;
        let at = ENDS_MS.iter().position(|end| taken <= Duration::from_millis(*end)).unwrap_or(ENDS_MS.len());
        self.by_class[class].fetch_add(1, Ordering::Relaxed);
        self.by_wait[at].fetch_add(1, Ordering::Relaxed);
        let taken = u64::try_from(taken.as_micros()).unwrap_or(u64::MAX);
        self.wait_us.fetch_add(taken, Ordering::Relaxed);
    }

    fn written(&self, out: &mut String) {
        let read = |n: &AtomicU64| n.load(Ordering::Relaxed);
        head(out, "probity_requests_total", "counter", "Responses by class of status.");
        for (class, n) in CLASSES.iter().zip(&self.by_class) {
            let _ = writeln!(out, "probity_requests_total{{code=\"{class}\"}} {}", read(n));
        }
        let name = "probity_request_seconds";
        head(out, name, "histogram", "How long responses took.");
        let mut sum = 0;
        for (end, n) in ENDS_MS.iter().zip(&self.by_wait) {
            sum += read(n);
            let end = *end as f64 / 1000.0;
            let _ = writeln!(out, "{name}_bucket{{le=\"{end}\"}} {sum}");
        }
        sum += read(&self.by_wait[ENDS_MS.len()]);
        let _ = writeln!(out, "{name}_bucket{{le=\"+Inf\"}} {sum}");
        let _ = writeln!(out, "{name}_sum {}", read(&self.wait_us) as f64 / 1e6);
        let _ = writeln!(out, "{name}_count {sum}");
    }
}

/// `GET /metrics`
pub(super) async fn text(State(app): State<App>) -> PageResult {
    let figures = |room: &ReviewRoom| Ok((room.counts()?, room.queues()?, room.sessions(now())?.len()));
    let (counts, queues, n_sessions) = app.read(figures).await?;
    let mut out = String::new();
    app.traffic.written(&mut out);
    held(&mut out, &counts, &queues, n_sessions);
    Ok(([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], out).into_response())
}

fn held(out: &mut String, counts: &RoomCounts, queues: &[QueueView], n_sessions: usize) {
    let mut gauge = |name: &str, help: &str, rows: &[(String, u64)]| {
        head(out, name, "gauge", help);
        for (label, n) in rows {
            let _ = writeln!(out, "{name}{label} {n}");
        }
    };
    let one = |n: u64| vec![(String::new(), n)];
    let by = |label: &str, rows: &[(String, u64)]| -> Vec<(String, u64)> {
        rows.iter().map(|(value, n)| (format!("{{{label}=\"{}\"}}", escaped(value)), *n)).collect()
    };
    let of_queues = |n: fn(&QueueView) -> u32| -> Vec<(String, u64)> {
        queues.iter().map(|queue| (queue.name.clone(), u64::from(n(queue)))).collect()
    };
    gauge("probity_sessions", "Sessions that have not ended.", &one(n_sessions as u64));
    gauge("probity_people", "People who may enter.", &by("role", &counts.people));
    gauge("probity_labels", "Labels in the store, revisions included.", &one(counts.labels));
    gauge("probity_runs", "Runs in the store.", &by("state", &counts.runs));
    gauge("probity_calls_in_flight", "Calls of runs in flight.", &one(counts.calls_in_flight));
    gauge("probity_queue_items", "Items of a queue.", &by("queue", &of_queues(|queue| queue.n_items)));
    gauge(
        "probity_queue_complete",
        "Items with all answers.",
        &by("queue", &of_queues(|queue| queue.n_complete)),
    );
    gauge(
        "probity_queue_answers",
        "Answers to a queue.",
        &by("queue", &of_queues(|queue| queue.n_submitted)),
    );
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

/// A value of a label as the format wants it.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_counted_up_to_each_end() {
        let traffic = Traffic::default();
        for (status, ms) in [(200, 1), (200, 7), (303, 90), (404, 6000)] {
            traffic.count(StatusCode::from_u16(status).unwrap(), Duration::from_millis(ms));
        }
        let mut out = String::new();
        traffic.written(&mut out);
        for line in [
            "probity_requests_total{code=\"2xx\"} 2",
            "probity_requests_total{code=\"4xx\"} 1",
            "probity_request_seconds_bucket{le=\"0.01\"} 2",
            "probity_request_seconds_bucket{le=\"5\"} 3",
            "probity_request_seconds_bucket{le=\"+Inf\"} 4",
            "probity_request_seconds_count 4",
        ] {
            assert!(out.lines().any(|each| each == line), "{line} in\n{out}");
        }
    }

    #[test]
    fn names_of_queues_cannot_forge_a_line() {
        assert_eq!(escaped("a\"b\\c\nd"), "a\\\"b\\\\c\\nd");
    }
}
