//! The shape of the answer a model is asked for, as a JSON schema.
//!
//! One criterion is answered by `{reasoning, score}`, with the `violations` found between the two where the
//! criterion lists any; several by one such object per criterion id; a pair of replies by `{evidence, verdict}`. The
//! reasoning comes first, so that a model writes it before it decides. A schema is a request, not a guarantee: the
//! answer goes through the strict parser all the same.

use probity_core::packet::{AnswerForm, Ask, PAIR_VERDICTS};
use probity_core::rubric::Criterion;
use serde_json::{Map, Value, json};

use crate::config::SignalSource;

/// What a judge may say of its own confidence, in percent. Few steps, so that what it says repeats.
const CONFIDENCES: [u32; 7] = [50, 60, 70, 80, 90, 95, 99];

/// What is said to a judge that is asked for its own confidence.
const STATED: &str = "\n\nAdd a last member \"confidence\" to the object: how probable it is, in percent, that careful people \
would decide as you did. One of 50, 60, 70, 80, 90, 95, 99. Be honest about doubt: it costs you nothing.";

/// What is added to the system message for the sake of `signal`.
pub(super) fn stated(signal: SignalSource) -> &'static str {
    if signal == SignalSource::Stated { STATED } else { "" }
}

/// The schema of an answer to `ask` that has `signal` in it.
pub(super) fn verdict_schema(ask: &Ask, signal: SignalSource) -> Value {
    let mut sure = Vec::new();
    if signal == SignalSource::Stated && ask.n_decisions() == 1 {
        sure.push(("confidence", json!({ "type": "integer", "enum": CONFIDENCES })));
    }
    if ask.form() == AnswerForm::Preference {
        let evidence = json!({ "type": "array", "items": { "type": "string" } });
        let verdict = json!({ "type": "string", "enum": PAIR_VERDICTS });
        return object([("evidence", evidence), ("verdict", verdict)].into_iter().chain(sure));
    }
    match ask.criteria() {
        [criterion] => object(level_members(criterion).into_iter().chain(sure)),
        several => object(several.iter().map(|one| (one.id.as_str(), object(level_members(one))))),
    }
}

/// The questions of `ask` for a host that takes questions with answers to choose from. What they are about is in the
/// prompt.
pub(super) fn questions(ask: &Ask) -> Value {
    if ask.form() == AnswerForm::Preference {
        let choices: Vec<Value> = PAIR_VERDICTS.iter().map(|word| json!({ "value": word })).collect();
        let instructions = "Which reply serves the customer better by the criteria of the input?";
        return json!([{ "type": "choice", "name": "verdict", "instructions": instructions, "choices": choices }]);
    }
    let question = |criterion: &Criterion| {
        let levels: Vec<Value> =
            criterion.scale.levels().iter().map(|level| json!({ "label": level.to_string() })).collect();
        let instructions =
            format!("Which level of the criterion `{}` fits the reply to grade best?", criterion.id);
        json!({ "type": "score", "name": criterion.id.as_str(), "instructions": instructions, "levels": levels })
    };
    ask.criteria().iter().map(question).collect()
}

fn level_members(criterion: &Criterion) -> Vec<(&'static str, Value)> {
    let ids: Vec<&str> = criterion.violations.iter().map(|violation| violation.id.as_str()).collect();
    let mut members = vec![("reasoning", json!({ "type": "string" }))];
    if !ids.is_empty() {
        members.push(("violations", json!({ "type": "array", "items": { "type": "string", "enum": ids } })));
    }
    members.push(("score", json!({ "type": "integer", "enum": criterion.scale.levels() })));
    members
}

/// An object with exactly these members.
fn object<'a>(members: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    let properties: Map<String, Value> =
        members.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
    let required: Vec<&String> = properties.keys().collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

#[cfg(test)]
pub(super) mod samples {
    use probity_core::rubric::{
        Criterion, CriterionId, Decider, Direction, Judged, Oracle, ReasoningDemand, ReferenceUse, Scale,
    };

    /// A criterion with the levels `min` to `max`.
    pub(in crate::judge) fn criterion(id: &str, min: i64, max: i64) -> Criterion {
        Criterion {
            id: CriterionId::new(id).unwrap(),
            title: id.to_owned(),
            question: String::new(),
            scale: Scale::new((min..=max).collect(), Direction::HigherIsBetter).unwrap(),
            anchors: Vec::new(),
            weight: None,
            tie: None,
            outside: Vec::new(),
            violations: Vec::new(),
            oracle: Oracle::None,
            decider: Decider::Judge,
            judged: Judged::Pointwise,
            better: None,
            rules: Vec::new(),
            reference: ReferenceUse::Hidden,
            reasoning: ReasoningDemand::Given,
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use probity_core::packet::{Ask, PairAsk};
    use probity_core::rubric::{Criterion, Violation};

    use super::{SignalSource, samples::criterion, verdict_schema};

    fn schema(criteria: &[Criterion]) -> String {
        let ask = Ask::new(criteria.to_vec()).expect("criteria");
        verdict_schema(&ask, SignalSource::Looks).to_string()
    }

    #[test]
    fn a_pair() {
        let tied = Criterion { tie: Some("Both are alike.".into()), ..criterion("tone", 0, 1) };
        let ask = PairAsk::new(vec![tied]).expect("a criterion with a tie");
        expect![[r#"{"type":"object","properties":{"evidence":{"type":"array","items":{"type":"string"}},"verdict":{"type":"string","enum":["A","B","tie","needs_human_review"]}},"required":["evidence","verdict"],"additionalProperties":false}"#]]
        .assert_eq(&verdict_schema(ask.ask(), SignalSource::Looks).to_string());
    }

    #[test]
    fn one_criterion() {
        let schema = schema(&[criterion("tone", 1, 3)]);
        expect![[r#"{"type":"object","properties":{"reasoning":{"type":"string"},"score":{"type":"integer","enum":[1,2,3]}},"required":["reasoning","score"],"additionalProperties":false}"#]]
        .assert_eq(&schema);
    }

    #[test]
    fn n21_violations_are_asked_for_by_id() {
        let violation = Violation { id: "mockery".to_owned(), text: "Mocks the customer.".to_owned() };
        let schema = schema(&[Criterion { violations: vec![violation], ..criterion("tone", 0, 1) }]);
        expect![[r#"{"type":"object","properties":{"reasoning":{"type":"string"},"violations":{"type":"array","items":{"type":"string","enum":["mockery"]}},"score":{"type":"integer","enum":[0,1]}},"required":["reasoning","violations","score"],"additionalProperties":false}"#]].assert_eq(&schema);
    }

    #[test]
    fn several_criteria_keep_their_order() {
        let schema = schema(&[criterion("tone", 0, 1), criterion("accuracy", 0, 1)]);
        expect![[r#"{"type":"object","properties":{"tone":{"type":"object","properties":{"reasoning":{"type":"string"},"score":{"type":"integer","enum":[0,1]}},"required":["reasoning","score"],"additionalProperties":false},"accuracy":{"type":"object","properties":{"reasoning":{"type":"string"},"score":{"type":"integer","enum":[0,1]}},"required":["reasoning","score"],"additionalProperties":false}},"required":["tone","accuracy"],"additionalProperties":false}"#]]
        .assert_eq(&schema);
    }
}
