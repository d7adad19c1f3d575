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

use super::class::SettingClass;
use super::layer::{
    BudgetLayer, ChoiceLayer, DECIMAL_KEYS, DiffLayer, GateLayer, JudgeLayer, Layer, PriceLayer, RunLayer,
    ScheduleLayer, StoreLayer, TargetLayer,
};

/// A settings text or variable that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsProblem {
    /// The file as it was named, or `environment`.
    pub file: String,
    /// The line, from 1, where the text has lines.
    pub line: Option<usize>,
    /// What is wrong and what was expected.
    pub message: String,
    /// What to do about it, where that is known.
    pub hint: Option<String>,
}

impl fmt::Display for SettingsProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.message),
            None => write!(f, "{}: {}", self.file, self.message),
        }
    }
}

impl std::error::Error for SettingsProblem {}

/// The key by which a table takes what it leaves out, an address among it.
pub(super) const KIND: &str = "kind";

/// The key that chooses a judge, and so whose key is sent to an address of the user's.
pub(super) const NAME: &str = "name";

/// Where a section's keys are: directly in its table, or one table deeper under names people choose.
pub(super) enum Depth {
    Plain,
    Named,
}

/// A section: its name, where its keys are, and what they decide.
type Section = (&'static str, Depth, &'static [(&'static str, SettingClass)]);

pub(super) const SECTIONS: &[Section] = &[
    ("run", Depth::Plain, RunLayer::SETTINGS),
    ("judge", Depth::Plain, ChoiceLayer::SETTINGS),
    ("judges", Depth::Named, JudgeLayer::SETTINGS),
    ("targets", Depth::Named, TargetLayer::SETTINGS),
    ("gate", Depth::Plain, GateLayer::SETTINGS),
    ("store", Depth::Plain, StoreLayer::SETTINGS),
    ("diff", Depth::Plain, DiffLayer::SETTINGS),
    ("schedule", Depth::Plain, ScheduleLayer::SETTINGS),
    ("budget", Depth::Plain, BudgetLayer::SETTINGS),
    ("prices", Depth::Named, PriceLayer::SETTINGS),
];

/// What the TOML reader says of a key or table that stands twice, without naming it.
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
    pub fn read(path_shown: &str, text: &str) -> Result<Layer, Vec<SettingsProblem>> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let (mut root, errors) = DeTable::parse_recoverable(text);
        let mut reading = TextReading { path_shown, text, problems: Vec::new() };
        for error in errors {
            let place = error.span().and_then(|span| text.get(span)).filter(|_| error.message() == DUPLICATE);
            let named = place.map_or(String::new(), |key| format!(" `{key}`"));
            reading.report(error.span(), format!("{}{named}", error.message()), None);
        }
        if !reading.problems.is_empty() {
            return Err(reading.problems);
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
                        return Err(reading.problems);
                    }
                }
            }
        };
        if reading.problems.is_empty() { Ok(layer) } else { Err(reading.sorted()) }
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
    let (root, _) = DeTable::parse_recoverable(text);
    let mut deciding = Vec::new();
    for (section, depth, settings) in SECTIONS {
        let Some(table) = inner(root.get_ref(), section) else { continue };
        match depth {
            Depth::Plain => deciding.extend(deciding_in(text, table, &[section], settings)),
            Depth::Named => {
                for (name, value) in table {
                    let DeValue::Table(table) = value.get_ref() else { continue };
                    deciding.extend(deciding_in(text, table, &[section, name.get_ref()], settings));
                }
            }
        }
    }
    deciding
}

fn inner<'t, 'i>(table: &'t DeTable<'i>, name: &str) -> Option<&'t DeTable<'i>> {
    let (_, value) = table.iter().find(|(key, _)| key.get_ref() == name)?;
    if let DeValue::Table(inner) = value.get_ref() { Some(inner) } else { None }
}

fn deciding_in(
    text: &str,
    table: &DeTable<'_>,
    section: &[&str],
    settings: &[(&str, SettingClass)],
) -> Vec<DecidingSetting> {
    let setting = |(key, value): (&Spanned<DeString<'_>>, &Spanned<DeValue<'_>>)| {
        let name: &str = key.get_ref();
        let (_, class) = settings.iter().find(|(known, _)| *known == name)?;
        let path = section.iter().copied().chain([name]).map(str::to_owned).collect();
        let setting = DecidingSetting {
            path,
            class: *class,
            line: line_of(text, &key.span()),
            words: words(value.get_ref()),
        };
        (*class != SettingClass::Plain || [KIND, NAME].contains(&name)).then_some(setting)
    };
    table.iter().filter_map(setting).collect()
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
        self.problems.push(SettingsProblem { file: self.path_shown.to_owned(), line, message, hint });
    }

    fn sorted(mut self) -> Vec<SettingsProblem> {
        self.problems.sort_by_key(|problem| problem.line);
        self.problems
    }

    /// Reports and removes unknown keys; hands floats on as their source text.
    fn check_keys(&mut self, root: &mut DeTable<'_>) {
        let names: Vec<&str> = SECTIONS.iter().map(|(name, _, _)| *name).collect();
        self.keep_known(root, "", &names);
        for (section, depth, settings) in SECTIONS {
            let Some(DeValue::Table(table)) = member(root, section) else { continue };
            let keys: Vec<&str> = settings.iter().map(|(key, _)| *key).collect();
            match depth {
                Depth::Plain => {
                    self.keep_known(table, section, &keys);
                    floats_as_text(table);
                }
                Depth::Named => {
                    for (name, value) in table.iter_mut() {
                        let DeValue::Table(inner) = value.get_mut() else { continue };
                        self.keep_known(inner, &format!("{section}.{}", name.get_ref()), &keys);
                        floats_as_text(inner);
                    }
                }
            }
        }
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

fn member<'t, 'i>(table: &'t mut DeTable<'i>, name: &str) -> Option<&'t mut DeValue<'i>> {
    table.iter_mut().find(|(key, _)| key.get_ref() == name).map(|(_, value)| value.get_mut())
}

fn floats_as_text(table: &mut DeTable<'_>) {
    for (key, value) in table.iter_mut() {
        if DECIMAL_KEYS.contains(&key.get_ref().as_ref())
            && let DeValue::Float(float) = value.get_ref()
        {
            let text = float.as_str().to_owned();
            *value.get_mut() = DeValue::String(Cow::Owned(text));
        }
    }
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
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "a case is one line")]
    fn check(text: &str, want: Expect) {
        let shown = match Layer::read("probity.toml", text) {
            Ok(_) => "fine".to_owned(),
            Err(problems) => problems
                .iter()
                .map(|problem| match &problem.hint {
                    Some(hint) => format!("{problem} ({hint})\n"),
                    None => format!("{problem}\n"),
                })
                .collect(),
        };
        want.assert_eq(&shown);
    }

    #[test]
    fn an_empty_file_is_fine() {
        check("", expect!["fine"]);
        check("\u{feff}# only a comment\n[run]\n", expect!["fine"]);
    }

    #[test]
    fn unknown_keys_are_errors_with_the_nearest_known_one() {
        check(
            "[run]\nrubrik = 'x'\n\n[schedul]\n",
            expect![[r#"
            probity.toml:2: unknown setting `rubrik` in [run] (did you mean `rubric`?)
            probity.toml:4: unknown setting `schedul` (did you mean `schedule`?)
        "#]],
        );
        check(
            "[judges.mine]\nkind = 'openai'\nbaseurl = 'x'\nfrobnicate = 1\n",
            expect![[r#"
            probity.toml:3: unknown setting `baseurl` in [judges.mine] (did you mean `base_url`?)
            probity.toml:4: unknown setting `frobnicate` in [judges.mine]
        "#]],
        );
    }

    #[test]
    fn r13_same_judge_twice() {
        check(
            "[judges.a]\nkind = 'openai'\n[judges.a]\nkind = 'baseline'\n",
            expect![[r#"
                probity.toml:3: duplicate key `a`
                probity.toml:4: duplicate key `kind`
            "#]],
        );
    }

    #[test]
    fn r13_unknown_provider() {
        let problems = Layer::read("f", "[judges.a]\nkind = 'gemma'\n").expect_err("no such kind");
        let shown = problems[0].to_string();
        assert!(shown.starts_with("f:2: judges.a.kind: expected one of "), "{shown}");
        assert!(shown.ends_with(", recorded, found \"gemma\""), "{shown}");
    }

    #[test]
    fn all_problems_come_at_once() {
        check(
            "[schedule]\nconcurrency = -1\nconnect_ms = 0\nattempts_max = 2.5\n[run]\nmin_coverage = 1e-1\n",
            expect![[r#"
                probity.toml:2: schedule.concurrency: invalid value: integer `-1`, expected a whole number, 0 or more
                probity.toml:3: schedule.connect_ms: invalid value: integer `0`, expected a whole number above 0
                probity.toml:4: schedule.attempts_max: invalid type: floating point `2.5`, expected a whole number above 0
                probity.toml:6: run.min_coverage: expected a plain decimal number such as 40 or 12.5, found "1e-1"
            "#]],
        );
    }

    #[test]
    fn a_table_where_a_value_belongs() {
        check(
            "[run.store]\npath = 'x'\n",
            expect![[r#"
            probity.toml:1: run.store: invalid type: map, expected a string
        "#]],
        );
        check(
            "run = 3\n",
            expect![[r#"
                probity.toml:1: run: invalid type: integer `3`, expected a table
            "#]],
        );
        check(
            "[judges]\nopenai = 'x'\n",
            expect![[r#"
                probity.toml:2: judges.openai: invalid type: string "x", expected a table
            "#]],
        );
    }

    #[test]
    fn broken_toml_has_its_line() {
        check(
            "[run]\nstore = \n",
            expect![[r#"
            probity.toml:2: string values must be quoted, expected literal string
        "#]],
        );
    }

    #[test]
    fn prices_are_exact() {
        let text = "[prices.m]\ninput_usd_per_mtok = 0.1\noutput_usd_per_mtok = '0.000000000001'\n";
        let layer = Layer::read("probity.toml", text).expect("fine");
        let price = &layer.prices["m"];
        let exact = |text: &str| text.parse().expect("a decimal");
        assert_eq!(price.input_usd_per_mtok.expect("set").0, exact("0.1"));
        assert_eq!(price.output_usd_per_mtok.expect("set").0, exact("0.000000000001"));
    }

    #[test]
    fn every_decimal_takes_a_float() {
        for (section, key) in [
            ("run", "min_coverage"),
            ("judges.x", "temperature"),
            ("schedule", "breaker_share"),
            ("budget", "usd_max"),
            ("prices.x", "input_usd_per_mtok"),
            ("prices.x", "output_usd_per_mtok"),
        ] {
            assert!(DECIMAL_KEYS.contains(&key));
            for value in ["0.5", "1", "'0.5'"] {
                assert!(
                    Layer::read("f", &format!("[{section}]\n{key} = {value}\n")).is_ok(),
                    "{key} {value}"
                );
            }
        }
    }
}
