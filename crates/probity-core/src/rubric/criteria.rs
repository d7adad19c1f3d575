//! Criteria on their own: names, scales, and one anchor for each level.
//!
//! A criterion with a fault stays a [`CriterionDraft`], so that what refers to it can still be checked.

use super::levels;
use super::routing::{self, Route};
use super::spec::{CriterionSpec, ScaleSpec};
use super::{
    Anchor, Criterion, CriterionId, Decider, Direction, Judged, ReasoningDemand, ReferenceUse, Scale,
    UNNAMED, Violation,
};
use crate::spec_file::{At, Faults, Field, Problem};

/// Names with another meaning in a result or in a judge's answer, where criteria stand beside them.
const RESERVED: &[&str] = &[
    "criterion", "error", "fail_reasons", "gate", "id", "issues", "outcome", "packet", "reasoning", "reply",
    "score", "slice", "ticket", "total", "variant", "violations",
];

/// A criterion as far as it could be read.
pub(super) struct CriterionDraft<'s> {
    pub(super) spec: &'s CriterionSpec,
    pub(super) id: Option<CriterionId>,
    pub(super) scale: Option<Scale>,
    pub(super) anchors: Option<Vec<Anchor>>,
    pub(super) violations: Vec<Violation>,
    pub(super) route: Route,
}

impl CriterionDraft<'_> {
    /// The id as it was written, good or not.
    pub(super) fn written_id(&self) -> Option<&str> {
        self.spec.id.value().map(String::as_str)
    }

    /// Who decides.
    pub(super) fn decider(&self) -> Decider {
        self.route.decider
    }

    /// The criterion, if nothing is missing.
    pub(super) fn criterion(&self) -> Option<Criterion> {
        let spec = self.spec;
        Some(Criterion {
            id: self.id.clone()?,
            title: spec.title.value()?.clone(),
            question: spec.question.value()?.clone(),
            scale: self.scale.clone()?,
            anchors: self.anchors.clone()?,
            weight: spec.weight.value().copied(),
            tie: spec.tie.value().cloned(),
            outside: spec.outside.clone(),
            violations: self.violations.clone(),
            oracle: self.route.oracle,
            decider: self.route.decider,
            judged: self.route.judged,
            better: spec.better.value().cloned(),
            rules: self.route.rules.clone(),
            reference: spec.reference.value().copied().unwrap_or(ReferenceUse::Hidden),
            reasoning: spec.reasoning.value().copied().unwrap_or(ReasoningDemand::Given),
        })
    }
}

/// What the criteria of `specs` are, each on its own and told from the others; `scale` is the one they share.
pub(super) fn drafts<'s>(
    specs: &'s [CriterionSpec],
    scale: &Field<ScaleSpec>,
    faults: &mut Faults,
) -> Vec<CriterionDraft<'s>> {
    if specs.is_empty() {
        let problem = Problem::at(1, "the rubric has no criterion");
        faults.error(problem.hint("add at least one [[criterion]]"));
    }
    refuse_equal_ids(specs, faults);
    let shared = match scale {
        Field::Absent => Field::Absent,
        Field::Faulty => Field::Faulty,
        Field::Given(At { line, value }) => match levels::scale(value, faults) {
            Some(value) => Field::Given(At { line: *line, value }),
            None => Field::Faulty,
        },
    };
    let draft = |criterion: &'s CriterionSpec| {
        let route = routing::route(criterion, faults);
        let id = id(criterion, faults);
        let violations = violations(criterion, faults);
        if route.judged == Judged::Pairwise {
            let (scale, anchors) = routing::pairwise_scale(criterion, faults);
            return CriterionDraft { spec: criterion, id, scale, anchors, violations, route };
        }
        let scale = scale_of(criterion, &shared, faults);
        let anchors = scale.as_ref().and_then(|scale| anchors(criterion, scale, faults));
        CriterionDraft { spec: criterion, id, scale, anchors, violations, route }
    };
    specs.iter().map(draft).collect()
}

fn id(criterion: &CriterionSpec, faults: &mut Faults) -> Option<CriterionId> {
    let At { line, value } = criterion.id.given()?;
    let id = CriterionId::new(value.clone());
    if id.is_none() {
        let message = format!(
            "criterion id {value:?} must be lower-case ASCII letters, digits and `_`, start with a letter and \
             have at most 64 characters"
        );
        let problem = Problem::at(*line, message);
        let plain: String = value.trim().to_lowercase().replace([' ', '-', '.'], "_");
        faults.error(match CriterionId::new(plain) {
            Some(plain) => problem.hint(format!("write \"{plain}\"")),
            None => problem.hint("the title may be written in any script; the id names results"),
        });
    }
    if RESERVED.contains(&value.as_str()) {
        let message = format!("criterion id `{value}` has another meaning in results");
        faults.error(Problem::at(*line, message).hint(format!("other such names: {}", RESERVED.join(", "))));
    }
    id
}

fn violations(criterion: &CriterionSpec, faults: &mut Faults) -> Vec<Violation> {
    let mut violations = Vec::new();
    for At { line, value: (id, text) } in criterion.violations.value().into_iter().flatten() {
        if CriterionId::new(id.as_str()).is_none() || id == UNNAMED {
            let message = format!("violation {id:?} must be lower-case ASCII letters, digits and `_`");
            let hint = format!("such as pii_leakage; `{UNNAMED}` stands for a violation without a name");
            faults.error(Problem::at(*line, message).hint(hint));
        }
        violations.push(Violation { id: id.clone(), text: text.clone() });
    }
    violations
}

fn refuse_equal_ids(criteria: &[CriterionSpec], faults: &mut Faults) {
    let ids: Vec<&At<String>> = criteria.iter().filter_map(|criterion| criterion.id.given()).collect();
    for (i, later) in ids.iter().enumerate() {
        let earlier = ids[..i].iter().find(|earlier| looks(&earlier.value) == looks(&later.value));
        let Some(earlier) = earlier else { continue };
        let place = format!("the other stands on line {}", earlier.line);
        let message = if earlier.value == later.value {
            format!("criterion id `{}` stands twice", later.value)
        } else {
            format!("criterion ids `{}` and `{}` differ only by case or look", earlier.value, later.value)
        };
        faults.error(Problem::at(later.line, message).hint(place));
    }
}

/// What an id looks like at a glance: case, full-width letters, and `0` and `1` beside `o` and `l`.
fn looks(id: &str) -> String {
    let narrow = |c: char| match u32::from(c) {
        code @ 0xff01..=0xff5e => char::from_u32(code - 0xfee0).unwrap_or(c),
        _ => c,
    };
    id.chars().map(narrow).collect::<String>().to_lowercase().replace('0', "o").replace('1', "l")
}

/// The criterion's own scale, or the one all share.
fn scale_of(criterion: &CriterionSpec, shared: &Field<Scale>, faults: &mut Faults) -> Option<Scale> {
    match (&criterion.levels, &criterion.scale) {
        (Field::Faulty, _) | (_, Field::Faulty) => None,
        (Field::Given(levels), Field::Given(_)) => {
            let problem = Problem::at(levels.line, "a criterion has `levels` or its own `scale`, not both");
            faults.error(problem.hint("a scale may hold `levels` and `direction`"));
            None
        }
        (Field::Given(levels), Field::Absent) => {
            let direction = shared.value().map_or(Direction::HigherIsBetter, Scale::direction);
            levels::listed(levels, direction, faults)
        }
        (Field::Absent, Field::Given(scale)) => levels::scale(&scale.value, faults),
        (Field::Absent, Field::Absent) => {
            if let Field::Absent = shared {
                let problem = Problem::at(criterion.line, "the criterion has no scale");
                faults.error(problem.hint("add [scale] with min and max for all criteria, or `levels` here"));
            }
            shared.value().cloned()
        }
    }
}

fn anchors(criterion: &CriterionSpec, scale: &Scale, faults: &mut Faults) -> Option<Vec<Anchor>> {
    let (line, written) = match &criterion.anchors {
        Field::Faulty => return None,
        Field::Absent => (criterion.line, &[][..]),
        Field::Given(anchors) => (anchors.line, anchors.value.as_slice()),
    };
    let mut anchors: Vec<At<Anchor>> = Vec::new();
    for At { line, value: (key, text) } in written {
        let level = key.parse().ok().filter(|level: &i64| scale.has(*level) && level.to_string() == *key);
        if level.is_none() {
            let problem = Problem::at(*line, format!("anchor `{key}` is not a level of the scale"));
            faults.error(problem.hint(format!("the levels are {}", listing(scale.levels()))));
        }
        anchors.extend(level.map(|level| At { line: *line, value: Anchor { level, text: text.clone() } }));
    }
    let has = |level: &i64| anchors.iter().any(|anchor| anchor.value.level == *level);
    let missing: Vec<i64> = scale.levels().iter().copied().filter(|level| !has(level)).collect();
    if !missing.is_empty() {
        let problem = Problem::at(line, format!("no anchor for level {}", listing(&missing)));
        faults.error(problem.hint("say under [criterion.anchors] what each level means"));
    }
    refuse_equal_anchors(&anchors, faults);
    anchors.sort_by_key(|anchor| anchor.value.level);
    missing.is_empty().then(|| anchors.into_iter().map(|anchor| anchor.value).collect())
}

fn refuse_equal_anchors(anchors: &[At<Anchor>], faults: &mut Faults) {
    let folded = |anchor: &At<Anchor>| {
        anchor.value.text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
    };
    for (i, later) in anchors.iter().enumerate() {
        let Some(earlier) = anchors[..i].iter().find(|earlier| folded(earlier) == folded(later)) else {
            continue;
        };
        let (one, other) = (earlier.value.level, later.value.level);
        let problem = Problem::at(later.line, format!("levels {one} and {other} have the same anchor"));
        faults.error(problem.hint("the two levels cannot be told apart; say what sets them apart"));
    }
}

/// Levels for a message: all of a few, the first of many.
fn listing(levels: &[i64]) -> String {
    const SHOWN: usize = 11;
    let shown: Vec<String> = levels.iter().take(SHOWN).map(ToString::to_string).collect();
    let rest = levels.len().saturating_sub(SHOWN);
    if rest == 0 { shown.join(", ") } else { format!("{} and {rest} more", shown.join(", ")) }
}
