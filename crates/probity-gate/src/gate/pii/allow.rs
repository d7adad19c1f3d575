//! What a company lets its replies contain: its own addresses and phones, and the forms of its own numbers.
//!
//! An entry allows itself and nothing that merely contains it. Nothing is allowed by default.

use regex::Regex;
use thiserror::Error;

use super::super::text::Rewritten;
use super::kind::{Hit, Kind};
use super::national::NUMBERS;

/// The longest form of a number, in bytes.
const PATTERN_MAX: usize = 64;

/// What may stand in a reply although it looks like personal data. The default allows nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allow {
    /// E-mail addresses of the company.
    pub emails: Vec<String>,
    /// Domains whose e-mail addresses are the company's, with their subdomains.
    pub domains: Vec<String>,
    /// Phone numbers of the company, in any grouping.
    pub phones: Vec<String>,
    /// Street addresses of the company, whole or by their street line.
    pub addresses: Vec<String>,
    /// Network addresses of the company.
    pub ips: Vec<String>,
    /// Forms of the company's own numbers: `#` is a digit, `?` a letter, `*` a run of letters, digits and
    /// hyphens; everything else is itself, whatever its case.
    pub id_patterns: Vec<String>,
    /// What published test values do.
    pub test_values: TestValues,
}

crate::named! {
    /// What card numbers, phones and domains do that were published for tests and belong to no person.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum TestValues {
        /// They are reported like any other: none belongs in a real reply.
        #[default]
        Report = "report",
        /// They are let through.
        Allow = "allow",
    }
}

/// A form of numbers that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the id pattern '{pattern}' {problem}")]
pub struct PatternProblem {
    pattern: String,
    problem: String,
}

/// Finds personal data in replies. Made once for a run.
#[derive(Debug, Clone)]
pub struct Scanner {
    /// What is let through, in one spelling.
    listed: Allow,
    id_forms: Vec<Regex>,
}

impl Scanner {
    /// A scanner that lets through what `allow` lists, if all its patterns can be used.
    pub fn new(allow: &Allow) -> Result<Self, PatternProblem> {
        let spelled = |entries: &[String], spell: fn(&str) -> String| {
            entries.iter().map(|entry| spell(entry)).collect::<Vec<_>>()
        };
        let listed = Allow {
            emails: spelled(&allow.emails, lower),
            domains: spelled(&allow.domains, |entry| lower(entry).trim_start_matches('@').to_owned()),
            addresses: spelled(&allow.addresses, squashed),
            ips: spelled(&allow.ips, lower),
            ..allow.clone()
        };
        let id_forms = allow.id_patterns.iter().map(|pattern| id_form(pattern)).collect::<Result<_, _>>()?;
        Ok(Scanner { listed, id_forms })
    }

    /// Whether `hit` in `text` is on a list.
    pub(super) fn allows(&self, text: &str, hit: &Hit) -> bool {
        let value = &text[hit.core.clone()];
        let is = |kind: Kind| hit.kind == kind || hit.kind == Kind::UnlistedContact;
        self.has_id_form(text, hit)
            || (is(Kind::Email) && value.contains('@') && self.has_email(value))
            || (is(Kind::Phone) && self.listed.phones.iter().any(|phone| same_phone(phone, value)))
            || (is(Kind::Address) && self.has_address(&squashed(value)))
            || (hit.kind == Kind::Ip && self.listed.ips.iter().any(|ip| value.eq_ignore_ascii_case(ip)))
            || (self.listed.test_values == TestValues::Allow && is_test_value(hit.kind, value))
    }

    fn has_email(&self, value: &str) -> bool {
        let value = value.to_lowercase().replace(' ', "");
        let domain = value.rsplit('@').next().unwrap_or("");
        let is_under = |allowed: &String| {
            domain.strip_suffix(allowed.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        self.listed.emails.contains(&value) || self.listed.domains.iter().any(is_under)
    }

    fn has_address(&self, value: &str) -> bool {
        let is_same = |address: &String| address.contains(value) || value.starts_with(address.as_str());
        value.len() > 5 && self.listed.addresses.iter().any(|address| !address.is_empty() && is_same(address))
    }

    /// Whether the word that a number stands in has one of the company's own forms.
    fn has_id_form(&self, text: &str, hit: &Hit) -> bool {
        if matches!(hit.kind, Kind::Email | Kind::Secret) {
            return false;
        }
        let from = text.floor_char_boundary(hit.core.start.saturating_sub(PATTERN_MAX));
        let to = text.floor_char_boundary((hit.core.end + PATTERN_MAX).min(text.len()));
        let covers = |found: regex::Match<'_>| {
            from + found.start() <= hit.core.start && from + found.end() >= hit.core.end
        };
        self.id_forms.iter().any(|form| form.find_iter(&text[from..to]).any(covers))
    }
}

/// The expression for a form of numbers, as a word of its own.
fn id_form(pattern: &str) -> Result<Regex, PatternProblem> {
    let refused = |problem: String| Err(PatternProblem { pattern: pattern.to_owned(), problem });
    if pattern.bytes().filter(|byte| *byte != b'*').count() < 2 {
        return refused("allows any number; expected at least two characters besides '*'".to_owned());
    }
    if pattern.len() > PATTERN_MAX {
        return refused(format!("has {} bytes; expected at most {PATTERN_MAX}", pattern.len()));
    }
    let form =
        regex::escape(pattern).replace(r"\#", "[0-9]").replace(r"\?", "[a-z]").replace(r"\*", "[a-z0-9-]*");
    Ok(Regex::new(&format!(r"(?i)\b{{start-half}}{form}\b{{end-half}}"))
        .expect("a short expression without repetitions of repetitions"))
}

/// An entry in lower case.
fn lower(entry: &str) -> String {
    Rewritten::clean(entry.trim()).text().to_lowercase()
}

/// Whether two telephone numbers differ by no more than the prefix of a country or of the trunk.
pub(super) fn same_phone(one: &str, other: &str) -> bool {
    let digits =
        |number: &str| number.bytes().filter(u8::is_ascii_digit).skip_while(|digit| *digit == b'0').collect();
    let [one, other]: [Vec<u8>; 2] = [one, other].map(digits);
    let n_more = one.len().abs_diff(other.len());
    one.len().min(other.len()) > 5 && n_more <= 3 && (one.ends_with(&other) || other.ends_with(&one))
}

/// The letters and digits of a value.
fn squashed(value: &str) -> String {
    Rewritten::squashed(value).text().to_owned()
}

/// Whether a value was published for tests.
pub(super) fn is_test_value(kind: Kind, value: &str) -> bool {
    let digits = squashed(value);
    match kind {
        Kind::Card => NUMBERS.test_cards.contains(&digits),
        Kind::Phone => digits.len() >= 7 && digits[digits.len() - 7..].starts_with("55501"),
        Kind::Email => NUMBERS.test_domains.iter().any(|domain| value.to_lowercase().ends_with(domain)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, word: &str, want: bool) {
        let found = id_form(pattern).unwrap().find(word).is_some_and(|found| found.as_str() == word);
        assert_eq!(found, want, "{pattern} {word}");
    }

    #[test]
    fn patterns_have_digits_letters_and_runs() {
        check("sku-####", "SKU-1234", true);
        check("sku-####", "SKU-12345", false);
        check("??-*-#", "ab-12-x-9", true);
        check("a*b", "a-1-c", false);
        check("##?#", "1212", false);
    }

    #[test]
    fn patterns_that_allow_anything_are_refused() {
        let problem = |pattern: &str| {
            Scanner::new(&Allow { id_patterns: vec![pattern.into()], ..Allow::default() })
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            problem("*#*"),
            "the id pattern '*#*' allows any number; expected at least two characters besides '*'"
        );
        assert_eq!(
            problem(""),
            "the id pattern '' allows any number; expected at least two characters besides '*'"
        );
        assert!(problem(&"#".repeat(65)).ends_with("has 65 bytes; expected at most 64"));
    }
}
