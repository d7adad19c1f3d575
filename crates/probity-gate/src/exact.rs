//! Exact arithmetic for scores and money: fractions of whole numbers, never floats.
//!
//! A pass mark is a comparison, and 69.99999999999999 is not 70. Weights are written as decimals and
//! levels divide a scale, so every total is a fraction; it stays one until it is printed.
//!
//! What always holds: a value is reduced, and neither of its parts is above `PART_MAX`. A result that
//! would be is refused and never wrapped around. A rubric keeps far away from that: weights have at most
//! twelve decimals and its scales a common width of at most 10⁸, so a total's denominator divides 10²⁰ and
//! its numerator is at most 10²². Values from elsewhere go through the `checked_` functions.

use std::cmp::Ordering;
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Mul, Sub};
use std::str::FromStr;

/// How many decimals a fraction that does not end is printed with.
const DECIMALS_MAX: usize = 12;

/// The largest numerator or denominator. Ten times as much is still a whole number of the machine, which is
/// what printing needs.
const PART_MAX: u128 = 10_u128.pow(37);

/// An exact fraction, always reduced, its denominator positive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Exact {
    num: i128,
    den: i128,
}

impl Exact {
    /// Nothing.
    pub const ZERO: Exact = Exact { num: 0, den: 1 };

    /// `num / den`, reduced. `None` when `den` is zero or the fraction has too many digits.
    pub fn ratio(num: i128, den: i128) -> Option<Exact> {
        if den == 0 {
            return None;
        }
        let divisor = gcd(num.unsigned_abs(), den.unsigned_abs());
        let part = |part: i128| {
            let size = part.unsigned_abs() / divisor;
            i128::try_from(size).ok().filter(|_| size <= PART_MAX)
        };
        Some(Exact { num: num.signum() * den.signum() * part(num)?, den: part(den)? })
    }

    /// Divides by a whole number. `None` when it is zero or the result has too many digits.
    pub fn over(self, divisor: i64) -> Option<Exact> {
        self.checked_mul(Exact::ratio(1, i128::from(divisor))?)
    }

    /// The sum. `None` when it has too many digits.
    pub fn checked_add(self, other: Exact) -> Option<Exact> {
        let shared = gcd(self.den.unsigned_abs(), other.den.unsigned_abs()).cast_signed();
        let widened = self.num.checked_mul(other.den / shared)?;
        let num = widened.checked_add(other.num.checked_mul(self.den / shared)?)?;
        Exact::ratio(num, self.den.checked_mul(other.den / shared)?)
    }

    /// The difference. `None` when it has too many digits.
    pub fn checked_sub(self, other: Exact) -> Option<Exact> {
        self.checked_add(Exact { num: -other.num, den: other.den })
    }

    /// The product. `None` when it has too many digits.
    pub fn checked_mul(self, other: Exact) -> Option<Exact> {
        // Divided crosswise first, the product is already reduced and as small as it can be.
        let (left, right) = (Exact::ratio(self.num, other.den)?, Exact::ratio(other.num, self.den)?);
        Exact::ratio(left.num.checked_mul(right.num)?, left.den.checked_mul(right.den)?)
    }

    /// The quotient. `None` when `other` is zero or the result has too many digits.
    pub fn checked_div(self, other: Exact) -> Option<Exact> {
        self.checked_mul(Exact::ratio(other.den, other.num)?)
    }

    /// The largest whole number that is not larger.
    pub fn floor(self) -> i128 {
        self.num.div_euclid(self.den)
    }

    /// The decimal that is this value, with all its digits: for hashes and messages that must not round.
    /// `None` where it needs more than twelve decimals.
    pub fn to_decimal(self) -> Option<String> {
        (10_i128.pow(12) % self.den == 0).then(|| self.to_string())
    }

    /// The nearest float, for statistics and for JSON numbers.
    pub fn to_f64(self) -> f64 {
        self.to_string().parse().expect("a printed decimal is a float")
    }
}

impl From<i64> for Exact {
    fn from(value: i64) -> Self {
        Exact { num: i128::from(value), den: 1 }
    }
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Why the operators do not fail: see the comment of the module.
const SMALL: &str = "weights, scales and marks of a rubric keep fractions small";

macro_rules! operators {
    ($($Operator:ident $name:ident $checked:ident),+) => {$(
        impl $Operator for Exact {
            type Output = Exact;
            fn $name(self, other: Exact) -> Exact {
                self.$checked(other).expect(SMALL)
            }
        }
    )+};
}

operators! { Add add checked_add, Sub sub checked_sub, Mul mul checked_mul }

impl Sum for Exact {
    fn sum<I: Iterator<Item = Exact>>(items: I) -> Exact {
        items.fold(Exact::ZERO, Add::add)
    }
}

impl PartialOrd for Exact {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Exact {
    /// Multiplies crosswise where that fits. Where it does not, compares the whole parts and then, turned over,
    /// what is left of both: no two values are too large to be compared.
    fn cmp(&self, other: &Self) -> Ordering {
        if self.den == other.den {
            return self.num.cmp(&other.num);
        }
        if let (Some(one), Some(two)) = (self.num.checked_mul(other.den), other.num.checked_mul(self.den)) {
            return one.cmp(&two);
        }
        let (mut left, mut right) = ((self.num, self.den), (other.num, other.den));
        loop {
            let whole = left.0.div_euclid(left.1).cmp(&right.0.div_euclid(right.1));
            let rests = (left.0.rem_euclid(left.1), right.0.rem_euclid(right.1));
            match rests {
                _ if whole.is_ne() => return whole,
                (0, _) | (_, 0) => return rests.0.cmp(&rests.1),
                _ => (left, right) = ((right.1, rests.1), (left.1, rests.0)),
            }
        }
    }
}

/// A text is not a plain decimal number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a plain decimal number such as 40 or 12.5, found {0:?}")]
pub struct NotDecimal(pub String);

impl FromStr for Exact {
    type Err = NotDecimal;

    /// Reads a plain decimal: sign, digits, at most twelve digits before and twelve after the point.
    fn from_str(text: &str) -> Result<Self, NotDecimal> {
        let refuse = || NotDecimal(text.to_owned());
        let (sign, digits) = match text.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, text.strip_prefix('+').unwrap_or(text)),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let all_digits = |part: &str| part.len() <= 12 && part.bytes().all(|b| b.is_ascii_digit());
        if whole.is_empty() || !all_digits(whole) || !all_digits(fraction) || digits.ends_with('.') {
            return Err(refuse());
        }
        let num: i128 = format!("{whole}{fraction}").parse().map_err(|_| refuse())?;
        let scale = 10_i128.pow(u32::try_from(fraction.len()).map_err(|_| refuse())?);
        Exact::ratio(sign * num, scale).ok_or_else(refuse)
    }
}

impl fmt::Display for Exact {
    /// Prints the shortest decimal that is exact, or twelve decimals rounded half to even.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let den = self.den.unsigned_abs();
        let (mut whole, mut rest) = (self.num.unsigned_abs() / den, self.num.unsigned_abs() % den);
        let mut decimals = 0_u128;
        for _ in 0..DECIMALS_MAX {
            decimals = decimals * 10 + rest * 10 / den;
            rest = rest * 10 % den;
        }
        let half = (rest * 2).cmp(&den);
        if half == Ordering::Greater || (half == Ordering::Equal && decimals % 2 == 1) {
            decimals += 1;
        }
        let scale = 10_u128.pow(u32::try_from(DECIMALS_MAX).expect("a small number"));
        (whole, decimals) = (whole + decimals / scale, decimals % scale);
        let sign = if self.num < 0 && (whole, decimals) != (0, 0) { "-" } else { "" };
        let fraction = format!("{decimals:0DECIMALS_MAX$}");
        let fraction = fraction.trim_end_matches('0');
        let point = if fraction.is_empty() { "" } else { "." };
        write!(f, "{sign}{whole}{point}{fraction}")
    }
}

impl<'de> serde::Deserialize<'de> for Exact {
    /// Reads what was written: a JSON number of at most twelve decimals is the nearest float's shortest text.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(deserializer)?;
        let refuse = |_| serde::de::Error::custom(format!("{number:e} has too many digits"));
        number.to_string().parse().map_err(refuse)
    }
}

impl schemars::JsonSchema for Exact {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Exact".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        f64::json_schema(generator)
    }
}

impl serde::Serialize for Exact {
    /// A JSON number: whole numbers without a point.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match i64::try_from(self.num) {
            Ok(whole) if self.den == 1 => serializer.serialize_i64(whole),
            _ => serializer.serialize_f64(self.to_f64()),
        }
    }
}

#[cfg(test)]
mod properties;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn exact(text: &str) -> Exact {
        text.parse().expect("a decimal")
    }

    #[test]
    fn decimals_print_as_written() {
        for text in ["0", "70", "86.25", "-0.5", "0.1", "99.9", "123456789012"] {
            assert_eq!(exact(text).to_string(), text);
        }
    }

    #[test]
    fn what_is_not_a_decimal_is_refused() {
        for text in ["", ".", "1.", ".5", "1e3", "NaN", "inf", "1_000", "0x10", " 1", "9999999999999"] {
            assert!(text.parse::<Exact>().is_err(), "{text}");
        }
    }

    #[test]
    fn tenths_add_up() {
        let tenths: Exact = std::iter::repeat_n(exact("0.1"), 1000).sum();
        assert_eq!(tenths, Exact::from(100));
    }

    #[test]
    fn thirds_round_only_when_printed() {
        let third = Exact::from(100).over(3).expect("not zero");
        assert_eq!(third.to_string(), "33.333333333333");
        assert_eq!(third + third + third, Exact::from(100));
    }

    #[test]
    fn twelve_decimals_print_in_full_where_asked() {
        for text in ["0", "-0.5", "100", "99.9999999995", "0.000000000001"] {
            assert_eq!(exact(text).to_decimal().as_deref(), Some(text));
        }
        assert_eq!(exact("40.00").to_decimal().as_deref(), Some("40"));
        assert_eq!(Exact::ratio(1, 3).expect("not zero").to_decimal(), None);
    }

    #[test]
    fn json_numbers_have_no_needless_point() {
        let json = serde_json::to_string(&[exact("100"), exact("86.25")]).expect("serializable");
        assert_eq!(json, "[100,86.25]");
    }

    #[track_caller]
    fn check_shown(num: i128, den: i128, want: &str) {
        assert_eq!(Exact::ratio(num, den).expect("a fraction").to_string(), want, "{num} over {den}");
    }

    #[test]
    fn the_thirteenth_decimal_rounds_half_to_even() {
        let unit = 10_i128.pow(13);
        check_shown(2, 3, "0.666666666667");
        check_shown(-2, 3, "-0.666666666667");
        check_shown(5, unit, "0");
        check_shown(6, unit, "0.000000000001");
        check_shown(15, unit, "0.000000000002");
        check_shown(25, unit, "0.000000000002");
        check_shown(-1, unit, "0");
        check_shown(unit - 1, unit, "1");
        check_shown(unit + unit - 1, -unit, "-2");
    }

    #[test]
    fn order_and_difference_are_those_of_the_values() {
        let mut shuffled = [(1, 2), (-1, 3), (7, 2), (0, 5), (1, 3), (-1, 2), (2, 4), (10, 3)]
            .map(|(num, den)| Exact::ratio(num, den).expect("a fraction"));
        shuffled.sort();
        assert_eq!(
            shuffled.map(|value| value.to_string()).join(" "),
            "-0.5 -0.333333333333 0 0.333333333333 0.5 0.5 3.333333333333 3.5"
        );
        assert!(exact("0.3") < exact("0.4") && exact("-0.3") > exact("-0.4"));
        assert_eq!(exact("0.3") - exact("0.1"), exact("0.2"));
    }

    #[test]
    fn floors_go_down() {
        for (text, floor) in [("3.5", 3), ("-3.5", -4), ("2", 2), ("-2", -2), ("0.9", 0)] {
            assert_eq!(exact(text).floor(), floor, "{text}");
        }
    }
}
