//! What holds for the claims of every text, however odd.

use probity_gate::gate::claim::{Claim, ClaimKind, Lexicon, extract};
use proptest::prelude::*;

/// Words and marks of support replies, and of texts that are none.
const PIECES: &[&str] = &[
    "refund", "Refunds", "we", "can't", "can’t", "will", "replace", "not", "only", "but", "if", "once",
    "you", "your", "order", "#48291", "RPL-14", "$1,200.00", "1.200,00 €", "US$5k", "15", "%", "percent",
    "14", "-", "day", "business days", "two", "hundred", "and", "April", "1st", "2026", "2026-04-01",
    "01/04/2026", "+44", "20", "7946", "(555)", "help.example.com/a", "https://", "www.", "a@b.co", "@", ".",
    ",", "?", "!", ";", ":", "\n", "\r\n", "\n\n", "> ", "# ", "- ", "“", "”", "\"", "'", "‘", "&#39;",
    "&nbsp;", "has been", "cancelled", "deleted", "code", "SAVE20", "Main", "Street", "neither", "nor",
    "instead of", "👍", "é", "\u{a0}", "\u{200b}", "ﬁ", "half an hour", "a", "to", "or", "between", "0x80",
    "1Z", "tracking number", "I've", "shipped", "é'll",
];

fn patchwork() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(PIECES);
    let space = prop::sample::select(&[" ", "", " ", "\n"][..]);
    prop::collection::vec((piece, space), 0..40)
        .prop_map(|parts| parts.into_iter().flat_map(|(piece, space)| [piece, space]).collect())
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![patchwork(), any::<String>()]
}

fn claims(text: &str) -> Vec<Claim> {
    extract(text, Lexicon::built_in())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn spans_are_whole_characters_in_order(text in any_text()) {
        let claims = claims(&text);
        for claim in &claims {
            prop_assert!(text.get(claim.span.clone()).is_some_and(|said| !said.is_empty()), "{:?}", claim);
        }
        prop_assert!(claims.is_sorted_by_key(|claim| claim.span.start));
    }

    #[test]
    fn values_do_not_overlap(text in any_text()) {
        let claims = claims(&text);
        let values: Vec<&Claim> =
            claims.iter().filter(|claim| matches!(claim.kind, ClaimKind::Value(_))).collect();
        prop_assert!(values.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start), "{:?}", values);
    }

    /// A blank line separates: neither side changes what the other says.
    #[test]
    fn two_texts_say_together_what_each_says(a in any_text(), b in any_text()) {
        let shift = a.len() + 2;
        let mut apart = claims(&a);
        apart.extend(claims(&b).into_iter().map(|claim| Claim {
            span: claim.span.start + shift..claim.span.end + shift,
            kind: claim.kind,
        }));
        prop_assert_eq!(claims(&format!("{a}\n\n{b}")), apart);
    }
}

/// Long repetitions of one thing, which a step that looks back too far would be slow on. None of them ends a
/// sentence, so each is read as one.
#[test]
fn long_repetitions_are_read_to_their_end() {
    let hostile = [
        "refund ", "a.", "a:", "a-", "a@", "1.", "1,", "1-", "(1", "#1", "$1 ", "\"", "'", "“", ".", "!",
        "\n>", "not ", "if ", "and ", ", ", "A1-", "code ", "order ", "twenty-", "hundred and ", "http://",
        "www.a", "+1 ", "n't", "&#39;", "Street ", "12 Main ", "has been ", "refund, ", "send x ", "waive ",
        "é", "refunded and ",
    ];
    for piece in hostile {
        let text = format!("refund {}", piece.repeat(30_000 / piece.len()));
        let claims = claims(&text);
        assert!(matches!(claims.first(), Some(Claim { span, .. }) if span.start == 0), "{piece:?}");
    }
    let text = hostile.concat().repeat(1_000_000 / hostile.concat().len());
    assert!(!claims(&text).is_empty());
}
