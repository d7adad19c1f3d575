//! The style and the script of the pages, as they stand in the program.
//!
//! Each is served under a name with its digest, so a browser may keep it and never keeps an old one.

use axum::extract::{Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::IntoResponse;

use super::app::App;
use super::refusal::{PageResult, Refusal};
use crate::render::view;

/// The look of pages to work in: that of the reports, the frame, and what working needs.
const ROOM: &str = concat!(
    include_str!("../../pages/view/parts.css"),
    include_str!("../../pages/report.css"),
    include_str!("../../pages/review/frame.css"),
    include_str!("../../pages/review/review.css")
);

/// The look of pages to read: that of the reports with the list of replies, and the frame.
const READING: &str = concat!(
    include_str!("../../pages/view/case.css"),
    include_str!("../../pages/view/parts.css"),
    include_str!("../../pages/report.css"),
    include_str!("../../pages/view/view.css"),
    include_str!("../../pages/review/frame.css")
);
const SCRIPT: &str = include_str!("../../pages/review/review.js");
const SCHEME: &str = include_str!("../../pages/review/scheme.js");

/// What a rule for dark screens begins with.
const DARK: &str = "@media (prefers-color-scheme: dark) {";

/// A file that pages ask for.
pub(super) struct Asset {
    /// The name in the address.
    pub(super) name: String,
    kind: &'static str,
    text: String,
}

/// The files that pages ask for.
pub(super) struct Assets {
    /// The style of pages to work in, and what it is on dark screens.
    pub(super) room: [Asset; 2],
    /// The style of pages to read, and what it is on dark screens.
    pub(super) reading: [Asset; 2],
    /// The script of all pages.
    pub(super) script: Asset,
    /// The script that puts the look on.
    pub(super) scheme: Asset,
    /// The script of the list of replies.
    pub(super) view: Asset,
}

impl Assets {
    pub(super) fn new() -> Assets {
        let sheets = |stem: &str, text: &str| {
            let (common, dark) = schemes(text);
            [style(stem, common), style(&format!("{stem}-dark"), dark)]
        };
        Assets {
            room: sheets("room", ROOM),
            reading: sheets("reading", READING),
            script: script("room", SCRIPT),
            scheme: script("scheme", SCHEME),
            view: script("view", view::SCRIPT),
        }
    }

    fn all(&self) -> impl Iterator<Item = &Asset> {
        self.room.iter().chain(&self.reading).chain([&self.script, &self.scheme, &self.view])
    }
}

fn style(stem: &str, text: String) -> Asset {
    Asset { name: named(stem, "css", &text), kind: "text/css; charset=utf-8", text }
}

fn script(stem: &str, text: &str) -> Asset {
    let (name, text) = (named(stem, "js", text), text.to_owned());
    Asset { name, kind: "text/javascript; charset=utf-8", text }
}

fn named(stem: &str, suffix: &str, text: &str) -> String {
    let digest = blake3::hash(text.as_bytes()).to_hex();
    format!("{stem}-{}.{suffix}", &digest[..12])
}

/// A style with its rules for dark screens apart, so that a person can choose between them.
fn schemes(text: &str) -> (String, String) {
    let (mut common, mut dark, mut rest) = (String::new(), String::new(), text);
    while let Some((before, after)) = rest.split_once(DARK) {
        common.push_str(before);
        let mut depth = 1_i32;
        let end = after.find(|c| {
            depth += match c {
                '{' => 1,
                '}' => -1,
                _ => 0,
            };
            depth == 0
        });
        let (inside, left) = after.split_at(end.unwrap_or(after.len()));
        dark.push_str(inside);
        rest = left.strip_prefix('}').unwrap_or(left);
    }
    common.push_str(rest);
    (common, dark)
}

/// `GET /assets/{name}`
pub(super) async fn asset(State(app): State<App>, Path(name): Path<String>) -> PageResult {
    let asset = app.pages.assets.all().find(|asset| asset.name == name).ok_or_else(Refusal::not_found)?;
    let headers = [(CONTENT_TYPE, asset.kind), (CACHE_CONTROL, "private, max-age=31536000, immutable")];
    Ok((headers, asset.text.clone()).into_response())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn w17_nothing_is_put_in_as_markup_and_nothing_comes_from_elsewhere() {
        for text in [ROOM, READING, SCRIPT, SCHEME, view::SCRIPT] {
            for word in [
                "http:", "https:", "url(", "@import", "innerHTML", "outerHTML", "eval(", "insertAdjacent",
                "document.write",
            ] {
                assert!(!text.contains(word), "{word}");
            }
        }
    }

    #[test]
    fn names_hold_the_digest() {
        let assets = Assets::new();
        let names: BTreeSet<&str> = assets.all().map(|asset| asset.name.as_str()).collect();
        assert_eq!(names.len(), 7, "{names:?}");
        assert!(assets.room[0].name.starts_with("room-") && assets.room[0].name.contains(".css"));
    }

    #[test]
    fn rules_for_dark_screens_stand_apart() {
        let sheet = "a { color: red } @media (prefers-color-scheme: dark) { a { color: blue } b { c: d } } e { f: g }";
        let (common, dark) = schemes(sheet);
        assert_eq!(common, "a { color: red }  e { f: g }");
        assert_eq!(dark.trim(), "a { color: blue } b { c: d }");
        let (common, dark) = schemes(READING);
        assert!(!common.contains("prefers-color-scheme") && dark.contains("--ground: #121315"));
    }
}
