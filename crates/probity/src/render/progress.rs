//! How far calls are: a bar on a terminal, else a line now and then, so that a long wait is no silence.

use std::convert::Infallible;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use probity_engine::schedule::budget::Money;
use probity_engine::schedule::desk::Progress;
use probity_engine::schedule::lane::Lane;

use crate::plain::plain;
use crate::terminal;

/// How often the bar is redrawn.
const REDRAW: Duration = Duration::from_millis(100);

/// How often a line is printed where standard error is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(30);

/// Names the milliseconds between two lines, for programs that read them.
const LINE_EVERY_MS: &str = "PROBITY_PROGRESS_MS";

/// What follows calls until it is finished.
pub(crate) struct Bar {
    sink: ProgressSink,
    running: Mutex<Option<Running>>,
}

/// Where progress is shown.
#[derive(Clone, Copy)]
enum ProgressSink {
    Terminal,
    Log { every: Duration, print: fn(&str) },
}

impl ProgressSink {
    fn new(is_watched: bool) -> Self {
        if is_watched {
            return ProgressSink::Terminal;
        }
        let millis = std::env::var(LINE_EVERY_MS).ok().and_then(|millis| millis.parse().ok());
        let every = millis.filter(|millis| *millis > 0).map_or(LINE_EVERY, Duration::from_millis);
        ProgressSink::Log { every, print: terminal::note }
    }
}

struct Running {
    /// The bar, on a terminal.
    bar: Option<ProgressBar>,
    /// Ends the thread when it is dropped.
    until: mpsc::Sender<Infallible>,
    thread: JoinHandle<()>,
}

impl Default for Bar {
    fn default() -> Self {
        Bar { sink: ProgressSink::new(terminal::is_watched()), running: Mutex::default() }
    }
}

impl Bar {
    /// Starts to show `progress`, and what `lane` waits for.
    pub(crate) fn start(&self, progress: &Arc<Progress>, lane: &Arc<Lane>) {
        let (until, over) = mpsc::channel::<Infallible>();
        let (progress, lane) = (Arc::clone(progress), Arc::clone(lane));
        let (bar, every, show): (_, _, Box<dyn Fn() + Send>) = match self.sink {
            ProgressSink::Terminal => {
                let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {per_sec} left {eta} {msg}")
                    .expect("the template is well formed");
                let bar = ProgressBar::new(progress.total.load(Ordering::Relaxed)).with_style(style);
                let drawn = bar.clone();
                let draw = move || {
                    drawn.set_position(progress.done.load(Ordering::Relaxed));
                    drawn.set_message(message(&progress, lane.next_try()));
                };
                (Some(bar), REDRAW, Box::new(draw))
            }
            ProgressSink::Log { every, print } => {
                (None, every, Box::new(move || print(&line(&progress, lane.next_try()))))
            }
        };
        let thread = thread::spawn(move || {
            while over.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                show();
            }
        });
        *self.running() = Some(Running { bar, until, thread });
    }

    /// Takes the bar off the screen.
    pub(crate) fn finish(&self) {
        let running = self.running().take();
        if let Some(Running { bar, until, thread }) = running {
            drop(until);
            // The drawing thread only reads counters; should it have died, the run is still fine.
            let _ = thread.join();
            bar.iter().for_each(ProgressBar::finish_and_clear);
        }
    }

    /// Prints a line above the bar, or plainly when there is none.
    pub(crate) fn line(&self, line: &str) {
        match &*self.running() {
            Some(Running { bar: Some(bar), .. }) => bar.println(plain(line)),
            _ => terminal::note(line),
        }
    }

    fn running(&self) -> MutexGuard<'_, Option<Running>> {
        self.running.lock().expect("no thread panics while it holds the bar")
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
    use std::time::Instant;

    use probity_engine::config::Config;

    use probity_engine::schedule::lane::Parameters;

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

    /// What the bar of the test below prints.
    static PRINTED: Mutex<Vec<String>> = Mutex::new(Vec::new());

    #[test]
    fn n20_without_a_terminal_a_line_comes_every_thirty_seconds() {
        let sink = ProgressSink::new(false);
        assert!(matches!(sink, ProgressSink::Log { every, .. } if every == Duration::from_secs(30)));

        let print = |line: &str| PRINTED.lock().expect("no test panics with it").push(line.to_owned());
        let sink = ProgressSink::Log { every: Duration::from_millis(20), print };
        let bar = Bar { sink, running: Mutex::default() };
        let config = Config::resolve([]).expect("the defaults are right");
        let lane = Lane::new(config.schedule, 1, Parameters::Settled);
        let started = Instant::now();
        bar.start(&Arc::new(Progress::default()), &Arc::new(lane));
        let n_printed = || PRINTED.lock().expect("no test panics with it").len();
        while n_printed() < 3 && started.elapsed() < Duration::from_mins(1) {
            thread::sleep(Duration::from_millis(5));
        }
        let taken = started.elapsed();
        bar.finish();
        let n_lines = n_printed();
        assert!(n_lines >= 3 && taken >= 3 * Duration::from_millis(20), "{n_lines} lines in {taken:?}");
        assert_eq!(PRINTED.lock().expect("no test panics with it")[0], "0 of 0 done, 0 unscored");
        thread::sleep(Duration::from_millis(60));
        assert_eq!(n_printed(), n_lines, "no line comes after the end");
    }
}
