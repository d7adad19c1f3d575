//! A JSON value becomes a level of a scale, or a reason why not. Nothing is rounded, nothing is clamped.

use super::invalid::{Invalid, InvalidReason};
use super::repair::{Repair, Repairs};
use crate::json::Json;
use crate::rubric::Criterion;

/// More digits than any level has; a longer whole number is out of range without being computed.
const DIGITS_MAX: usize = 30;

/// The level that `value` states for `criterion`.
pub(super) fn level(value: &Json, criterion: &Criterion, repairs: &mut Repairs) -> Result<i64, Invalid> {
    match value {
        Json::Number(text) => number_level(text, criterion, repairs),
        Json::String(text) => string_level(text, criterion, repairs),
        other => Err(refusal(criterion, InvalidReason::Type, other.kind())),
    }
}

/// The whole number that `value` states in any notation, for comparing what two objects say.
pub(super) fn stated(value: &Json) -> Option<i128> {
    match value {
        Json::Number(text) => match decimal(text) {
            Decimal::Whole(value) => Some(value),
            Decimal::Fraction | Decimal::Huge => None,
        },
        Json::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn number_level(text: &str, criterion: &Criterion, repairs: &mut Repairs) -> Result<i64, Invalid> {
    let scale = &criterion.scale;
    let outside = || refusal(criterion, InvalidReason::OutOfRange, text);
    let value = match decimal(text) {
        Decimal::Fraction => return Err(refusal(criterion, InvalidReason::NotOnScale, text)),
        Decimal::Huge => return Err(outside()),
        Decimal::Whole(value) => i64::try_from(value).map_err(|_| outside())?,
    };
    if !(scale.min()..=scale.max()).contains(&value) {
        return Err(outside());
    }
    if !scale.has(value) {
        return Err(refusal(criterion, InvalidReason::NotOnScale, text));
    }
    if text.contains(['.', 'e', 'E']) {
        repairs.insert(Repair::IntegralFloat.name());
    }
    Ok(value)
}

fn string_level(text: &str, criterion: &Criterion, repairs: &mut Repairs) -> Result<i64, Invalid> {
    if let Some(level) = criterion.scale.levels().iter().find(|level| level.to_string() == text) {
        repairs.insert(Repair::StringLevel.name());
        return Ok(*level);
    }
    let unsigned = text.trim().trim_start_matches(['+', '-']);
    let not_finite = ["nan", "inf", "infinity"].iter().any(|word| unsigned.eq_ignore_ascii_case(word));
    let reason = if not_finite { InvalidReason::NotFinite } else { InvalidReason::Type };
    Err(refusal(criterion, reason, &format!("the string {text:?}")))
}

fn refusal(criterion: &Criterion, reason: InvalidReason, found: &str) -> Invalid {
    let levels: Vec<String> = criterion.scale.levels().iter().map(ToString::to_string).collect();
    Invalid::new(reason, format!("{}: expected one of {}, found {found}", criterion.id, levels.join(", ")))
}

enum Decimal {
    Whole(i128),
    Fraction,
    /// A whole number with more than [`DIGITS_MAX`] digits.
    Huge,
}

/// What a JSON number's text says, exactly: floats would make 4.9999999999999999 a 5.
fn decimal(text: &str) -> Decimal {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_start_matches('0').trim_end_matches('0');
    if significant.is_empty() {
        return Decimal::Whole(0);
    }
    let zeros_behind = digits.len() - digits.trim_end_matches('0').len();
    // An exponent that does not fit says only how far out the number is.
    let limit = if exponent.starts_with('-') { i64::MIN / 4 } else { i64::MAX / 4 };
    let exponent = exponent.parse::<i64>().map_or(limit, |value| value.clamp(i64::MIN / 4, i64::MAX / 4));
    let count = |n: usize| i64::try_from(n).unwrap_or(i64::MAX / 4);
    let Ok(zeros) = usize::try_from(exponent - count(fraction.len()) + count(zeros_behind)) else {
        return Decimal::Fraction;
    };
    if significant.len().saturating_add(zeros) > DIGITS_MAX {
        return Decimal::Huge;
    }
    let sign = if text.starts_with('-') { "-" } else { "" };
    let plain = format!("{sign}{significant}{}", "0".repeat(zeros));
    plain.parse().map_or(Decimal::Huge, Decimal::Whole)
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::json;

    #[track_caller]
    fn check(levels: &[i64], written: &str, want: &str) {
        let criterion = fixture::criterion("tone", levels);
        let value = json::parse(written).expect("a JSON value");
        let mut repairs = Repairs::new();
        let got = match level(&value, &criterion, &mut repairs) {
            Ok(level) => {
                let names: Vec<&str> = repairs.into_iter().collect();
                format!("{level} {}", names.join(",")).trim_end().to_owned()
            }
            Err(invalid) => invalid.reason.name().to_owned(),
        };
        assert_eq!(got, want, "{written}");
    }

    const FIVE: &[i64] = &[1, 2, 3, 4, 5];

    #[test]
    fn f68_only_the_exact_text_of_a_level_is_a_level() {
        check(FIVE, r#""4""#, "4 string_level");
        for text in [r#"" 4""#, r#""4.0""#, r#""+4""#, r#""04""#, r#""6""#, r#""\u0664""#, r#""""#] {
            check(FIVE, text, "type");
        }
    }

    #[test]
    fn f69_floats_without_a_fraction_are_whole() {
        for text in ["4.0", "4e0", "40e-1", "0.4E+1", "4.000000000000000000000000000000000000000"] {
            check(FIVE, text, "4 integral_float");
        }
        for text in [
            "4e-99999999999999999999", "4.5", "4.9999999999999999999", "5.00000000000000000001", "1e-400",
            "0.5", "85.5",
        ] {
            check(FIVE, text, "not_on_scale");
        }
    }

    #[test]
    fn f71_outside_is_told_from_between() {
        for text in ["0", "6", "-1", "85", "1e20", "-0", "1e300", "9223372036854775808"] {
            check(FIVE, text, "out_of_range");
        }
        check(&[0, 4], "2", "not_on_scale");
        check(&[0, 1000], "1e20", "out_of_range");
        check(&[0, 4], "-0", "0");
        check(&[0, 4], "0e999999999999999999999", "0 integral_float");
        check(&[i64::MIN, i64::MAX], "9223372036854775807", "9223372036854775807");
        check(&[i64::MIN, i64::MAX], "-9223372036854775808", "-9223372036854775808");
    }

    #[test]
    fn f70_f72_f73_words_and_other_types() {
        for text in [r#""NaN""#, r#""inf""#, r#""-Infinity""#] {
            check(FIVE, text, "not_finite");
        }
        for text in [r#""4/5""#, r#""4 out of 5""#, r#""four""#, "true", "null", "[4]", "{}"] {
            check(FIVE, text, "type");
        }
    }
}
