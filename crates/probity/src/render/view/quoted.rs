//! What a judge quotes, found word for word in the texts that it was shown.

use super::super::private::{Mark, MarkKind};

/// Quotation marks that open and close a quote.
const QUOTATION: [(char, char); 6] = [('“', '”'), ('"', '"'), ('«', '»'), ('„', '“'), ('‘', '’'), ('`', '`')];

/// The shortest quote that says where it is from, in characters.
const CHARS_MIN: usize = 4;

/// What stands in quotation marks, each once.
pub(super) fn quotes(said: &str) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for (open, close) in QUOTATION {
        let mut rest = said;
        while let Some((_, behind)) = rest.split_once(open) {
            let Some((quote, after)) = behind.split_once(close) else { break };
            let quote = quote.trim_matches(|c: char| c.is_whitespace() || c == '…' || c == '.');
            if quote.chars().count() >= CHARS_MIN && !found.contains(&quote) {
                found.push(quote);
            }
            rest = after;
        }
    }
    found
}

/// Marks where `text` has one of `quotes` word for word, each at its first place.
pub(super) fn marks(text: &str, quotes: &[&str]) -> Vec<Mark> {
    let mark = |quote: &&str| {
        let start = text.find(quote)?;
        Some(Mark::new(start..start + quote.len(), MarkKind::Quoted, "quoted by the judge"))
    };
    quotes.iter().filter_map(mark).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_found_word_for_word_and_nothing_else_is() {
        let said = "Says “within 60 days” and \"we cannot…\", yet the customer's ‘hospital’ stay; „30 Tage“ is right, \"no\" is short, “open";
        assert_eq!(quotes(said), ["within 60 days", "we cannot", "30 Tage", "hospital"]);
        let found = marks("Sorry, we cannot help within 60 days.", &quotes(said));
        assert_eq!(found.iter().map(|mark| mark.range.clone()).collect::<Vec<_>>(), [22..36, 7..16]);
        assert_eq!(quotes("the customer's and the agent's"), Vec::<&str>::new());
    }
}
