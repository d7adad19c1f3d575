//! The gate of a run: its settings together with the files they name.

use std::path::{Path, PathBuf};

use probity_core::gate::policy::{FileProblem, PolicyFile};
use probity_core::gate::{Gate, Policies, PolicyTexts, Settings};
use probity_engine::config::GateSettings;

use crate::exit::Failure;
use crate::render::problem::located;

/// Reads what the settings name and makes the gate. What should be looked at goes to `note`.
pub(crate) fn gate(settings: &GateSettings, note: &dyn Fn(&str)) -> Result<Gate, Failure> {
    Gate::new(Settings {
        rules: settings.rules.clone(),
        competitors: settings.competitors.clone(),
        forbidden_advice: settings.forbidden_advice.clone(),
        own: settings.own.clone(),
        policies: policies(settings, note)?,
    })
    .map_err(|error| Failure::usage(format!("gate.own_numbers: {error}")))
}

fn policies(settings: &GateSettings, note: &dyn Fn(&str)) -> Result<Option<Policies>, Failure> {
    if settings.policies.is_empty() {
        refuse_idle(settings)?;
        return Ok(None);
    }
    let (sources, lexicons) = (Texts::read(&settings.policies)?, Texts::read(&settings.lexicons)?);
    let (source_files, lexicon_files) = (sources.files(), lexicons.files());
    let texts = PolicyTexts {
        sources: &source_files,
        lexicons: &lexicon_files,
        allowed_claims: &settings.allowed_claims,
    };
    let shown = |found: &FileProblem, kind| {
        let text = sources.text(&found.file).or_else(|| lexicons.text(&found.file)).unwrap_or_default();
        located(&found.file, text, kind, &found.problem).trim_end().to_owned()
    };
    match Policies::read(&texts, settings.as_of) {
        Ok((policies, warnings)) => {
            for found in &warnings {
                note(&shown(found, "warning: "));
            }
            Ok(Some(policies))
        }
        Err(problems) => {
            let lines: Vec<String> = problems.iter().map(|found| shown(found, "")).collect();
            Err(Failure::usage(lines.join("\n")))
        }
    }
}

/// Word lists and allowed claims would be believed to do something.
fn refuse_idle(settings: &GateSettings) -> Result<(), Failure> {
    let idle = [
        ("lexicons", !settings.lexicons.is_empty()),
        ("allowed_claims", !settings.allowed_claims.is_empty()),
    ];
    idle.iter().find(|(_, is_set)| *is_set).map_or(Ok(()), |(name, _)| Err(idle_setting(name)))
}

/// A date has a meaning without policies only where a judge has a standing, which may have ended by then.
pub(crate) fn refuse_idle_date(settings: &GateSettings) -> Result<(), Failure> {
    let is_idle = settings.as_of.is_some() && settings.policies.is_empty();
    if is_idle { Err(idle_setting("as_of")) } else { Ok(()) }
}

fn idle_setting(name: &str) -> Failure {
    Failure::usage(format!("gate.{name} means nothing without policies"))
        .hint("name a file with --policies, or gate.policies in probity.toml")
}

/// Files with their names and contents.
struct Texts(Vec<(String, String)>);

impl Texts {
    fn read(paths: &[PathBuf]) -> Result<Self, Failure> {
        let read = |path: &PathBuf| {
            let name = path.display().to_string();
            let text = std::fs::read_to_string(Path::new(path))
                .map_err(|error| Failure::unreadable(&name, &error))?;
            Ok((name, text))
        };
        paths.iter().map(read).collect::<Result<_, Failure>>().map(Texts)
    }

    fn files(&self) -> Vec<PolicyFile<'_>> {
        self.0.iter().map(|(name, text)| PolicyFile { name, text }).collect()
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_str())
    }
}
