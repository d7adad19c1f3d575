//! Small files of formats that are no text, made anew: Parquet and Excel.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const SCHEMA: &str = "message cases { required binary id (UTF8); required binary ticket (UTF8); required binary reply (UTF8); }";

/// A Parquet file with a row group for each of `groups`; a row is an id, a ticket and a reply.
pub fn parquet(groups: &[Vec<[&str; 3]>]) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(SCHEMA).expect("a schema"));
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties))
        .expect("a vector takes everything");
    for rows in groups {
        let mut group = writer.next_row_group().expect("a group");
        for at in 0..3 {
            let mut column = group.next_column().expect("a column").expect("three columns");
            let values: Vec<ByteArray> = rows.iter().map(|row| ByteArray::from(row[at])).collect();
            column.typed::<ByteArrayType>().write_batch(&values, None, None).expect("values");
            column.close().expect("a column");
        }
        group.close().expect("a group");
    }
    writer.into_inner().expect("a file")
}

/// A workbook whose first sheet has these rows; a cell that is a number is written as one.
pub fn workbook(rows: &[Vec<&str>]) -> Vec<u8> {
    let mut sheet = String::from(
        "<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetData>",
    );
    for (number, row) in rows.iter().enumerate().filter(|(_, row)| !row.is_empty()) {
        write!(sheet, "<row r=\"{}\">", number + 1).expect("to a string");
        for (column, cell) in row.iter().enumerate() {
            let place =
                format!("{}{}", char::from(b'A' + u8::try_from(column).expect("few columns")), number + 1);
            let text = cell.replace('&', "&amp;").replace('<', "&lt;");
            match cell.parse::<f64>() {
                Ok(_) => write!(sheet, "<c r=\"{place}\"><v>{text}</v></c>"),
                Err(_) => write!(sheet, "<c r=\"{place}\" t=\"inlineStr\"><is><t>{text}</t></is></c>"),
            }
            .expect("to a string");
        }
        sheet.push_str("</row>");
    }
    sheet.push_str("</sheetData></worksheet>");
    let relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let package = "http://schemas.openxmlformats.org/package/2006/relationships";
    let files = [
        (
            "_rels/.rels",
            format!(
                "<Relationships xmlns=\"{package}\"><Relationship Id=\"a\" Type=\"{relation}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
            ),
        ),
        (
            "xl/workbook.xml",
            format!(
                "<workbook xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" xmlns:r=\"{relation}\"><sheets><sheet name=\"Replies\" sheetId=\"1\" r:id=\"b\"/></sheets></workbook>"
            ),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            format!(
                "<Relationships xmlns=\"{package}\"><Relationship Id=\"b\" Type=\"{relation}/worksheet\" Target=\"worksheets/sheet1.xml\"/></Relationships>"
            ),
        ),
        ("xl/worksheets/sheet1.xml", sheet),
    ];
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        archive.start_file(name, SimpleFileOptions::default()).expect("a vector takes everything");
        archive.write_all(content.as_bytes()).expect("a vector takes everything");
    }
    archive.finish().expect("a vector takes everything").into_inner()
}
