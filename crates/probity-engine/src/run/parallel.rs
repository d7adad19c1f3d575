//! The one parallel map of a run: items are mapped on several threads, and the results come in the order of the items.
//!
//! What is under way is bounded. Where the caller leaves, or a thread panics, all others end too.

use std::iter;
use std::sync::mpsc::sync_channel;
use std::thread;

/// Threads that map.
const THREADS: usize = 2;

/// Items, or their results, that may wait at each of them.
const WAITING: usize = 2;

/// The most members of a group.
const GROUP_MAX: usize = 128;

/// About how many bytes a group has, unless a single member has more.
const GROUP_BYTES_MAX: usize = 1 << 20;

/// Gives what `map` makes of each item to `take`, in the order of the items, until there are no more or `take` fails.
pub(super) fn parallel_map<I: Send, O: Send, E>(
    items: impl Iterator<Item = I> + Send,
    map: impl Fn(I) -> O + Sync,
    take: impl FnMut(O) -> Result<(), E>,
) -> Result<(), E> {
    let map = &map;
    thread::scope(|scope| {
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        for _ in 0..THREADS {
            let (input, items) = sync_channel(WAITING);
            let (mapped, output) = sync_channel(WAITING);
            scope.spawn(move || items.into_iter().map(map).try_for_each(|one| mapped.send(one)));
            inputs.push(input);
            outputs.push(output);
        }
        scope.spawn(move || {
            let _ = items.zip((0..THREADS).cycle()).try_for_each(|(item, at)| inputs[at].send(item));
        });
        // Items go round the threads and results come back the same way, so the first that is missing was the last.
        // Dropping the receivers ends the threads, whose next `send` fails.
        outputs.iter().cycle().map_while(|output| output.recv().ok()).try_for_each(take)
    })
}

/// The items in groups, bounded in number and in bytes, as `n_bytes` counts them.
pub(super) fn groups<I: Iterator>(
    items: I,
    n_bytes: impl Fn(&I::Item) -> usize,
) -> impl Iterator<Item = Vec<I::Item>> {
    let mut items = items.fuse();
    iter::from_fn(move || {
        let (mut group, mut n) = (Vec::new(), 0);
        while group.len() < GROUP_MAX && n < GROUP_BYTES_MAX {
            let Some(item) = items.next() else { break };
            n += n_bytes(&item);
            group.push(item);
        }
        (!group.is_empty()).then_some(group)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the sink is given of `0..n` where it fails at `fails_at`.
    fn given(n: usize, fails_at: Option<usize>) -> (Vec<usize>, Result<(), usize>) {
        let mut given = Vec::new();
        let ended = parallel_map(
            groups(0..n, |_| 1),
            |group| group,
            |group| {
                group.into_iter().try_for_each(|item| {
                    given.push(item);
                    if Some(item) == fails_at { Err(item) } else { Ok(()) }
                })
            },
        );
        (given, ended)
    }

    #[test]
    fn results_come_in_the_order_of_the_items() {
        for n in [0, 1, GROUP_MAX - 1, GROUP_MAX, GROUP_MAX + 1, 9 * GROUP_MAX + 7] {
            assert_eq!(given(n, None), ((0..n).collect(), Ok(())));
        }
    }

    #[test]
    fn a_sink_that_fails_ends_the_map() {
        for at in [0, GROUP_MAX, 3 * GROUP_MAX + 1] {
            assert_eq!(given(99 * GROUP_MAX, Some(at)), ((0..=at).collect(), Err(at)));
        }
    }

    #[test]
    fn a_group_ends_with_the_item_that_is_too_large() {
        let sizes = [1, GROUP_BYTES_MAX, 2, GROUP_BYTES_MAX - 2, 3];
        let groups: Vec<Vec<usize>> = groups(sizes.into_iter(), |size| *size).collect();
        assert_eq!(groups, [vec![sizes[0], sizes[1]], vec![2, sizes[3]], vec![3]]);
    }

    #[test]
    #[should_panic(expected = "a scoped thread panicked")]
    fn a_panic_is_passed_on() {
        let _ = parallel_map(0..100, |item| assert_ne!(item, 50), |()| Ok::<(), ()>(()));
    }
}
