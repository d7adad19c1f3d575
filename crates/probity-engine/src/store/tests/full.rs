//! The disk is full, at each page in turn. A bound on the number of pages stands in for the disk.

use super::*;

/// The pages of a store in which nothing but the scene was written.
fn n_pages_at_first() -> i64 {
    let scene = Scene::new();
    let path = scene.path();
    scene.store.close().unwrap();
    i64::try_from(std::fs::metadata(path).unwrap().len() / 4096).unwrap()
}

/// Writes pairs until the disk is full. Tells the error and the texts of the pairs that were acknowledged.
fn fill(scene: &Scene) -> (StoreError, Vec<String>) {
    let mut acknowledged = Vec::new();
    for n in 0.. {
        let text = format!("{n:03000}");
        let written = wait(async {
            let attempt = scene.store.begin_attempt(scene.start(&text))?;
            scene.store.end_attempt(attempt, ended("ok", &[b'x'; 2000])).await?;
            scene.store.settle(scene.settlement(&text, Some(attempt), verdict("{}"))).await
        });
        match written {
            Ok(_) => acknowledged.push(text),
            Err(error) => return (error, acknowledged),
        }
    }
    unreachable!("a bounded file fills up")
}

#[test]
fn c10_a_full_disk_stops_cleanly_and_can_be_resumed() {
    let n_pages = n_pages_at_first();
    for n_more in 0..12 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        let limited = OpenLimits { pages_max: Some(n_pages + n_more) };
        let scene = Scene::at(folder, limited);
        let (error, acknowledged) = fill(&scene);
        assert!(matches!(error, StoreError::Full { .. }), "{error:?}");
        let later = scene.store.note("later", "write").unwrap_err();
        assert_eq!(later, error, "the writer has stopped for good");
        assert_eq!(scene.store.clone().close().unwrap_err(), error);

        let Scene { folder, judge, .. } = scene;
        let opened = Store::open(&path).unwrap();
        assert!(opened.lost.len() <= 1, "one call at most was in flight");
        assert_eq!(opened.warnings, []);
        let settled = opened.store.settled(&judge, 0).unwrap();
        assert_eq!(settled.len(), acknowledged.len(), "neither lost nor half-written");
        assert!(acknowledged.iter().all(|text| settled.contains_key(&packet(text))));
        let (_, run) = prepared(&opened.store);
        opened.store.begin_attempt(start("more", &judge, run)).unwrap();
        drop(folder);
    }
}

#[test]
fn c09_everyone_who_waited_is_told_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let scene = Scene::at(folder, OpenLimits { pages_max: Some(n_pages_at_first() + 2) });
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let waiting: Vec<_> = (0..64)
        .map(|n| {
            let (store, start) = (scene.store.clone(), scene.start(&format!("{n:03000}")));
            runtime.spawn(async move {
                let attempt = store.begin_attempt(start)?;
                store.end_attempt(attempt, ended("ok", b"raw")).await
            })
        })
        .collect();
    let told: Vec<_> = waiting.into_iter().map(|waiting| runtime.block_on(waiting).unwrap()).collect();
    let n_recorded = told.iter().filter(|told| told.is_ok()).count();
    let mut errors: Vec<StoreError> = told.into_iter().filter_map(Result::err).collect();
    errors.dedup();
    assert!(matches!(errors[..], [StoreError::Full { .. }]), "{errors:?}");
    let totals = scene.store.totals(&scene.judge, scene.run).unwrap();
    assert_eq!(totals.calls, n_recorded as u64, "only what was acknowledged is there");
}

#[test]
fn c10_what_was_paid_for_when_the_disk_filled_up_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let scene = Scene::at(folder, OpenLimits { pages_max: Some(n_pages_at_first() + 2) });
    let in_flight = scene.begin("in flight");
    let (error, _) = fill(&scene);
    let refused = scene.store.begin_attempt(scene.start("one more")).unwrap_err();
    assert_eq!(refused, error, "no further call is begun");
    let unwritten = wait(scene.store.end_attempt(in_flight, ended("ok", b"paid")));
    assert_eq!(unwritten, Err(error.clone()));
    assert_eq!(scene.store.clone().close(), Err(error));
    let Scene { folder, judge, .. } = scene;
    let opened = Store::open(&path).unwrap();
    assert_eq!(opened.lost, []);
    let kept = opened.store.reader().unwrap().attempts_of(&packet("in flight"), &judge, 0).unwrap();
    assert_eq!((kept.len(), kept[0].raw.as_slice()), (1, &b"paid"[..]));
    drop(folder);
}
