//! The style and the script of the pages, as they stand in the program.
//!
//! Each is served under a name with its digest, so a browser may keep it and never keeps an old one.

use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::IntoResponse;

use super::refusal::{PageResult, Refusal};

/// The look of the reports, and what the review room adds to it.
const STYLE: &str =
    concat!(include_str!("../../pages/report.css"), include_str!("../../pages/review/review.css"));
const SCRIPT: &str = include_str!("../../pages/review/review.js");

/// A file that pages ask for.
pub(super) struct Asset {
    /// The name in the address.
    pub(super) name: String,
    kind: &'static str,
    text: &'static str,
}

/// The files that pages ask for: the style, then the script.
pub(super) fn assets() -> [Asset; 2] {
    let named = |stem: &str, suffix: &str, text: &'static str| {
        let digest = blake3::hash(text.as_bytes()).to_hex();
        format!("{stem}-{}.{suffix}", &digest[..12])
    };
    [
        Asset { name: named("review", "css", STYLE), kind: "text/css; charset=utf-8", text: STYLE },
        Asset { name: named("review", "js", SCRIPT), kind: "text/javascript; charset=utf-8", text: SCRIPT },
    ]
}

/// `GET /assets/{name}`
pub(super) async fn asset(Path(name): Path<String>) -> PageResult {
    let asset = assets().into_iter().find(|asset| asset.name == name).ok_or_else(Refusal::not_found)?;
    let headers = [(CONTENT_TYPE, asset.kind), (CACHE_CONTROL, "private, max-age=31536000, immutable")];
    Ok((headers, asset.text).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w17_nothing_is_put_in_as_markup_and_nothing_comes_from_elsewhere() {
        for text in [STYLE, SCRIPT] {
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
        let [style, script] = assets();
        assert!(
            style.name.starts_with("review-") && style.name.rsplit('.').next() == Some("css"),
            "{}",
            style.name
        );
        assert_ne!(style.name.trim_end_matches(".css"), script.name.trim_end_matches(".js"));
    }
}
