//! The disk is full, at each page in turn. A bound on the number of pages stands in for the disk.

use super::*;

/// Lets the store's file grow by this many pages and no more.
fn limit(scene: &Scene, n_more: i64) {
    let limited = scene.store.write_blocking("limiting", move |tables| {
        let n_pages = tables.db.row("PRAGMA page_count", &[], |row| row.get::<i64>(0))?.unwrap();
        let sql = format!("PRAGMA max_page_count = {}", n_pages + n_more);
        tables.db.rows(&sql, &[], |_| Ok(()))?;
        Ok(())
    });
    limited.unwrap();
}

/// Writes pairs until the disk is full. Tells the error and the texts of the pairs that were acknowledged.
fn fill(scene: &Scene) -> (StoreError, Vec<String>) {
    let mut acknowledged = Vec::new();
    for n in 0.. {
        let text = format!("{n:03000}");
        let written = wait(async {
            let attempt = scene.store.intend(scene.start(&text)).await?.recorded().unwrap();
            let settlement = Some(settlement(verdict("{}")));
            scene.store.conclude(attempt, ended("ok", &[b'x'; 2000]), settlement).await
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
    for n_more in 0..12 {
        let scene = Scene::new();
        let path = scene.path();
        limit(&scene, n_more);
        let (error, acknowledged) = fill(&scene);
        assert_eq!(error.failure(), Some(FailureKind::Full), "{error:?}");
        let later = scene.store.note("later", "write").unwrap_err();
        assert_eq!(later, error, "the writer has stopped for good");
        assert_eq!(scene.store.clone().close().unwrap_err(), error);

        let Scene { folder, judge, .. } = scene;
        let opened = Store::open(&path).unwrap();
        assert!(opened.lost.len() <= 1, "one call at most was in flight");
        let hashes: Vec<_> = (0..=acknowledged.len()).map(|n| packet(&format!("{n:03000}"))).collect();
        let known = opened.store.reader().unwrap().known(&judge, 0, &hashes).unwrap();
        let n_settled = known.values().filter(|kind| **kind == KnownKind::Verdict).count();
        assert_eq!(n_settled, acknowledged.len(), "neither lost nor half-written");
        let (_, run) = prepared(&opened.store);
        wait(opened.store.intend(start("more", &judge, run))).unwrap();
        drop(folder);
    }
}

#[test]
fn c09_everyone_who_waited_is_told_the_same() {
    let scene = Scene::new();
    limit(&scene, 2);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let waiting: Vec<_> = (0..64)
        .map(|n| {
            let (store, start) = (scene.store.clone(), scene.start(&format!("{n:03000}")));
            runtime.spawn(async move {
                let attempt = store.intend(start).await?.recorded().unwrap();
                store.conclude(attempt, ended("ok", b"raw"), None).await
            })
        })
        .collect();
    let told: Vec<_> = waiting.into_iter().map(|waiting| runtime.block_on(waiting).unwrap()).collect();
    let n_ended = told.iter().filter(|told| told.is_ok()).count();
    let mut errors: Vec<StoreError> = told.into_iter().filter_map(Result::err).collect();
    errors.dedup();
    let kinds: Vec<_> = errors.iter().map(StoreError::failure).collect();
    assert_eq!(kinds, [Some(FailureKind::Full)], "{errors:?}");
    let totals = scene.store.totals(&scene.judge, scene.run).unwrap();
    assert!(totals.calls >= n_ended as u64, "what was acknowledged is there");
}

#[test]
fn g03_c10_what_was_in_flight_when_the_disk_filled_up_is_listed() {
    let scene = Scene::new();
    let path = scene.path();
    let in_flight = scene.begin("in flight");
    limit(&scene, 2);
    let (error, _) = fill(&scene);
    let refused = wait(scene.store.intend(scene.start("one more"))).unwrap_err();
    assert_eq!(refused, error, "no further call is begun");
    let unwritten = wait(scene.store.conclude(in_flight, ended("ok", b"paid"), None));
    assert_eq!(unwritten, Err(error.clone()));
    assert_eq!(scene.store.clone().close(), Err(error));
    let Scene { folder, .. } = scene;
    let opened = Store::open(&path).unwrap();
    assert!(opened.lost.contains(&in_flight));
    drop(folder);
}
