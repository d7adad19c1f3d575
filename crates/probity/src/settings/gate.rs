//! The gate of a run: its settings together with the files they name.

use std::path::{Path, PathBuf};

use probity_core::gate::policy::{FileProblem, PolicyFile};
use probity_core::gate::{Defaults, Gate, Policies, PolicyTexts, Settings, WordFile};
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
    let sources = Texts::read(&settings.policies)?;
    let of_words = settings.languages.as_deref().map_or(Ok(Vec::new()), word_files)?;
    let words = Texts::read(&of_words.iter().map(|(_, path)| path.clone()).collect::<Vec<_>>())?;
    let (source_files, word_files) = (sources.files(), words.files());
    let word_files: Vec<WordFile<'_>> =
        of_words.iter().zip(word_files).map(|((language, _), file)| WordFile { language, file }).collect();
    let texts =
        PolicyTexts { sources: &source_files, words: &word_files, allowed_claims: &settings.allowed_claims };
    let shown = |found: &FileProblem, kind| {
        let text = sources.text(&found.file).or_else(|| words.text(&found.file)).unwrap_or_default();
        located(&found.file, text, kind, &found.problem).trim_end().to_owned()
    };
    let defaults = Defaults { as_of: settings.as_of, language: settings.language.clone() };
    match Policies::read(&texts, defaults) {
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

/// The files of a folder of languages: `de/remedies.toml` is German. Each with its language, `language.toml` first, because
/// it can say that it stands in place of the built-in lists; then by name.
fn word_files(folder: &Path) -> Result<Vec<(String, PathBuf)>, Failure> {
    let unreadable = |path: &Path, error| Failure::unreadable(&path.display().to_string(), &error);
    let listed = |path: &Path| -> Result<Vec<PathBuf>, Failure> {
        let entries = std::fs::read_dir(path).map_err(|error| unreadable(path, error))?;
        let paths =
            entries.map(|entry| entry.map(|entry| entry.path()).map_err(|error| unreadable(path, error)));
        let mut paths = paths.collect::<Result<Vec<_>, _>>()?;
        paths.sort_by_key(|path| (path.file_name().is_none_or(|name| name != "language.toml"), path.clone()));
        Ok(paths)
    };
    let mut files = Vec::new();
    for language in listed(folder)?.into_iter().filter(|path| path.is_dir()) {
        let code = language.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_list = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "toml");
        files.extend(listed(&language)?.into_iter().filter(is_list).map(|path| (code.clone(), path)));
    }
    if files.is_empty() {
        let message = format!("gate.languages: {} has no word lists", folder.display());
        return Err(
            Failure::usage(message).hint("a folder per language, with files such as de/remedies.toml")
        );
    }
    Ok(files)
}

/// Word lists and allowed claims would be believed to do something.
fn refuse_idle(settings: &GateSettings) -> Result<(), Failure> {
    let idle = [
        ("languages", settings.languages.is_some()),
        ("language", settings.language.is_some()),
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
