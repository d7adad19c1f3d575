//! What an untrusted settings file must not decide: where keys and cases go, which programs run, and what is read or
//! written outside the working folder.
//!
//! The rule is a comparison. The settings are merged twice, with all that the file says and with its
//! [plain](SettingClass::Plain) settings alone. Where both give the same value, a flag, the environment or the user's
//! own settings say it, and the file decides nothing. Where they differ and the difference is used, it is refused, with
//! three exceptions: an address with its provider's own key, an address on this machine that gets no secret, and a path
//! inside the working folder. A table that is not used decides nothing.

use serde_json::json;

use super::endpoint::Endpoint;
use super::is_present;
use super::layer::{JudgeLayer, Layer, Setting, SettingClass};
use super::names::JudgeKind;
use super::read::{DecidingSetting, KIND, NAME, SettingsError, SettingsProblem, deciding};

/// A settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsFile {
    /// The file as it is named.
    pub shown: String,
    /// What it says.
    pub layer: Layer,
    /// What of it not every file may decide, with the kinds of its tables and the judge that it names.
    pub deciding: Vec<DecidingSetting>,
}

impl SettingsFile {
    /// Reads the TOML `text` of the file shown as `shown`.
    pub fn read(shown: &str, text: &str) -> Result<SettingsFile, SettingsError> {
        let layer = Layer::read(shown, text)?;
        Ok(SettingsFile { shown: shown.to_owned(), layer, deciding: deciding(text) })
    }
}

/// What settings cannot say about where they are used.
pub struct LocalFacts<'a> {
    /// The value of an environment variable.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// Whether a path, as settings write it, leads out of the working folder, or to another machine.
    pub is_outside: &'a dyn Fn(&str) -> bool,
}

/// A file that the user has not trusted, beside what everything else says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Untrusted {
    shown: String,
    deciding: Vec<DecidingSetting>,
    /// Those texts of the file that name a path outside the working folder.
    outside: Vec<String>,
    /// The settings with all that the file says.
    with: Layer,
    /// The settings with what any file may say.
    without: Layer,
    /// The judge that the user names.
    judge_of_user: Option<String>,
}

/// What goes out together.
#[derive(Default)]
struct Sent<'a> {
    addresses: Vec<&'a str>,
    /// The variable that holds the key.
    variable: Option<&'a str>,
    /// Whether headers or other variables go along.
    carries: bool,
}

impl Untrusted {
    /// `file` between the layers below and above it.
    pub(super) fn new(
        file: SettingsFile,
        below: &Layer,
        above: &Layer,
        is_outside: &dyn Fn(&str) -> bool,
    ) -> Untrusted {
        let around = |layer: Layer| below.clone().merge(layer).merge(above.clone());
        let paths = file.deciding.iter().filter(|setting| setting.class == SettingClass::Path);
        let outside =
            paths.flat_map(|setting| &setting.words).filter(|word| is_outside(word)).cloned().collect();
        let mut plain = file.layer.clone().plain();
        // By its kind a table takes what it leaves out, an address among it: one of the user's keeps its own.
        for (name, judge) in &mut plain.judges {
            judge.kind = judge.kind.filter(|_| below.judges.get(name).is_none_or(|own| own.kind.is_none()));
        }
        for (name, target) in &mut plain.targets {
            target.kind =
                target.kind.filter(|_| below.targets.get(name).is_none_or(|own| own.kind.is_none()));
        }
        let judge_of_user = around(Layer::default()).judge.name;
        let (with, without) = (around(file.layer), around(plain));
        Untrusted { shown: file.shown, deciding: file.deciding, outside, with, without, judge_of_user }
    }

    /// Refuses what the file decides about a run, whatever judge is asked.
    pub(super) fn check_run(&self, here: &LocalFacts<'_>) -> Result<(), SettingsError> {
        let (with, without) = (&self.with, &self.without);
        let sections = [
            ("run", with.run.differing(&without.run)),
            ("gate", with.gate.differing(&without.gate)),
            ("diff", with.diff.differing(&without.diff)),
            ("store", with.store.differing(&without.store)),
        ];
        let refused = |(section, decided): &(&str, Vec<Setting>)| {
            self.refused(&[&[section]], decided, &Sent::default(), here.variable)
        };
        let mut problems: Vec<SettingsProblem> = sections.iter().flat_map(refused).collect();
        if let Some(name) = with.target.name.as_deref() {
            let (with, without) = (with.target_table(name), without.target_table(name));
            let sections: &[&[&str]] = &[&["targets", name], &["targets", "openai"], &["judges", "openai"]];
            let addresses = with.base_url.as_deref().or(with.url.as_deref()).into_iter().collect();
            let carries = with.headers.as_ref().is_some_and(|headers| !headers.is_empty());
            let sent = Sent { addresses, variable: with.api_key_env.as_deref(), carries };
            problems.extend(self.refused(sections, &with.differing(&without), &sent, here.variable));
        }
        if problems.is_empty() { Ok(()) } else { Err(SettingsError::NotTrusted(problems)) }
    }

    /// Refuses what the file decides about the judge called `name`.
    pub(super) fn check_judge(
        &self,
        name: &str,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<(), SettingsError> {
        let judge = |layer: &Layer| {
            let table = layer.judge_table(name);
            JudgeLayer { base_url: layer.any_base_url.clone().or(table.base_url.clone()), ..table }
        };
        let (with, without) = (judge(&self.with), judge(&self.without));
        let kind = with.kind.map_or("", JudgeKind::name);
        let more = with.base_urls.iter().flatten();
        let addresses = with.base_url.iter().chain(more).map(String::as_str).collect();
        let carries = with.headers.as_ref().is_some_and(|headers| !headers.is_empty())
            || json!([with.query, with.extra_body]).to_string().contains("${");
        let sent = Sent { addresses, variable: with.api_key_env.as_deref(), carries };
        let sections: &[&[&str]] = &[&["judges", name], &["judges", kind]];
        let mut problems = self.refused(sections, &with.differing(&without), &sent, variable);
        if problems.is_empty() {
            problems.extend(self.key_for_another(name, &sent, variable));
        }
        if problems.is_empty() { Ok(()) } else { Err(SettingsError::NotTrusted(problems)) }
    }

    /// A key that the file sends, by choosing the judge called `name`, to an address that the user names: without the
    /// file the address gets the key of an OpenAI-compatible endpoint, and no other.
    fn key_for_another(
        &self,
        name: &str,
        sent: &Sent<'_>,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Option<SettingsProblem> {
        let address = self.with.any_base_url.as_deref()?;
        let key = sent.variable.filter(|key| is_present(variable(key).as_deref()))?;
        let usual = super::resolve::defaults().judges.remove(JudgeKind::OPENAI)?.api_key_env;
        if self.judge_of_user.as_deref() == Some(name)
            || usual.as_deref() == Some(key)
            || sent.is_providers_own()
        {
            return None;
        }
        let message = format!(
            "judge.name chooses {name}, so that {address} would get the key in {key}, and the file is not trusted"
        );
        let line = self.deciding.iter().find(|setting| setting.path == ["judge", NAME]).map(|name| name.line);
        Some(SettingsProblem { place: self.shown.clone(), line, message, hint: None })
    }

    /// Those of the `decided` settings that are refused. Each stands in the first of `sections` that has it.
    fn refused(
        &self,
        sections: &[&[&str]],
        decided: &[Setting],
        sent: &Sent<'_>,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Vec<SettingsProblem> {
        let setting = |key: &str| {
            let path = |section: &&[&str]| section.iter().copied().chain([key]).map(str::to_owned).collect();
            let paths: Vec<Vec<String>> = sections.iter().map(path).collect();
            paths.iter().find_map(|path| self.deciding.iter().find(|setting| setting.path == *path))
        };
        let problem = |Setting { key, .. }: &Setting| {
            let (what, line) = if let Some(setting) = setting(key) {
                let what = self.refusal(setting, sent, variable)?;
                (format!("{} {what}", setting.path.join(".")), Some(setting.line))
            } else {
                // It follows from the kind that the file gives to a table of the user's.
                let line = setting(KIND).map(|kind| kind.line);
                (format!("{}.{KIND} changes {key}", sections[0].join(".")), line)
            };
            let message = format!("{what}, and the file is not trusted");
            Some(SettingsProblem { place: self.shown.clone(), line, message, hint: None })
        };
        decided.iter().filter_map(problem).collect()
    }

    /// What `setting` decides, in words, unless it is harmless.
    fn refusal(
        &self,
        setting: &DecidingSetting,
        sent: &Sent<'_>,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Option<String> {
        // A line break in a value must not begin a line of the message.
        let words = setting.words.join(" ").replace(['\n', '\r'], " ");
        match setting.class {
            SettingClass::Plain => None,
            SettingClass::Address => sent.refusal(variable),
            SettingClass::Variable if words.is_empty() || sent.is_providers_own() => None,
            SettingClass::Variable => Some(format!("names the variable {words}")),
            SettingClass::Program => Some(format!("names the program `{words}`")),
            SettingClass::Header if words.is_empty() => None,
            SettingClass::Header => Some(format!("names {words}, which would be sent")),
            SettingClass::Path => {
                let outside = setting.words.iter().find(|word| self.outside.contains(word))?;
                // What stands behind the scheme of an address may hold a password.
                let (path, _) = outside.split_once("://").unwrap_or((outside, ""));
                Some(format!("names a place outside the working folder, {path}"))
            }
        }
    }
}

impl Sent<'_> {
    /// What is wrong with an address that a file decides, unless it is harmless.
    fn refusal(&self, variable: &dyn Fn(&str) -> Option<String>) -> Option<String> {
        let key = self.variable.filter(|name| is_present(variable(name).as_deref()));
        let has_secret = key.is_some() || self.carries;
        let is_local = |address: &str| Endpoint::parse(address).is_ok_and(|endpoint| endpoint.is_loopback());
        if self.is_providers_own() {
            return None;
        }
        let address = self.addresses.iter().find(|address| has_secret || !is_local(address))?;
        let gets = match (key, has_secret) {
            (Some(name), _) => format!("the key in {name}"),
            (None, true) => "its headers or variables".to_owned(),
            (None, false) => "the cases".to_owned(),
        };
        Some(format!("names the address {address}, which would get {gets}"))
    }

    /// Whether the key goes to the provider that it is of, as the defaults have it.
    fn is_providers_own(&self) -> bool {
        let ([address], Some(variable)) = (self.addresses.as_slice(), self.variable) else { return false };
        let Ok(endpoint) = Endpoint::parse(address) else { return false };
        super::resolve::defaults().judges.values().any(|judge| {
            let own = judge.base_url.as_deref().and_then(|own| Endpoint::parse(own).ok());
            judge.api_key_env.as_deref() == Some(variable)
                && own.is_some_and(|own| own.has_origin_of(&endpoint))
        })
    }
}

#[cfg(test)]
mod tests;
