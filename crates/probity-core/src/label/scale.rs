//! What can be said about an item, in order.

crate::named! {
    /// What kind of scale it is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ScaleKind {
        /// Candidate A, a tie, candidate B.
        Pairwise = "pairwise",
        /// Fail and pass.
        PassFail = "pass_fail",
        /// Numbers.
        Levels = "levels",
        /// Names that were declared, in the order of their declaration.
        Named = "named",
    }
}

/// The categories that raters use, from the lowest to the highest.
#[derive(Debug, Clone, PartialEq)]
pub struct Scale {
    kind: ScaleKind,
    names: Vec<String>,
    positions: Vec<f64>,
}

const PAIRWISE: [&str; 3] = ["a", "tie", "b"];
const PASS_FAIL: [&str; 2] = ["fail", "pass"];

impl Scale {
    /// The scale of the first label: a side of a pair, pass or fail, or a number. `None` where it is neither.
    /// Levels are those of `all` that are numbers.
    pub fn of<'a>(first: &str, all: impl Iterator<Item = &'a str>) -> Option<Scale> {
        if PAIRWISE.contains(&first) {
            return Some(Scale::listed(ScaleKind::Pairwise, &PAIRWISE));
        }
        if PASS_FAIL.contains(&first) {
            return Some(Scale::listed(ScaleKind::PassFail, &PASS_FAIL));
        }
        number(first)?;
        let mut positions: Vec<f64> = all.filter_map(number).collect();
        positions.sort_by(f64::total_cmp);
        positions.dedup();
        Some(Scale {
            kind: ScaleKind::Levels,
            names: positions.iter().map(f64::to_string).collect(),
            positions,
        })
    }

    /// The scale of values that were declared, in their order: numbers stand for themselves, and a, b and tie
    /// or pass and fail are what they are in any order. `None` for fewer than two, or for one twice.
    pub fn declared(values: &[String]) -> Option<Scale> {
        let distinct: std::collections::BTreeSet<&String> = values.iter().collect();
        if values.len() < 2 || distinct.len() < values.len() {
            return None;
        }
        let are = |names: &[&str]| {
            names.len() == values.len() && names.iter().all(|name| values.iter().any(|value| value == name))
        };
        if are(&PAIRWISE) || are(&PASS_FAIL) || values.iter().all(|value| number(value).is_some()) {
            return Scale::of(&values[0], values.iter().map(String::as_str));
        }
        let names: Vec<&str> = values.iter().map(String::as_str).collect();
        Some(Scale::listed(ScaleKind::Named, &names))
    }

    fn listed(kind: ScaleKind, names: &[&str]) -> Scale {
        let positions = (0..names.len()).map(|place| place as f64).collect();
        Scale { kind, names: names.iter().map(|name| (*name).to_owned()).collect(), positions }
    }

    /// What kind it is.
    pub fn kind(&self) -> ScaleKind {
        self.kind
    }

    /// The categories as they are written.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Where they stand.
    pub fn positions(&self) -> &[f64] {
        &self.positions
    }

    /// The category that `text` names.
    pub fn place(&self, text: &str) -> Option<usize> {
        match self.kind {
            ScaleKind::Levels => {
                let level = number(text)?;
                self.positions.iter().position(|position| position.total_cmp(&level).is_eq())
            }
            _ => self.names.iter().position(|name| name == text),
        }
    }

    /// The category of ties.
    pub fn tie(&self) -> Option<usize> {
        (self.kind == ScaleKind::Pairwise).then_some(1)
    }

    /// The category seen from the other side of a pair.
    pub fn mirrored(&self, category: usize) -> usize {
        if self.kind == ScaleKind::Pairwise && category < 3 { 2 - category } else { category }
    }
}

fn number(text: &str) -> Option<f64> {
    let number: f64 = text.parse().ok()?;
    number.is_finite().then_some(number + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(labels: &[&str], want: Option<&[&str]>) {
        let scale = Scale::of(labels[0], labels.iter().copied());
        let names = scale.map(|scale| scale.names().to_vec());
        assert_eq!(names, want.map(|names| names.iter().map(|name| (*name).to_owned()).collect()));
    }

    #[test]
    fn the_first_label_names_the_scale() {
        check(&["b", "a"], Some(&["a", "tie", "b"]));
        check(&["pass"], Some(&["fail", "pass"]));
        check(&["4", "10", "4.0", "2.5"], Some(&["2.5", "4", "10"]));
        check(&["good"], None);
        check(&["inf"], None);
    }

    #[test]
    fn declared_values_keep_their_order() {
        let declared = |values: &[&str]| {
            Scale::declared(&values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(declared(&["poor", "fair", "good"]).map(|scale| scale.place("good")), Some(Some(2)));
        assert_eq!(declared(&["b", "a", "tie"]).map(|scale| scale.kind()), Some(ScaleKind::Pairwise));
        assert_eq!(declared(&["1", "2", "3"]).map(|scale| scale.place("4")), Some(None));
        assert_eq!(declared(&["good"]), None);
        assert_eq!(declared(&["good", "good"]), None);
    }
}
