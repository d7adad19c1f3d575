//! Links, sessions and leaving.

use probity_engine::review::PersonRole;

use super::{Site, guarded};

#[tokio::test]
async fn w09_a_session_is_a_cookie_for_this_server_alone() {
    let site = Site::open();
    let token = site.token("Ann", PersonRole::Lead).await;
    let got = site.post("/enter", "", &format!("token={token}")).await;
    assert_eq!((got.status, got.header("location")), (303, Some("/")));
    let cookie = got.header("set-cookie").unwrap();
    let parts: Vec<&str> = cookie.split("; ").collect();
    assert!(parts[0].starts_with(&format!("probity-{}=", site.port)), "{cookie}");
    for part in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=604800"] {
        assert!(parts.contains(&part), "{part} in {cookie}");
    }
    assert!(!cookie.contains(&token), "a session is no invitation");
    let value = parts[0].split_once('=').unwrap().1;
    assert_eq!(value.len(), 64, "256 bits in hexadecimal");
    assert_eq!(site.get("/", parts[0]).await.status, 200);
}

#[tokio::test]
async fn w09_leaving_ends_the_session_in_the_store() {
    let site = Site::open();
    let cookie = site.cookie("Ann", PersonRole::Lead).await;
    assert_eq!(site.get("/people", &cookie).await.status, 200);
    let left = site.post("/leave", &cookie, "").await;
    assert_eq!((left.status, left.header("location")), (303, Some("/enter")));
    assert!(left.header("set-cookie").unwrap().contains("Max-Age=0"));
    assert_eq!(site.get("/people", &cookie).await.status, 401, "the old cookie is worth nothing");
}

#[tokio::test]
async fn w09_coming_in_again_ends_the_session_before() {
    let site = Site::open();
    let first = site.cookie("Ann", PersonRole::Lead).await;
    let token = site.token("Ben", PersonRole::Reviewer).await;
    let got = site.post("/enter", &first, &format!("token={token}")).await;
    assert_eq!(got.status, 303);
    assert_eq!(site.get("/", &first).await.status, 401);
}

#[tokio::test]
async fn w09_cookies_that_are_not_ours_open_nothing() {
    let site = Site::open();
    let cookie = site.cookie("Ann", PersonRole::Lead).await;
    let (name, value) = cookie.split_once('=').unwrap();
    for bad in [
        format!("{name}="),
        format!("{name}={}", "a".repeat(64)),
        format!("{name}={value}x"),
        format!("{name}={}", &value[1..]),
        format!("probity={value}"),
        format!("probity-1={value}"),
        format!("{name}={value}; {name}={}", "a".repeat(64)),
        format!("{name}='{value}'"),
    ] {
        assert_eq!(site.get("/", &bad).await.status, 401, "{bad}");
    }
    assert_eq!(site.get("/", &format!("a=b; {cookie}; c=d")).await.status, 200);
}

#[tokio::test]
async fn w10_a_link_works_once_and_opening_it_uses_nothing_up() {
    let site = Site::open();
    let token = site.token("Ann", PersonRole::Lead).await;
    let page = site.get("/enter", "").await;
    assert_eq!(page.status, 200);
    assert!(page.header("set-cookie").is_none());
    assert_eq!(
        site.get(&format!("/enter?token={token}"), "").await.status,
        200,
        "an address changes nothing"
    );
    let whole = format!("token=http%3A%2F%2F127.0.0.1%3A{}%2Fenter%23{token}", site.port);
    assert_eq!(site.post("/enter", "", &whole).await.status, 303, "the whole link may be pasted");
    let again = site.post("/enter", "", &format!("token={token}")).await;
    assert_eq!(again.status, 401);
    guarded(&again);
    assert!(!again.body.contains(&token), "what was sent is not sent back");
    assert!(again.header("set-cookie").is_none());
}

#[tokio::test]
async fn w10_the_script_gets_an_object_and_the_cookie() {
    let site = Site::open();
    let token = site.token("Ann", PersonRole::Lead).await;
    let headers = [
        "Host: 127.0.0.1:PORT",
        "Sec-Fetch-Site: same-origin",
        "Accept: application/json",
        "Content-Type: application/x-www-form-urlencoded;charset=UTF-8",
    ];
    let got = site.ask("POST /enter", &headers, &format!("token={token}")).await;
    assert_eq!((got.status, got.body.as_str()), (200, r#"{"go":"/"}"#));
    assert!(got.header("set-cookie").is_some());
    let again = site.ask("POST /enter", &headers, &format!("token={token}")).await;
    assert_eq!(again.status, 401);
    assert_eq!(again.body, r#"{"error":"this link was already used or has expired"}"#);
}

#[tokio::test]
async fn w15_wrong_tokens_are_few_in_a_minute() {
    let site = Site::open();
    let mut statuses = Vec::new();
    // Two minutes may meet here, so there are enough for both.
    for n in 0..45 {
        statuses.push(site.post("/enter", "", &format!("token={n:064}")).await.status);
    }
    assert_eq!(statuses[..20], [401; 20]);
    assert!(statuses.contains(&429), "{statuses:?}");
    let token = site.token("Ann", PersonRole::Reviewer).await;
    assert_eq!(site.post("/enter", "", &format!("token={token}")).await.status, 303, "a good link opens");
}
