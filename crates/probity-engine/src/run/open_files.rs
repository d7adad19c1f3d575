//! Every call in flight is a socket: the limit on open files is raised to fit, or the concurrency lowered.

use super::Observer;
use crate::platform::{open_files, raise_open_files};

/// Files kept free for everything that is not a call: store, inputs, outputs, the runtime.
const FILES_APART: u64 = 256;

/// How many calls may be in flight to each of `n_servers`, given how many files may be open.
pub(super) fn fit(concurrency: usize, n_servers: usize, observer: &dyn Observer) -> usize {
    let needed = (concurrency * n_servers) as u64 + FILES_APART;
    let too_few = open_files().is_some_and(|allowed| allowed < needed);
    let Some(reached) = too_few.then(|| raise_open_files(needed)).flatten() else { return concurrency };
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
