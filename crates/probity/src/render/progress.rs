//! How far calls are: a bar on a terminal, else a line now and then, so that a long wait is no silence.

use std::convert::Infallible;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use probity_engine::schedule::budget::Money;
use probity_engine::schedule::desk::Progress;
use probity_engine::schedule::lane::Lane;

use super::plain::plain;
use crate::terminal;

/// How often the bar is redrawn.
const REDRAW: Duration = Duration::from_millis(100);

/// How often a line is printed where the output is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(30);

/// What follows calls until it is finished.
#[derive(Default)]
pub(crate) struct Bar(Mutex<Option<Running>>);

struct Running {
    /// The bar, on a terminal.
    bar: Option<ProgressBar>,
    /// Ends the thread when it is dropped.
    until: mpsc::Sender<Infallible>,
    thread: JoinHandle<()>,
}

impl Bar {
    /// Starts to show `progress`, and what `lane` waits for.
    pub(crate) fn start(&self, progress: &Arc<Progress>, lane: &Arc<Lane>) {
        let (until, over) = mpsc::channel::<Infallible>();
        let rests = move |wait| over.recv_timeout(wait) == Err(RecvTimeoutError::Timeout);
        let bar = terminal::is_watched().then(|| {
            let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {per_sec} left {eta} {msg}")
                .expect("the template is well formed");
            ProgressBar::new(progress.total.load(Ordering::Relaxed)).with_style(style)
        });
        let thread = thread::spawn({
            let (bar, progress, lane) = (bar.clone(), Arc::clone(progress), Arc::clone(lane));
            move || match bar {
                Some(bar) => each(REDRAW, rests, || {
                    bar.set_position(progress.done.load(Ordering::Relaxed));
                    bar.set_message(message(&progress, lane.next_try()));
                }),
                None => each(LINE_EVERY, rests, || terminal::note(&line(&progress, lane.next_try()))),
            }
        });
        *self.0.lock().expect("no thread panics while it holds the bar") =
            Some(Running { bar, until, thread });
    }

    /// Takes the bar off the screen.
    pub(crate) fn finish(&self) {
        let running = self.0.lock().expect("no thread panics while it holds the bar").take();
        if let Some(Running { bar, until, thread }) = running {
            drop(until);
            // The drawing thread only reads counters; should it have died, the run is still fine.
            let _ = thread.join();
            bar.iter().for_each(ProgressBar::finish_and_clear);
        }
    }

    /// Prints a line above the bar, or plainly when there is none.
    pub(crate) fn line(&self, line: &str) {
        match &*self.0.lock().expect("no thread panics while it holds the bar") {
            Some(Running { bar: Some(bar), .. }) => bar.println(plain(line)),
            _ => terminal::note(line),
        }
    }
}

/// Shows something each time that `rests`, which is how the clock runs, has waited for `every`.
fn each(every: Duration, mut rests: impl FnMut(Duration) -> bool, mut show: impl FnMut()) {
    while rests(every) {
        show();
    }
}

/// A line for a log.
fn line(progress: &Progress, next_try: Option<Duration>) -> String {
    let [done, total] = [&progress.done, &progress.total].map(|count| count.load(Ordering::Relaxed));
    format!("{done} of {total} done, {}", message(progress, next_try))
}

fn message(progress: &Progress, next_try: Option<Duration>) -> String {
    let mut message = format!("{} unscored", progress.unscored.load(Ordering::Relaxed));
    let picos = progress.picos.load(Ordering::Relaxed);
    if progress.price.is_some() {
        let usd = Money::from_picos(i64::try_from(picos).unwrap_or(i64::MAX)).usd().to_f64();
        message += &format!(" ${usd:.4}");
    }
    if let Some(wait) = next_try {
        let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
        message += &format!(", waiting for the rate limit, next try in {seconds} s");
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn n20_a_wait_says_what_for_and_how_long() {
        let progress = Progress::default();
        progress.total.store(100, Ordering::Relaxed);
        progress.done.store(12, Ordering::Relaxed);
        assert_eq!(line(&progress, None), "12 of 100 done, 0 unscored");
        assert_eq!(
            line(&progress, Some(Duration::from_millis(39_200))),
            "12 of 100 done, 0 unscored, waiting for the rate limit, next try in 40 s"
        );
    }

    #[test]
    fn n20_without_a_terminal_a_line_comes_every_thirty_seconds() {
        let (mut waits, mut n_lines) = (Vec::new(), 0);
        let minutes_left = |wait: Duration| {
            waits.push(wait);
            waits.iter().sum::<Duration>() <= Duration::from_mins(2)
        };
        each(LINE_EVERY, minutes_left, || n_lines += 1);
        assert_eq!((n_lines, waits[0]), (4, Duration::from_secs(30)));
    }
}
