//! Every call in flight is a socket: the limit on open files is raised to fit, or the concurrency lowered.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::Observer;

/// Files kept free for everything that is not a call: store, inputs, outputs, the runtime.
const FILES_APART: u64 = 256;

/// How many calls may be in flight to each of `n_servers`, given how many files may be open.
pub(super) fn fit(concurrency: usize, n_servers: usize, observer: &dyn Observer) -> usize {
    let needed = (concurrency * n_servers) as u64 + FILES_APART;
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let Some(soft) = current.filter(|soft| *soft < needed) else { return concurrency };
    let raised = maximum.map_or(needed, |hard| hard.min(needed)).max(soft);
    let limit = Rlimit { current: Some(raised), maximum };
    let reached = if setrlimit(Resource::Nofile, limit).is_ok() { raised } else { soft };
    let fits = usize::try_from(reached.saturating_sub(FILES_APART)).unwrap_or(concurrency);
    let fits = (fits / n_servers).max(1);
    if fits < concurrency {
        observer.notice(&format!(
            "concurrency lowered from {concurrency} to {fits}: this system allows {reached} open files"
        ));
        return fits;
    }
    concurrency
}
