//! What templates of prompts and of requests share: they end, and they need little memory, whatever stands in them.
//!
//! Steps are counted and output is bounded while it is written. What a template holds in its names has no bound in
//! the engine, so nothing that lets values grow from step to step is there: no namespaces, no recursion, no other
//! templates, no blocks that capture output, and few operators that make a longer value where names get theirs. A
//! loop begins each round with the names from before it, so a value grows no further than the source says.

use std::io::{self, Write};

use minijinja::value::Value;
use minijinja::{AutoEscape, Environment, Error, ErrorKind, UndefinedBehavior};

/// The steps that a template may take.
const STEPS_MAX: u64 = 10_000_000;

/// The longest text that a filter makes, in bytes.
const VALUE_BYTES_MAX: usize = 32 << 20;

/// How often a template may make a longer value for a name, or repeat one. Each time at most doubles it.
const GROWTH_MAX: usize = 8;

/// Filters that make much of little, and are not there.
const FILTERS_AWAY: &[&str] = &["batch", "chain", "format", "indent", "pprint", "slice", "zip"];

/// Functions that keep or repeat all there is, and are not there.
const FUNCTIONS_AWAY: &[&str] = &["debug", "namespace"];

/// Statements that take in other templates, call themselves or capture what they print.
const STATEMENTS_AWAY: &[&str] = &[
    "autoescape", "block", "call", "do", "endset", "extends", "filter", "from", "import", "include", "macro",
];

/// Why a template is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unbounded {
    /// A statement that templates here do not have.
    #[error("it has a statement `{0}`, which templates here do not have")]
    Statement(&'static str),
    /// A loop calls itself.
    #[error("it has a recursive loop, which templates here do not have")]
    Recursive,
    /// Names could hold ever longer values.
    #[error("it has more than {GROWTH_MAX} of `~`, `+` and `,` in set, with and for, or of `*`")]
    Growth,
}

/// Why a template cannot be used.
#[derive(Debug)]
pub(crate) enum Refused {
    /// It is not well formed.
    Malformed(Error),
    /// It could need too much memory.
    Unbounded(Unbounded),
}

/// Adds a template. It is looked at before the engine reads it, which works out what is constant.
pub(crate) fn add(
    environment: &mut Environment<'static>,
    name: &'static str,
    source: &str,
) -> Result<(), Refused> {
    let open = || Error::new(ErrorKind::SyntaxError, "a tag does not end");
    let tags = tags(source).ok_or_else(|| Refused::Malformed(open()))?;
    bounded(&tags).map_err(Refused::Unbounded)?;
    environment.add_template_owned(name, source.to_owned()).map_err(Refused::Malformed)
}

/// An environment for templates that are the reader's own: strict, without escapes, and bounded.
pub(crate) fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_fuel(Some(STEPS_MAX));
    for name in FILTERS_AWAY {
        environment.remove_filter(name);
    }
    for name in FUNCTIONS_AWAY {
        environment.remove_global(name);
    }
    environment.add_filter("join", join);
    environment.add_filter("replace", replace);
    environment
}

fn join(items: &Value, between: Option<&str>) -> Result<String, Error> {
    let between = between.unwrap_or_default();
    let mut joined = String::new();
    let mut add = |item: &str, is_first: bool| {
        let between = if is_first { "" } else { between };
        if joined.len() + between.len() + item.len() > VALUE_BYTES_MAX {
            return Err(too_long());
        }
        joined.extend([between, item]);
        Ok(())
    };
    if let Some(text) = items.as_str() {
        text.chars().enumerate().try_for_each(|(i, c)| add(c.encode_utf8(&mut [0; 4]), i == 0))?;
    } else {
        items.try_iter()?.enumerate().try_for_each(|(i, item)| match item.as_str() {
            Some(text) => add(text, i == 0),
            None => add(&item.to_string(), i == 0),
        })?;
    }
    Ok(joined)
}

fn replace(text: &str, from: &str, to: &str) -> Result<String, Error> {
    let n = text.matches(from).count();
    if n.saturating_mul(to.len()).saturating_add(text.len()) > VALUE_BYTES_MAX {
        return Err(too_long());
    }
    Ok(text.replace(from, to))
}

fn too_long() -> Error {
    Error::new(ErrorKind::InvalidOperation, format!("expected a text of at most {VALUE_BYTES_MAX} bytes"))
}

/// Text that is written until it has as many bytes as it may have.
pub(crate) struct Bounded {
    /// What was written.
    pub(crate) bytes: Vec<u8>,
    /// Whether more was to be written than there may be.
    pub(crate) is_full: bool,
    bytes_max: usize,
}

impl Bounded {
    /// An empty text that takes `bytes_max` bytes.
    pub(crate) fn new(bytes_max: usize) -> Bounded {
        Bounded { bytes: Vec::new(), is_full: false, bytes_max }
    }

    /// The text.
    pub(crate) fn text(self) -> String {
        String::from_utf8(self.bytes).expect("a template makes text")
    }
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > self.bytes_max {
            self.is_full = true;
            return Err(io::Error::other(format!("expected at most {} bytes", self.bytes_max)));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Whether values in a template with these tags stay about as long as they come.
fn bounded(tags: &[Tag]) -> Result<(), Unbounded> {
    let mut growth = 0;
    for Tag { statement, code } in tags {
        if let Some(away) = STATEMENTS_AWAY.iter().find(|away| **away == statement.as_str()) {
            return Err(Unbounded::Statement(away));
        }
        let mut words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
        if statement == "for" && words.any(|word| word == "recursive") {
            return Err(Unbounded::Recursive);
        }
        let gives_names = ["set", "with", "for"].contains(&statement.as_str());
        growth += code.matches(|c| c == '*' || (gives_names && "~+,".contains(c))).count();
    }
    if growth > GROWTH_MAX { Err(Unbounded::Growth) } else { Ok(()) }
}

/// What stands between the marks of a tag.
struct Tag {
    /// The first word of a statement; empty for an expression.
    statement: String,
    /// All of it, without the texts in quotation marks.
    code: String,
}

/// The tags of a template, without comments and what is marked as raw; `None` where one does not end.
fn tags(source: &str) -> Option<Vec<Tag>> {
    let mut tags = Vec::new();
    let mut rest = source;
    while let Some(start) = rest.find('{') {
        rest = &rest[start + 1..];
        let (end, is_statement) = match rest.as_bytes().first() {
            Some(b'#') => {
                rest = rest[1..].split_once("#}")?.1;
                continue;
            }
            Some(b'%') => ("%}", true),
            Some(b'{') => ("}}", false),
            _ => continue,
        };
        let (code, after) = code_until(&rest[1..], end)?;
        rest = after;
        let word = code.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
        let statement = if is_statement { word.to_owned() } else { String::new() };
        if statement == "raw" {
            rest = after_raw(rest)?;
        }
        tags.push(Tag { statement, code });
    }
    Some(tags)
}

/// The code before `end`, which ends it outside of quotation marks and brackets alone, and what follows.
fn code_until<'a>(text: &'a str, end: &str) -> Option<(String, &'a str)> {
    let mut code = String::new();
    let (mut quote, mut n_open) = (None, 0_i32);
    let mut characters = text.char_indices();
    while let Some((at, c)) = characters.next() {
        if let Some(mark) = quote {
            match c {
                '\\' => drop(characters.next()),
                _ if c == mark => quote = None,
                _ => {}
            }
            continue;
        }
        if n_open == 0 && text[at..].starts_with(end) {
            let code = code.trim_matches(|c: char| c == '-' || c == '+' || c.is_whitespace());
            return Some((code.to_owned(), &text[at + end.len()..]));
        }
        match c {
            '"' | '\'' => quote = Some(c),
            '(' | '[' | '{' => n_open += 1,
            ')' | ']' | '}' => n_open -= 1,
            _ => {}
        }
        code.push(c);
    }
    None
}

/// What follows the end of a raw block.
fn after_raw(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        rest = rest.split_once("{%")?.1;
        let word = rest.strip_prefix(['-', '+']).unwrap_or(rest).trim_start();
        if word.starts_with("endraw") {
            return Some(word.split_once("%}")?.1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What becomes of a template that may hold `VALUE_BYTES_MAX` and print a mebibyte.
    #[track_caller]
    fn check(source: &str, want: &str) {
        let mut environment = environment();
        let shown = match add(&mut environment, "t", source) {
            Err(Refused::Malformed(error)) => error.to_string(),
            Err(Refused::Unbounded(error)) => error.to_string(),
            Ok(()) => {
                let mut out = Bounded::new(1 << 20);
                let context = minijinja::context! { text => "a,b", turns => ["x", "y"] };
                let template = environment.get_template("t").expect("it was added");
                match template.render_captured_to(context, &mut out).map(drop) {
                    Err(_) if out.is_full => "full".to_owned(),
                    Err(error) => error.to_string(),
                    Ok(()) => out.text(),
                }
            }
        };
        assert!(shown.contains(want), "{source}: {shown}");
    }

    #[test]
    fn what_templates_do() {
        check("{% set a = 'Re: ' ~ text %}{{ a ~ '!' }}", "Re: a,b!");
        check(
            "{{ turns | join(', ') }} {{ text | join('-') }} {{ text | replace(',', ';') }}",
            "x, y a-,-b a;b",
        );
        check("{% for i, t in turns | items %}{{ t }}{% endfor %}", "");
        check(
            "{% raw %}{% include 'x' %}{% endraw %}{# {% block x %} #}{{ '{% set' }}",
            "{% include 'x' %}{% set",
        );
        check(
            "{% for t in turns[1:] +%}{{ loop.index + 1 }}{{ t ~ t ~ t ~ t ~ t ~ t ~ t ~ t ~ t ~ t }}{% endfor %}",
            "2y",
        );
    }

    #[test]
    fn a_loop_begins_with_the_names_from_before_it() {
        check("{% set a = 'x' %}{% for i in range(60) %}{% set a = a ~ a %}{% endfor %}{{ a }}", "x");
    }

    #[test]
    fn what_would_grow_is_refused() {
        let grow = "{% for i in range(40) %}{% set ns.a = ns.a ~ ns.a %}{% endfor %}";
        check(&format!("{{% set ns = namespace(a='xxxxxxxxxx') %}}{grow}"), "unknown function: namespace");
        let growth = "it has more than 8 of";
        check(&format!("{{% set a = 'x' %}}{}", "{% set a = a ~ a %}".repeat(40)), growth);
        check(&format!("{{% set a = 'x' %}}{}", "{% set a = [a, a] %}".repeat(40)), growth);
        check(&format!("{{% set a = 'x' %}}{}", "{% set a = \"%}\" ~ a ~ a %}".repeat(40)), growth);
        check(&format!("{{{{ {} }}}}", ["'x' * 99999999"; 40].join(" ~ ")), growth);
        let nested = "{% for a in [a ~ a] %}".repeat(40) + &"{% endfor %}".repeat(40);
        check(&format!("{{% set a = 'x' %}}{nested}"), growth);
        check("{% for a in ['x'] recursive %}{{ loop([a ~ a]) }}{% endfor %}", "a recursive loop");
        check("{% set a = 'x' %}{% set a %}{{ a }}{{ a }}{% endset %}", "a statement `endset`");
        check("{% filter upper %}x{% endfilter %}", "a statement `filter`");
        check("{% set a = text ~ text %}{% include 't' %}", "a statement `include`");
        check("{%- block x %}{{ self.x() }}{% endblock %}", "a statement `block`");
        check("{{ {'a': {}} }}{# {% ' #}{% include 't' %}{# ' #}", "a statement `include`");
    }

    #[test]
    fn what_makes_much_of_little_fails() {
        check("{{ (('x' * 90000) | join('y' * 90000)) | length }}", "expected a text of at most");
        check("{{ (('x' * 90000) | replace('x', 'y' * 90000)) | length }}", "expected a text of at most");
        check("{% for i in range(99999) %}{{ 'xxxxxxxxxxxxxxxx' }}{% endfor %}", "full");
        check("{{ 'x' | indent(99999999) }}", "unknown filter");
        check("{{ '%999999999s' | format('x') }}", "unknown filter");
        check("{{ debug() }}", "unknown function");
    }
}
