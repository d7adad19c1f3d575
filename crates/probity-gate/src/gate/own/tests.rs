//! Every kind of rule on replies that keep it and break it, and every fault of a rule file.

#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes its texts this way")]

use expect_test::{Expect, expect};

use super::super::policy::PolicyFile;
use super::super::{Gate, Settings};
use super::*;
use crate::case::{Case, CaseId, Reply, Situation};

fn rules(toml: &str) -> OwnRules {
    read(&[PolicyFile { name: "rules.toml", text: toml }]).expect("good rules").0
}

fn entry(reply: &str) -> Entry {
    let situation = Situation::Ticket("Where is it?".into());
    Entry { case: Case::new(CaseId::new("c1").expect("an id"), situation), reply: Reply::new(reply) }
}

/// What a rule with `condition` says about a reply: nothing, or the span and what was expected.
#[track_caller]
fn check(condition: &str, reply: &str, want: &str) {
    let head = "[[rule]]\nid = \"mine\"\nmessage = \"no\"\nseverity = \"block\"\n";
    let own_rules = rules(&format!("{head}{condition}"));
    let gate = Gate::new(Settings { own_rules, ..Settings::default() }).expect("good settings");
    let said = match gate.screen(entry(reply)) {
        Ok(_) => String::new(),
        Err(blocked) => {
            let own =
                blocked.findings().iter().find(|finding| finding.rule() == "own.mine").expect("of the rule");
            let seen = &own.sighting;
            let place =
                if seen.end - seen.start == reply.len() { "all" } else { &reply[seen.start..seen.end] };
            format!("{place}: {}", seen.expected.as_deref().unwrap_or_default())
        }
    };
    assert_eq!(said, want, "{condition} on {reply:?}");
}

#[test]
fn words_must_and_must_not_stand_in_a_reply() {
    let must = "must_contain = [\"order number\", \"reference\"]";
    check(must, "Your  ORDER number is 12.", "");
    check(must, "Your order is late.", "all: \"order number\" or \"reference\"");
    let must_not = "must_not_contain = [\"guarantee\", \"lawyer\"]";
    check(must_not, "We guaranteed nothing.", "");
    check(
        must_not,
        "I gua\u{200b}rantee it, ask a lawyer.",
        "gua\u{200b}rantee: no \"guarantee\" or \"lawyer\"",
    );
}

#[test]
fn expressions_must_and_must_not_match() {
    check("must_match = '\\bTCK-\\d{4}\\b'", "See TCK-1234.", "");
    check("must_match = '\\bTCK-\\d{4}\\b'", "See TCK-12.", "all: text that matches \\bTCK-\\d{4}\\b");
    check(
        "must_not_match = '(?i)as an ai'",
        "As an AI, I cannot.",
        "As an AI: no text that matches (?i)as an ai",
    );
    check("must_not_match = '€\\s?\\d'", "It costs € 5.", "€ 5: no text that matches €\\s?\\d");
}

#[test]
fn length_is_counted_in_words() {
    let length = "words_min = 2\nwords_max = 4";
    check(length, "Thank you – bye!", "");
    check(length, "Thanks!", "all: at least 2 words, found 1");
    check(length, "one two three four five", "all: at most 4 words, found 5");
    check("words_max = 3", "", "");
}

#[test]
fn a_closing_stands_at_the_end_with_a_name() {
    let closing = "must_end_with = [\"kind regards\", \"best wishes\"]";
    check(closing, "It is on its way.\n\nKind regards,\nJane from the Shop Team", "");
    check(closing, "It is on its way. Best wishes!", "");
    let early = "Kind regards to you. The parcel left us today and you have it soon.";
    check(closing, early, "all: at the end: \"kind regards\" or \"best wishes\"");
    check(closing, "It is on its way.", "all: at the end: \"kind regards\" or \"best wishes\"");
}

#[test]
fn links_are_those_of_the_list() {
    let links = "links = [\"https://shop.example\", \"help.shop.example/returns/*\"]";
    check(links, "See https://www.shop.example/orders/12 and help.shop.example/returns/how.", "");
    check(links, "No link at all.", "");
    let expected = "a link of those that the rule lists";
    check(links, "See https://help.shop.example/faq.", &format!("https://help.shop.example/faq: {expected}"));
    check(
        links,
        "See https://shop.example.evil.test/x.",
        &format!("https://shop.example.evil.test/x: {expected}"),
    );
    check(links, "See http://192.0.2.7/x and shop.example.", &format!("://: {expected}"));
}

#[test]
fn json_has_the_members_of_the_shape() {
    let shape =
        "json = { reply = \"string\", score = \"number?\", \"items[].sku\" = \"string\", items = \"array\" }";
    check(shape, "{\"reply\": \"Hi\", \"items\": [{\"sku\": \"a\"}], \"more\": 1}", "");
    check(shape, "{\"reply\": \"Hi\", \"items\": []}", "");
    check(shape, "Hi", "all: one JSON value and nothing else");
    check(shape, "{\"reply\": 1, \"items\": []}", "all: a member `reply` that is of the type string");
    let sku = "all: a member `items[].sku` that is of the type string";
    check(shape, "{\"reply\": \"Hi\", \"items\": [{\"sku\": \"a\"}, {}]}", sku);
    check(shape, "{\"reply\": \"Hi\"}", sku);
}

#[test]
fn the_language_is_one_of_the_list() {
    let languages = "languages = [\"de\", \"fr\"]";
    check(languages, "Wir haben Ihre Bestellung heute verschickt.", "");
    check(languages, "We have sent your order today.", "all: the language de or fr, found en");
    check(languages, "返金いたします。", "all: the language de or fr, found one of another script");
    check(languages, "OK 4711", "");
}

#[test]
fn a_rule_is_for_its_slices_and_does_what_settings_say() {
    let toml = "[[rule]]\nid = \"calm\"\nmessage = \"shouts\"\nseverity = \"flag\"\nslices = [\"returns\"]\n\
                must_not_match = '!!'";
    let entry = |slice: &str| {
        let mut entry = entry("Soon!!");
        entry.case.slice = Some(Slice::new(slice).expect("a slice"));
        entry
    };
    let gate = Gate::new(Settings { own_rules: rules(toml), ..Settings::default() }).expect("good settings");
    let flags = |slice: &str| gate.screen(entry(slice)).expect("a flag blocks nothing").flags().len();
    assert_eq!((flags("returns"), flags("billing")), (1, 0));
    let own_id = super::super::own_id("own.calm").expect("an id");
    let block = [(own_id, super::super::RuleSetting::Block)].into();
    let gate = Gate::new(Settings { own_rules: rules(toml), rules: block, ..Settings::default() });
    assert!(gate.expect("good settings").screen(entry("returns")).is_err());
}

#[test]
fn rules_are_a_part_of_what_the_gate_is() {
    let gate = |toml: Option<&str>| {
        let own_rules = toml.map(rules).unwrap_or_default();
        Gate::new(Settings { own_rules, ..Settings::default() }).expect("good settings")
    };
    let toml = "[[rule]]\nid = \"short\"\nmessage = \"long\"\nseverity = \"block\"\nwords_max = 9";
    let (none, some, other) = (gate(None), gate(Some(toml)), gate(Some(&toml.replace('9', "8"))));
    assert_eq!(none.digest(), Gate::default().digest());
    assert!(none.digest() != some.digest() && some.digest() != other.digest());
    assert_eq!(some.sources(), [("rules.toml".to_owned(), toml.to_owned())]);
    assert!(some.can_block("own.short") && !none.can_block("own.short"));
}

#[track_caller]
fn check_faults(toml: &str, want: &Expect) {
    let problems = read(&[PolicyFile { name: "rules.toml", text: toml }]).expect_err("bad rules");
    let lines = problems.into_iter().map(|found| {
        let hint = found.problem.hint.map(|hint| format!("; {hint}")).unwrap_or_default();
        format!("{}:{}: {}{hint}\n", found.file, found.problem.line, found.problem.message)
    });
    want.assert_eq(&lines.collect::<String>());
}

#[test]
fn what_is_wrong_with_a_rule_is_said_on_its_line() {
    check_faults(
        "",
        &expect![[r#"
        rules.toml:1: the file has no rule; add at least one [[rule]]
    "#]],
    );
    check_faults(
        "[[rule]]\nid = \"Two Words\"\nmust_contain = []\nmust_containn = \"x\"",
        &expect![[r#"
        rules.toml:1: [[rule]] has no `message`; add message = …
        rules.toml:1: [[rule]] has no `severity`; add severity = …
        rules.toml:2: the id "Two Words" must be lower-case letters, digits and `_`, 64 at most; such as id = "closing_line"
        rules.toml:3: `must_contain` lists nothing; leave it out, or name one
        rules.toml:4: unknown key `must_containn` in [[rule]]; did you mean `must_contain`?
    "#]],
    );
    let head = "[[rule]]\nid = \"a\"\nmessage = \"m\"\nseverity = \"block\"\n";
    check_faults(
        head,
        &expect![[r#"
        rules.toml:1: the rule asks for nothing; add one of must_contain, must_not_contain, must_end_with, must_match, must_not_match, words_min, words_max, links, json, languages
    "#]],
    );
    check_faults(
        &format!("{head}words_min = 3\nlinks = [\"a b\"]"),
        &expect![[r#"
        rules.toml:1: the rule asks for several things: words_min, links; make a rule of each
    "#]],
    );
    check_faults(
        &format!("{head}words_min = 3\nwords_max = 2"),
        &expect![[r#"
        rules.toml:1: no reply has at least 3 and at most 2 words
    "#]],
    );
    check_faults(
        &format!("{head}must_match = '(a'\n{head}must_match = '(?=a)b'"),
        &expect![[r#"
        rules.toml:5: `must_match` cannot be used: unclosed group; an expression as in ripgrep, in single quotes: '(?i)\bguarantee\b'
        rules.toml:10: `must_match` cannot be used: look-around, including look-ahead and look-behind, is not supported; an expression as in ripgrep, in single quotes: '(?i)\bguarantee\b'
    "#]],
    );
    check_faults(
        &format!("{head}must_match = '((a{{99}}){{99}}){{99}}'\n"),
        &expect![[r#"
        rules.toml:5: `must_match` cannot be used: Compiled regex exceeds size limit of 262144 bytes.; an expression as in ripgrep, in single quotes: '(?i)\bguarantee\b'
    "#]],
    );
    check_faults(
        &format!("{head}json = {{ a = \"text\" }}\n{head}links = [\"shop\"]"),
        &expect![[r#"
        rules.toml:5: `json`: "text" is no type of JSON; one of string, number, boolean, array, object; `?` behind it where the member may be missing
        rules.toml:6: there are two rules called own.a; the other stands in rules.toml on line 1
        rules.toml:10: `links`: "shop" is no link; such as "example.com" or "help.example.com/returns/*"
    "#]],
    );
    check_faults(
        &format!("{head}languages = [\"German\"]"),
        &expect![[r#"
        rules.toml:5: `languages`: "German" is no code of a language; such as "de", its code in ISO 639-1
    "#]],
    );
    check_faults(
        &format!("{head}words_max = 2\n{head}words_max = 2\n"),
        &expect![[r#"
        rules.toml:6: there are two rules called own.a; the other stands in rules.toml on line 1
    "#]],
    );
    check_faults(
        &format!("{head}slices = []\nwords_max = 2").replace("block", "stop"),
        &expect![[r#"
        rules.toml:4: `severity` must be one of block, flag, found "stop"
        rules.toml:5: `slices` lists nothing; leave it out, or name one
    "#]],
    );
}

#[test]
fn an_expression_takes_time_that_grows_with_the_reply_alone() {
    let condition = "must_not_match = '(a|aa|a*a*)*b$'";
    check(condition, &"a".repeat(200_000), "");
    check("must_end_with = [\"a a a\", \"a\"]", &"a ".repeat(100_000), "");
    check("links = [\"shop.example\"]", &"x".repeat(200_000), "");
}
