//! Settings from environment variables.
//!
//! The table below is the whole list: what is read, and which setting it becomes. A variable that is set to nothing
//! counts as not set. Keys are not settings and are not read here.

use probity_core::exact::NotDecimal;

use super::layer::{Decimal, Layer};
use super::read::{SettingsError, SettingsProblem};

/// Applies the value of a variable to its setting.
type Setter = fn(&mut Layer, &str) -> Result<(), String>;

/// The variables that are read, in the order of the documentation, each with the setting that it becomes.
pub(super) const VARIABLES: &[(&str, Setter)] = &[
    ("PROBITY_JUDGE", |layer, value| text(&mut layer.judge.name, value)),
    ("PROBITY_MODEL", |layer, value| text(&mut layer.any_model, value)),
    ("OPENAI_BASE_URL", |layer, value| {
        text(&mut layer.judges.entry("openai".to_owned()).or_default().base_url, value)
    }),
    ("PROBITY_RUBRIC", |layer, value| text(&mut layer.run.rubric, value)),
    ("PROBITY_STORE", |layer, value| text(&mut layer.run.store, value)),
    ("PROBITY_MIN_COVERAGE", |layer, value| decimal(&mut layer.run.min_coverage, value)),
    ("PROBITY_CONCURRENCY", |layer, value| whole(&mut layer.schedule.concurrency, value)),
    ("PROBITY_CALLS_MAX", |layer, value| whole(&mut layer.budget.calls_max, value)),
    ("PROBITY_USD_MAX", |layer, value| decimal(&mut layer.budget.usd_max, value)),
];

impl Layer {
    /// The settings that `get` finds in the environment.
    pub fn from_env(get: &dyn Fn(&str) -> Option<String>) -> Result<Layer, SettingsError> {
        let mut layer = Layer::default();
        let mut problems = Vec::new();
        for (name, set) in VARIABLES {
            let Some(text) = get(name).filter(|text| !text.trim().is_empty()) else { continue };
            if let Err(message) = set(&mut layer, text.trim()) {
                let message = format!("{name}: {message}");
                let place = "environment".to_owned();
                problems.push(SettingsProblem { place, line: None, message, hint: None });
            }
        }
        if problems.is_empty() { Ok(layer) } else { Err(SettingsError::Unfit(problems)) }
    }
}

#[expect(clippy::unnecessary_wraps, reason = "a row of the table takes what may fail")]
fn text(slot: &mut Option<String>, value: &str) -> Result<(), String> {
    *slot = Some(value.to_owned());
    Ok(())
}

fn whole<T: std::str::FromStr>(slot: &mut Option<T>, value: &str) -> Result<(), String> {
    *slot = Some(value.parse().map_err(|_| format!("expected a whole number, found {value:?}"))?);
    Ok(())
}

fn decimal(slot: &mut Option<Decimal>, value: &str) -> Result<(), String> {
    *slot = Some(Decimal(value.parse().map_err(|error: NotDecimal| error.to_string())?));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<Layer, String> {
        let get =
            |name: &str| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        Layer::from_env(&get).map_err(|error| error.to_string())
    }

    #[test]
    fn variables_become_settings() {
        let layer = read(&[
            ("PROBITY_JUDGE", "anthropic"),
            ("PROBITY_MODEL", "m"),
            ("OPENAI_BASE_URL", "http://localhost:1/v1"),
            ("PROBITY_CONCURRENCY", " 8 "),
            ("PROBITY_USD_MAX", "2.50"),
        ])
        .expect("fine");
        assert_eq!(layer.judge.name.as_deref(), Some("anthropic"));
        assert_eq!(layer.any_model.as_deref(), Some("m"));
        assert_eq!(layer.judges["openai"].base_url.as_deref(), Some("http://localhost:1/v1"));
        assert_eq!(layer.schedule.concurrency, Some(8));
        assert_eq!(layer.budget.usd_max, Some(Decimal("2.5".parse().expect("a decimal"))));
    }

    #[test]
    fn nothing_set_is_an_empty_layer() {
        assert_eq!(read(&[("PROBITY_JUDGE", ""), ("PROBITY_STORE", "  ")]), Ok(Layer::default()));
    }

    #[test]
    fn bad_values_are_named_all_at_once() {
        let problems = read(&[("PROBITY_CONCURRENCY", "many"), ("PROBITY_USD_MAX", "$5")]).expect_err("bad");
        assert_eq!(
            problems,
            "environment: PROBITY_CONCURRENCY: expected a whole number, found \"many\"\n\
             environment: PROBITY_USD_MAX: expected a plain decimal number such as 40 or 12.5, found \"$5\"",
        );
    }
}
