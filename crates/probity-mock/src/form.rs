//! The form that an answer should have, and an answer in that form.
//!
//! The form is read from the request: from a JSON schema, or from the line at the end of a prompt that
//! names it. Members keep their order. A level is always one of those the request lists.

use serde_json::Value;

/// The most levels that are listed for a range.
const LEVELS_MAX: usize = 1001;

/// The form of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AnswerFormat {
    /// An object with these members.
    Object(Vec<(String, AnswerFormat)>),
    /// One of these levels; never empty.
    Level(Vec<i64>),
    /// One of these words; never empty.
    Choice(Vec<String>),
    /// A list of one text.
    Texts,
    /// Free text.
    Words,
    /// This JSON, whatever the packet.
    Always(&'static str),
    /// A reply to a customer: plain text, and no verdict at all.
    Reply,
}

impl AnswerFormat {
    /// What is answered where a request shows no form.
    pub(crate) fn fallback() -> AnswerFormat {
        let level = AnswerFormat::Level((1..=5).collect());
        AnswerFormat::Object(vec![("score".to_owned(), level), ("reasoning".to_owned(), AnswerFormat::Words)])
    }

    /// The form that a JSON schema describes.
    pub(crate) fn of_schema(schema: &Value) -> AnswerFormat {
        if let Some(form) = schema.get("enum").and_then(Value::as_array).and_then(|all| choices(all)) {
            return form;
        }
        match schema.get("type").and_then(Value::as_str) {
            Some("integer" | "number") => {
                let bound = |key| schema.get(key).and_then(Value::as_i64);
                let (low, high) = (bound("minimum").unwrap_or(1), bound("maximum").unwrap_or(5));
                AnswerFormat::Level((low..=high.max(low)).take(LEVELS_MAX).collect())
            }
            Some("string") => AnswerFormat::Words,
            Some("boolean") => AnswerFormat::Always("true"),
            Some("array") if schema.pointer("/items/type").is_some_and(|of| of == "string") => {
                AnswerFormat::Texts
            }
            Some("array") => AnswerFormat::Always("[]"),
            Some("object") => {
                let members = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
                AnswerFormat::Object(
                    members.map(|(name, schema)| (name.clone(), AnswerFormat::of_schema(schema))).collect(),
                )
            }
            _ => AnswerFormat::Always("null"),
        }
    }

    /// The form that the questions of Decisions have together.
    pub(crate) fn of_questions(questions: &[Value]) -> AnswerFormat {
        let one = |question: &Value| {
            let texts = |list: &str, key: &str| -> Vec<String> {
                let all = question[list].as_array().into_iter().flatten();
                all.filter_map(|each| each[key].as_str().map(str::to_owned)).collect()
            };
            let levels = texts("levels", "label").iter().filter_map(|level| level.parse().ok()).collect();
            match question["type"].as_str() {
                Some("choice") => ("verdict".to_owned(), AnswerFormat::Choice(texts("choices", "value"))),
                _ => ("score".to_owned(), AnswerFormat::Level(levels)),
            }
        };
        match questions {
            [question] => AnswerFormat::Object(vec![one(question)]),
            several => AnswerFormat::Object(
                several
                    .iter()
                    .map(|question| {
                        let name = question["name"].as_str().unwrap_or_default().to_owned();
                        (name, AnswerFormat::Object(vec![one(question)]))
                    })
                    .collect(),
            ),
        }
    }

    /// The form that the last line of a prompt names: `… where N is one of 1, 2.` for one criterion, `… where N
    /// is one of the levels of its criterion: tone 1, 2; safety 0, 4.` for several, `… where V is one of "A",
    /// "B".` for two replies.
    pub(crate) fn of_prompt(prompt: &str) -> Option<AnswerFormat> {
        let line = prompt.lines().rev().find(|line| !line.trim().is_empty())?;
        if let Some((_, words)) = line.trim().split_once("where V is one of ") {
            let words: Vec<String> = serde_json::from_str(&format!("[{}]", words.strip_suffix('.')?)).ok()?;
            let members = [("evidence", AnswerFormat::Texts), ("verdict", AnswerFormat::Choice(words))];
            return Some(AnswerFormat::Object(members.map(|(name, form)| (name.to_owned(), form)).into()));
        }
        let (_, levels) = line.trim().split_once("where N is one of ")?;
        let levels = levels.strip_suffix('.')?;
        let Some(criteria) = levels.strip_prefix("the levels of its criterion: ") else {
            return graded(levels);
        };
        let criteria: Option<Vec<(String, AnswerFormat)>> = criteria
            .split("; ")
            .map(|criterion| {
                let (id, levels) = criterion.split_once(' ')?;
                Some((id.to_owned(), graded(levels)?))
            })
            .collect();
        criteria.map(AnswerFormat::Object)
    }
}

/// The form of an answer about one criterion with these levels, written with commas.
fn graded(levels: &str) -> Option<AnswerFormat> {
    let levels: Option<Vec<i64>> = levels.split(", ").map(|level| level.parse().ok()).collect();
    let members = [("reasoning", AnswerFormat::Words), ("score", AnswerFormat::Level(levels?))];
    Some(AnswerFormat::Object(members.map(|(name, form)| (name.to_owned(), form)).into()))
}

fn choices(listed: &[Value]) -> Option<AnswerFormat> {
    let levels: Option<Vec<i64>> = listed.iter().map(Value::as_i64).collect();
    if let Some(levels) = levels.filter(|levels| !levels.is_empty()) {
        return Some(AnswerFormat::Level(levels));
    }
    let words: Option<Vec<String>> = listed.iter().map(|word| word.as_str().map(str::to_owned)).collect();
    words.filter(|words| !words.is_empty()).map(AnswerFormat::Choice)
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MockAnswer {
    /// An object with these members.
    Object(Vec<(String, MockAnswer)>),
    /// What decides.
    Decision(Decision),
    /// A list of one text.
    Texts(String),
    /// Text.
    Text(String),
    /// This as it is: JSON, or a reply to a customer.
    Raw(String),
}

/// A level or a word, and all that could have been given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decision {
    /// What is given: a whole number or a text.
    pub(crate) given: Value,
    /// The scale or the list of words; never empty.
    pub(crate) all: Vec<Value>,
}

impl Decision {
    /// Another one, as JSON. Where a scale has one level, the next number.
    pub(crate) fn other_json(&self) -> String {
        let next = || self.given.as_i64().map_or(self.given.clone(), |level| (level + 1).into());
        self.all.iter().find(|other| **other != self.given).cloned().unwrap_or_else(next).to_string()
    }

    /// The lowest and the highest level.
    pub(crate) fn bounds(&self) -> (i64, i64) {
        let levels = || self.all.iter().filter_map(Value::as_i64);
        (levels().min().unwrap_or_default(), levels().max().unwrap_or_default())
    }
}

impl MockAnswer {
    /// One of `all`.
    pub(crate) fn deciding<T: Clone + Into<Value>>(given: T, all: &[T]) -> MockAnswer {
        let all = all.iter().cloned().map(Into::into).collect();
        MockAnswer::Decision(Decision { given: given.into(), all })
    }

    /// The answer as JSON on one line.
    pub(crate) fn json(&self) -> String {
        self.json_with(&mut |_, decision| decision.given.to_string())
    }

    /// The same with the text of each level or word made by `write`, which gets the member's name.
    pub(crate) fn json_with(&self, write: &mut dyn FnMut(&str, &Decision) -> String) -> String {
        self.written("", write)
    }

    fn written(&self, name: &str, write: &mut dyn FnMut(&str, &Decision) -> String) -> String {
        match self {
            MockAnswer::Object(members) => {
                let member = |(name, said): &(String, MockAnswer)| {
                    format!("{}:{}", quoted(name), said.written(name, write))
                };
                format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(","))
            }
            MockAnswer::Decision(decision) => write(name, decision),
            MockAnswer::Texts(text) => format!("[{}]", quoted(text)),
            MockAnswer::Text(text) => quoted(text),
            MockAnswer::Raw(text) => text.clone(),
        }
    }

    /// What decides, each under its criterion, or under `score` where the answer has one criterion.
    fn decisions(&self) -> Vec<(&str, &Decision)> {
        fn collect<'a>(said: &'a MockAnswer, criterion: &'a str, found: &mut Vec<(&'a str, &'a Decision)>) {
            match said {
                MockAnswer::Object(members) => members.iter().for_each(|(name, said)| {
                    collect(
                        said,
                        if matches!(said, MockAnswer::Object(_)) { name } else { criterion },
                        found,
                    );
                }),
                MockAnswer::Decision(decision) => found.push((criterion, decision)),
                MockAnswer::Text(_) | MockAnswer::Texts(_) | MockAnswer::Raw(_) => {}
            }
        }
        let mut found = Vec::new();
        collect(self, "score", &mut found);
        found
    }

    /// The levels given, by criterion.
    pub(crate) fn levels(&self) -> Vec<(String, i64)> {
        let levels = self.decisions().into_iter();
        levels.filter_map(|(criterion, said)| Some((criterion.to_owned(), said.given.as_i64()?))).collect()
    }

    /// The word that decides about two replies, where there is one.
    pub(crate) fn word(&self) -> Option<&str> {
        self.decisions().into_iter().find_map(|(_, said)| said.given.as_str())
    }

    /// The same answer with its first text changed.
    pub(crate) fn with_text(&self, change: &dyn Fn(&str) -> String) -> MockAnswer {
        let mut said = self.clone();
        if let Some(text) = said.first_text() {
            *text = change(text);
        }
        said
    }

    fn first_text(&mut self) -> Option<&mut String> {
        match self {
            MockAnswer::Text(text) | MockAnswer::Texts(text) => Some(text),
            MockAnswer::Object(members) => members.iter_mut().find_map(|(_, said)| said.first_text()),
            MockAnswer::Decision(_) | MockAnswer::Raw(_) => None,
        }
    }

    /// The same answer without one criterion, or without its level where it has only one.
    pub(crate) fn without_a_criterion(&self) -> MockAnswer {
        let MockAnswer::Object(members) = self else { return self.clone() };
        let mut members = members.clone();
        let nested = members.iter().rposition(|(_, said)| matches!(said, MockAnswer::Object(_)));
        let level = members.iter().rposition(|(_, said)| matches!(said, MockAnswer::Decision(_)));
        if let Some(at) = nested.or(level) {
            members.remove(at);
        }
        MockAnswer::Object(members)
    }
}

/// `text` as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("text can always be written as JSON")
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use serde_json::json;

    use super::{AnswerFormat, MockAnswer};

    #[track_caller]
    fn check(form: Option<&AnswerFormat>, want: &Expect) {
        want.assert_eq(&format!("{form:?}"));
    }

    #[test]
    fn forms_in_schemas() {
        let level = json!({"type": "object", "properties": {
            "reasoning": {"type": "string"}, "score": {"type": "integer", "enum": [0, 4]}}});
        check(
            Some(&AnswerFormat::of_schema(&level)),
            &expect![[r#"Some(Object([("reasoning", Words), ("score", Level([0, 4]))]))"#]],
        );
        check(
            Some(&AnswerFormat::of_schema(&json!({"type": "object", "properties": {"tone": level}}))),
            &expect![[
                r#"Some(Object([("tone", Object([("reasoning", Words), ("score", Level([0, 4]))]))]))"#
            ]],
        );
        check(
            Some(&AnswerFormat::of_schema(&json!({"type": "object", "properties": {
                "winner": {"enum": ["A", "B"]}, "n": {"type": "number", "minimum": 2, "maximum": 3}}}))),
            &expect![[r#"Some(Object([("winner", Choice(["A", "B"])), ("n", Level([2, 3]))]))"#]],
        );
    }

    #[test]
    fn forms_in_prompts() {
        check(
            AnswerFormat::of_prompt(
                "Ticket: \"where N is one of 9.\"\nAnswer with {…}, where N is one of 1, 2.\n",
            )
            .as_ref(),
            &expect![[r#"Some(Object([("reasoning", Words), ("score", Level([1, 2]))]))"#]],
        );
        check(
            AnswerFormat::of_prompt("where N is one of the levels of its criterion: a 1; b 0, 1.").as_ref(),
            &expect![[
                r#"Some(Object([("a", Object([("reasoning", Words), ("score", Level([1]))])), ("b", Object([("reasoning", Words), ("score", Level([0, 1]))]))]))"#
            ]],
        );
        check(
            AnswerFormat::of_prompt("{…}, where V is one of \"A\", \"B\", \"tie\".").as_ref(),
            &expect![[r#"Some(Object([("evidence", Texts), ("verdict", Choice(["A", "B", "tie"]))]))"#]],
        );
        check(AnswerFormat::of_prompt("Rate it from 1 to 5.").as_ref(), &expect!["None"]);
        check(AnswerFormat::of_prompt("where N is one of many.").as_ref(), &expect!["None"]);
    }

    #[test]
    fn answers_are_written_in_order() {
        let level = || MockAnswer::deciding(4, &[1, 4]);
        let one = MockAnswer::Object(vec![
            ("score".into(), level()),
            ("reasoning".into(), MockAnswer::Text("a\"b".into())),
        ]);
        assert_eq!(one.json(), r#"{"score":4,"reasoning":"a\"b"}"#);
        assert_eq!(one.levels(), [("score".to_owned(), 4)]);
        assert_eq!(one.without_a_criterion().json(), r#"{"reasoning":"a\"b"}"#);
        let two = MockAnswer::Object(vec![("tone".into(), one.clone()), ("clarity".into(), one)]);
        assert_eq!(two.levels(), [("tone".to_owned(), 4), ("clarity".to_owned(), 4)]);
        assert_eq!(two.without_a_criterion().levels().len(), 1);
    }
}
