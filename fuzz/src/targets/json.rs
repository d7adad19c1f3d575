//! The JSON reader: it accepts what a general parser accepts, refuses what that refuses, and writes what it
//! can read again.

use probity_core::json::{Json, JsonProblem, JsonRepair, Tolerance, parse, parse_prefix, parse_with};
use serde_json::Value;

use super::seeds as cases;

/// Panics unless the reader agrees with a general parser and with itself.
pub fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let strict = parse(&text);
    match (&strict, serde_json::from_str::<Value>(&text)) {
        (Ok(value), Ok(theirs)) => {
            let again: Value = serde_json::from_str(&value.canonical()).expect("canonical text is JSON");
            assert_eq!(again, theirs, "the value changed");
            check_canonical(value);
        }
        (Err(_), Err(_)) => {}
        (Ok(_), Err(error)) => panic!("accepted here, refused by a general parser: {error}"),
        (Err(error), Ok(_)) => assert!(
            matches!(error.problem, JsonProblem::DuplicateKey(_) | JsonProblem::TooDeep),
            "accepted by a general parser, refused here: {error}"
        ),
    }
    for tolerance in [Tolerance::LoneSurrogates, Tolerance::Json5] {
        let tolerant = parse_with(&text, tolerance);
        match (&strict, &tolerant) {
            (Ok(value), Ok((same, repairs))) => assert!(value == same && repairs.is_empty()),
            (Ok(_), Err(error)) => panic!("{tolerance:?} refuses strict JSON: {error}"),
            (Err(_), Ok((value, repairs))) => {
                assert!(!repairs.is_empty(), "{tolerance:?} needed no repair for what is not strict JSON");
                assert!(
                    repairs.windows(2).all(|pair| pair[0] < pair[1]),
                    "a repair is listed once: {repairs:?}"
                );
                let json5 = repairs.iter().any(|repair| JsonRepair::JSON5.contains(repair));
                assert!(!json5 || tolerance == Tolerance::Json5, "a repair that was not allowed");
                check_canonical(value);
            }
            (Err(_), Err(error)) => assert!(error.offset <= text.len()),
        }
    }
    let middle = text.floor_char_boundary(text.len() / 2);
    if let Ok((_, end, _)) = parse_prefix(&text, middle, Tolerance::Json5) {
        assert!(middle < end && text.is_char_boundary(end));
    }
}

/// Inputs to start from.
pub fn seeds() -> Vec<Vec<u8>> {
    let sources =
        ["parse", "write"].map(|name| cases::file(&format!("crates/probity-gate/src/json/{name}.rs")));
    sources.iter().flat_map(|source| cases::literals(source)).map(String::into_bytes).collect()
}

fn check_canonical(value: &Json) {
    let written = value.canonical();
    let again = parse(&written).expect("canonical text is strict JSON");
    assert_eq!(again.canonical(), written, "canonical text is its own canonical form");
}
