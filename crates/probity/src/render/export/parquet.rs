//! Results as a Parquet file: columns of texts, whole numbers and numbers, each of which may be missing.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use super::table::{CellValue, cells, columns};
use super::{About, Judged};

/// Rows that are in memory at once.
const GROUP_ROWS: usize = 8_192;

/// Writes the file.
pub(super) fn write<W: Write + Send>(
    mut rows: impl Iterator<Item = io::Result<Judged>>,
    about: &About<'_>,
    out: W,
) -> io::Result<W> {
    let schema = Arc::new(schema(about).map_err(io::Error::other)?);
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer =
        SerializedFileWriter::new(out, schema, Arc::new(properties)).map_err(io::Error::other)?;
    loop {
        let group: Vec<Judged> = rows.by_ref().take(GROUP_ROWS).collect::<io::Result<_>>()?;
        if group.is_empty() {
            break;
        }
        let mut table: Vec<Vec<CellValue>> = vec![Vec::new(); columns(about).len()];
        for (row, _) in &group {
            let cells = cells(row, about).into_iter().map(|(_, value)| value);
            table.iter_mut().zip(cells).for_each(|(column, value)| column.push(value));
        }
        write_group(&mut writer, table).map_err(io::Error::other)?;
    }
    writer.into_inner().map_err(io::Error::other)
}

fn schema(about: &About<'_>) -> Result<Type, ParquetError> {
    let column = |(name, value): (String, CellValue)| {
        let (physical, logical) = match value {
            CellValue::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            CellValue::Whole(_) => (Physical::INT64, None),
            CellValue::Number(_) => (Physical::DOUBLE, None),
        };
        let column = Type::primitive_type_builder(&name, physical).with_repetition(Repetition::OPTIONAL);
        column.with_logical_type(logical).build().map(Arc::new)
    };
    let fields = columns(about).into_iter().map(column).collect::<Result<Vec<_>, ParquetError>>()?;
    Type::group_type_builder("results").with_fields(fields).build()
}

fn write_group<W: Write + Send>(
    writer: &mut SerializedFileWriter<W>,
    table: Vec<Vec<CellValue>>,
) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    let mut table = table.into_iter();
    while let (Some(mut column), Some(values)) = (group.next_column()?, table.next()) {
        let is_there = |value: &CellValue| {
            !matches!(value, CellValue::Text(None) | CellValue::Whole(None) | CellValue::Number(None))
        };
        let levels: Vec<i16> = values.iter().map(|value| i16::from(is_there(value))).collect();
        match column.untyped() {
            ColumnWriter::ByteArrayColumnWriter(typed) => {
                let texts = values.iter().filter_map(|value| match value {
                    CellValue::Text(Some(text)) => Some(ByteArray::from(text.as_str())),
                    _ => None,
                });
                typed.write_batch(&texts.collect::<Vec<_>>(), Some(&levels), None)?;
            }
            ColumnWriter::Int64ColumnWriter(typed) => {
                let wholes = values.iter().filter_map(|value| match value {
                    CellValue::Whole(whole) => *whole,
                    _ => None,
                });
                typed.write_batch(&wholes.collect::<Vec<_>>(), Some(&levels), None)?;
            }
            ColumnWriter::DoubleColumnWriter(typed) => {
                let numbers = values.iter().filter_map(|value| match value {
                    CellValue::Number(number) => *number,
                    _ => None,
                });
                typed.write_batch(&numbers.collect::<Vec<_>>(), Some(&levels), None)?;
            }
            _ => unreachable!("the schema has three kinds of columns"),
        }
        column.close()?;
    }
    group.close().map(drop)
}
