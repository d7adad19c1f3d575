//! What layers of settings come to, one case per line.

use expect_test::{Expect, expect};

use super::super::layer::Setting;
use super::super::{Because, Parse, Structured};
use super::*;
use crate::config::LeftOut;

fn read(text: &str) -> Layer {
    Layer::read("probity.toml", text).expect("settings that can be read")
}

fn env(pairs: &[(&str, &str)]) -> Layer {
    let find = |name: &str| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
    Layer::from_env(&find).expect("variables that can be read")
}

fn resolved(text: &str) -> Config {
    Config::resolve([read(text)]).expect("settings that fit")
}

/// An environment with OpenAI's key.
fn openai_key(name: &str) -> Option<String> {
    (name == "OPENAI_API_KEY").then(|| "sk".to_owned())
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "a case is one line")]
fn check(text: &str, want: Expect) {
    let shown = match Config::resolve([read(text)]) {
        Ok(config) => {
            let warnings = config.judge(&openai_key).expect("all is trusted").warnings;
            warnings.iter().map(|warning| format!("warning: {warning}")).collect::<Vec<_>>().join("\n")
        }
        Err(error) => error.to_string(),
    };
    want.assert_eq(&shown);
}

/// Checks which judge is used with `keys` set.
#[track_caller]
fn check_judge(layers: impl IntoIterator<Item = Layer>, keys: &[&str], name: &str, because: Because) {
    let config = Config::resolve(layers).expect("settings that fit");
    let chosen = config.judge(&|name| keys.contains(&name).then(|| "sk".to_owned())).expect("all is trusted");
    assert_eq!((chosen.settings.name.as_str(), chosen.because), (name, because));
}

#[test]
fn the_defaults_are_the_published_ones() {
    let config = Config::resolve([]).expect("the defaults fit");
    let limits = config.schedule.limits;
    assert_eq!(config.run.rubric, "relevance-tone");
    assert_eq!(config.run.min_coverage.to_string(), "0.9");
    assert_eq!(config.schedule.concurrency, 32);
    assert_eq!(config.schedule.attempts_max, 5);
    let seconds = [limits.connect, limits.first_byte, limits.idle, limits.total].map(|clock| clock.as_secs());
    assert_eq!(seconds, [10, 120, 60, 300]);
    assert_eq!(limits.body_bytes_max, 1 << 20);
    assert_eq!(config.schedule.backoff_first, Duration::from_millis(500));
    assert_eq!(config.schedule.retry_after_max, Duration::from_mins(2));
    assert_eq!(config.schedule.breaker_consecutive, 20);
    assert_eq!(config.schedule.breaker_window, 200);
    assert_eq!(config.schedule.breaker_share.to_string(), "0.5");
    assert_eq!(
        config.budget,
        Budget { calls_max: None, usd_max: None, confirm_usd: Exact::from(5), confirm_calls: 5000 }
    );
}

#[test]
fn every_default_model_has_a_price() {
    let config = Config::resolve([]).expect("the defaults fit");
    for name in config.judge_names() {
        let judge = config.named_judge(name).expect("a name of its own list");
        if let Some(chat) = judge.chat().filter(|chat| !chat.model.is_empty()) {
            assert!(config.price(chat).is_some(), "{}", chat.model);
        }
    }
}

#[test]
fn flags_beat_environment_beats_file_beats_defaults() {
    let file = read("[run]\nstore = 'file'\nparse = 'strict'\n[schedule]\nconcurrency = 1\n");
    let environment = env(&[("PROBITY_STORE", "env"), ("PROBITY_CONCURRENCY", "2")]);
    let mut flags = Layer::default();
    flags.schedule.concurrency = Some(3);
    let config = Config::resolve([file, environment, flags]).expect("settings that fit");
    assert_eq!(config.schedule.concurrency, 3);
    assert_eq!(config.run.store, "env");
    assert_eq!(config.run.parse, Parse::Strict);
    assert_eq!(config.run.rubric, "relevance-tone");
}

#[test]
fn a_table_takes_the_rest_from_its_kind() {
    let text = "[judges.openai]\nstructured = 'plain'\naliases = ['x']\n[judges.mine]\nkind = 'openai'\nmodel = 'm'\n";
    let config = resolved(text);
    let chat = config.named_judge("mine").and_then(JudgeSettings::chat).expect("a chat judge");
    assert_eq!((chat.model.as_str(), chat.structured), ("m", Structured::Plain));
    assert_eq!(chat.sent(&LeftOut::default()).seed, Some(7));
    assert!(chat.aliases.is_empty(), "aliases belong to another model");
}

#[test]
fn r13_temperature_with_one_draw_is_a_warning() {
    check(
        "[judges.openai]\ntemperature = 0.7\n",
        expect![
            "warning: judges.openai.temperature is 0.7 and each packet is asked once: a verdict is one draw"
        ],
    );
    check("[judges.openai]\ntemperature = 0.0\n", expect![[""]]);
}

#[test]
fn r13_judges_that_do_not_fit() {
    let error = Config::resolve([read("[judges.mine]\nmodel = 'm'\n")]).expect_err("no kind").to_string();
    assert!(error.starts_with("judges.mine.kind: expected one of "), "{error}");
    assert!(error.ends_with(", baseline, command, recorded, cascade, jury, found nothing"), "{error}");
    check(
        "[judges.openai]\nkind = 'anthropic'\n",
        expect![[r#"
            judges.openai.kind: expected "openai", because the judge is built in, found "anthropic"
              hint: choose another name"#]],
    );
    check(
        "[judge]\nname = 'antropic'\n",
        expect![[r#"
            judge.name: there is no judge "antropic"
              hint: did you mean `anthropic`?"#]],
    );
    check(
        "[judge]\nname = 'command'\n",
        expect!["judges.command.command: expected a program and its arguments, found nothing"],
    );
    check(
        "[judges.'a b']\nkind = 'baseline'\n",
        expect![[r#"judges."a b": expected a name of at most 100 letters, digits, `-`, `_` and `.`"#]],
    );
    check(
        "[judges.openai]\ntemperature = 2.01\nmodel = ' '\napi_key_env = 'sk-abc'\n",
        expect![[r#"
            judges.openai.model: expected a model, found an empty text
              hint: use --model
            judges.openai.temperature: expected 0 to 2, found 2.01
            judges.openai.api_key_env: expected the name of an environment variable
              hint: never write the key itself into settings"#]],
    );
}

#[test]
fn settings_without_a_meaning_are_errors() {
    check(
        "[judges.baseline]\nmodel = 'm'\n[judges.anthropic]\nseed = 1\n",
        expect![[r#"
            judges.anthropic.seed: a judge of kind "anthropic" has no such setting
            judges.baseline.model: a judge of kind "baseline" has no such setting"#]],
    );
    let mut flags = read("[judge]\nname = 'baseline'\n");
    flags.any_model = Some("m".to_owned());
    let error = Config::resolve([flags]).expect_err("a model for the baseline");
    assert_eq!(error.to_string(), "model: the judge \"baseline\" has no such setting");
}

#[test]
fn r14_base_urls_are_checked() {
    check(
        "[judges.openai]\nbase_url = 'ftp://localhost:8000'\n",
        expect![[r#"judges.openai.base_url: the URL has scheme "ftp"; expected http or https"#]],
    );
    check(
        "[judges.openai]\nbase_url = 'https://me:secret@host/v1'\n",
        expect![
            "judges.openai.base_url: the URL contains a user name or password; expected secrets in environment variables"
        ],
    );
}

#[test]
fn numbers_out_of_range() {
    check(
        "[schedule]\nconcurrency = 0\n[run]\nmin_coverage = 1.1\n",
        expect![[r#"
            run.min_coverage: expected 0 to 1, found 1.1
            schedule.concurrency: expected 1 to 10000, found 0"#]],
    );
    check(
        "[schedule]\nconcurrency = 10001\nbreaker_share = 0\n",
        expect![[r#"
            schedule.concurrency: expected 1 to 10000, found 10001
            schedule.breaker_share: expected more than 0 and at most 1, found 0"#]],
    );
    check(
        "[schedule]\ntotal_ms = 60000\nbackoff_ms_max = 100\n",
        expect![[r#"
            schedule.total_ms: expected at least first_byte_ms, which is 120000, found 60000
              hint: set schedule.first_byte_ms as well
            schedule.backoff_ms_max: expected at least backoff_ms_first, which is 500, found 100
              hint: set schedule.backoff_ms_first as well"#]],
    );
    check(
        "[schedule]\nretry_after_ms_max = 86400001\n",
        expect!["schedule.retry_after_ms_max: expected at most 86400000 (one day), found 86400001"],
    );
    check(
        "[budget]\nusd_max = -1\n[prices.m]\ninput_usd_per_mtok = -0.1\n",
        expect![[r#"
            budget.usd_max: expected 0 or more, found -1
            prices."m".input_usd_per_mtok: expected 0 or more, found -0.1
            prices."m": expected input_usd_per_mtok and output_usd_per_mtok"#]],
    );
}

#[test]
fn with_nothing_set_the_baseline_is_used() {
    check_judge([], &[], "baseline", Because::NoKey);
}

#[test]
fn a_key_chooses_its_provider() {
    check_judge([], &["OPENAI_API_KEY"], "openai", Because::Key);
    check_judge([], &["ANTHROPIC_API_KEY"], "anthropic", Because::Key);
    check_judge([], &["ANTHROPIC_API_KEY", "OPENAI_API_KEY"], "openai", Because::Key);
    check_judge([read("[judges.openai]\napi_key_env = 'MINE'\n")], &["MINE"], "openai", Because::Key);
}

#[test]
fn an_endpoint_chooses_openai_without_a_key() {
    let url = "http://localhost:1/v1";
    check_judge([env(&[("OPENAI_BASE_URL", url)])], &["ANTHROPIC_API_KEY"], "openai", Because::Endpoint);
    check_judge([read(&format!("[judges.openai]\nbase_url = '{url}'\n"))], &[], "openai", Because::Endpoint);
    let flags = Layer { any_base_url: Some(url.to_owned()), ..Layer::default() };
    check_judge([flags], &[], "openai", Because::Endpoint);
}

#[test]
fn a_model_never_ends_at_the_baseline() {
    check_judge([env(&[("PROBITY_MODEL", "m")])], &[], "openai", Because::Model);
    check_judge([env(&[("PROBITY_MODEL", "m")])], &["ANTHROPIC_API_KEY"], "anthropic", Because::Key);
}

#[test]
fn a_name_beats_keys() {
    check_judge([env(&[("PROBITY_JUDGE", "baseline")])], &["OPENAI_API_KEY"], "baseline", Because::Named);
    let own = read("[judge]\nname = 'mine'\n[judges.mine]\nkind = 'command'\ncommand = ['true']\n");
    check_judge([own], &["OPENAI_API_KEY"], "mine", Because::Named);
}

#[test]
fn a_table_nobody_names_is_a_warning() {
    check(
        "[judges.mine]\nkind = 'baseline'\n",
        expect!["warning: [judges.mine] is not used, because judge.name does not name a judge"],
    );
}

#[test]
fn flags_change_the_model_and_endpoint_of_the_judge_in_use() {
    let file = read("[judges.openai]\naliases = ['gpt-4o-mini-2024-07-18']\n");
    let flags = Layer {
        any_model: Some("m".to_owned()),
        any_base_url: Some("http://localhost:1/v1/".to_owned()),
        ..Layer::default()
    };
    let config = Config::resolve([file, flags]).expect("settings that fit");
    let chosen = config.judge(&openai_key).expect("all is trusted");
    let chat = chosen.settings.chat().expect("a chat judge");
    assert_eq!((chat.model.as_str(), chat.base_url.to_string().as_str()), ("m", "http://localhost:1/v1"));
    assert_eq!(chat.key_use, KeyUse::IfPresent);
    assert!(chat.aliases.is_empty());
}

#[test]
fn the_digest_holds_what_changes_answers_and_nothing_else() {
    let parts = |text: &str| {
        let config = resolved(text);
        let chosen = config.judge(&openai_key).expect("all is trusted");
        config.digest_parts(&chosen.settings, &LeftOut::default())
    };
    let plain = parts("");
    assert_eq!(plain, parts("[schedule]\nconcurrency = 1\ntotal_ms = 299999\n[run]\nstore = 'x'\n"));
    assert_eq!(plain, parts("[judges.openai]\nhttp = 'http2'\n[budget]\ncalls_max = 1\n"));
    for change in ["temperature = 0.5", "seed = 8", "model = 'm'", "signal = 'logprobs'", "aliases = ['a']"] {
        assert_ne!(plain, parts(&format!("[judges.openai]\n{change}\n")), "{change}");
    }
    assert_ne!(plain, parts("[run]\ncall_plan = 'one_call'\n"));
    let shown: Vec<String> = plain.iter().map(|(name, value)| format!("{name}={value}")).collect();
    expect![[r#"
        run.call_plan=per_criterion
        run.parse=tolerant
        run.reask=once
        judge.kind=openai
        judge.model=gpt-6-luna
        judge.base_url=https://api.openai.com/v1
        judge.structured=schema
        judge.model_mismatch=note
        judge.aliases=[]
        judge.output_tokens_max=5120
        judge.effort=low
        judge.seed=7"#]]
    .assert_eq(&shown.join("\n"));
}

/// The documentation has a row for every setting and every variable.
#[test]
fn the_documentation_is_complete() {
    let page = include_str!("../../../../../docs/settings.md");
    let keys = [
        super::super::layer::ChoiceLayer::SETTINGS,
        super::super::layer::BudgetLayer::SETTINGS,
        RunLayer::SETTINGS,
        JudgeLayer::SETTINGS,
        super::super::layer::TargetLayer::SETTINGS,
        ScheduleLayer::SETTINGS,
        PriceLayer::SETTINGS,
    ];
    for Setting { key, .. } in keys.concat() {
        assert!(page.contains(&format!("| `{key}` |")), "docs/settings.md has no row for {key}");
        assert!(DEFAULTS.contains(&format!("{key} = ")), "config/default.toml does not show {key}");
    }
    for (name, _) in super::super::environment::VARIABLES {
        assert!(page.contains(&format!("| `{name}` |")), "no row for {name}");
    }
}
