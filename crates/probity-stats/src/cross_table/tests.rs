//! Figures of tables that were worked out by hand or stand in textbooks.

use super::*;

const PLACES: [f64; 4] = [1.0, 2.0, 3.0, 4.0];

fn table(cells: &[f64], k: usize) -> CrossTable {
    let mut table = CrossTable::new(&PLACES[..k]);
    table.fill(cells);
    table
}

/// The figure of a table without anything unparsed.
#[track_caller]
fn of<const K: usize>(figure: CrossFigure, rows: [[u32; K]; K]) -> Result<f64, Undefined> {
    let mut cells: Vec<f64> = rows.as_flattened().iter().copied().map(f64::from).collect();
    cells.extend([0.0; K]);
    figure(&table(&cells, K))
}

#[track_caller]
fn check<const K: usize>(figure: CrossFigure, rows: [[u32; K]; K], want: f64) {
    let got = of(figure, rows).expect("a figure");
    assert!((got - want).abs() < 1e-9, "{got} instead of {want}");
}

/// A textbook table: 20, 5, 10, 15 of 50.
const FIFTY: [[u32; 2]; 2] = [[20, 5], [10, 15]];

#[test]
fn agreement_beyond_chance() {
    check(CrossTable::agreement, FIFTY, 0.7);
    check(CrossTable::cohen, FIFTY, 0.4);
    // Mean shares 0.55 and 0.45: expected 0.505.
    check(CrossTable::scott, FIFTY, 0.195 / 0.495);
    // Gwet expects 2 · 0.55 · 0.45 = 0.495.
    check(CrossTable::gwet, FIFTY, 0.205 / 0.505);
    // Alpha of two raters: observed 30/100, expected 2 · 55 · 45 / (100 · 99).
    check(CrossTable::alpha_nominal, FIFTY, 1.0 - 0.3 / (2.0 * 55.0 * 45.0 / 9_900.0));
}

#[test]
fn two_categories_know_no_distance() {
    let kappa = of(CrossTable::cohen, FIFTY).expect("a kappa");
    check(CrossTable::cohen_linear, FIFTY, kappa);
    check(CrossTable::cohen_quadratic, FIFTY, kappa);
    let alpha = of(CrossTable::alpha_nominal, FIFTY).expect("an alpha");
    check(CrossTable::alpha_ordinal, FIFTY, alpha);
    check(CrossTable::alpha_interval, FIFTY, alpha);
}

#[test]
fn weighted_kappas_worked_by_hand() {
    // Rows 3, 3, 4 and columns 3, 4, 3 of ten. Linear: observed (1 + 1 + 2) / 10, expected
    // (3·4 + 2·3·3 + 3·3 + 3·3 + 2·4·3 + 4·4) / 100.
    let table = [[2, 1, 0], [0, 2, 1], [1, 1, 2]];
    check(CrossTable::cohen_linear, table, 1.0 - 0.5 / 0.88);
    // Quadratic: observed (1 + 1 + 4 + 1) / 10, expected (12 + 4·9 + 9 + 9 + 4·12 + 16) / 100.
    check(CrossTable::cohen_quadratic, table, 1.0 - 0.7 / 1.3);
    // Errors: −1 twice, +2 once, +1 once.
    check(CrossTable::mean_error, table, 0.1);
}

#[test]
fn rank_correlations_worked_by_hand() {
    // Scores (1, 1), (2, 3), (3, 2), (4, 4): one discordant pair of six; Σd² = 2.
    let four = [[1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1]];
    check(CrossTable::kendall, four, 4.0 / 6.0);
    check(CrossTable::spearman, four, 1.0 - 6.0 * 2.0 / (4.0 * 15.0));
    // Two by two both are the phi coefficient: (20·15 − 5·10) / √(25·25·30·20).
    let phi = 250.0 / (25.0_f64 * 25.0 * 30.0 * 20.0).sqrt();
    check(CrossTable::kendall, FIFTY, phi);
    check(CrossTable::spearman, FIFTY, phi);
    check(CrossTable::kendall, [[0, 3], [3, 0]], -1.0);
}

#[test]
fn classes_that_are_found() {
    // People say 30 of the first class and 20 of the second.
    check(CrossTable::specificity, FIFTY, 20.0 / 30.0);
    check(CrossTable::sensitivity, FIFTY, 15.0 / 20.0);
    check(CrossTable::macro_precision, FIFTY, f64::midpoint(20.0 / 25.0, 15.0 / 25.0));
    check(CrossTable::macro_recall, FIFTY, f64::midpoint(20.0 / 30.0, 15.0 / 20.0));
    check(CrossTable::macro_f1, FIFTY, f64::midpoint(40.0 / 55.0, 30.0 / 45.0));
}

#[test]
fn what_is_no_category_is_wrong_and_has_no_rank() {
    let cells = [20.0, 5.0, 10.0, 15.0, 30.0, 20.0];
    let table = table(&cells, 2);
    assert_eq!(table.agreement(), Ok(0.35));
    // Rows 25, 25, 50 and columns 60, 40: expected (25·60 + 25·40) / 10,000.
    assert!((table.cohen().expect("a kappa") - 0.1 / 0.75).abs() < 1e-12);
    let without = of(CrossTable::kendall, FIFTY);
    assert_eq!(table.kendall(), without);
}

#[test]
fn l06_one_class_is_undefined_and_says_so() {
    let figures: [CrossFigure; 9] = [
        CrossTable::cohen,
        CrossTable::scott,
        CrossTable::gwet,
        CrossTable::cohen_linear,
        CrossTable::cohen_quadratic,
        CrossTable::alpha_nominal,
        CrossTable::alpha_ordinal,
        CrossTable::spearman,
        CrossTable::kendall,
    ];
    for figure in figures {
        assert_eq!(of(figure, [[9, 0], [0, 0]]), Err(Undefined::OneClass));
        let nothing = of(figure, [[0, 0], [0, 0]]);
        assert!(nothing.is_err(), "{nothing:?}");
    }
    assert_eq!(of(CrossTable::sensitivity, [[9, 0], [0, 0]]), Err(Undefined::NoSuchClass));
    assert_eq!(of(CrossTable::agreement, [[9, 0], [0, 0]]), Ok(1.0));
}
