//! The settings of the gate: rules by their ids, and the moment that counts.

use std::collections::BTreeMap;

use probity_core::case::{Moment, NotAMoment};
use probity_core::gate::pii::{Allow, TestValues};
use probity_core::gate::{RuleSetting, ids_named, rules};
use probity_core::spelling::closest;

use super::unfit;
use crate::config::layer::GateLayer;
use crate::config::names::TestData;
use crate::config::{GateSettings, SettingsProblem};

/// The settings of `[gate]`. What is wrong with them goes to `problems`.
pub(super) fn settings(layer: GateLayer, problems: &mut Vec<SettingsProblem>) -> GateSettings {
    let rules = rule_settings(&layer, problems);
    GateSettings {
        policies: layer.policies.unwrap_or_default(),
        as_of: layer.as_of.and_then(|text| moment(&text, problems)),
        rules,
        competitors: layer.competitors.unwrap_or_default(),
        forbidden_advice: layer.forbidden_advice.unwrap_or_default(),
        allowed_claims: layer.allowed_claims.unwrap_or_default(),
        languages: layer.languages,
        language: layer.language,
        own: Allow {
            emails: layer.own_emails.unwrap_or_default(),
            domains: layer.own_domains.unwrap_or_default(),
            phones: layer.own_phones.unwrap_or_default(),
            addresses: layer.own_addresses.unwrap_or_default(),
            ips: layer.own_ips.unwrap_or_default(),
            id_patterns: layer.own_numbers.unwrap_or_default(),
            test_values: match layer.test_values {
                Some(TestData::Allow) => TestValues::Allow,
                Some(TestData::Report) | None => TestValues::Report,
            },
        },
    }
}

fn moment(text: &str, problems: &mut Vec<SettingsProblem>) -> Option<Moment> {
    text.parse().map_err(|error: NotAMoment| problems.push(unfit("gate.as_of", error.to_string(), None))).ok()
}

fn rule_settings(
    layer: &GateLayer,
    problems: &mut Vec<SettingsProblem>,
) -> BTreeMap<&'static str, RuleSetting> {
    let lists = [
        ("gate.block", &layer.block, RuleSetting::Block),
        ("gate.flag", &layer.flag, RuleSetting::Flag),
        ("gate.off", &layer.off, RuleSetting::Off),
    ];
    let mut settings: BTreeMap<&'static str, RuleSetting> = BTreeMap::new();
    // Families first, so that one rule can be set apart from its family.
    for families_turn in [true, false] {
        let mut chosen = BTreeMap::new();
        for (list, names, setting) in lists {
            for name in names.iter().flatten().filter(|name| name.ends_with(".*") == families_turn) {
                for id in ids(list, name, problems) {
                    if chosen.insert(id, setting).is_some_and(|earlier| earlier != setting) {
                        let message = format!("the rule {id} stands in two of block, flag and off");
                        problems.push(unfit(list, message, None));
                    }
                }
            }
        }
        settings.extend(chosen);
    }
    settings
}

/// The ids of the rules that `name` names: one, or a family.
fn ids(list: &str, name: &str, problems: &mut Vec<SettingsProblem>) -> Vec<&'static str> {
    let ids = ids_named(name);
    if ids.is_empty() {
        let hint = match closest(name, rules().map(|rule| rule.id)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`probity gate rules` lists them".to_owned(),
        };
        let message = format!("no rule is called {name:?}");
        problems.push(unfit(list, message, Some(hint)));
    }
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(block: &[&str], flag: &[&str], off: &[&str]) -> GateLayer {
        let list = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect());
        GateLayer { block: list(block), flag: list(flag), off: list(off), ..GateLayer::default() }
    }

    #[track_caller]
    fn check(layer: GateLayer, want: &str) {
        let mut problems = Vec::new();
        let settings = settings(layer, &mut problems);
        let shown = if problems.is_empty() {
            let shown: Vec<String> =
                settings.rules.iter().map(|(id, setting)| format!("{id} {}", setting.name())).collect();
            shown.join(", ")
        } else {
            let shown: Vec<String> = problems
                .iter()
                .map(|problem| format!("{}: {}; {:?}", problem.place, problem.message, problem.hint))
                .collect();
            shown.join(", ")
        };
        assert_eq!(shown, want);
    }

    #[test]
    fn rules_are_set_by_id_and_by_family() {
        check(layer(&[], &[], &["safety.competitor"]), "safety.competitor off");
        check(
            layer(&["safety.competitor"], &["safety.*"], &[]),
            "safety.competitor block, safety.forbidden_advice flag",
        );
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        let twice = "gate.flag: the rule safety.competitor stands in two of block, flag and off; None";
        check(layer(&["safety.competitor"], &["safety.competitor"], &[]), twice);
        let slip = "gate.block: no rule is called \"safety.competitors\"; Some(\"did you mean `safety.competitor`?\")";
        check(layer(&["safety.competitors"], &[], &[]), slip);
        let family = "gate.off: no rule is called \"s*\"; Some(\"`probity gate rules` lists them\")";
        check(layer(&[], &[], &["s*"]), family);
    }

    #[test]
    fn the_moment_is_a_date() {
        let as_of = |text: &str| GateLayer { as_of: Some(text.to_owned()), ..GateLayer::default() };
        let mut problems = Vec::new();
        assert_eq!(settings(as_of("2026-04-01"), &mut problems).as_of, "2026-04-01".parse().ok());
        assert_eq!(problems, []);
        assert_eq!(settings(as_of("soon"), &mut problems).as_of, None);
        assert_eq!(problems[0].place, "gate.as_of");
    }
}
