//! The shape of the answer a model is asked for, as a JSON schema.
//!
//! One criterion is answered by `{reasoning, score}`; several by one such object per criterion id. The
//! reasoning comes first, so that a model writes it before it decides. A schema is a request, not a
//! guarantee: the answer goes through the strict parser all the same.

use probity_core::rubric::Criterion;
use serde_json::{Map, Value, json};

/// The name of the schema, and of the tool where a model answers by calling one.
pub(super) const NAME: &str = "verdict";

/// The schema of an answer about `criteria`, which is not empty.
pub(super) fn verdict_schema(criteria: &[Criterion]) -> Value {
    match criteria {
        [criterion] => level_schema(criterion),
        several => {
            let members: Map<String, Value> =
                several.iter().map(|one| (one.id.to_string(), level_schema(one))).collect();
            object_schema(&members)
        }
    }
}

fn level_schema(criterion: &Criterion) -> Value {
    let mut members = Map::new();
    members.insert("reasoning".to_owned(), json!({ "type": "string" }));
    members.insert("score".to_owned(), json!({ "type": "integer", "enum": criterion.scale.levels() }));
    object_schema(&members)
}

fn object_schema(members: &Map<String, Value>) -> Value {
    let required: Vec<&String> = members.keys().collect();
    let required = json!(required);
    json!({ "type": "object", "properties": members, "required": required, "additionalProperties": false })
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

    use super::{samples::criterion, verdict_schema};

    #[test]
    fn one_criterion() {
        let schema = verdict_schema(&[criterion("tone", 1, 3)]).to_string();
        expect![[r#"{"type":"object","properties":{"reasoning":{"type":"string"},"score":{"type":"integer","enum":[1,2,3]}},"required":["reasoning","score"],"additionalProperties":false}"#]]
        .assert_eq(&schema);
    }

    #[test]
    fn several_criteria_keep_their_order() {
        let schema = verdict_schema(&[criterion("tone", 0, 1), criterion("accuracy", 0, 1)]).to_string();
        expect![[r#"{"type":"object","properties":{"tone":{"type":"object","properties":{"reasoning":{"type":"string"},"score":{"type":"integer","enum":[0,1]}},"required":["reasoning","score"],"additionalProperties":false},"accuracy":{"type":"object","properties":{"reasoning":{"type":"string"},"score":{"type":"integer","enum":[0,1]}},"required":["reasoning","score"],"additionalProperties":false}},"required":["tone","accuracy"],"additionalProperties":false}"#]]
        .assert_eq(&schema);
    }
}
