//! What holds for every text.

use probity_gate::gate::pii::{Allow, Scanner, Surroundings, TestValues};
use probity_gate::gate::{Sighting, rule};
use proptest::prelude::*;

use super::scanner;

fn check(reply: &str) -> Vec<Sighting> {
    scanner().check(reply, &Surroundings::default())
}

/// A text of the characters that the check looks at, in any order.
fn hostile() -> impl Strategy<Value = String> {
    let parts = prop::sample::select(vec![
        "4", "41", "4539", "0", "9", " ", "-", ".", "\n", "@", "a", "x", "**", "%40", "&#52;", "St", "Oak ",
        "é", "\u{200b}", "٤", "eyJ", "password: ", "DOB ", "one ", "at", " dot ", "+", "(", ")", "/",
        "Suite ", "GB29", "•", "：", "📞", "sk-", "::", "|",
    ]);
    prop::collection::vec(parts, 0..60).prop_map(|parts| parts.concat())
}

fn assert_sound(reply: &str, sightings: &[Sighting]) -> Result<(), TestCaseError> {
    let mut end = 0;
    for sighting in sightings {
        prop_assert!(sighting.start >= end && sighting.start < sighting.end && sighting.end <= reply.len());
        prop_assert!(reply.is_char_boundary(sighting.start) && reply.is_char_boundary(sighting.end));
        prop_assert_eq!(rule(sighting.rule).map(|rule| rule.sentence), Some(sighting.message.as_str()));
        end = sighting.end;
    }
    Ok(())
}

/// The digit that completes `digits` by Luhn's rule, computed from its definition.
fn check_digit(digits: &[u32]) -> u32 {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(i, d)| if i % 2 == 0 { (d * 2) / 10 + (d * 2) % 10 } else { *d })
        .sum();
    (10 - sum % 10) % 10
}

proptest! {
    /// Any text is checked; spans are in order, apart, and never cut a character.
    #[test]
    fn any_text_has_sound_sightings(reply in any::<String>()) {
        assert_sound(&reply, &check(&reply))?;
    }

    /// So is text made of what the check looks for.
    #[test]
    fn hostile_text_has_sound_sightings(reply in hostile(), earlier in hostile(), customer in hostile(), known in hostile()) {
        let known = [known];
        let around = Surroundings { earlier: &[&earlier], customer: &[&customer], known: &known };
        assert_sound(&reply, &scanner().check(&reply, &around))?;
    }

    /// A card is found whatever separates its groups, and the span is the card.
    #[test]
    fn a_planted_card_is_found(
        digits in prop::collection::vec(0u32..10, 14),
        gaps in prop::collection::vec(prop::sample::select(vec!["", " ", "-", ".", "_", "/", "\u{a0}", "\u{2009}", "\u{200b}", "\u{2011}"]), 3),
        before in prop::sample::select(vec!["", "Card ", "We charged ", "Number: ", "(", "\u{201c}", "📇"]),
        after in prop::sample::select(vec!["", ".", " was declined", ")", "\u{201d}", ", 12/27"]),
    ) {
        let mut card = vec![4];
        card.extend(&digits);
        card.push(check_digit(&card));
        let mut number = String::new();
        for (i, digit) in card.iter().enumerate() {
            if i > 0 && i % 4 == 0 {
                number.push_str(gaps[i / 4 - 1]);
            }
            number.push_str(&digit.to_string());
        }
        let reply = format!("{before}{number}{after}");
        let found = check(&reply);
        let is_found = found.iter().any(|sighting| {
            sighting.rule == "pii.card" && sighting.start == before.len() && sighting.end == before.len() + number.len()
        });
        prop_assert!(is_found, "{reply:?}: {found:?}");
    }

    /// A value that the customer wrote is never a leak.
    #[test]
    fn an_echo_never_blocks(local in "[a-z]{3,8}[0-9]{1,3}", host in "[a-z]{4,9}") {
        let reply = format!("We wrote to {local}@{host}.net today.");
        let customer = format!("my address: {local}@{host}.net");
        let found = scanner().check(&reply, &Surroundings { customer: &[&customer], ..Surroundings::default() });
        prop_assert_eq!(found.iter().map(|sighting| sighting.rule).collect::<Vec<_>>(), ["pii.own_data_echo"]);
    }
}

#[test]
fn no_message_contains_a_value() {
    for row in super::rows::ROWS {
        for say in row.says {
            for sighting in super::sightings(scanner(), say) {
                assert!(
                    !sighting.message.bytes().any(|byte| byte.is_ascii_digit() || byte == b'@'),
                    "{}",
                    sighting.message
                );
            }
        }
    }
}

#[test]
fn test_values_may_be_let_through() {
    let allow = Allow { test_values: TestValues::Allow, ..Allow::default() };
    let scanner = Scanner::new(&allow).unwrap();
    for reply in ["4242 4242 4242 4242", "(212) 555-0123", "jane@example.com"] {
        assert_eq!(scanner.check(reply, &Surroundings::default()), [], "{reply}");
    }
    assert_eq!(scanner.check("4539 2373 0163 1479", &Surroundings::default()).len(), 1);
}
