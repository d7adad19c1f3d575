//! A rubric as a person wrote it: the right keys and types, nothing checked against anything else.
//!
//! Every key that a rubric file may have stands in the tables below; the reader and its hints come from
//! them. A [`RubricSpec`] may contradict itself; [`read`](super::read) turns it into a rubric or refuses.

use super::{Decider, Direction, Judged, Oracle, ReasoningDemand, ReferenceUse};
use crate::exact::Exact;
use crate::spec_file::{At, Faults, Field, Fields, Shape, Table};

static TOP: Shape = Shape {
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
static PASS: Shape = Shape { place: "[pass]", keys: &["total_min"] };
static AUTOMATIC_FAIL: Shape = Shape { place: "[[automatic_fail]]", keys: &["criterion", "worse_than"] };
static TARGET: Shape = Shape { place: "[[target]]", keys: &["metric", "criterion", "min", "max"] };
static GOLD_SET: Shape = Shape { place: "[gold_set]", keys: &["cases_min", "cases_max"] };
static SHAPES: [&Shape; 7] = [&TOP, &CRITERION, &SCALE, &PASS, &AUTOMATIC_FAIL, &TARGET, &GOLD_SET];

/// A rubric file.
pub(super) struct RubricSpec {
    pub(super) name: Field<String>,
    pub(super) version: Field<String>,
    pub(super) title: Field<String>,
    pub(super) description: Field<String>,
    pub(super) updated: Field<String>,
    pub(super) review_by: Field<String>,
    pub(super) scale: Field<ScaleSpec>,
    pub(super) criteria: Vec<CriterionSpec>,
    pub(super) pass: Field<PassSpec>,
    pub(super) automatic_fails: Vec<AutomaticFailSpec>,
    pub(super) targets: Vec<TargetSpec>,
    pub(super) gold: Field<GoldSpec>,
}

/// `[gold_set]`.
pub(super) struct GoldSpec {
    pub(super) cases_min: Field<i64>,
    pub(super) cases_max: Field<i64>,
}

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

/// `[pass]`.
pub(super) struct PassSpec {
    pub(super) line: usize,
    pub(super) total_min: Field<Exact>,
}

/// `[[automatic_fail]]`.
pub(super) struct AutomaticFailSpec {
    pub(super) line: usize,
    pub(super) criterion: Field<String>,
    pub(super) worse_than: Field<i64>,
}

crate::named! {
    /// The word for a target's figure; `mean` needs a criterion beside it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) enum MetricSpec {
        PassRate = "pass_rate",
        Mean = "mean",
        AutomaticFailRate = "automatic_fail_rate",
        MeanConfidence = "mean_confidence",
    }
}

/// `[[target]]`.
pub(super) struct TargetSpec {
    pub(super) line: usize,
    pub(super) metric: Field<MetricSpec>,
    pub(super) criterion: Field<String>,
    pub(super) min: Field<Exact>,
    pub(super) max: Field<Exact>,
}

/// Reads the whole file.
pub(super) fn rubric_spec(table: &Table, faults: &mut Faults) -> RubricSpec {
    let top = Fields::top(&TOP, table, 1);
    top.refuse_unknown_keys(&SHAPES, faults);
    let criteria = top.tables("criterion", &CRITERION, faults);
    let automatic_fails = top.tables("automatic_fail", &AUTOMATIC_FAIL, faults);
    let targets = top.tables("target", &TARGET, faults);
    RubricSpec {
        name: top.required_text("name", faults),
        version: top.required_text("version", faults),
        title: top.required_text("title", faults),
        description: top.text("description", faults),
        updated: top.date("updated", faults),
        review_by: top.date("review_by", faults),
        scale: scale_spec(&top, faults),
        criteria: criteria.iter().map(|fields| criterion_spec(fields, faults)).collect(),
        pass: pass_spec(&top, faults),
        automatic_fails: automatic_fails.iter().map(|fields| automatic_fail_spec(fields, faults)).collect(),
        targets: targets.iter().map(|fields| target_spec(fields, faults)).collect(),
        gold: gold_spec(&top, faults),
    }
}

fn gold_spec(top: &Fields<'_>, faults: &mut Faults) -> Field<GoldSpec> {
    top.table("gold_set", &GOLD_SET, faults).map(|fields| {
        fields.refuse_unknown_keys(&SHAPES, faults);
        let [cases_min, cases_max] = ["cases_min", "cases_max"].map(|key| {
            let given = fields.integer(key, faults);
            fields.required(key, given, faults)
        });
        GoldSpec { cases_min, cases_max }
    })
}

fn scale_spec(parent: &Fields<'_>, faults: &mut Faults) -> Field<ScaleSpec> {
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

fn pass_spec(top: &Fields<'_>, faults: &mut Faults) -> Field<PassSpec> {
    top.table("pass", &PASS, faults).map(|fields| {
        fields.refuse_unknown_keys(&SHAPES, faults);
        let total_min = fields.decimal("total_min", faults);
        PassSpec { line: fields.line, total_min: fields.required("total_min", total_min, faults) }
    })
}

fn automatic_fail_spec(fields: &Fields<'_>, faults: &mut Faults) -> AutomaticFailSpec {
    fields.refuse_unknown_keys(&SHAPES, faults);
    let worse_than = fields.integer("worse_than", faults);
    AutomaticFailSpec {
        line: fields.line,
        criterion: fields.required_text("criterion", faults),
        worse_than: fields.required("worse_than", worse_than, faults),
    }
}

fn target_spec(fields: &Fields<'_>, faults: &mut Faults) -> TargetSpec {
    fields.refuse_unknown_keys(&SHAPES, faults);
    let metric = fields.choice("metric", &MetricSpec::NAMED, faults);
    TargetSpec {
        line: fields.line,
        metric: fields.required("metric", metric, faults),
        criterion: fields.text("criterion", faults),
        min: fields.decimal("min", faults),
        max: fields.decimal("max", faults),
    }
}
