//! Which values are equal, and that looking one up finds what comparing with each would find.

use proptest::prelude::*;

use super::super::super::claim::TimeUnit;
use super::*;

fn exact(number: i64) -> Exact {
    Exact::from(number)
}

fn money(amount: i64, currency: &str) -> Value {
    Value::Money { amount: exact(amount), currency: Some(currency.to_owned()).filter(|c| !c.is_empty()) }
}

fn span(least: i64, most: i64, unit: TimeUnit) -> Value {
    Value::Span { least: exact(least), most: exact(most), unit }
}

fn day(year: Option<i32>, month: u8, day: u8) -> Value {
    Value::Day { year, month, day }
}

fn link(text: &str) -> Value {
    Value::Link(text.to_owned())
}

fn phone(text: &str) -> Value {
    Value::Phone(text.to_owned())
}

fn address(text: &str) -> Value {
    Value::Address(text.to_owned())
}

#[track_caller]
fn check(value: &Value, known: &Value, want: bool) {
    assert_eq!(same(value, known), want, "{value:?} {known:?}");
    assert_eq!(Known::of([(Extent::One(known.clone()), ())]).has(value), want, "{value:?} {known:?}");
}

#[test]
fn money_without_a_currency_matches_any() {
    check(&money(5, "EUR"), &money(5, "EUR"), true);
    check(&money(5, "EUR"), &money(5, "USD"), false);
    check(&money(5, ""), &money(5, "USD"), true);
    check(&money(5, "EUR"), &money(5, ""), true);
    check(&money(6, ""), &money(5, ""), false);
    check(&money(15, ""), &Value::Percent(exact(15)), false);
}

#[test]
fn spans_lie_within_spans_of_their_unit() {
    check(&span(4, 4, TimeUnit::WorkingDays), &span(3, 5, TimeUnit::WorkingDays), true);
    check(&span(3, 5, TimeUnit::WorkingDays), &span(3, 5, TimeUnit::WorkingDays), true);
    check(&span(2, 5, TimeUnit::WorkingDays), &span(3, 5, TimeUnit::WorkingDays), false);
    check(&span(3, 5, TimeUnit::WorkingDays), &span(5, 5, TimeUnit::WorkingDays), false);
    check(&span(5, 5, TimeUnit::Seconds), &span(5, 5, TimeUnit::WorkingDays), false);
    check(&span(5, 5, TimeUnit::Months), &span(5, 5, TimeUnit::Seconds), false);
}

#[test]
fn days_without_a_year_match_any_year() {
    check(&day(Some(2026), 4, 1), &day(Some(2026), 4, 1), true);
    check(&day(Some(2026), 4, 1), &day(Some(2025), 4, 1), false);
    check(&day(None, 4, 1), &day(Some(2025), 4, 1), true);
    check(&day(Some(2026), 4, 1), &day(None, 4, 1), true);
    check(&day(None, 4, 2), &day(None, 4, 1), false);
}

#[test]
fn codes_and_numbers_are_their_letters_and_digits() {
    check(&Value::Code("RPL-14".into()), &Value::Code("RPL 14".into()), true);
    check(&Value::Number("A1234".into()), &Value::Code("A-1234".into()), true);
    check(&Value::Code("RPL-14".into()), &Value::Code("RPL-141".into()), false);
}

#[test]
fn links_cover_their_host_and_what_a_star_allows() {
    check(&link("shop.example/returns"), &link("shop.example/returns"), true);
    check(&link("shop.example"), &link("shop.example/returns"), true);
    check(&link("shop.example/returns"), &link("shop.example"), false);
    check(&link("shop.example/a/b"), &link("shop.example/*"), true);
    check(&link("shop.example"), &link("shop.example/*"), true);
    check(&link("shop.example/help/b"), &link("shop.example/help/*"), true);
    check(&link("shop.example/helpless"), &link("shop.example/help/*"), false);
    check(&link("shop.example.evil/a"), &link("shop.example/*"), false);
    check(&link("evil.example/shop.example"), &link("shop.example"), false);
}

#[test]
fn telephone_numbers_are_the_same_at_home_and_abroad() {
    check(&phone("+49301234567"), &phone("0301234567"), true);
    check(&phone("0301234567"), &phone("+49301234567"), true);
    check(&phone("0301234568"), &phone("+49301234567"), false);
    check(&phone("+48301234567"), &phone("+49301234567"), false);
    check(&phone("01234"), &phone("+4901234"), false);
}

#[test]
fn a_part_of_an_address_is_that_address() {
    check(&address("48 harbour road"), &address("48 harbour road 10115 berlin"), true);
    check(&address("48 harbour road 10115 berlin"), &address("48 harbour road"), false);
    check(&address("8 harbour road"), &address("48 harbour road"), false);
    check(&Value::Email("a@b.example".into()), &Value::Email("a@b.example".into()), true);
}

#[track_caller]
fn check_range(value: &Value, least: Option<Value>, most: Option<Value>, want: bool) {
    let known = Known::of([(Extent::Range { least, most }, ())]);
    assert_eq!(known.has(value), want, "{value:?}");
}

#[test]
fn amounts_lie_within_ranges_of_their_currency() {
    let (five, fifty) = (Some(money(5, "EUR")), Some(money(50, "EUR")));
    check_range(&money(5, "EUR"), five.clone(), fifty.clone(), true);
    check_range(&money(50, ""), five.clone(), fifty.clone(), true);
    check_range(&money(51, "EUR"), five.clone(), fifty.clone(), false);
    check_range(&money(4, "EUR"), five.clone(), fifty.clone(), false);
    check_range(&money(20, "USD"), five.clone(), fifty.clone(), false);
    check_range(&Value::Percent(exact(20)), five, None, false);
    check_range(&Value::Percent(exact(20)), None, Some(Value::Percent(exact(25))), true);
    check_range(&money(1, "EUR"), None, fifty, true);
}

fn any_value() -> impl Strategy<Value = Value> {
    let unit = prop_oneof![Just(TimeUnit::Seconds), Just(TimeUnit::WorkingDays), Just(TimeUnit::Months)];
    prop_oneof![
        (1_i64..6, prop_oneof![Just(""), Just("EUR"), Just("USD")]).prop_map(|(n, c)| money(n, c)),
        (0_i64..6, 0_i64..4, unit).prop_map(|(least, more, unit)| span(least, least + more, unit)),
        (prop::option::of(2025_i32..2027), 1_u8..3, 1_u8..3)
            .prop_map(|(year, month, on)| day(year, month, on)),
        "[AB]-?[12]".prop_map(Value::Code),
        "[AB][12]".prop_map(Value::Number),
        "[ab]\\.example(/[ab*])?".prop_map(Value::Link),
        "(\\+49|0)3012345[67]".prop_map(Value::Phone),
        "[ab] 1( [ab])?".prop_map(Value::Address),
    ]
}

proptest! {
    /// The tables that make looking up quick find what comparing with every value finds.
    #[test]
    fn looking_up_is_comparing_with_each(
        known in prop::collection::vec((any_value(), 0_u8..3), 0..20),
        value in any_value(),
    ) {
        let slow: Vec<u8> = known.iter().filter(|(other, _)| same(&value, other)).map(|(_, note)| *note).collect();
        let table = Known::of(known.into_iter().map(|(value, note)| (Extent::One(value), note)));
        let mut quick: Vec<u8> = table.notes(&value).copied().collect();
        let mut slow = slow;
        quick.sort_unstable();
        quick.dedup();
        slow.sort_unstable();
        slow.dedup();
        prop_assert_eq!(quick, slow);
    }
}
