//! The progress bar: done, unscored, rate, time left, spend. On a terminal only.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use probity_engine::schedule::budget::Money;
use probity_engine::schedule::desk::Progress;

use super::plain::plain;

/// How often the bar is redrawn.
const REDRAW: Duration = Duration::from_millis(100);

/// A bar that follows calls until it is finished.
#[derive(Default)]
pub(crate) struct Bar(Mutex<Option<Running>>);

struct Running {
    bar: ProgressBar,
    done: Arc<std::sync::atomic::AtomicBool>,
    thread: JoinHandle<()>,
}

impl Bar {
    /// Starts to show `progress`.
    pub(crate) fn start(&self, progress: &Arc<Progress>) {
        let total = progress.total.load(Ordering::Relaxed);
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {per_sec} left {eta} {msg}")
            .expect("the template is well formed");
        let bar = ProgressBar::new(total).with_style(style);
        let done = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let thread = thread::spawn({
            let (bar, done, progress) = (bar.clone(), Arc::clone(&done), Arc::clone(progress));
            move || {
                while !done.load(Ordering::Relaxed) {
                    show(&bar, &progress);
                    thread::park_timeout(REDRAW);
                }
            }
        });
        *self.0.lock().expect("no thread panics while it holds the bar") =
            Some(Running { bar, done, thread });
    }

    /// Takes the bar off the screen.
    pub(crate) fn finish(&self) {
        let running = self.0.lock().expect("no thread panics while it holds the bar").take();
        if let Some(Running { bar, done, thread }) = running {
            done.store(true, Ordering::Relaxed);
            thread.thread().unpark();
            // The drawing thread only reads counters; should it have died, the run is still fine.
            let _ = thread.join();
            bar.finish_and_clear();
        }
    }

    /// Prints a line above the bar, or plainly when there is none.
    pub(crate) fn line(&self, line: &str) {
        match &*self.0.lock().expect("no thread panics while it holds the bar") {
            Some(running) => running.bar.println(plain(line)),
            None => crate::terminal::note(line),
        }
    }
}

fn show(bar: &ProgressBar, progress: &Progress) {
    bar.set_position(progress.done.load(Ordering::Relaxed));
    let mut message = format!("{} unscored", progress.unscored.load(Ordering::Relaxed));
    let picos = progress.picos.load(Ordering::Relaxed);
    if progress.price.is_some() {
        let usd = Money::from_picos(i64::try_from(picos).unwrap_or(i64::MAX)).usd().to_f64();
        message += &format!(" ${usd:.4}");
    }
    bar.set_message(message);
}
