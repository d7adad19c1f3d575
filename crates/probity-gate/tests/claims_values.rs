//! Values that mean the same are equal, and things that only look like values are none.

use probity_gate::gate::claim::{ClaimKind, Lexicon, Value, extract};

fn values(text: &str) -> Vec<Value> {
    extract(text, Lexicon::built_in())
        .into_iter()
        .filter_map(|claim| match claim.kind {
            ClaimKind::Value(value) => Some(value),
            ClaimKind::Remedy { .. } | ClaimKind::Deed { .. } => None,
        })
        .collect()
}

/// Every text names one value, and it is the same one.
#[track_caller]
fn check_equal(texts: &[&str]) {
    let first = values(texts[0]);
    assert_eq!(first.len(), 1, "{:?}: {first:?}", texts[0]);
    for text in texts {
        assert_eq!(values(text), first, "{text:?}");
    }
}

/// None of the texts names a value.
#[track_caller]
fn check_none(texts: &[&str]) {
    for text in texts {
        assert_eq!(values(text), [], "{text:?}");
    }
}

#[test]
fn a_number_in_words_that_is_too_large_is_none() {
    check_none(&[&format!("5{}", " hundred".repeat(12))]);
}

#[test]
fn money() {
    check_equal(&[
        "$1,200.00",
        "$1200",
        "1200 USD",
        "USD 1,200",
        "US$1,200",
        "1,200 dollars",
        "twelve hundred dollars",
        "one thousand two hundred dollars",
        "$1.200",
        "1200$",
    ]);
    check_equal(&["€1.200,50", "1.200,50 €", "EUR 1,200.50", "1200.50 euros", "1200,50 €"]);
    check_equal(&["$0.50", "0.5 dollars"]);
    // Several currencies have cents.
    check_equal(&["50 cents", "50 ct", "fifty cents"]);
    check_equal(&["$5k", "5000 USD", "five thousand dollars"]);
    check_equal(&["£20", "20 pounds", "20 GBP", "twenty quid"]);
    check_equal(&["₹500", "Rs. 500", "500 rupees", "INR 500"]);
    check_none(&["free of charge", "at no cost", "the dollar is strong", "a million thanks"]);
}

#[test]
fn percentages() {
    check_equal(&[
        "15%", "15 %", "15 percent", "15 per cent", "fifteen percent", "15.0%", "Fifteen per cent",
    ]);
    check_none(&["a percentage of it", "percent"]);
}

#[test]
fn lengths_of_time() {
    check_equal(&[
        "14 days", "two weeks", "within a fortnight", "14-day", "fourteen days", "14 (fourteen) days",
        "336 hours",
    ]);
    check_equal(&["24 hours", "1 day", "one day", "24h", "24 hrs", "1440 minutes"]);
    check_equal(&[
        "3-5 business days",
        "3 to 5 working days",
        "3–5 workdays",
        "between three and five business days",
    ]);
    check_equal(&["one year", "12 months", "four quarters", "1 yr", "twelve-month"]);
    check_equal(&["half an hour", "30 minutes", "30min", "0.5 hours"]);
    check_equal(&["in an hour and 45 minutes", "1 hour 45 minutes", "1h 45min", "105 minutes"]);
    check_none(&["24/7", "have a great day", "one of these days", "day 3 of it", "all day"]);
}

#[test]
fn days() {
    check_equal(&[
        "2026-04-01", "April 1, 2026", "1 April 2026", "1st of April 2026", "Apr. 1 2026", "04/01/2026",
        "01.04.2026", "2026-04-01T10:00", "April 1st, 2026",
    ]);
    check_equal(&["April 1", "1 April", "the 1st of April", "Apr 1st"]);
    check_none(&["you may 5", "march 3 times", "April 31", "13/13/2026", "version 1.2.3"]);
}

#[test]
fn times_of_day() {
    check_equal(&["8:10 pm", "8:10pm", "8:10 p.m.", "20:10", "20:10:00"]);
    check_equal(&["8 pm", "8pm", "8 p.m."]);
    check_none(&["16:9", "1:1", "ratio 3:2", "25:10", "8 people", "version 8.10"]);
}

#[test]
fn references() {
    check_equal(&[
        "order #48291", "order 48291", "ticket-48291", "Order no. 48291", "#48291", "order number: 48291",
    ]);
    check_equal(&["invoice AB-12-34", "invoice ab1234", "Invoice no AB1234"]);
    check_equal(&["RPL-14", "policy rpl-14", "code RPL-14", "under RPL-14."]);
    check_none(&[
        "COVID-19", "USB-C", "an MP3", "100GB", "the 2nd", "our #1 choice", "order 2 pizzas", "Wi-Fi",
    ]);
}

#[test]
fn contacts() {
    check_equal(&[
        "https://www.Example.com/a/", "http://example.com/a", "example.com/a", "www.example.com/a.",
    ]);
    check_equal(&["Help@Example.com", "<help@example.com>", "mailto:help@example.com"]);
    check_equal(&["+44 20 7946 0958", "+44 (0)20 7946 0958", "+442079460958", "+44-20-7946-0958"]);
    check_equal(&["12 Main Street", "12 MAIN STREET"]);
    check_none(&["It works.No problem", "i.e. nothing", "a.b", "@support", "10 of 12 people", "5 out of 7"]);
}
