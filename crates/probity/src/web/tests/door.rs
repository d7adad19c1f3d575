//! Names, origins and headers.

use super::{Site, guarded};
use crate::web::door::POLICY;

async fn host(site: &Site, host: &str, want: u16) {
    for path in ["/enter", "/assets/none.css", "/nowhere"] {
        let got = site.ask(&format!("GET {path}"), &[host], "").await;
        let want = match (want, path) {
            (200, "/assets/none.css") => 404,
            (200, "/nowhere") => 401,
            _ => want,
        };
        assert_eq!(got.status, want, "{path} with {host}");
        guarded(&got);
    }
}

#[tokio::test]
async fn w03_only_its_own_names_are_answered_to() {
    let site = Site::open();
    host(&site, "Host: 127.0.0.1:PORT", 200).await;
    let foreign = [
        "127.0.0.1", "localhost", "[::1]", "127.0.0.1:1", "evil.example", "evil.example:PORT",
        "localhost.evil.example:PORT", "localhost:PORT", "probity-1.localhost:PORT", "[::1]:PORT",
        "localhost.:PORT", "127.1:PORT", "127.0.0.2:PORT", "2130706433:PORT", "0.0.0.0:PORT", "[::]:PORT",
        "[0:0:0:0:0:0:0:1]:PORT", "[::ffff:127.0.0.1]:PORT", "::1:PORT", "user@127.0.0.1:PORT",
        "127.0.0.1:PORT:PORT", "127.0.0.1:0PORT", "localhost:PORT, evil.example",
    ];
    for bad in foreign {
        host(&site, &format!("Host: {bad}"), 421).await;
    }
}

#[tokio::test]
async fn w03_one_host_header_is_needed() {
    let site = Site::open();
    let none = site.ask("GET /enter", &[], "").await;
    assert_eq!(none.status, 400);
    guarded(&none);
    let two = site.ask("GET /enter", &["Host: 127.0.0.1:PORT", "Host: evil.example"], "").await;
    assert_eq!(two.status, 400);
    let old = site.raw("GET /enter HTTP/1.0\r\n\r\n").await;
    assert_eq!(old.status, 400);
}

#[tokio::test]
async fn w04_the_path_is_the_request_s_own() {
    let site = Site::open();
    for bad in
        ["x/?a#", "127.0.0.1:PORT/enter", "127.0.0.1:PORT?x", "127.0.0.1:PORT#x", "127.0.0.1:PORT/../enter"]
    {
        let got = site.ask("GET /people", &[&format!("Host: {bad}")], "").await;
        assert!([400, 421].contains(&got.status), "{bad}: {}", got.status);
    }
    let absolute = format!("GET http://evil.example:{}/enter", site.port);
    assert_eq!(site.ask(&absolute, &["Host: 127.0.0.1:PORT"], "").await.status, 421);
    let own = format!("GET http://127.0.0.1:{}/people", site.port);
    assert_eq!(site.ask(&own, &["Host: 127.0.0.1:PORT"], "").await.status, 401);
}

async fn from(site: &Site, headers: &[&str], want: u16) {
    let mut all = vec!["Host: 127.0.0.1:PORT", "Content-Type: application/x-www-form-urlencoded"];
    all.extend(headers);
    for (path, allowed) in [("/enter", 401), ("/leave", 401), ("/people", 401), ("/nowhere", 401)] {
        let got = site.ask(&format!("POST {path}"), &all, "token=x").await;
        assert_eq!(got.status, if want == 0 { allowed } else { want }, "{path} with {headers:?}");
        guarded(&got);
    }
}

/// Zero stands for "let through": what comes then is about the token.
#[tokio::test]
async fn w05_w07_a_change_comes_from_an_own_page() {
    let site = Site::open();
    from(&site, &["Origin: http://127.0.0.1:PORT", "Sec-Fetch-Site: same-origin"], 0).await;
    from(&site, &["Sec-Fetch-Site: same-origin"], 0).await;
    for origin in [
        "null",
        "",
        "http://127.0.0.1",
        "http://127.0.0.1:1",
        "http://localhost:PORT",
        "http://[::1]:PORT",
        "https://127.0.0.1:PORT",
        "http://evil.example",
        "http://127.0.0.1:PORT.evil.example",
        "http://evil.example:PORT",
        "http://127.0.0.1:PORT/",
        "file://",
    ] {
        from(&site, &[&format!("Origin: {origin}")], 403).await;
        from(&site, &[&format!("Origin: {origin}"), "Sec-Fetch-Site: same-origin"], 403).await;
    }
    for fetched in ["cross-site", "same-site", "none", "", "Same-Origin"] {
        from(&site, &[&format!("Sec-Fetch-Site: {fetched}")], 403).await;
        from(&site, &[&format!("Sec-Fetch-Site: {fetched}"), "Origin: http://127.0.0.1:PORT"], 403).await;
    }
    from(&site, &["Origin: http://127.0.0.1:PORT", "Origin: http://evil.example"], 403).await;
    from(&site, &[], 403).await;
    from(&site, &["User-Agent: curl/8.0"], 403).await;
}

#[tokio::test]
async fn w05_other_methods_and_preflights_get_nothing() {
    let site = Site::open();
    for method in ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND"] {
        let line = if method == "CONNECT" {
            format!("CONNECT 127.0.0.1:{}", site.port)
        } else {
            format!("{method} /people")
        };
        let got = site.ask(&line, &["Host: 127.0.0.1:PORT", "Origin: http://127.0.0.1:PORT"], "").await;
        assert_eq!(got.status, 405, "{method}");
        guarded(&got);
    }
}

#[tokio::test]
async fn w06_only_forms_are_read() {
    let site = Site::open();
    for kind in ["text/plain", "application/json", "multipart/form-data; boundary=x", "application/xml"] {
        let kind = format!("Content-Type: {kind}");
        let headers = ["Host: 127.0.0.1:PORT", "Sec-Fetch-Site: same-origin", &kind];
        let got = site.ask("POST /enter", &headers, "token=x").await;
        assert_eq!(got.status, 415, "{kind}");
        guarded(&got);
    }
}

#[test]
fn w16_the_policy_allows_nothing_inline_and_nothing_from_elsewhere() {
    for part in ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"] {
        assert!(POLICY.contains(part), "{part}");
    }
    assert!(!POLICY.contains("unsafe") && !POLICY.contains('*') && !POLICY.contains("http"));
}

#[tokio::test]
async fn w16_pages_have_nothing_inline() {
    let site = Site::open();
    let page = site.get("/enter", "").await;
    assert_eq!(page.status, 200);
    for word in ["<style", " style=", " onclick=", " onload=", "javascript:"] {
        assert!(!page.body.contains(word), "{word}");
    }
    for script in page.body.split("<script").skip(1) {
        let tag = script.split_once('>').expect("a tag ends");
        assert!(tag.0.contains(" src=\"/assets/") && tag.1.starts_with("</script>"), "{script}");
    }
}
