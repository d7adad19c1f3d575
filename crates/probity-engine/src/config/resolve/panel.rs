//! Judges made of judges, from the tables that name their members.

use std::collections::BTreeMap;

use probity_core::exact::Exact;

use super::Resolving;
use crate::config::layer::{Decimal, JudgeLayer, Layer};
use crate::config::names::JudgeKind;
use crate::config::panel::{PanelRule, PanelSettings};
use crate::config::{Backend, JudgeSettings};

/// The most looks of a member at one question.
const REPEATS_MAX: u32 = 25;

/// The settings of judges made of judges, by kind.
pub(super) fn takes(kind: JudgeKind, key: &str) -> bool {
    match kind {
        JudgeKind::Cascade => ["stages", "agreement", "confidence", "repeats"].contains(&key),
        JudgeKind::Jury => ["members", "repeats"].contains(&key),
        _ => false,
    }
}

impl Resolving {
    /// Adds the judges that are made of `judges`.
    pub(super) fn panels(&mut self, layer: &Layer, judges: &mut BTreeMap<String, JudgeSettings>) {
        let mut panels = Vec::new();
        for name in layer.judges.keys() {
            let table = layer.judge_table(name);
            let Some(kind @ (JudgeKind::Cascade | JudgeKind::Jury)) = table.kind else { continue };
            if self.judge_table(name, &table).is_none() {
                continue;
            }
            if let Some(panel) = self.panel(name, kind, table, judges) {
                let backend = Backend::Panel(panel);
                panels.push((name.clone(), JudgeSettings { name: name.clone(), template: None, backend }));
            }
        }
        judges.extend(panels);
    }

    fn panel(
        &mut self,
        name: &str,
        kind: JudgeKind,
        table: JudgeLayer,
        judges: &BTreeMap<String, JudgeSettings>,
    ) -> Option<PanelSettings> {
        let section = format!("judges.{name}");
        let (key, named) =
            if kind == JudgeKind::Cascade { ("stages", table.stages) } else { ("members", table.members) };
        let setting = format!("{section}.{key}");
        let named = named.unwrap_or_default();
        let members = self.members(&setting, &named, judges)?;
        // A built-in judge need not be whole while it is not chosen.
        let is_needed = name != kind.name() || self.chosen() == Some(kind.name());
        let fewest = if kind == JudgeKind::Cascade { 1 } else { 2 };
        if is_needed && members.len() < fewest {
            let message = format!("expected the names of {fewest} judges or more, found {}", members.len());
            self.problem(setting, message, None);
        }
        if let Some(repeats) = table.repeats.filter(|repeats| repeats.get() > REPEATS_MAX) {
            let message = format!("expected at most {REPEATS_MAX}, found {repeats}");
            self.problem(format!("{section}.repeats"), message, None);
        }
        let rule = match kind {
            JudgeKind::Jury => PanelRule::Jury,
            _ => PanelRule::Cascade {
                agreement: self.inner_share(&format!("{section}.agreement"), table.agreement)?,
                confidence: self.inner_share(&format!("{section}.confidence"), table.confidence)?,
            },
        };
        Some(PanelSettings { rule, members, repeats: table.repeats.map(std::num::NonZeroU32::get) })
    }

    fn members(
        &mut self,
        setting: &str,
        named: &[String],
        judges: &BTreeMap<String, JudgeSettings>,
    ) -> Option<Vec<JudgeSettings>> {
        let mut members: Vec<JudgeSettings> = Vec::new();
        for name in named {
            let Some(judge) = judges.get(name) else {
                let known: Vec<&str> = judges.keys().map(String::as_str).collect();
                let message = format!("expected judges that ask by themselves, found {name:?}");
                self.problem(setting, message, Some(format!("there are {}", known.join(", "))));
                return None;
            };
            if members.iter().any(|member| member.name == *name) {
                self.problem(setting, format!("expected each judge once, found {name:?} twice"), None);
                return None;
            }
            members.push(judge.clone());
        }
        Some(members)
    }

    /// A share above 0 and below 1.
    fn inner_share(&mut self, setting: &str, value: Option<Decimal>) -> Option<Decimal> {
        match value {
            Some(Decimal(share)) if share > Exact::ZERO && share < Exact::from(1) => value,
            _ => {
                let found = value.map_or("nothing".to_owned(), |Decimal(share)| share.to_string());
                self.problem(setting, format!("expected a share above 0 and below 1, found {found}"), None);
                None
            }
        }
    }
}
