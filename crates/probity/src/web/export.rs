//! Labels as files: a table for spreadsheets with formulas made harmless, and lines of JSON without loss. Notes and
//! causes stand beside them, in columns that an import does not read.

use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::IntoResponse;

use probity_core::label::LabelEntry;
use probity_engine::review::{DoorAct, Remark, ReviewRoom};

use super::app::Visit;
use super::refusal::{PageResult, Refusal};
use crate::render::labels::{self as labels_as, LabelRow, TableReader};

/// `GET /labels.csv`
pub(super) async fn csv(visit: Visit) -> PageResult {
    let text = labels_as::csv(rows(&labels(&visit, "labels.csv").await?), TableReader::RemarksToo);
    Ok(file("labels.csv", "text/csv; charset=utf-8", text))
}

/// `GET /labels.jsonl`
pub(super) async fn jsonl(visit: Visit) -> PageResult {
    let text = labels_as::jsonl(rows(&labels(&visit, "labels.jsonl").await?));
    Ok(file("labels.jsonl", "application/jsonl; charset=utf-8", text))
}

async fn labels(visit: &Visit, file: &str) -> Result<Vec<(LabelEntry, Remark)>, Refusal> {
    visit.log(DoorAct::ExportLabels, file).await?;
    let remarked = visit.app.read(ReviewRoom::remarked_labels).await?;
    Ok(remarked.into_iter().map(|(stored, remark)| (stored.label, remark)).collect())
}

fn rows(labels: &[(LabelEntry, Remark)]) -> impl Iterator<Item = LabelRow<'_>> {
    labels.iter().map(|(label, remark)| (label, Some(remark)))
}

fn file(name: &str, kind: &'static str, text: String) -> axum::response::Response {
    let disposition = format!("attachment; filename=\"{name}\"");
    ([(CONTENT_TYPE, kind.to_owned()), (CONTENT_DISPOSITION, disposition)], text).into_response()
}
