//! The figures of a judge against people: one table of them for files, reports and tests.

use crate::label::{Scale, ScaleKind};
use crate::stats::{CrossTable, Measure, MeasureKind};

/// A figure beyond chance or a correlation, of all observations.
const fn coefficient(name: &'static str, figure: crate::stats::CrossFigure) -> Measure {
    Measure { name, kind: MeasureKind::Coefficient, figure, n: CrossTable::n }
}

/// Agreement itself. Everybody has these first.
pub(super) const AGREEMENT: Measure =
    Measure { name: "agreement", kind: MeasureKind::Share, figure: CrossTable::agreement, n: CrossTable::n };

/// Cohen's kappa.
pub(super) const COHEN: Measure = coefficient("cohen_kappa", CrossTable::cohen);

/// Whatever the scale is.
const ANY: &[Measure] = &[
    AGREEMENT,
    COHEN,
    coefficient("krippendorff_alpha", CrossTable::alpha_nominal),
    coefficient("gwet_ac1", CrossTable::gwet),
    coefficient("scott_pi", CrossTable::scott),
    coefficient("macro_precision", CrossTable::macro_precision),
    coefficient("macro_recall", CrossTable::macro_recall),
    coefficient("macro_f1", CrossTable::macro_f1),
];

/// Where categories are in order and more than two.
const ORDERED: &[Measure] = &[
    ranked("cohen_kappa_linear", CrossTable::cohen_linear),
    ranked("cohen_kappa_quadratic", CrossTable::cohen_quadratic),
    ranked("krippendorff_alpha_ordinal", CrossTable::alpha_ordinal),
    ranked("krippendorff_alpha_interval", CrossTable::alpha_interval),
    ranked("spearman", CrossTable::spearman),
    ranked("kendall_tau_b", CrossTable::kendall),
];

/// Where categories are numbers.
const NUMBERS: &[Measure] = &[Measure {
    name: "mean_error",
    kind: MeasureKind::Difference,
    figure: CrossTable::mean_error,
    n: CrossTable::n_placed,
}];

/// Where there are two categories, of which the last is the one to find.
const TWO: &[Measure] = &[
    Measure {
        name: "sensitivity",
        kind: MeasureKind::Share,
        figure: CrossTable::sensitivity,
        n: CrossTable::n_last,
    },
    Measure {
        name: "specificity",
        kind: MeasureKind::Share,
        figure: CrossTable::specificity,
        n: CrossTable::n_first,
    },
];

/// Where categories are the two sides of a pair.
const PAIRS: &[Measure] = &[Measure {
    name: "cohen_kappa_symmetrised",
    kind: MeasureKind::Coefficient,
    figure: CrossTable::cohen_mirrored,
    n: CrossTable::n_mirrored,
}];

const fn ranked(name: &'static str, figure: crate::stats::CrossFigure) -> Measure {
    Measure { name, kind: MeasureKind::Coefficient, figure, n: CrossTable::n_placed }
}

/// The figures that make sense on a scale.
pub(super) fn measures(scale: &Scale) -> Vec<Measure> {
    let more_than_two = scale.names().len() > 2;
    let parts: [(bool, &[Measure]); 5] = [
        (true, ANY),
        (more_than_two, ORDERED),
        (scale.kind() == ScaleKind::Levels, NUMBERS),
        (scale.names().len() == 2, TWO),
        (scale.kind() == ScaleKind::Pairwise, PAIRS),
    ];
    parts.into_iter().filter(|(fits, _)| *fits).flat_map(|(_, measures)| measures.iter().copied()).collect()
}

/// How two people are compared with each other, where a share of few items says as little as the rest.
pub(super) fn between_people(scale: &Scale) -> Vec<Measure> {
    let mut all = vec![Measure { kind: MeasureKind::Coefficient, ..AGREEMENT }, COHEN];
    if scale.names().len() > 2 {
        all.extend(&ORDERED[..2]);
    }
    all
}
