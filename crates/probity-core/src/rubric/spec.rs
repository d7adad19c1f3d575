//! The tables of a rubric file, and a criterion as a person wrote it: the right keys and types, nothing checked against
//! anything else.
//!
//! Every key that a rubric file may have stands in the tables below; the reader and its hints come from them.

use super::{Decider, Direction, Judged, Oracle, ReasoningDemand, ReferenceUse};
use crate::exact::Exact;
use crate::spec_file::{At, Faults, Field, Fields, Shape};

pub(super) static TOP: Shape = Shape {
    place: "the top of the file",
    keys: &[
        "name", "version", "title", "description", "updated", "review_by", "scale", "criterion", "pass",
        "automatic_fail", "target", "gold_set",
    ],
};
static SCALE: Shape = Shape { place: "a scale", keys: &["min", "max", "levels", "direction"] };
static CRITERION: Shape = Shape {
    place: "[[criterion]]",
    keys: &[
        "id", "title", "question", "weight", "oracle", "decided_by", "rules", "judged", "better",
        "reference", "reasoning", "tie", "outside", "violations", "levels", "scale", "anchors",
    ],
};
pub(super) static PASS: Shape = Shape { place: "[pass]", keys: &["total_min"] };
pub(super) static AUTOMATIC_FAIL: Shape =
    Shape { place: "[[automatic_fail]]", keys: &["criterion", "worse_than"] };
pub(super) static TARGET: Shape = Shape { place: "[[target]]", keys: &["metric", "criterion", "min", "max"] };
pub(super) static GOLD_SET: Shape = Shape { place: "[gold_set]", keys: &["cases_min", "cases_max"] };
pub(super) static SHAPES: [&Shape; 7] =
    [&TOP, &CRITERION, &SCALE, &PASS, &AUTOMATIC_FAIL, &TARGET, &GOLD_SET];

/// `[scale]`, or a criterion's own.
pub(super) struct ScaleSpec {
    pub(super) line: usize,
    pub(super) min: Field<i64>,
    pub(super) max: Field<i64>,
    pub(super) levels: Field<Vec<i64>>,
    pub(super) direction: Field<Direction>,
}

/// `[[criterion]]`.
pub(super) struct CriterionSpec {
    pub(super) line: usize,
    pub(super) id: Field<String>,
    pub(super) title: Field<String>,
    pub(super) question: Field<String>,
    pub(super) weight: Field<Exact>,
    pub(super) oracle: Field<Oracle>,
    pub(super) decider: Field<Decider>,
    pub(super) rules: Vec<String>,
    pub(super) judged: Field<Judged>,
    pub(super) better: Field<String>,
    pub(super) reference: Field<ReferenceUse>,
    pub(super) reasoning: Field<ReasoningDemand>,
    pub(super) tie: Field<String>,
    pub(super) outside: Vec<String>,
    /// Id and meaning.
    pub(super) violations: Field<Vec<At<(String, String)>>>,
    pub(super) levels: Field<Vec<i64>>,
    pub(super) scale: Field<ScaleSpec>,
    /// Level, as its key was written, and meaning.
    pub(super) anchors: Field<Vec<At<(String, String)>>>,
}

/// The criteria of the file.
pub(super) fn criterion_specs(top: &Fields<'_>, faults: &mut Faults) -> Vec<CriterionSpec> {
    let tables = top.tables("criterion", &CRITERION, faults);
    tables.iter().map(|fields| criterion_spec(fields, faults)).collect()
}

/// The scale of the file, or of a criterion.
pub(super) fn scale_spec(parent: &Fields<'_>, faults: &mut Faults) -> Field<ScaleSpec> {
    parent.table("scale", &SCALE, faults).map(|fields| {
        fields.refuse_unknown_keys(&SHAPES, faults);
        ScaleSpec {
            line: fields.line,
            min: fields.integer("min", faults),
            max: fields.integer("max", faults),
            levels: fields.integers("levels", faults),
            direction: fields.choice("direction", &Direction::NAMED, faults),
        }
    })
}

fn criterion_spec(fields: &Fields<'_>, faults: &mut Faults) -> CriterionSpec {
    fields.refuse_unknown_keys(&SHAPES, faults);
    CriterionSpec {
        line: fields.line,
        id: fields.required_text("id", faults),
        title: fields.required_text("title", faults),
        question: fields.required_text("question", faults),
        weight: fields.decimal("weight", faults),
        oracle: fields.choice("oracle", &Oracle::NAMED, faults),
        decider: fields.choice("decided_by", &Decider::NAMED, faults),
        rules: fields.texts("rules", faults),
        judged: fields.choice("judged", &Judged::NAMED, faults),
        better: fields.text("better", faults),
        reference: fields.choice("reference", &ReferenceUse::NAMED, faults),
        reasoning: fields.choice("reasoning", &ReasoningDemand::NAMED, faults),
        tie: fields.text("tie", faults),
        outside: fields.texts("outside", faults),
        violations: fields.free_texts("violations", faults),
        levels: fields.integers("levels", faults),
        scale: scale_spec(fields, faults),
        anchors: fields.free_texts("anchors", faults),
    }
}
