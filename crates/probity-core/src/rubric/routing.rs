//! Who decides which kind of question.
//!
//! What a check can settle is settled by the gate, what the policy's owner must settle by a person, and only
//! the rest is a judge's: about one reply, or about two of them.

use super::spec::CriterionSpec;
use super::{Anchor, Decider, Direction, Judged, Oracle, Scale};
use crate::gate;
use crate::spec_file::{Faults, Problem};
use crate::spelling::closest;

/// Each kind of question with who decides it unless the file says otherwise, and who else may.
const ROUTES: &[(Oracle, Decider, &[Decider])] = &[
    (Oracle::Exact, Decider::Gate, &[Decider::Person]),
    (Oracle::PolicyOwner, Decider::Person, &[]),
    (Oracle::None, Decider::Judge, &[Decider::Person]),
];

/// How a criterion is decided.
pub(super) struct Route {
    pub(super) oracle: Oracle,
    pub(super) decider: Decider,
    pub(super) judged: Judged,
    pub(super) rules: Vec<&'static str>,
}

/// The route of a criterion, from what its file says.
pub(super) fn route(spec: &CriterionSpec, faults: &mut Faults) -> Route {
    let written = spec.decider.given();
    let oracle = match (spec.oracle.value(), written.map(|at| at.value)) {
        (Some(oracle), _) => *oracle,
        (None, Some(Decider::Gate)) => Oracle::Exact,
        (None, _) => Oracle::None,
    };
    let (_, usual, others) =
        ROUTES.iter().find(|(kind, _, _)| *kind == oracle).expect("every kind of question has a route");
    let decider = written.map_or(*usual, |at| at.value);
    if decider != *usual && !others.contains(&decider) {
        let line = written.map_or(spec.line, |at| at.line);
        let allowed: Vec<String> =
            [*usual].iter().chain(*others).map(|decider| format!("\"{}\"", decider.name())).collect();
        let message =
            format!("a question with the oracle {:?} is not for a {}", oracle.name(), decider.name());
        faults.error(Problem::at(line, message).hint(format!("decided_by = {}", allowed.join(" or "))));
    }
    let judged = judged(spec, decider, faults);
    Route { oracle, decider, judged, rules: rules(spec, decider, faults) }
}

fn judged(spec: &CriterionSpec, decider: Decider, faults: &mut Faults) -> Judged {
    let Some(at) = spec.judged.given() else { return Judged::Pointwise };
    if decider != Decider::Judge && at.value == Judged::Pairwise {
        let message = format!("`judged` is for criteria that a judge decides, not a {}", decider.name());
        faults.error(Problem::at(at.line, message));
        return Judged::Pointwise;
    }
    at.value
}

/// The ids of the gate's rules that a criterion names, each on its own or by family.
fn rules(spec: &CriterionSpec, decider: Decider, faults: &mut Faults) -> Vec<&'static str> {
    if !spec.rules.is_empty() && decider != Decider::Gate {
        let message = format!("`rules` are for criteria that a gate decides, not a {}", decider.name());
        faults.error(Problem::at(spec.line, message).hint("decided_by = \"gate\""));
        return Vec::new();
    }
    let mut ids = Vec::new();
    for name in &spec.rules {
        let found = gate::ids_named(name);
        if found.is_empty() {
            let problem = Problem::at(spec.line, format!("the gate has no rule {name:?}"));
            faults.error(match closest(name, gate::rules().map(|rule| rule.id)) {
                Some(near) => problem.hint(format!("did you mean {near:?}?")),
                None => problem,
            });
        }
        ids.extend(found);
    }
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// The scale of a criterion that compares: the better reply, or none. It has no levels of its own.
pub(super) fn pairwise_scale(
    spec: &CriterionSpec,
    faults: &mut Faults,
) -> (Option<Scale>, Option<Vec<Anchor>>) {
    for (key, line) in [
        ("levels", spec.levels.given().map(|at| at.line)),
        ("scale", spec.scale.given().map(|at| at.line)),
        ("anchors", spec.anchors.given().map(|at| at.line)),
        ("weight", spec.weight.given().map(|at| at.line)),
    ] {
        if let Some(line) = line {
            let message = format!("a criterion that compares two replies has no `{key}`");
            faults.error(
                Problem::at(line, message).hint("say what the `better` reply does and when it is a `tie`"),
            );
        }
    }
    let mut anchors = Vec::new();
    for (level, key, field) in [(0, "tie", &spec.tie), (1, "better", &spec.better)] {
        if let Some(text) = field.value() {
            anchors.push(Anchor { level, text: text.clone() });
        } else {
            let message = format!("a criterion that compares two replies needs `{key}`");
            faults.error(Problem::at(spec.line, message).hint(format!("add {key} = \"…\"")));
        }
    }
    let scale = Scale::new(vec![0, 1], Direction::HigherIsBetter);
    (scale, (anchors.len() == 2).then_some(anchors))
}
