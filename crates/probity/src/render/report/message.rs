//! A document in a few lines, for a message: as plain text, which a mail shows as it is, and as the body of a Slack
//! message.
//!
//! Slack is given plain text blocks alone: nothing in them is a link, a mention or markup, and no address is looked up.

use serde_json::{Value, json};

use super::document::{Block, Document};
use crate::plain::{excerpt, plain};

/// Slack takes this many characters in a heading and in a section.
const HEADING_CHARS_MAX: usize = 150;
const SECTION_CHARS_MAX: usize = 3_000;
/// So many replies of a section are named.
const QUOTES_MAX: usize = 3;
/// How much of a line is shown.
const LINE_COLUMNS_MAX: usize = 240;

/// The lines of a mail.
pub(super) fn text(document: &Document) -> String {
    let paragraphs = paragraphs(document).into_iter().map(|lines| lines.join("\n"));
    let all: Vec<String> = [plain(&document.title)].into_iter().chain(paragraphs).collect();
    all.join("\n\n") + "\n"
}

/// The body of a Slack message, for an incoming webhook or `chat.postMessage`.
pub(super) fn slack(document: &Document) -> Value {
    let shown =
        |text: &str, most: usize| json!({ "type": "plain_text", "text": first(text, most), "emoji": false });
    let heading = json!({ "type": "header", "text": shown(&plain(&document.title), HEADING_CHARS_MAX) });
    let sections = paragraphs(document)
        .into_iter()
        .map(|lines| json!({ "type": "section", "text": shown(&lines.join("\n"), SECTION_CHARS_MAX) }));
    let blocks: Vec<Value> = [heading].into_iter().chain(sections).collect();
    // What notifications show is markup to Slack, and these are its three characters.
    let notice = plain(&document.title).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    json!({ "text": notice, "blocks": blocks, "unfurl_links": false, "unfurl_media": false })
}

/// The first characters of `text`, with a mark where it was cut.
fn first(text: &str, n_chars: usize) -> String {
    match text.char_indices().nth(n_chars - 1) {
        Some((at, c)) if at + c.len_utf8() < text.len() => format!("{}…", &text[..at]),
        _ => text.to_owned(),
    }
}

/// What is said, in paragraphs: who judged, what came of it, the figures, what to know, and which replies to look at.
fn paragraphs(document: &Document) -> Vec<Vec<String>> {
    let judge = document.judge.as_ref().map(|judge| {
        let line = format!(
            "Judge {}, standing {}: {}. {}",
            judge.name,
            judge.standing,
            judge.reason,
            judge.caution()
        );
        plain(line.trim_end())
    });
    let told = [&document.about, &document.verdict, &document.lead];
    let told = told.into_iter().filter(|line| !line.is_empty()).map(|line| plain(line));
    let mut all: Vec<Vec<String>> = judge.into_iter().chain(told).map(|line| vec![line]).collect();
    all.push(document.tiles.iter().map(|tile| plain(&format!("• {} {}", tile.value, tile.name))).collect());
    all.push(document.warnings.iter().map(|line| plain(&format!("Note: {line}"))).collect());
    for section in &document.sections {
        for block in &section.blocks {
            let Block::Quotes(quotes, n) = block else { continue };
            let mut lines = vec![format!("{} ({n})", plain(&section.title))];
            lines.extend(quotes.iter().take(QUOTES_MAX).map(|quote| {
                let said = quote.lines.first().map(|line| format!(": {line}")).unwrap_or_default();
                excerpt(&format!("• {} {}{said}", quote.title, quote.word), LINE_COLUMNS_MAX)
            }));
            all.push(lines);
        }
    }
    all.push(document.calls.iter().map(|line| plain(line)).collect());
    all.retain(|lines| !lines.is_empty());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_holds_what_slack_takes_and_nothing_that_it_acts_on() {
        let title = "<!channel> & ".repeat(40);
        let warnings = vec!["x\u{1b}[31m".to_owned(); 400];
        let document =
            Document { title, verdict: "*3* of <@U1>".to_owned(), warnings, ..Document::default() };
        let slack = slack(&document);
        let blocks = slack["blocks"].as_array().expect("a list");
        assert_eq!(blocks[0]["text"]["text"].as_str().expect("a text").chars().count(), HEADING_CHARS_MAX);
        assert!(blocks.iter().all(|block| block["text"]["type"] == "plain_text"), "{slack:#}");
        assert_eq!(blocks[1]["text"]["text"], "*3* of <@U1>");
        assert_eq!(blocks[2]["text"]["text"].as_str().expect("a text").chars().count(), SECTION_CHARS_MAX);
        assert!(slack["text"].as_str().expect("a text").starts_with("&lt;!channel&gt; &amp; "), "{slack:#}");
        assert!(!text(&document).contains('\u{1b}'));
    }
}
