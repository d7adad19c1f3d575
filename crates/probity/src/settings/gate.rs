//! The gate of a run: its settings together with the files they name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use probity_core::gate::claim::Languages;
use probity_core::gate::own::{self, OwnRules};
use probity_core::gate::policy::{self, FileProblem, PolicyFile};
use probity_core::gate::{Defaults, Gate, Policies, PolicyTexts, RuleSetting, Settings, WordFile, languages};
use probity_core::spelling::closest;
use probity_engine::config::GateSettings;
use probity_engine::config::layer::Layer;
use probity_engine::input::Dataset;

use super::{load_options, resolved};
use crate::args::{PolicyCheckArgs, PolicyDraftArgs, SettingsArgs};
use crate::exit::Failure;
use crate::render::problem::located;

/// Reads what the settings name and makes the gate. What should be looked at goes to `note`.
pub(crate) fn gate(settings: &GateSettings, note: &dyn Fn(&str)) -> Result<Gate, Failure> {
    let said = |warnings: Vec<Warned>| warnings.iter().for_each(|warned| note(&warned.shown));
    let policies = policies(settings)?.map(|(policies, warnings)| {
        said(warnings);
        policies
    });
    let (own_rules, warnings) = own_rules(settings)?;
    said(warnings);
    Gate::new(Settings {
        rules: settings.rules.clone(),
        competitors: settings.competitors.clone(),
        forbidden_advice: settings.forbidden_advice.clone(),
        own: settings.own.clone(),
        policies,
        own_rules,
    })
    .map_err(|error| Failure::usage(format!("gate.own_numbers: {error}")))
}

/// What the settings say about rules, and the rules of `files` or of the settings.
pub(crate) fn rules(
    files: &[PathBuf],
    args: &SettingsArgs,
) -> Result<(BTreeMap<&'static str, RuleSetting>, OwnRules), Failure> {
    let mut flags = Layer::default();
    flags.gate.rules = Some(files.to_vec()).filter(|files| !files.is_empty());
    let settings = resolved(args, flags)?.gate;
    let (own_rules, _) = own_rules(&settings)?;
    Ok((settings.rules, own_rules))
}

/// What should be looked at in a file, as data and as it is shown.
pub(crate) struct Warned {
    pub(crate) found: FileProblem,
    pub(crate) shown: String,
}

/// What `probity policy check` looks at.
pub(crate) struct PolicyInputs {
    pub(crate) policies: Policies,
    pub(crate) warnings: Vec<Warned>,
    /// The cases that may use them, where files of cases were named.
    pub(crate) cases: Option<Dataset>,
}

/// The policies that flags or settings name, and the cases.
pub(crate) fn policy_inputs(args: &PolicyCheckArgs) -> Result<PolicyInputs, Failure> {
    let mut flags = Layer::default();
    flags.gate.policies = Some(args.files.clone()).filter(|files| !files.is_empty());
    flags.gate.as_of.clone_from(&args.as_of);
    let config = resolved(&args.settings, flags)?;
    let (policies, warnings) = policies(&config.gate)?.ok_or_else(|| {
        Failure::usage("there are no policies to check").hint("name a file, or gate.policies in probity.toml")
    })?;
    let options = load_options(&args.records, &config)?;
    let cases = if args.cases.is_empty() { None } else { Some(Dataset::open(&args.cases, options)?) };
    Ok(PolicyInputs { policies, warnings, cases })
}

/// The policy file that texts come to.
pub(crate) fn draft(args: &PolicyDraftArgs) -> Result<String, Failure> {
    let settings = resolved(&args.settings, Layer::default())?.gate;
    let texts = Texts::read(&args.files)?;
    let words = Words::read(&settings)?;
    let languages: Languages =
        languages(&words.files()).map_err(|problems| words.texts.refused(&problems))?;
    Ok(policy::draft(&texts.files(), &languages))
}

fn policies(settings: &GateSettings) -> Result<Option<(Policies, Vec<Warned>)>, Failure> {
    if settings.policies.is_empty() {
        refuse_idle(settings)?;
        return Ok(None);
    }
    let (sources, words) = (Texts::read(&settings.policies)?, Words::read(settings)?);
    let texts = PolicyTexts {
        sources: &sources.files(),
        words: &words.files(),
        allowed_claims: &settings.allowed_claims,
    };
    let defaults = Defaults { as_of: settings.as_of, language: settings.language.clone() };
    let read = Policies::read(&texts, defaults);
    let all = Texts([sources.0.clone(), words.texts.0.clone()].concat());
    match read {
        Ok((policies, warnings)) => Ok(Some((policies, all.warned(warnings)))),
        Err(problems) => Err(all.refused(&problems)),
    }
}

/// The rules of the user's own. What settings say about a rule that no file has would be believed to do something.
fn own_rules(settings: &GateSettings) -> Result<(OwnRules, Vec<Warned>), Failure> {
    let texts = Texts::read(&settings.own_rules)?;
    let (rules, warnings) = own::read(&texts.files()).map_err(|problems| texts.refused(&problems))?;
    let ids: Vec<&str> = rules.listed().map(|(id, ..)| id).collect();
    let missing = settings.rules.keys().find(|id| id.starts_with("own.") && !ids.contains(id));
    if let Some(missing) = missing {
        let failure =
            Failure::usage(format!("settings name the rule {missing}, which no file of gate.rules has"));
        return Err(match closest(missing, ids.iter().copied()) {
            Some(meant) => failure.hint(format!("did you mean `{meant}`?")),
            None => failure,
        });
    }
    Ok((rules, texts.warned(warnings)))
}

/// The word lists of the settings, each with its language.
struct Words {
    languages: Vec<String>,
    texts: Texts,
}

impl Words {
    fn read(settings: &GateSettings) -> Result<Self, Failure> {
        let files = settings.languages.as_deref().map_or(Ok(Vec::new()), word_files)?;
        let (languages, paths): (Vec<String>, Vec<PathBuf>) = files.into_iter().unzip();
        Ok(Words { languages, texts: Texts::read(&paths)? })
    }

    fn files(&self) -> Vec<WordFile<'_>> {
        let named = self.languages.iter().zip(self.texts.files());
        named.map(|(language, file)| WordFile { language, file }).collect()
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
    Failure::usage(format!("gate.{name} has no effect without policies"))
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

    /// What should be looked at, with its lines.
    fn warned(&self, warnings: Vec<FileProblem>) -> Vec<Warned> {
        let warned = |found: FileProblem| Warned { shown: self.shown(&found, "warning: "), found };
        warnings.into_iter().map(warned).collect()
    }

    /// Files that cannot be used, with all that is wrong.
    fn refused(&self, problems: &[FileProblem]) -> Failure {
        let lines: Vec<String> = problems.iter().map(|found| self.shown(found, "")).collect();
        Failure::usage(lines.join("\n"))
    }

    fn shown(&self, found: &FileProblem, kind: &str) -> String {
        let text =
            self.0.iter().find(|(known, _)| *known == found.file).map_or("", |(_, text)| text.as_str());
        located(&found.file, text, kind, &found.problem).trim_end().to_owned()
    }
}
