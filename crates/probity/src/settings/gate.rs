//! The gate of a run: its settings together with the files they name.

use probity_core::gate::{Gate, Settings};
use probity_engine::config::GateSettings;

use crate::exit::Failure;

/// Reads what the settings name and makes the gate.
pub(crate) fn gate(settings: &GateSettings) -> Result<Gate, Failure> {
    let settings = Settings {
        rules: settings.rules.clone(),
        competitors: settings.competitors.clone(),
        forbidden_advice: settings.forbidden_advice.clone(),
        own: settings.own.clone(),
    };
    Ok(Gate::new(&settings))
}
