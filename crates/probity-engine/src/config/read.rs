//! Settings read from a TOML text, every problem with its line.
//!
//! All problems of a text are reported at once. An unknown key is an error with the nearest known key
//! as a hint, because the author of a misspelt setting believes that it does something.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use probity_core::spelling::closest;
use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue, Deserializer};

use super::layer::{Depth, Layer, SECTIONS, Setting, SettingClass};

/// A problem in the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsProblem {
    /// The file as it was named, `environment`, or a setting as `section.key`.
    pub place: String,
    /// The line, from 1, where the place has lines.
    pub line: Option<usize>,
    /// What is wrong and what was expected.
    pub message: String,
    /// What to do about it, where that is known.
    pub hint: Option<String>,
}

impl fmt::Display for SettingsProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.place, self.message)?,
            None => write!(f, "{}: {}", self.place, self.message)?,
        }
        self.hint.as_ref().map_or(Ok(()), |hint| write!(f, "\n  hint: {hint}"))
    }
}

/// Why settings cannot be used. Never without a problem.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// They cannot be read, or contradict each other.
    #[error("{}", lines(.0))]
    Unfit(Vec<SettingsProblem>),
    /// An untrusted file decides something that it must not.
    #[error("{}", lines(.0))]
    NotTrusted(Vec<SettingsProblem>),
}

fn lines(problems: &[SettingsProblem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// The key by which a table inherits what it leaves out, addresses included.
pub(super) const KIND: &str = "kind";

/// The key that chooses a judge, and with it whose API key is sent to the user's address.
pub(super) const NAME: &str = "name";

/// How the TOML reader reports a duplicate key or table, without naming it.
const DUPLICATE: &str = "duplicate key";

/// How types are called where they are expected.
const TYPE_WORDS: &[(&str, &str)] = &[
    ("a nonzero u64", "a whole number above 0"),
    ("a nonzero u32", "a whole number above 0"),
    ("u64", "a whole number, 0 or more"),
    ("u32", "a whole number, 0 or more"),
];

impl Layer {
    /// Reads the TOML `text` of the file shown as `path_shown`.
    pub fn read(path_shown: &str, text: &str) -> Result<Layer, SettingsError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let (mut root, errors) = DeTable::parse_recoverable(text);
        let mut reading = TextReading { path_shown, text, problems: Vec::new() };
        for error in errors {
            let place = error.span().and_then(|span| text.get(span)).filter(|_| error.message() == DUPLICATE);
            let named = place.map_or(String::new(), |key| format!(" `{key}`"));
            reading.report(error.span(), format!("{}{named}", error.message()), None);
        }
        if !reading.problems.is_empty() {
            return Err(SettingsError::Unfit(reading.problems));
        }
        reading.check_keys(root.get_mut());
        let layer = loop {
            match Layer::deserialize(Deserializer::from(root.clone())) {
                Ok(layer) => break layer,
                Err(error) => {
                    let path = error.span().and_then(|span| take_out(root.get_mut(), &span));
                    let named = path.as_ref().map_or(String::new(), |path| format!("{path}: "));
                    let message = format!("{named}{}", in_words(error.message()));
                    reading.report(error.span(), message, None);
                    if path.is_none() {
                        return Err(SettingsError::Unfit(reading.problems));
                    }
                }
            }
        };
        if reading.problems.is_empty() {
            return Ok(layer);
        }
        reading.problems.sort_by_key(|problem| problem.line);
        Err(SettingsError::Unfit(reading.problems))
    }
}

/// A setting in a text that not every file may decide, the kind of a table, by which it takes what it leaves out, or the
/// name of the judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecidingSetting {
    /// Section, name where the section has names, and key.
    pub path: Vec<String>,
    /// What it decides.
    pub class: SettingClass,
    /// The line, from 1.
    pub line: usize,
    /// Its value: one text, those of a list, or the names in a table.
    pub words: Vec<String>,
}

/// The settings of the TOML `text` that not every file may decide, with the kinds of its tables and the name of the
/// judge, in the order of the table of sections. A text that is not TOML has none.
pub(super) fn deciding(text: &str) -> Vec<DecidingSetting> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (mut root, _) = DeTable::parse_recoverable(text);
    let mut deciding = Vec::new();
    each_table(root.get_mut(), |section, table, settings| {
        deciding.extend(table.iter().filter_map(|(key, value)| {
            let name: &str = key.get_ref();
            let Setting { class, .. } = *settings.iter().find(|known| known.key == name)?;
            let decides = class != SettingClass::Plain || [KIND, NAME].contains(&name);
            decides.then(|| DecidingSetting {
                path: section.iter().copied().chain([name]).map(str::to_owned).collect(),
                class,
                line: line_of(text, &key.span()),
                words: words(value.get_ref()),
            })
        }));
    });
    deciding
}

/// Gives each table of settings to `see`, with its path and the settings that it may have.
fn each_table<'i>(
    root: &mut DeTable<'i>,
    mut see: impl FnMut(&[&str], &mut DeTable<'i>, &'static [Setting]),
) {
    for (section, depth, settings) in SECTIONS {
        let found = root.iter_mut().find(|(key, _)| key.get_ref() == section);
        let Some(DeValue::Table(table)) = found.map(|(_, value)| value.get_mut()) else { continue };
        match depth {
            Depth::One => see(&[section], table, settings),
            Depth::Named => {
                for (name, value) in table.iter_mut() {
                    let DeValue::Table(inner) = value.get_mut() else { continue };
                    see(&[section, name.get_ref()], inner, settings);
                }
            }
        }
    }
}

fn words(value: &DeValue<'_>) -> Vec<String> {
    match value {
        DeValue::String(text) => vec![text.to_string()],
        DeValue::Array(items) => items.iter().flat_map(|item| words(item.get_ref())).collect(),
        // The values of headers may hold a secret in the wrong place.
        DeValue::Table(table) => table.keys().map(|key| key.get_ref().to_string()).collect(),
        _ => Vec::new(),
    }
}

struct TextReading<'a> {
    path_shown: &'a str,
    text: &'a str,
    problems: Vec<SettingsProblem>,
}

impl TextReading<'_> {
    fn report(&mut self, span: Option<Range<usize>>, message: String, hint: Option<String>) {
        let line = span.map(|span| line_of(self.text, &span));
        self.problems.push(SettingsProblem { place: self.path_shown.to_owned(), line, message, hint });
    }

    /// Reports and removes unknown keys; hands floats on as their source text where a decimal is expected.
    fn check_keys(&mut self, root: &mut DeTable<'_>) {
        let names: Vec<&str> = SECTIONS.iter().map(|(name, _, _)| *name).collect();
        self.keep_known(root, "", &names);
        each_table(root, |section, table, settings| {
            let keys: Vec<&str> = settings.iter().map(|setting| setting.key).collect();
            self.keep_known(table, &section.join("."), &keys);
            for (key, value) in table.iter_mut() {
                let is_decimal =
                    |known: &Setting| known.key == key.get_ref() && known.value_type.contains("Decimal");
                if let DeValue::Float(float) = value.get_ref()
                    && settings.iter().any(is_decimal)
                {
                    let text = float.as_str().to_owned();
                    *value.get_mut() = DeValue::String(Cow::Owned(text));
                }
            }
        });
    }

    fn keep_known(&mut self, table: &mut DeTable<'_>, section: &str, known: &[&str]) {
        let place = if section.is_empty() { String::new() } else { format!(" in [{section}]") };
        let is_known = |key: &Spanned<DeString<'_>>| known.contains(&key.get_ref().as_ref());
        let unknown: Vec<_> = table.keys().filter(|key| !is_known(key)).cloned().collect();
        for key in unknown {
            table.remove(&key);
            let span = key.span();
            let key = key.into_inner();
            let hint = closest(&key, known.iter().copied()).map(|known| format!("did you mean `{known}`?"));
            self.report(Some(span), format!("unknown setting `{key}`{place}"), hint);
        }
    }
}

/// The line, from 1, on which `span` begins.
fn line_of(text: &str, span: &Range<usize>) -> usize {
    let before = &text.as_bytes()[..span.start.min(text.len())];
    before.split(|byte| *byte == b'\n').count()
}

/// Removes the innermost setting around `span` and gives its path, so that reading can go on to the next
/// problem.
fn take_out(table: &mut DeTable<'_>, span: &Range<usize>) -> Option<String> {
    let holds = |outer: &Range<usize>| outer.start <= span.start && span.end <= outer.end;
    for (key, value) in table.iter_mut() {
        if let DeValue::Table(inner) = value.get_mut()
            && let Some(path) = take_out(inner, span)
        {
            return Some(format!("{}.{path}", key.get_ref()));
        }
    }
    let (key, _) = table.iter().find(|(key, value)| holds(&key.span()) || holds(&value.span()))?;
    let key = key.clone();
    table.remove(&key);
    Some(key.into_inner().into_owned())
}

/// The reader's message with the types named as people would.
fn in_words(message: &str) -> String {
    let message = message.trim_end();
    for (name, words) in TYPE_WORDS {
        if let Some(before) = message.strip_suffix(&format!("expected {name}")) {
            return format!("{before}expected {words}");
        }
    }
    message.to_owned()
}

#[cfg(test)]
#[allow(clippy::needless_raw_string_hashes, reason = "the test library writes them")]
mod tests;
