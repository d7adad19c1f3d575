//! Tables of targets, well and badly written.

use expect_test::{Expect, expect};

use super::*;
use crate::config::layer::TargetChoice;
use crate::config::{Config, KeyUse, LeftOut};

/// What the target `bot` comes to with these settings and flags.
fn chosen(text: &str, flags: TargetChoice) -> Result<TargetSettings, String> {
    let mut layer = Layer::read("probity.toml", text).map_err(|problems| format!("{problems:?}"))?;
    layer.target = TargetChoice { name: Some("bot".to_owned()), ..flags };
    let config = Config::resolve([layer]).map_err(|error| error.to_string())?;
    Ok(config.target.expect("a target was chosen"))
}

#[track_caller]
fn check(text: &str, want: &Expect) {
    let shown = match chosen(&format!("[targets.bot]\n{text}\n"), TargetChoice::default()) {
        Ok(target) => format!("{} {:?}", target.kind().name(), target.models),
        Err(problems) => problems,
    };
    want.assert_eq(&shown);
}

#[test]
fn tables_of_every_kind() {
    check("kind = 'openai'\nmodel = 'm'\naliases = ['n']", &expect![[r#"openai ["m", "n"]"#]]);
    check("kind = 'http'\nurl = 'http://x/'\nrequest = '{}'\nreply = '/a'", &expect!["http []"]);
    check("kind = 'command'\ncommand = ['bot']\nmodel = 'm'", &expect![[r#"command ["m"]"#]]);
}

#[test]
fn all_problems_of_a_table_come_at_once() {
    check(
        "kind = 'http'\nurl = 'x'\nreply = 'a'\nconfidence = 'b'\nheaders = { Host = 'x', 'a b' = 'y' }\nseed = 1",
        &expect![[r#"
            targets.bot.seed: a target of kind "http" has no such setting
            targets.bot.url: the URL is malformed; expected one such as https://bot.example/v1
            targets.bot.request: expected a text, found nothing
            targets.bot.reply: expected a JSON pointer such as /choices/0/text, found "a"
            targets.bot.confidence: expected a JSON pointer such as /choices/0/text, found "b"
            targets.bot.headers."Host": this header cannot be set: it follows from the request
            targets.bot.headers."a b": expected the name of a header"#]],
    );
    check(
        "kind = 'command'",
        &expect!["targets.bot.command: expected a program and its arguments, found nothing"],
    );
    check("model = 'm'", &expect!["targets.bot.kind: expected one of openai, http, command, found nothing"]);
}

#[test]
fn a_table_that_nobody_chose_is_checked_all_the_same() {
    let layer = Layer::read("probity.toml", "[targets.other]\nkind = 'command'\n").expect("a layer");
    assert!(Config::resolve([layer]).is_err());
    assert_eq!(Config::resolve([]).expect("the defaults fit").target, None);
}

#[test]
fn flags_go_over_the_table() {
    let table = "[targets.bot]\nkind = 'openai'\nmodel = 'm'\naliases = ['n']\nsystem = 'text'\n";
    let flags = TargetChoice {
        model: Some("other".to_owned()),
        base_url: Some("http://127.0.0.1:1/v1".to_owned()),
        system_file: Some("system.txt".into()),
        ..TargetChoice::default()
    };
    let target = chosen(table, flags).expect("it fits");
    let TargetBackend::Openai(ChatTarget { chat, system }) = &target.backend else { panic!("{target:?}") };
    assert_eq!(target.models, ["other"]);
    assert_eq!(chat.base_url.to_string(), "http://127.0.0.1:1/v1");
    assert_eq!(chat.key_use, KeyUse::IfPresent);
    assert_eq!(*system, SystemPrompt::File("system.txt".into()));
}

#[test]
fn a_target_is_where_the_judge_of_its_kind_is_unless_it_says_otherwise() {
    let beside =
        "[judges.openai]\nbase_url = 'http://127.0.0.1:2/v1'\napi_key_env = 'JUDGE'\ntemperature = 1\n";
    let of = |own: &str| {
        let table = format!("{beside}[targets.bot]\nkind = 'openai'\nmodel = 'm'\n{own}");
        let target = chosen(&table, TargetChoice::default()).expect("it fits");
        let chat = target.chat().expect("a model");
        let temperature = chat.sent(&LeftOut::default()).temperature.expect("sent");
        format!("{} {:?} {temperature}", chat.base_url, chat.api_key_env.as_deref().unwrap_or(""))
    };
    assert_eq!(of(""), "http://127.0.0.1:2/v1 \"JUDGE\" 0");
    let own = "base_url = 'http://127.0.0.1:3/v1'\napi_key_env = 'BOT'\ntemperature = 0.5\n";
    assert_eq!(of(own), "http://127.0.0.1:3/v1 \"BOT\" 0.5");
}
