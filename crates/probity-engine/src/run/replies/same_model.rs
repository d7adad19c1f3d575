//! Whether judge and target are the same model: a judge tends to favour what it would have written itself.

use probity_core::verdict::{ModelMatch, model_match};

use crate::config::{JudgeSettings, TargetSettings};

/// What a reader should know where the judge is the model that wrote the replies: by the names that were asked for,
/// by their aliases, or by the models that said they answered.
pub fn same_model(
    (judge, judge_answered): (&JudgeSettings, &[(String, u64)]),
    (target, target_answered): (&TargetSettings, &[(String, u64)]),
) -> Option<String> {
    same_models((judge, judge_answered), (&target.name, &target.models), target_answered)
}

/// The same where only the names of the target's models are known.
pub(in crate::run) fn same_models(
    (judge, judge_answered): (&JudgeSettings, &[(String, u64)]),
    (target, models): (&str, &[String]),
    target_answered: &[(String, u64)],
) -> Option<String> {
    let chat = judge.chat();
    let asked = chat.iter().flat_map(|chat| std::iter::once(&chat.model).chain(&chat.aliases));
    let judges: Vec<&str> =
        asked.map(String::as_str).chain(judge_answered.iter().map(|(name, _)| name.as_str())).collect();
    let targets: Vec<&str> =
        models.iter().chain(target_answered.iter().map(|(name, _)| name)).map(String::as_str).collect();
    let shared = targets.iter().find(|name| judges.iter().any(|judge| is_same(judge, name)))?;
    Some(format!(
        "judge and target {target} are the same model ({shared}): a judge tends to favour its own replies"
    ))
}

fn is_same(one: &str, other: &str) -> bool {
    let matches =
        |one, other| matches!(model_match(one, &[], Some(other)), ModelMatch::Same | ModelMatch::Alias);
    let (one, other) = (one.to_lowercase(), other.to_lowercase());
    let (one, other) = (bare(&one), bare(&other));
    matches(one, other) || matches(other, one)
}

/// A model's name without the service that serves it and without the word for its latest release. Routers and local
/// servers add both to the same model.
fn bare(name: &str) -> &str {
    let name = name.rsplit('/').next().unwrap_or(name);
    name.strip_suffix(":latest").or_else(|| name.strip_suffix("-latest")).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Layer};

    /// Whether a judge and a target with these names are one model.
    #[track_caller]
    fn check(judge: &str, target: &str, answered: (&str, &str), want: Option<&str>) {
        let text = format!("[judges.openai]\n{judge}\n[targets.bot]\nkind = 'openai'\n{target}\n");
        let mut layer = Layer::read("probity.toml", &text).expect("settings");
        layer.target.name = Some("bot".to_owned());
        let config = Config::resolve([layer]).expect("settings that fit");
        let names = |name: &str| if name.is_empty() { Vec::new() } else { vec![(name.to_owned(), 1)] };
        let (by_judge, by_target) = (names(answered.0), names(answered.1));
        let judge = config.named_judge("openai").expect("it is built in");
        let found = same_model((judge, &by_judge), (config.target.as_ref().expect("chosen"), &by_target));
        let want = want.map(|name| {
            format!(
                "judge and target bot are the same model ({name}): a judge tends to favour its own replies"
            )
        });
        assert_eq!(found, want);
    }

    #[test]
    fn by_name_alias_release_and_answer() {
        check("model = 'a'", "model = 'b'", ("", ""), None);
        check("model = 'a'", "model = 'a'", ("", ""), Some("a"));
        check("model = 'a'", "model = 'A'", ("", ""), Some("A"));
        check("model = 'a'", "model = 'a-2024-07-18'", ("", ""), Some("a-2024-07-18"));
        check("model = 'a'\naliases = ['c']", "model = 'c'", ("", ""), Some("c"));
        check("model = 'a'", "model = 'b'\naliases = ['a']", ("", ""), Some("a"));
        check("model = 'a'", "model = 'b'", ("c", "c"), Some("c"));
        check("model = 'a'", "model = 'b'", ("b", ""), Some("b"));
        check("model = 'a'", "model = 'b'", ("", "a"), Some("a"));
        check("model = 'a'", "model = 'a-mini'", ("c", "d"), None);
    }

    #[test]
    fn by_the_names_that_services_give_it() {
        for name in ["openai/a", "x/openai/A", "a:latest", "a-latest", "openai/a-2024-07-18"] {
            check("model = 'a'", &format!("model = '{name}'"), ("", ""), Some(name));
            check(&format!("model = '{name}'"), "model = 'a'", ("", ""), Some("a"));
        }
        check("model = 'openai/a:latest'", "model = 'b'", ("", "other/a"), Some("other/a"));
        for name in ["openai/b", "a/b", "a:14b", "a-mini:latest"] {
            check("model = 'a'", &format!("model = '{name}'"), ("", ""), None);
        }
    }
}
