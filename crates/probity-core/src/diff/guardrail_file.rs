//! A file of guardrails as a person wrote it, read key by key with every fault on its line.

use super::guardrail::{Burden, GuardedFigure, Guardrail, Limit};
use crate::exact::Exact;
use crate::spec_file::{At, Faults, Field, Fields, Problem, Shape, toml_table};

static TOP: Shape = Shape { place: "the top of the file", keys: &["guardrail"] };
static GUARDRAIL: Shape = Shape {
    place: "[[guardrail]]",
    keys: &["figure", "criterion", "slice", "min", "max", "drop_max", "rise_max", "strict"],
};

/// Every figure, in the order of messages, its criterion not named yet.
const FIGURES: [GuardedFigure; 6] = [
    GuardedFigure::PassRate,
    GuardedFigure::AutomaticFailRate { criterion: None },
    GuardedFigure::BlockedRate,
    GuardedFigure::UnscoredRate,
    GuardedFigure::MeanTotal,
    GuardedFigure::Mean { criterion: String::new() },
];

/// Every limit, as what it makes of a number.
const LIMITS: [fn(f64) -> Limit; 4] = [Limit::Min, Limit::Max, Limit::DropMax, Limit::RiseMax];

/// Reads the text of a file of guardrails. All its problems are returned, by line.
pub fn read_guardrails(text: &str) -> Result<Vec<Guardrail>, Vec<Problem>> {
    let mut faults = Faults::default();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut guardrails = Vec::new();
    if let Some(table) = toml_table(text, &mut faults) {
        let top = Fields::top(&TOP, &table, 1);
        top.refuse_unknown_keys(&[&TOP, &GUARDRAIL], &mut faults);
        let tables = top.tables("guardrail", &GUARDRAIL, &mut faults);
        if tables.is_empty() {
            let problem = Problem::at(1, "there is no [[guardrail]] in the file");
            faults.error(problem.hint("write [[guardrail]] with two brackets"));
        }
        guardrails.extend(tables.iter().filter_map(|fields| guardrail(fields, &mut faults)));
    }
    faults.settle()?;
    Ok(guardrails)
}

fn guardrail(fields: &Fields<'_>, faults: &mut Faults) -> Option<Guardrail> {
    fields.refuse_unknown_keys(&[&TOP, &GUARDRAIL], faults);
    let named = fields.choice("figure", &FIGURES.map(|figure| (figure.name(), figure)), faults);
    let named = fields.required("figure", named, faults).value().cloned();
    let criterion = fields.text("criterion", faults);
    let slice = fields.text("slice", faults).value().cloned();
    let limit = limit(fields, faults);
    let strict = fields.boolean("strict", faults);
    let figure = figure(named?, &criterion, fields, faults)?;
    let At { line, value: limit } = limit?;
    let most = match &figure {
        GuardedFigure::MeanTotal => Some(100.0),
        GuardedFigure::Mean { .. } => None,
        _ => Some(1.0),
    };
    let is_inside = |value: f64| most.is_none_or(|most| (0.0..=most).contains(&value));
    if !is_inside(limit.value()) || (limit.is_of_change() && limit.value() < 0.0) {
        let most = most.map_or(String::new(), |most| format!(" to {most}"));
        let message = format!("`{}` must be from 0{most}, found {}", limit.name(), limit.value());
        faults.error(Problem::at(line, message));
        return None;
    }
    let is_strict = strict.value().copied().unwrap_or(false);
    let burden = if is_strict { Burden::ShowKept } else { Burden::ShowBroken };
    Some(Guardrail { figure, slice, limit, burden })
}

fn figure(
    figure: GuardedFigure,
    criterion: &Field<String>,
    fields: &Fields<'_>,
    faults: &mut Faults,
) -> Option<GuardedFigure> {
    let named = criterion.value().cloned();
    Some(match figure {
        GuardedFigure::Mean { .. } => {
            let criterion = fields.required("criterion", criterion.clone(), faults);
            GuardedFigure::Mean { criterion: criterion.value()?.clone() }
        }
        GuardedFigure::AutomaticFailRate { .. } => GuardedFigure::AutomaticFailRate { criterion: named },
        _ if named.is_some() => {
            let message = "`criterion` belongs to the figures mean and automatic_fail_rate";
            faults.error(Problem::at(fields.line, message));
            return None;
        }
        plain => plain,
    })
}

/// The one limit of a guardrail.
fn limit(fields: &Fields<'_>, faults: &mut Faults) -> Option<At<Limit>> {
    let key = |made: &fn(f64) -> Limit| made(0.0).name();
    let given: Vec<_> = LIMITS.into_iter().filter(|made| fields.has(key(made))).collect();
    let [made] = given.as_slice() else {
        let message = format!("expected one of min, max, drop_max and rise_max, found {}", given.len());
        faults.error(Problem::at(fields.line, message).hint("one [[guardrail]] for each limit"));
        return None;
    };
    let At { line, value } = fields.decimal(key(made), faults).given()?.clone();
    Some(At { line, value: made(Exact::to_f64(value)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(lines: &str, want: &str) {
        let found = read_guardrails(&format!("[[guardrail]]\n{lines}\n")).expect_err("it cannot be used");
        assert!(found.iter().any(|problem| problem.message.contains(want)), "{found:?}");
    }

    #[test]
    fn n26_guardrails_are_read() {
        let text = "[[guardrail]]\nfigure = \"pass_rate\"\nslice = \"refunds\"\ndrop_max = 0.02\n\
            [[guardrail]]\nfigure = \"mean\"\ncriterion = \"accuracy\"\nmin = 3.2\nstrict = true\n";
        let read = read_guardrails(text).expect("two guardrails");
        let first = Guardrail {
            figure: GuardedFigure::PassRate,
            slice: Some("refunds".to_owned()),
            limit: Limit::DropMax(0.02),
            burden: Burden::ShowBroken,
        };
        let second = Guardrail {
            figure: GuardedFigure::Mean { criterion: "accuracy".to_owned() },
            slice: None,
            limit: Limit::Min(3.2),
            burden: Burden::ShowKept,
        };
        assert_eq!(read, [first, second]);
    }

    #[test]
    fn n26_bad_guardrails_say_why() {
        refused("min = 1", "[[guardrail]] has no `figure`");
        refused("figure = \"pas_rate\"\nmin = 1", "`figure` must be one of pass_rate");
        refused("figure = \"pass_rate\"", "expected one of min, max, drop_max and rise_max, found 0");
        refused("figure = \"pass_rate\"\nmin = 0.5\nmax = 0.6", "found 2");
        refused("figure = \"pass_rate\"\nmin = 80", "`min` must be from 0 to 1, found 80");
        refused(
            "figure = \"mean\"\ncriterion = \"tone\"\ndrop_max = -1",
            "`drop_max` must be from 0, found -1",
        );
        refused("figure = \"mean\"\nmin = 3", "[[guardrail]] has no `criterion`");
        refused("figure = \"pass_rate\"\ncriterion = \"tone\"\nmin = 0.5", "`criterion` belongs to");
        refused("figure = \"pass_rate\"\nmin = 0.5\nsclie = \"a\"", "unknown key `sclie`");
        assert!(read_guardrails("").is_err(), "a file without a guardrail is a mistake");
    }
}
