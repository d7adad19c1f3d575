//! The table of routes: who gets where.

use std::collections::BTreeSet;

use axum::http::Method;
use probity_engine::review::PersonRole;

use super::{Got, Site, guarded};
use crate::web::routes::{RouteAccess, routes};

/// Every route as `cookie` finds it, with what varies in its path set to 1.
async fn walked(site: &Site, cookie: &str) -> Vec<(String, RouteAccess, Got)> {
    let mut all = Vec::new();
    for route in routes() {
        // A walk that ends its own session would see the rest as a stranger.
        if route.path == "/leave" && !cookie.is_empty() {
            continue;
        }
        let mut parts = route.path.split('/').map(|part| if part.starts_with('{') { "1" } else { part });
        let path = parts.by_ref().collect::<Vec<_>>().join("/");
        let got = match route.method {
            Method::GET => site.get(&path, cookie).await,
            _ => site.post(&path, cookie, "x=1").await,
        };
        all.push((format!("{} {path}", route.method), route.access, got));
    }
    all
}

#[tokio::test]
async fn w12_strangers_get_nothing() {
    let site = Site::open();
    let found = walked(&site, "").await;
    assert!(found.len() >= 8);
    for (route, access, got) in found {
        guarded(&got);
        if access != RouteAccess::Anyone {
            assert_eq!(got.status, 401, "{route}");
        }
    }
}

#[tokio::test]
async fn w12_reviewers_get_what_is_for_reviewers() {
    let site = Site::open();
    let cookie = site.cookie("Rita", PersonRole::Reviewer).await;
    for (route, access, got) in walked(&site, &cookie).await {
        guarded(&got);
        match access {
            RouteAccess::Lead | RouteAccess::Metrics => assert_eq!(got.status, 403, "{route}"),
            RouteAccess::Anyone | RouteAccess::Reviewer => {
                assert!(![401, 403].contains(&got.status), "{route}: {}", got.status);
            }
        }
    }
}

#[tokio::test]
async fn w12_leads_get_everywhere_and_nothing_breaks() {
    let site = Site::open();
    let cookie = site.cookie("Lena", PersonRole::Lead).await;
    for (route, _, got) in walked(&site, &cookie).await {
        guarded(&got);
        assert!(![401, 403, 500].contains(&got.status), "{route}: {}", got.status);
    }
}

#[test]
fn w08_what_changes_something_is_never_a_get() {
    for route in routes() {
        assert!([Method::GET, Method::POST].contains(&route.method), "{}", route.path);
        assert_eq!(route.method == Method::GET, route.body_max == 0, "{} {}", route.method, route.path);
    }
}

#[test]
fn w12_what_is_for_everybody_is_on_a_short_list() {
    let open: BTreeSet<(String, &str)> = routes()
        .into_iter()
        .filter(|route| route.access == RouteAccess::Anyone)
        .map(|route| (route.method.to_string(), route.path))
        .collect();
    let want = [("GET", "/assets/{name}"), ("GET", "/enter"), ("POST", "/enter")];
    assert_eq!(open, want.map(|(method, path)| (method.to_owned(), path)).into());
}

#[tokio::test]
async fn w12_paths_outside_the_table_are_nowhere() {
    let site = Site::open();
    let cookie = site.cookie("Lena", PersonRole::Lead).await;
    for path in
        ["/admin", "/api", "/.git/config", "/people/1/remove", "/people/", "//people", "/assets", "/store.db"]
    {
        assert_eq!(site.get(path, "").await.status, 401, "{path}");
        let got = site.get(path, &cookie).await;
        assert!([404, 405].contains(&got.status), "{path}: {}", got.status);
        guarded(&got);
    }
}

#[tokio::test]
async fn w23_no_path_reaches_a_file() {
    let site = Site::open();
    let cookie = site.cookie("Lena", PersonRole::Lead).await;
    for name in [
        "..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/etc/passwd", "....//etc/passwd", "%2fetc%2fpasswd",
        "C:%5cwindows%5cwin.ini", "%5c%5chost%5cshare", "review.css%00.html", "%c0%ae%c0%ae%c0%afetc",
        "review.css", "..",
    ] {
        let got = site.get(&format!("/assets/{name}"), &cookie).await;
        assert!([400, 404].contains(&got.status), "{name}: {}", got.status);
        assert!(!got.body.contains("root:"), "{name}");
        guarded(&got);
    }
}

#[tokio::test]
async fn w17_a_name_is_text() {
    let site = Site::open();
    let cookie = site.cookie("Lena", PersonRole::Lead).await;
    let form = "name=%3Cscript%3Ealert(1)%3C%2Fscript%3E%22%3E%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E";
    let made = site.post("/people", &cookie, form).await;
    assert_eq!(made.status, 200, "{}", made.body);
    for got in [made, site.get("/people", &cookie).await] {
        assert!(got.body.contains("&lt;script&gt;alert(1)"), "{}", got.body);
        assert!(!got.body.contains("<script>alert") && !got.body.contains("<img"), "{}", got.body);
    }
    for bad in ["name=", "name=%20", "name=a%00b", "name=a%0ab", &format!("name={}", "a".repeat(81))] {
        assert_eq!(site.post("/people", &cookie, bad).await.status, 422, "{bad}");
    }
}
