//! Labels as files: a table for spreadsheets with formulas made harmless, and lines of JSON without loss.

use axum::extract::State;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::IntoResponse;
use probity_core::calibrate::LabelEntry;

use probity_engine::review::Room;

use super::app::App;
use super::refusal::{Answer, Refusal};
use crate::commands::labels::table;

/// `GET /labels.csv`
pub(super) async fn csv(State(app): State<App>) -> Answer {
    let text = table::csv(&labels(&app).await?, table::Reader::Spreadsheet);
    Ok(file("labels.csv", "text/csv; charset=utf-8", text))
}

/// `GET /labels.jsonl`
pub(super) async fn jsonl(State(app): State<App>) -> Answer {
    let text = table::jsonl(&labels(&app).await?);
    Ok(file("labels.jsonl", "application/jsonl; charset=utf-8", text))
}

async fn labels(app: &App) -> Result<Vec<LabelEntry>, Refusal> {
    let stored = app.read(Room::labels).await?;
    Ok(stored.into_iter().map(|stored| stored.label).collect())
}

fn file(name: &str, kind: &'static str, text: String) -> axum::response::Response {
    let disposition = format!("attachment; filename=\"{name}\"");
    ([(CONTENT_TYPE, kind.to_owned()), (CONTENT_DISPOSITION, disposition)], text).into_response()
}
