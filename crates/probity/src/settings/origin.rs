//! Which source decides a setting: a flag, a variable, a settings file or the defaults.

use probity_engine::config::layer::{JudgeLayer, Layer};
use probity_engine::config::{Config, FileTrust, JudgeSettings, LocalFacts};

use super::{judge_layer, sources, variable};
use crate::args::{JudgeArgs, SETTINGS_FILE, SettingsArgs};
use crate::exit::Failure;

/// The sources of the settings of a command, the lowest first.
pub(crate) struct Origins {
    layers: Vec<(SettingOrigin, Layer)>,
    /// The settings files, each with whether it was read and is trusted.
    pub(crate) files: Vec<(String, &'static str)>,
}

enum SettingOrigin {
    File(String),
    Environment,
    Flags,
}

/// A setting that has a flag.
pub(crate) struct FlaggedSetting {
    flag: &'static str,
    variable: &'static str,
    is_set: fn(&Layer, &JudgeSettings) -> bool,
}

pub(crate) const JUDGE: FlaggedSetting = FlaggedSetting {
    flag: "--judge",
    variable: "PROBITY_JUDGE",
    is_set: |layer, _| layer.judge.name.is_some(),
};

pub(crate) const MODEL: FlaggedSetting = FlaggedSetting {
    flag: "--model",
    variable: "PROBITY_MODEL",
    is_set: |layer, judge| {
        layer.any_model.is_some() || tables(layer, judge).any(|table| table.model.is_some())
    },
};

pub(crate) const BASE_URL: FlaggedSetting = FlaggedSetting {
    flag: "--base-url",
    variable: "OPENAI_BASE_URL",
    is_set: |layer, judge| {
        layer.any_base_url.is_some() || tables(layer, judge).any(|table| table.base_url.is_some())
    },
};

pub(crate) const RUBRIC: FlaggedSetting = FlaggedSetting {
    flag: "--rubric",
    variable: "PROBITY_RUBRIC",
    is_set: |layer, _| layer.run.rubric.is_some(),
};

pub(crate) const STORE: FlaggedSetting = FlaggedSetting {
    flag: "--store",
    variable: "PROBITY_STORE",
    is_set: |layer, _| layer.run.store.is_some(),
};

/// The tables from which a judge has its settings: its own, and the built-in one of its kind.
fn tables<'a>(layer: &'a Layer, judge: &JudgeSettings) -> impl Iterator<Item = &'a JudgeLayer> {
    [judge.name.clone(), judge.kind().name().to_owned()]
        .into_iter()
        .filter_map(|name| layer.judges.get(&name))
}

impl Origins {
    /// The settings of files, environment and flags, with where they come from.
    pub(crate) fn read(args: &JudgeArgs, settings: &SettingsArgs) -> Result<(Config, Origins), Failure> {
        let sources = sources::sources(settings, judge_layer(args))?;
        let read = sources.user.iter().map(|file| (file, "read")).chain(sources.folder.iter().map(
            |(file, trust)| {
                (file, if *trust == FileTrust::Trusted { "read, trusted" } else { "read, not trusted" })
            },
        ));
        let (mut layers, mut files) = (Vec::new(), Vec::new());
        for (file, state) in read {
            layers.push((SettingOrigin::File(file.shown.clone()), file.layer.clone()));
            files.push((file.shown.clone(), state));
        }
        let own = sources::own_file().filter(|_| sources.user.is_none());
        files.extend(own.map(|path| (path.display().to_string(), "not there")));
        files.extend(sources.folder.is_none().then(|| (SETTINGS_FILE.to_owned(), "not there")));
        layers.push((SettingOrigin::Environment, sources.environment.clone()));
        layers.push((SettingOrigin::Flags, sources.flags.clone()));
        let here = LocalFacts { variable: &variable, is_outside: &sources::is_outside };
        Ok((Config::from_sources(sources, &here)?, Origins { layers, files }))
    }

    /// Where `setting` was decided, for this judge.
    pub(crate) fn of(&self, setting: &FlaggedSetting, judge: &JudgeSettings) -> String {
        let found = self.layers.iter().rev().find(|(_, layer)| (setting.is_set)(layer, judge));
        match found.map(|(origin, _)| origin) {
            None => "default".to_owned(),
            Some(SettingOrigin::Flags) => setting.flag.to_owned(),
            Some(SettingOrigin::Environment) => setting.variable.to_owned(),
            Some(SettingOrigin::File(shown)) => shown.clone(),
        }
    }
}
