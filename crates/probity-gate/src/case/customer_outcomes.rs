//! What the outcomes of help desks mean: whether a customer was content, or the ticket came to a good end.

use std::sync::LazyLock;

use serde::Deserialize;

/// What outcomes mean.
#[derive(Deserialize)]
struct Meanings {
    good: Vec<String>,
    bad: Vec<String>,
    scale: Vec<ScaleMeaning>,
}

#[derive(Deserialize)]
struct ScaleMeaning {
    min: f64,
    max: f64,
    bad_to: f64,
    good_from: f64,
}

static MEANINGS: LazyLock<Meanings> = LazyLock::new(|| {
    toml::from_str(include_str!("customer_outcomes.toml")).expect("the shipped table is as it should be")
});

/// Whether an outcome is good, where it says.
pub fn is_good_outcome(value: &str) -> Option<bool> {
    let value = value.trim().to_lowercase();
    let among = |words: &[String]| words.contains(&value);
    if among(&MEANINGS.good) || among(&MEANINGS.bad) {
        return Some(among(&MEANINGS.good));
    }
    let number: f64 = value.replace(',', ".").parse().ok()?;
    let scale = MEANINGS.scale.iter().find(|scale| (scale.min..=scale.max).contains(&number))?;
    if number >= scale.good_from {
        return Some(true);
    }
    (number <= scale.bad_to).then_some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_of_help_desks_are_good_bad_or_neither() {
        for (value, want) in [
            ("good", Some(true)),
            ("Bad", Some(false)),
            ("5", Some(true)),
            ("4,5", Some(true)),
            ("1,0", Some(false)),
            ("3", None),
            ("103", Some(true)),
            ("100", None),
            ("-103", Some(false)),
            ("confirmed_resolution", Some(true)),
            ("escalated", Some(false)),
            ("offered", None),
        ] {
            assert_eq!(is_good_outcome(value), want, "{value}");
        }
    }
}
