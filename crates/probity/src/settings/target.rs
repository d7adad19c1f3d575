//! The target of a run: what flags say about it, and what they and the settings make of it.

use probity_engine::config::{Config, JudgeSettings, Layer};
use probity_engine::run::replies::same_model;
use probity_engine::target::TargetDefinition;

use super::endpoint;
use crate::args::TargetArgs;
use crate::exit::{Exit, Failure};

/// Puts what flags say about the target into `layer`.
pub(super) fn put_over(args: &TargetArgs, layer: &mut Layer) {
    layer.target.name.clone_from(&args.target);
    layer.target.model.clone_from(&args.target_model);
    layer.target.base_url.clone_from(&args.target_base_url);
    layer.target.system_file.clone_from(&args.target_system);
}

/// The target that was chosen, with its files read. Says so where it is the judge's own model.
pub(super) fn definition(
    config: &Config,
    judge: &JudgeSettings,
    note: &dyn Fn(&str),
) -> Result<Option<TargetDefinition>, Failure> {
    let Some(settings) = &config.target else { return Ok(None) };
    if let Some(warning) = same_model((judge, &[]), (settings, &[])) {
        note(&format!("warning: {warning}"));
    }
    note(&endpoint::target_notice(settings));
    let definition = TargetDefinition::new(settings.clone());
    definition.map(Some).map_err(|error| Failure::new(Exit::Usage, &error))
}
