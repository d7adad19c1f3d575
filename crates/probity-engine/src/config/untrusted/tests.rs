//! A settings file in the working folder decides nothing about keys, programs and places.

use super::super::layer::SECTIONS;
use super::super::layer::SettingClass::{Address, Header, Path, Plain, Program, Variable};
use super::super::{Config, FileTrust, Sources};
use super::*;

/// What is set in the environment of these tests.
const KEYS: &[&str] = &["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "CLOUD_SECRET"];

/// The file of a folder with the user's own settings below it and flags over it.
struct Case<'a> {
    file: &'a str,
    user: &'a str,
    flags: Layer,
    keys: &'a [&'a str],
    trust: FileTrust,
}

fn file(text: &str) -> Case<'_> {
    Case { file: text, user: "", flags: Layer::default(), keys: KEYS, trust: FileTrust::Untrusted }
}

impl Case<'_> {
    /// What is refused, or the name of the judge that is used.
    fn outcome(&self) -> String {
        let sources = Sources {
            user: Some(SettingsFile::read("own", self.user).expect("settings")),
            folder: Some((SettingsFile::read("probity.toml", self.file).expect("settings"), self.trust)),
            environment: Layer::default(),
            flags: self.flags.clone(),
        };
        let variable = |name: &str| self.keys.contains(&name).then(|| "secret-0123456789".to_owned());
        let is_outside = |path: &str| path.starts_with('/') || path.starts_with("..") || path.contains("://");
        let here = LocalFacts { variable: &variable, is_outside: &is_outside };
        match Config::from_sources(sources, &here) {
            Err(refused) => refused.to_string(),
            Ok(config) => match config.judge(&variable) {
                Err(refused) => refused.to_string(),
                Ok(chosen) => format!("judge {}", chosen.settings.name),
            },
        }
    }

    #[track_caller]
    fn is(&self, want: &str) {
        assert_eq!(self.outcome(), want);
    }
}

fn base_url(url: &str) -> Layer {
    Layer { any_base_url: Some(url.to_owned()), ..Layer::default() }
}

#[test]
fn n16_an_address_of_the_file_gets_no_key_and_no_case() {
    file("[judges.openai]\nbase_url = 'https://evil.example/v1'\n").is(
        "probity.toml:2: judges.openai.base_url names the address https://evil.example/v1, which would get the key in \
         OPENAI_API_KEY, and the file is not trusted",
    );
    let without_keys = Case { keys: &[], ..file("[judges.openai]\nbase_url = 'https://evil.example/v1'\n") };
    without_keys.is(
        "probity.toml:2: judges.openai.base_url names the address https://evil.example/v1, which would get the cases, \
         and the file is not trusted",
    );
    let inherited = "[judge]\nname = 'mine'\n[judges.mine]\nkind = 'openai'\n[judges.openai]\nbase_url = 'https://evil.example/v1'\n";
    file(inherited).is(
        "probity.toml:6: judges.openai.base_url names the address https://evil.example/v1, which would get the key in \
         OPENAI_API_KEY, and the file is not trusted",
    );
}

#[test]
fn n16_a_server_on_this_machine_is_harmless_without_a_key() {
    let local = "[judges.openai]\nbase_url = 'http://127.0.0.1:8080/v1'\n";
    Case { keys: &[], ..file(local) }.is("judge openai");
    file(&format!("{local}api_key_env = ''\n")).is("judge openai");
    file(local).is(
        "probity.toml:2: judges.openai.base_url names the address http://127.0.0.1:8080/v1, which would get the key in \
         OPENAI_API_KEY, and the file is not trusted",
    );
    let private = file("[judges.openai]\nbase_url = 'http://10.0.0.5/v1'\napi_key_env = ''\n");
    assert!(private.outcome().contains("which would get the cases"), "another machine is not this one");
}

#[test]
fn n16_a_key_goes_to_its_own_provider() {
    file("[judges.openai]\nbase_url = 'https://api.openai.com/v2'\n").is("judge openai");
    let crossed = "[judge]\nname = 'openai'\n[judges.openai]\nbase_url = 'https://api.anthropic.com/v1'\n";
    assert!(file(crossed).outcome().contains("the key in OPENAI_API_KEY"), "not to another provider");
    file(&format!("{crossed}api_key_env = 'ANTHROPIC_API_KEY'\n")).is("judge openai");
    for spelling in
        ["http://api.openai.com.local/v1", "https://api.openai.com:8443/v1", "https://openai.com/v1"]
    {
        let outcome = file(&format!("[judges.openai]\nbase_url = '{spelling}'\n")).outcome();
        assert!(outcome.contains("not trusted"), "{spelling}: {outcome}");
    }
}

#[test]
fn n16_a_variable_of_the_file_is_sent_nowhere() {
    let named = "[judge]\nname = 'openai'\n[judges.openai]\napi_key_env = 'CLOUD_SECRET'\n";
    let refused = "probity.toml:4: judges.openai.api_key_env names the variable CLOUD_SECRET, and the file is not trusted";
    file(named).is(refused);
    // An address that a flag names is the user's; the variable is not.
    Case { flags: base_url("https://gateway.example/v1"), ..file(named) }.is(refused);
}

#[test]
fn n16_a_flag_or_the_users_own_settings_name_the_address() {
    let evil = "[judges.openai]\nbase_url = 'https://evil.example/v1'\n";
    Case { flags: base_url("https://gateway.example/v1"), ..file(evil) }.is("judge openai");
    let own = "[judges.openai]\nbase_url = 'https://gateway.example/v1'\napi_key_env = 'CLOUD_SECRET'\n";
    Case { user: own, ..file("[run]\nparse = 'strict'\n") }.is("judge openai");
    Case { user: own, ..file(own) }.is("judge openai");
    let outcome = Case { user: own, ..file(evil) }.outcome();
    assert!(outcome.contains("evil.example/v1, which would get the key in CLOUD_SECRET"), "{outcome}");
    let other =
        "[judge]\nname = 'x'\n[judges.x]\nkind = 'anthropic'\nbase_url = 'https://gateway.example/v1'\n";
    let outcome = Case { user: own, ..file(other) }.outcome();
    assert!(outcome.contains("which would get the key in ANTHROPIC_API_KEY"), "{outcome}");
}

#[test]
fn n16_a_kind_of_the_file_takes_no_key_of_the_users_elsewhere() {
    let own = "[judges.mine]\nkind = 'openai'\napi_key_env = 'CLOUD_SECRET'\nbase_url = 'https://gateway.example/v1'\n";
    let name = "[judge]\nname = 'mine'\n";
    Case { user: own, ..file(name) }.is("judge mine");
    let own = "[judges.mine]\nkind = 'openai'\napi_key_env = 'CLOUD_SECRET'\n";
    let text = format!("{name}[judges.mine]\nkind = 'anthropic'\n");
    Case { user: own, ..file(&text) }
        .is("probity.toml:4: judges.mine.kind changes base_url, and the file is not trusted");
}

#[test]
fn n16_a_trusted_file_decides_everything_and_an_unused_table_nothing() {
    let command = "[judges.mine]\nkind = 'command'\ncommand = ['python3', 'judge.py']\n";
    let used = format!("[judge]\nname = 'mine'\n{command}");
    file(&used).is(
        "probity.toml:5: judges.mine.command names the program `python3 judge.py`, and the file is not trusted",
    );
    Case { trust: FileTrust::Trusted, ..file(&used) }.is("judge mine");
    file(&format!("[judge]\nname = 'baseline'\n{command}")).is("judge baseline");
}

#[test]
fn n16_everything_that_is_refused_is_named_at_once() {
    let mut flags = Layer::default();
    flags.target.name = Some("bot".to_owned());
    let text = "[run]\nstore = 'postgres://user:password@db.example/x'\n[gate]\npolicies = ['ours.toml', '/etc/theirs']\n\
        [targets.bot]\nkind = 'http'\nurl = 'https://evil.example/'\nheaders = { X-Key = '${CLOUD_SECRET}' }\n\
        request = '{}'\nreply = '/reply'\n";
    Case { flags, ..file(text) }.is("\
probity.toml:2: run.store names a place outside the working folder, postgres, and the file is not trusted
probity.toml:4: gate.policies names a place outside the working folder, /etc/theirs, and the file is not trusted
probity.toml:7: targets.bot.url names the address https://evil.example/, which would get its headers or variables, and the file is not trusted
probity.toml:8: targets.bot.headers names X-Key, which would be sent, and the file is not trusted");
}

/// Words in the names of settings that decide more than how replies are scored.
const TELLING: &[&str] = &[
    "url", "address", "host", "endpoint", "proxy", "env", "variable", "key", "token", "secret", "header",
    "command", "program", "path", "file", "folder", "store", "template", "verdicts", "policies", "languages",
    "rubric",
];

/// Settings whose names have such a word and that decide nothing of the kind.
const PLAIN_ALL_THE_SAME: &[&str] = &[
    "own_addresses", "context_tokens", "output_tokens_max", "thinking_tokens_max", "tokens_per_minute",
    "api_key_seconds",
];

#[test]
fn n16_every_setting_has_a_class_that_fits_its_name() {
    for (section, _, settings) in SECTIONS {
        for Setting { key, class, .. } in *settings {
            let is_telling = TELLING.iter().any(|word| key.contains(word)) && !key.ends_with("_per_mtok");
            if is_telling && !PLAIN_ALL_THE_SAME.contains(key) {
                assert_ne!(*class, Plain, "{section}.{key} needs a class: see config::layer");
            }
        }
    }
}

/// A value that a hostile file would give to a setting of this class, as a text, a list and a table.
fn hostile(class: SettingClass) -> [&'static str; 3] {
    match class {
        Plain => unreachable!("any file may decide it"),
        Address => ["'https://evil.example/v1'", "['https://evil.example/v1']", "{}"],
        Program => ["'evil'", "['evil']", "{ evil = 'evil' }"],
        Variable => ["'CLOUD_SECRET'", "['CLOUD_SECRET']", "{ X = 'CLOUD_SECRET' }"],
        Header => ["'X: ${CLOUD_SECRET}'", "['X: ${CLOUD_SECRET}']", "{ X = '${CLOUD_SECRET}' }"],
        Path => ["'/etc/passwd'", "['/etc/passwd']", "{ x = '/etc/passwd' }"],
    }
}

/// What a judge or target needs besides, by the key that is tried: the kind that has it.
fn table(section: &str, key: &str) -> &'static str {
    match (section, key) {
        ("judges", "command" | "pass_env") => "kind = 'command'\ncommand = ['own']\n",
        ("judges", "verdicts") => "kind = 'recorded'\n",
        ("judges", _) => "kind = 'openai'\n",
        (_, "command" | "pass_env") => "kind = 'command'\ncommand = ['own']\n",
        (_, "url" | "headers") => {
            "kind = 'http'\nurl = 'https://own.example/'\nrequest = '{}'\nreply = '/reply'\n"
        }
        _ => "kind = 'openai'\nmodel = 'm'\n",
    }
}

#[test]
fn n16_every_setting_that_decides_more_is_refused_in_the_working_folder() {
    let mut n_tried = 0;
    for (section, _, settings) in SECTIONS {
        for Setting { key, class, .. } in settings.iter().filter(|setting| setting.class != Plain) {
            let is_named = matches!(*section, "judges" | "targets");
            let header = if is_named { format!("[{section}.x]\n") } else { format!("[{section}]\n") };
            let own = if is_named { table(section, key) } else { "" };
            let mut flags = Layer::default();
            match *section {
                "judges" => flags.judge.name = Some("x".to_owned()),
                "targets" => flags.target.name = Some("x".to_owned()),
                _ => {}
            }
            let user = format!("{header}{own}");
            let texts = hostile(*class).map(|value| format!("{header}{key} = {value}\n"));
            let text = texts.iter().find(|text| Layer::read("f", text).is_ok()).expect("one form fits");
            let outcome = Case { user: &user, flags, ..file(text) }.outcome();
            let setting = if is_named { format!("{section}.x.{key}") } else { format!("{section}.{key}") };
            let refused = outcome.starts_with(&format!("probity.toml:2: {setting} names"));
            assert!(refused && outcome.ends_with("not trusted"), "{setting}: {outcome}");
            n_tried += 1;
        }
    }
    assert!(n_tried >= 17, "{n_tried}");
}
