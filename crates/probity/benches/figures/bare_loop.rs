//! The yardstick: the same HTTP client asking the same judge, with no store, no parsing, no retries.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The wall time of `calls` posts of `body` with `in_flight` of them at once.
pub(crate) fn wall(url: &str, body: &str, calls: usize, in_flight: usize) -> Duration {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        // The ring provider may be installed already by an earlier call.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .http1_only()
            .pool_max_idle_per_host(usize::MAX)
            .tcp_nodelay(true)
            .build()
            .expect("a client");
        let next = Arc::new(AtomicUsize::new(0));
        let url: Arc<str> = format!("{url}/chat/completions").into();
        let body: Arc<str> = body.into();
        let started = Instant::now();
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..in_flight {
            let (client, next) = (client.clone(), Arc::clone(&next));
            let (url, body) = (Arc::clone(&url), Arc::clone(&body));
            tasks.spawn(async move {
                while next.fetch_add(1, Ordering::Relaxed) < calls {
                    let response = client
                        .post(&*url)
                        .header("content-type", "application/json")
                        .body(body.as_bytes().to_vec())
                        .send()
                        .await
                        .expect("the mock judge answers");
                    response.bytes().await.expect("the mock judge answers whole");
                }
            });
        }
        while let Some(task) = tasks.join_next().await {
            task.expect("a bare call does not panic");
        }
        started.elapsed()
    })
}
