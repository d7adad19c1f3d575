//! Sentences about fractions that hold for all of them: they agree with plain rational arithmetic, order is
//! total, and nothing wraps around.

use std::cmp::Ordering;

use proptest::prelude::*;

use super::{Exact, PART_MAX};

/// Small enough that cross-multiplying in the reference below cannot overflow.
fn part() -> impl Strategy<Value = i128> {
    prop_oneof![-20_i128..=20, -1_000_000_000_i128..=1_000_000_000]
}

fn small() -> impl Strategy<Value = (i128, i128)> {
    (part(), part().prop_filter("a denominator is not zero", |den| *den != 0))
}

/// Any two parts, extremes of the machine's numbers among them.
fn any_parts() -> impl Strategy<Value = (i128, i128)> {
    let part = || {
        let edges = vec![0, 1, -1, 3, PART_MAX.cast_signed(), i128::MIN, i128::MAX, 10_i128.pow(19)];
        prop_oneof![any::<i128>(), prop::sample::select(edges), part()]
    };
    (part(), part())
}

fn any_exact() -> impl Strategy<Value = Exact> {
    any_parts().prop_filter_map("not a fraction", |(num, den)| Exact::ratio(num, den))
}

fn decimal() -> impl Strategy<Value = String> {
    "[+-]?[0-9]{1,12}(\\.[0-9]{1,12})?"
}

fn exact((num, den): (i128, i128)) -> Exact {
    Exact::ratio(num, den).expect("small parts")
}

/// Whether `value` is `num / den`, told by cross-multiplication and not by the code under test.
fn equals(value: Exact, (num, den): (i128, i128)) -> bool {
    value.num * den == num * value.den
}

fn is_reduced(value: Exact) -> bool {
    let (mut a, mut b) = (value.num.unsigned_abs(), value.den.unsigned_abs());
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a == 1 && value.den > 0 && value.num.unsigned_abs() <= PART_MAX && value.den.unsigned_abs() <= PART_MAX
}

proptest! {
    /// Sum, difference and product are those of plain rational arithmetic.
    #[test]
    fn agrees_with_rational_arithmetic(a in small(), b in small()) {
        let (left, right) = (exact(a), exact(b));
        prop_assert!(equals(left, a));
        prop_assert!(equals(left + right, (a.0 * b.1 + b.0 * a.1, a.1 * b.1)));
        prop_assert!(equals(left - right, (a.0 * b.1 - b.0 * a.1, a.1 * b.1)));
        prop_assert!(equals(left * right, (a.0 * b.0, a.1 * b.1)));
        let signs = a.1.signum() * b.1.signum();
        prop_assert_eq!(left.cmp(&right), (signs * a.0 * b.1).cmp(&(signs * b.0 * a.1)));
        prop_assert_eq!(left.floor(), (a.1.signum() * a.0).div_euclid(a.1.abs()));
        for value in [left, left + right, left - right, left * right] {
            prop_assert!(is_reduced(value), "{:?}", value);
        }
    }

    /// Whatever the parts are, a result is a reduced fraction or refused; nothing panics or wraps.
    #[test]
    fn extreme_values_are_exact_or_refused(a in any_parts(), b in any_exact(), divisor in any::<i64>()) {
        let Some(a) = Exact::ratio(a.0, a.1) else { return Ok(()) };
        let results = [a.checked_add(b), a.checked_sub(b), a.checked_mul(b), a.over(divisor)];
        prop_assert!(results.iter().flatten().all(|value| is_reduced(*value)), "{:?}", results);
        prop_assert_eq!(a.checked_add(b), b.checked_add(a));
        prop_assert_eq!(a.checked_mul(b), b.checked_mul(a));
        if let Some(back) = a.checked_add(b).and_then(|sum| sum.checked_sub(b)) {
            prop_assert_eq!(back, a);
        }
        let shown = a.to_string();
        prop_assert!(shown.parse::<f64>().is_ok(), "{}", shown);
        prop_assert!(a.to_f64().is_finite());
        prop_assert!(a.floor() <= a.num.max(0), "{}", shown);
    }

    /// Any two values can be compared, and the order is one order.
    #[test]
    fn order_is_total(a in any_exact(), b in any_exact(), c in any_exact()) {
        prop_assert_eq!(a.cmp(&b), b.cmp(&a).reverse());
        prop_assert_eq!(a.cmp(&b) == Ordering::Equal, a == b);
        let mut sorted = [a, b, c];
        sorted.sort();
        prop_assert!(sorted[0] <= sorted[1] && sorted[1] <= sorted[2] && sorted[0] <= sorted[2]);
        if let Some(difference) = a.checked_sub(b) {
            prop_assert_eq!(difference.cmp(&Exact::ZERO), a.cmp(&b));
        }
    }

    /// Every decimal that a file may hold is read, adds and compares with any other, and reads back as printed.
    #[test]
    fn decimals_survive(a in decimal(), b in decimal()) {
        let (left, right): (Exact, Exact) = (a.parse().expect("a decimal"), b.parse().expect("a decimal"));
        for value in [left, left + right, left - right] {
            let shown = value.to_decimal().expect("at most twelve decimals");
            prop_assert_eq!(&shown, &value.to_string());
            let digits = shown.split('.').next().expect("a whole part").trim_start_matches('-').len();
            if digits <= 12 {
                prop_assert_eq!(shown.parse::<Exact>(), Ok(value));
            }
        }
        prop_assert_eq!(left.cmp(&right), (left - right).cmp(&Exact::ZERO));
    }

    #[test]
    fn sums_do_not_depend_on_order(mut cents in prop::collection::vec(-100_000_i64..100_000, 0..40)) {
        let total = |items: &[i64]| items.iter().map(|c| Exact::from(*c).over(100).expect("not zero")).sum::<Exact>();
        let forward = total(&cents);
        cents.reverse();
        prop_assert_eq!(forward, total(&cents));
    }
}
