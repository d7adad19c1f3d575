//! Settings from environment variables.
//!
//! The table below is the whole list: what is read, which setting it becomes, and the documentation. A
//! variable that is set to nothing counts as not set. Keys are not settings and are not read here.

use probity_core::exact::NotDecimal;

use super::layer::{Decimal, Layer};
use super::read::{SettingsError, SettingsProblem};

/// One variable.
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// The setting it stands for, as documentation names it.
    pub setting: &'static str,
    set: fn(&mut Layer, &str) -> Result<(), String>,
}

const fn variable(
    name: &'static str,
    setting: &'static str,
    set: fn(&mut Layer, &str) -> Result<(), String>,
) -> Variable {
    Variable { name, setting, set }
}

/// The variables that are read, in the order of the documentation.
pub const VARIABLES: &[Variable] = &[
    variable("PROBITY_JUDGE", "judge.name", |layer, value| text(&mut layer.judge.name, value)),
    variable("PROBITY_MODEL", "the model of the judge in use", |layer, value| {
        text(&mut layer.any_model, value)
    }),
    variable("OPENAI_BASE_URL", "judges.openai.base_url", |layer, value| {
        text(&mut layer.judges.entry("openai".to_owned()).or_default().base_url, value)
    }),
    variable("PROBITY_RUBRIC", "run.rubric", |layer, value| text(&mut layer.run.rubric, value)),
    variable("PROBITY_STORE", "run.store", |layer, value| text(&mut layer.run.store, value)),
    variable("PROBITY_MIN_COVERAGE", "run.min_coverage", |layer, value| {
        decimal(&mut layer.run.min_coverage, value)
    }),
    variable("PROBITY_CONCURRENCY", "schedule.concurrency", |layer, value| {
        whole(&mut layer.schedule.concurrency, value)
    }),
    variable("PROBITY_CALLS_MAX", "budget.calls_max", |layer, value| {
        whole(&mut layer.budget.calls_max, value)
    }),
    variable("PROBITY_USD_MAX", "budget.usd_max", |layer, value| decimal(&mut layer.budget.usd_max, value)),
];

impl Layer {
    /// The settings that `get` finds in the environment.
    pub fn from_env(get: &dyn Fn(&str) -> Option<String>) -> Result<Layer, SettingsError> {
        let mut layer = Layer::default();
        let mut problems = Vec::new();
        for variable in VARIABLES {
            let Some(text) = get(variable.name).filter(|text| !text.trim().is_empty()) else { continue };
            if let Err(message) = (variable.set)(&mut layer, text.trim()) {
                let message = format!("{}: {message}", variable.name);
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
