//! Values as PostgreSQL takes and sends them.

use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type};

use super::Val;

/// The values of one column of many rows.
pub(super) enum Column {
    Int(Vec<Option<i64>>),
    Text(Vec<Option<String>>),
    Blob(Vec<Option<Vec<u8>>>),
}

impl Column {
    /// Column `n` of `rows`, of this type.
    pub(super) fn of(rows: &[Vec<Val<'_>>], n: usize, kind: &str) -> Column {
        let vals = rows.iter().map(|row| row[n]);
        match kind {
            "BIGINT" => Column::Int(
                vals.map(|val| if let Val::Int(number) = val { Some(number) } else { None }).collect(),
            ),
            "BYTEA" => Column::Blob(
                vals.map(|val| if let Val::Blob(bytes) = val { Some(bytes.to_vec()) } else { None })
                    .collect(),
            ),
            _ => Column::Text(
                vals.map(|val| {
                    if let Val::Text(text) = val { Some(super::without_nul(text).into_owned()) } else { None }
                })
                .collect(),
            ),
        }
    }

    /// The array, as a parameter.
    pub(super) fn param(&self) -> (&(dyn ToSql + Sync), Type) {
        match self {
            Column::Int(vals) => (vals, Type::INT8_ARRAY),
            Column::Text(vals) => (vals, Type::TEXT_ARRAY),
            Column::Blob(vals) => (vals, Type::BYTEA_ARRAY),
        }
    }
}

impl Val<'_> {
    /// The type that the server is told. That of nothing follows from where it stands.
    pub(super) fn sql_type(&self) -> Type {
        match self {
            Val::Null => Type::UNKNOWN,
            Val::Int(_) => Type::INT8,
            Val::Text(_) => Type::TEXT,
            Val::Blob(_) => Type::BYTEA,
        }
    }
}

type BoxedError = Box<dyn std::error::Error + Sync + Send>;

impl ToSql for Val<'_> {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, BoxedError> {
        match self {
            Val::Null => Ok(IsNull::Yes),
            Val::Int(number) => number.to_sql(kind, out),
            Val::Text(text) => super::without_nul(text).as_ref().to_sql(kind, out),
            Val::Blob(bytes) => bytes.to_sql(kind, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    tokio_postgres::types::to_sql_checked!();
}

/// A value as the server sends it.
pub(super) struct Sent<'a>(pub(super) Val<'a>);

impl<'a> FromSql<'a> for Sent<'a> {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Self, BoxedError> {
        Ok(Sent(match *kind {
            Type::INT8 => Val::Int(i64::from_sql(kind, raw)?),
            Type::INT4 => Val::Int(i32::from_sql(kind, raw)?.into()),
            Type::INT2 => Val::Int(i16::from_sql(kind, raw)?.into()),
            Type::BOOL => Val::Int(bool::from_sql(kind, raw)?.into()),
            // What the server makes of sums.
            Type::NUMERIC => Val::Int(whole(raw).ok_or("a number that is not whole")?),
            Type::BYTEA => Val::Blob(raw),
            Type::TEXT | Type::VARCHAR | Type::NAME | Type::BPCHAR | Type::UNKNOWN => {
                Val::Text(std::str::from_utf8(raw)?)
            }
            _ => return Err(format!("a value of type {kind}").into()),
        }))
    }

    fn from_sql_null(_: &Type) -> Result<Self, BoxedError> {
        Ok(Sent(Val::Null))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// A whole number in the binary form of `numeric`: digits in base 10,000 behind four words.
fn whole(raw: &[u8]) -> Option<i64> {
    let word = |n: usize| Some(u16::from_be_bytes([*raw.get(2 * n)?, *raw.get(2 * n + 1)?]));
    let (n_digits, weight, sign) = (usize::from(word(0)?), word(1)?.cast_signed(), word(2)?);
    let mut number: i64 = 0;
    for place in 0..=usize::try_from(weight).ok().unwrap_or(0) {
        let digit = if place < n_digits && weight >= 0 { word(4 + place)? } else { 0 };
        number = number.checked_mul(10_000)?.checked_add(digit.into())?;
    }
    match sign {
        0 => Some(number),
        0x4000 => Some(-number),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::whole;

    fn check(words: &[u16], want: Option<i64>) {
        let raw: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
        assert_eq!(whole(&raw), want, "{words:?}");
    }

    #[test]
    fn sums_are_whole_numbers() {
        check(&[0, 0, 0, 0], Some(0));
        check(&[1, 0, 0, 0, 7], Some(7));
        check(&[1, 1, 0, 0, 7], Some(70_000));
        check(&[2, 1, 0x4000, 0, 12, 3456], Some(-123_456));
        check(&[1, 0, 0xC000, 0, 0], None);
    }
}
