//! What the graders of other tools are asked, out of the files that only set them up: promptfoo's configuration (YAML or
//! JSON) and an eval of OpenAI.
//!
//! Of YAML no more is read than what a list of assertions needs: its lines, their indentation, and scalars. A grader that
//! is written in another way is not found; nothing is refused.

use std::collections::{BTreeMap, BTreeSet};

use probity_core::json::{self, Json, Object};

use super::messages::text_of;
use super::path::{as_text, at, list_at, text_at};

/// What each grader is asked, by the name that its verdicts have.
pub type Graders = BTreeMap<String, BTreeSet<String>>;

/// The graders that `text` sets up; none where it is no such file.
pub fn graders(text: &str) -> Graders {
    let mut found = Graders::new();
    match json::parse(text) {
        Ok(json) => add_json(&json, &mut found),
        Err(_) => add_yaml(text, &mut found),
    }
    found
}

fn add_json(json: &Json, found: &mut Graders) {
    for assertion in list_at(json, "assert") {
        add_assertion(
            text_at(assertion, &["metric"]),
            text_at(assertion, &["type"]),
            at(assertion, "value").map(as_text),
            found,
        );
    }
    for criterion in list_at(json, "testing_criteria") {
        let asked =
            found.entry(format!("openai-evals:{}", text_at(criterion, &["name"]).unwrap_or_default()));
        let said = at(criterion, "input[-1].content").map(|content| text_of(content, "\n"));
        asked.or_default().extend(said);
    }
    match json {
        Json::Array(items) => items.iter().for_each(|item| add_json(item, found)),
        Json::Object(object) => Object::iter(object).for_each(|(_, member)| add_json(member, found)),
        _ => {}
    }
}

fn add_assertion(metric: Option<String>, kind: Option<String>, value: Option<String>, found: &mut Graders) {
    if let Some(name) = metric.or(kind) {
        let value = value.filter(|value| !value.trim().is_empty());
        found.entry(format!("promptfoo:{name}")).or_default().extend(value);
    }
}

/// Adds the items of lists that begin with `- type:`.
fn add_yaml(text: &str, found: &mut Graders) {
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let indent = indent_of(line);
        let Some(kind) = line.trim_start().strip_prefix("- type:") else { continue };
        // Members stand below the first letter after the dash.
        let mut members = vec![("type", kind.trim().to_owned())];
        while let Some(line) = lines.next_if(|line| line.trim().is_empty() || indent_of(line) > indent) {
            let member = line.trim().split_once(':').filter(|_| indent_of(line) == indent + 2);
            match (member, members.last_mut()) {
                (Some((name, value)), _) => members.push((name.trim(), value.trim().to_owned())),
                (None, Some((_, value))) => value.extend(["\n", line.trim()]),
                (None, None) => {}
            }
        }
        let member =
            |name: &str| members.iter().find(|(known, _)| *known == name).map(|(_, value)| scalar(value));
        add_assertion(member("metric"), member("type"), member("value"), found);
    }
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// A scalar without its quotes, or the mark of a block.
fn scalar(text: &str) -> String {
    let text = text.trim();
    let quoted = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    if let Some(inside) = quoted('\'') {
        return inside.replace("''", "'");
    }
    if let Some(inside) = quoted('"') {
        return json::parse(text)
            .ok()
            .and_then(|json| Some(json.as_str()?.to_owned()))
            .unwrap_or(inside.to_owned());
    }
    let block = text.split_once('\n').filter(|(mark, _)| mark.starts_with(['|', '>']) && mark.len() < 4);
    block.map_or(text, |(_, block)| block).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &[(&str, &[&str])]) {
        let found = graders(text);
        let found: Vec<(&str, Vec<&str>)> = found
            .iter()
            .map(|(judge, asked)| (judge.as_str(), asked.iter().map(String::as_str).collect()))
            .collect();
        let want: Vec<(&str, Vec<&str>)> =
            want.iter().map(|(judge, asked)| (*judge, asked.to_vec())).collect();
        assert_eq!(found, want, "{text}");
    }

    #[test]
    fn graders_are_found_where_they_are_set_up() {
        let yaml = "tests:\n- vars:\n    ticket: Hi\n  assert:\n  - type: llm-rubric\n    value: Is it polite?\n    metric: tone\n  - type: contains\n    value: '60 days'\ndefaultTest:\n  assert:\n    - type: llm-rubric\n      value: |\n        Is it\n        right?\n      threshold: 0.5\n    - type: is-json\n";
        check(
            yaml,
            &[
                ("promptfoo:contains", &["60 days"]),
                ("promptfoo:is-json", &[]),
                ("promptfoo:llm-rubric", &["Is it\nright?"]),
                ("promptfoo:tone", &["Is it polite?"]),
            ],
        );
        let json = r#"{"defaultTest":{"assert":[{"type":"llm-rubric","value":"Is it right?"}]}}"#;
        check(json, &[("promptfoo:llm-rubric", &["Is it right?"])]);
        let eval = r#"{"object":"eval","testing_criteria":[{"name":"Help","type":"score_model","input":[{"role":"user","content":[{"type":"input_text","text":"Does it help?"}]}]},{"name":"Words","type":"string_check"}]}"#;
        check(eval, &[("openai-evals:Help", &["Does it help?"]), ("openai-evals:Words", &[])]);
        check("id,ticket\n1,x\n", &[]);
    }
}
