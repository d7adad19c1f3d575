//! Settings from environment variables.
//!
//! The table below is the whole list: what is read, which setting it becomes, and the documentation. A
//! variable that is set to nothing counts as not set. Keys are not settings and are not read here.

use super::layer::{Decimal, Layer};
use super::read::SettingsProblem;

/// One variable.
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// The setting it stands for, as documentation names it.
    pub setting: &'static str,
    set: fn(&mut Layer, &str) -> Result<(), String>,
}

/// The variables that are read, in the order of the documentation.
pub const VARIABLES: &[Variable] = &[
    Variable {
        name: "PROBITY_JUDGE",
        setting: "judge.name",
        set: |layer, text| put(&mut layer.judge.name, Ok(text.to_owned())),
    },
    Variable {
        name: "PROBITY_MODEL",
        setting: "the model of the judge in use",
        set: |layer, text| put(&mut layer.any_model, Ok(text.to_owned())),
    },
    Variable {
        name: "OPENAI_BASE_URL",
        setting: "judges.openai.base_url",
        set: |layer, text| {
            let openai = layer.judges.entry("openai".to_owned()).or_default();
            put(&mut openai.base_url, Ok(text.to_owned()))
        },
    },
    Variable {
        name: "PROBITY_RUBRIC",
        setting: "run.rubric",
        set: |layer, text| put(&mut layer.run.rubric, Ok(text.to_owned())),
    },
    Variable {
        name: "PROBITY_STORE",
        setting: "run.store",
        set: |layer, text| put(&mut layer.run.store, Ok(text.to_owned())),
    },
    Variable {
        name: "PROBITY_MIN_COVERAGE",
        setting: "run.min_coverage",
        set: |layer, text| put(&mut layer.run.min_coverage, decimal(text)),
    },
    Variable {
        name: "PROBITY_CONCURRENCY",
        setting: "schedule.concurrency",
        set: |layer, text| put(&mut layer.schedule.concurrency, whole(text)),
    },
    Variable {
        name: "PROBITY_CALLS_MAX",
        setting: "budget.calls_max",
        set: |layer, text| put(&mut layer.budget.calls_max, whole(text)),
    },
    Variable {
        name: "PROBITY_USD_MAX",
        setting: "budget.usd_max",
        set: |layer, text| put(&mut layer.budget.usd_max, decimal(text)),
    },
];

impl Layer {
    /// The settings that `get` finds in the environment.
    pub fn from_env(get: &dyn Fn(&str) -> Option<String>) -> Result<Layer, Vec<SettingsProblem>> {
        let mut layer = Layer::default();
        let mut problems = Vec::new();
        for variable in VARIABLES {
            let Some(text) = get(variable.name).filter(|text| !text.trim().is_empty()) else { continue };
            if let Err(message) = (variable.set)(&mut layer, text.trim()) {
                let message = format!("{}: {message}", variable.name);
                problems.push(SettingsProblem {
                    file: "environment".to_owned(),
                    line: None,
                    message,
                    hint: None,
                });
            }
        }
        if problems.is_empty() { Ok(layer) } else { Err(problems) }
    }
}

fn put<T>(slot: &mut Option<T>, value: Result<T, String>) -> Result<(), String> {
    *slot = Some(value?);
    Ok(())
}

fn whole<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("expected a whole number, found {text:?}"))
}

fn decimal(text: &str) -> Result<Decimal, String> {
    text.parse().map(Decimal).map_err(|error: probity_core::exact::NotDecimal| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<Layer, Vec<String>> {
        Layer::from_env(&|name| {
            pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
        .map_err(|problems| problems.iter().map(ToString::to_string).collect())
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
            [
                "environment: PROBITY_CONCURRENCY: expected a whole number, found \"many\"",
                "environment: PROBITY_USD_MAX: expected a plain decimal number such as 40 or 12.5, found \"$5\"",
            ]
        );
    }
}
