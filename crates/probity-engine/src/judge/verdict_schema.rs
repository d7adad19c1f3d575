//! The shape of the answer a model is asked for, as a JSON schema.
//!
//! One criterion is answered by `{reasoning, score}`, with the `violations` found between the two where the
//! criterion lists any; several by one such object per criterion id; a pair of replies by `{evidence, verdict}`. The
//! reasoning comes first, so that a model writes it before it decides. A schema is a request, not a guarantee: the
//! answer goes through the strict parser all the same.

use probity_core::packet::{AnswerForm, Ask, PAIR_VERDICTS};
use probity_core::rubric::Criterion;
use serde::{Serialize, Serializer};

/// The name of the schema, and of the tool where a model answers by calling one.
pub(super) const NAME: &str = "verdict";

/// The schema of an answer to this ask. Every request has it, so it is written and never built.
pub(super) struct VerdictSchema<'a>(pub(super) &'a Ask);

impl Serialize for VerdictSchema<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.form() == AnswerForm::Preference {
            return pair_schema().serialize(serializer);
        }
        match self.0.criteria() {
            [criterion] => level_schema(criterion).serialize(serializer),
            several => {
                let required: Vec<&str> = several.iter().map(|one| one.id.as_str()).collect();
                ObjectSchema::new(Levels(several), required).serialize(serializer)
            }
        }
    }
}

#[derive(Serialize)]
struct ObjectSchema<P, R> {
    r#type: &'static str,
    properties: P,
    required: R,
    #[serde(rename = "additionalProperties")]
    additional_properties: bool,
}

impl<P, R> ObjectSchema<P, R> {
    fn new(properties: P, required: R) -> Self {
        ObjectSchema { r#type: "object", properties, required, additional_properties: false }
    }
}

#[derive(Serialize)]
struct LevelMembers<'a> {
    reasoning: TextSchema,
    #[serde(skip_serializing_if = "Option::is_none")]
    violations: Option<ListSchema<IdSchema<'a>>>,
    score: ScoreSchema<'a>,
}

#[derive(Serialize)]
struct IdSchema<'a> {
    r#type: &'static str,
    r#enum: Vec<&'a str>,
}

#[derive(Serialize)]
struct TextSchema {
    r#type: &'static str,
}

#[derive(Serialize)]
struct ScoreSchema<'a> {
    r#type: &'static str,
    r#enum: &'a [i64],
}

fn level_schema(criterion: &Criterion) -> ObjectSchema<LevelMembers<'_>, &'static [&'static str]> {
    let score = ScoreSchema { r#type: "integer", r#enum: criterion.scale.levels() };
    let ids: Vec<&str> = criterion.violations.iter().map(|violation| violation.id.as_str()).collect();
    let required: &[&str] =
        if ids.is_empty() { &["reasoning", "score"] } else { &["reasoning", "violations", "score"] };
    let violations = (!ids.is_empty())
        .then_some(ListSchema { r#type: "array", items: IdSchema { r#type: "string", r#enum: ids } });
    let members = LevelMembers { reasoning: TextSchema { r#type: "string" }, violations, score };
    ObjectSchema::new(members, required)
}

#[derive(Serialize)]
struct PairMembers {
    evidence: ListSchema<TextSchema>,
    verdict: WordSchema,
}

#[derive(Serialize)]
struct ListSchema<I> {
    r#type: &'static str,
    items: I,
}

#[derive(Serialize)]
struct WordSchema {
    r#type: &'static str,
    r#enum: [&'static str; 4],
}

fn pair_schema() -> ObjectSchema<PairMembers, [&'static str; 2]> {
    let evidence = ListSchema { r#type: "array", items: TextSchema { r#type: "string" } };
    let verdict = WordSchema { r#type: "string", r#enum: PAIR_VERDICTS };
    ObjectSchema::new(PairMembers { evidence, verdict }, ["evidence", "verdict"])
}

/// One member per criterion, under its id.
struct Levels<'a>(&'a [Criterion]);

impl Serialize for Levels<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|one| (one.id.as_str(), level_schema(one))))
    }
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

    use super::{VerdictSchema, samples::criterion};

    fn schema(criteria: &[Criterion]) -> String {
        let ask = Ask::new(criteria.to_vec()).expect("criteria");
        serde_json::to_string(&VerdictSchema(&ask)).expect("plain data")
    }

    #[test]
    fn a_pair() {
        let tied = Criterion { tie: Some("Both are alike.".into()), ..criterion("tone", 0, 1) };
        let ask = PairAsk::new(vec![tied]).expect("a criterion with a tie");
        expect![[r#"{"type":"object","properties":{"evidence":{"type":"array","items":{"type":"string"}},"verdict":{"type":"string","enum":["A","B","tie","needs_human_review"]}},"required":["evidence","verdict"],"additionalProperties":false}"#]]
        .assert_eq(&serde_json::to_string(&VerdictSchema(ask.ask())).expect("plain data"));
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
