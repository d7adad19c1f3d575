//! A settings file that came with a folder takes no key and runs no program, until the user has trusted it.

use crate::answers::{kind_judge, tickets};
use crate::binary::{Probity, Ran};
use crate::support::ScriptedServer;

const KEY: &str = "sk-CANARY-0123456789abcdef";

/// A folder whose settings name `server` as the endpoint, and a user with a key.
fn cloned(server: &ScriptedServer) -> Probity {
    let probity = Probity::new().file("tickets.json", tickets(2)).variable("OPENAI_API_KEY", KEY);
    let own = probity.path("own").display().to_string();
    probity.variable("XDG_CONFIG_HOME", &own).file("probity.toml", settings(server))
}

fn settings(server: &ScriptedServer) -> String {
    format!("# Our judge.\n[judges.openai]\nbase_url = \"{}\"\n", server.url("/v1"))
}

#[track_caller]
fn check_refused(ran: Ran, server: &ScriptedServer) {
    let address = server.url("/v1");
    let line = format!(
        "probity.toml:3: judges.openai.base_url names the address {address}, which would get the key in \
         OPENAI_API_KEY, and the file is not trusted"
    );
    let ran = ran.code(2).says([&line, "`probity trust`", "--trust-settings"]);
    assert!(!ran.stderr.contains("CANARY") && ran.stdout.is_empty(), "{ran:?}");
}

#[test]
fn n16_a_settings_file_of_a_cloned_folder_takes_no_key() {
    let server = kind_judge();
    let probity = cloned(&server);
    check_refused(probity.run_tickets([]), &server);
    check_refused(probity.args(["check", "tickets.json"]).run(), &server);
    let named = probity.run_tickets(["--config", "./probity.toml", "--judge", "openai"]).code(2);
    named.says(["./probity.toml:3: judges.openai.base_url names the address"]);
    assert_eq!(server.n_connections(), 0, "nothing was sent");

    let url = server.url("/v1");
    probity.run_tickets(["--base-url", &url]).code(0);
    assert_eq!(server.n_requests(), 4, "the flag names the same address");
    probity.args(["run", "tickets.json"]).variable("OPENAI_BASE_URL", &url).run().code(0);
    probity.args(["run", "tickets.json", "--trust-settings"]).run().code(0);
    let authorization = format!("Bearer {KEY}");
    assert_eq!(server.requests()[0].header("authorization"), Some(authorization.as_str()));
}

#[test]
fn n16_trust_is_for_one_file_as_it_is() {
    let server = kind_judge();
    let probity = cloned(&server);
    let trusted = probity.args(["trust"]).run().code(0).stdout;
    let line = format!("probity.toml:3: judges.openai.base_url: {}\n", server.url("/v1"));
    assert!(trusted.starts_with(&line) && trusted.contains("until it changes"), "{trusted}");
    probity.run_tickets([]).code(0);
    assert_eq!(server.n_requests(), 4);

    probity.write("probity.toml", settings(&server) + "\n");
    check_refused(probity.run_tickets([]), &server);
    probity.write("probity.toml", settings(&server));
    probity.run_tickets([]).code(0);
    // Trust in another text of the file takes the place of the first.
    probity.write("probity.toml", settings(&server) + "\n");
    probity.args(["trust"]).run().code(0);
    probity.write("probity.toml", settings(&server));
    check_refused(probity.run_tickets([]), &server);
    // The same words beside other programs are another file.
    probity.write("copy/probity.toml", settings(&server));
    let copied = probity.run_tickets(["--config", "copy/probity.toml"]).code(2);
    copied.says(["copy/probity.toml:3: judges.openai.base_url", "`probity trust copy/probity.toml`"]);

    let plain = probity.file("plain.toml", "[run]\nstore = \"mine.db\"\nrubric = \"support-gold\"\n");
    let said = plain.args(["trust", "plain.toml"]).run().code(0).stdout;
    assert_eq!(said, "plain.toml decides nothing that needs your trust\n");
    plain.args(["trust", "none.toml"]).run().code(2).says(["none.toml: there is no such file"]);
}

#[test]
fn n16_a_kind_that_changes_a_judge_of_the_users_can_be_trusted() {
    let probity = Probity::new().file("tickets.json", tickets(1)).variable("CLOUD_SECRET", KEY);
    let own = probity.path("own").display().to_string();
    let probity = probity
        .variable("XDG_CONFIG_HOME", &own)
        .file("own/probity/config.toml", "[judges.mine]\nkind = \"openai\"\napi_key_env = \"CLOUD_SECRET\"\n")
        .file("probity.toml", "[judge]\nname = \"mine\"\n[judges.mine]\nkind = \"anthropic\"\n");
    let check = || probity.args(["check", "tickets.json"]).run();
    check().code(2).says(["probity.toml:4: judges.mine.kind changes base_url, and the file is not trusted"]);
    let trusted = probity.args(["trust"]).run().code(0).stdout;
    assert!(trusted.contains("probity.toml:4: judges.mine.kind: anthropic\n"), "{trusted}");
    check().code(0);
}

#[test]
fn n16_a_program_of_a_cloned_folder_does_not_run() {
    let program = "[judge]\nname = \"mine\"\n[judges.mine]\nkind = \"command\"\ncommand = [\"touch\", \"ran.txt\"]\n\
        [targets.bot]\nkind = \"command\"\ncommand = [\"touch\", \"ran.txt\"]\n";
    let probity = Probity::new().file("tickets.json", tickets(1)).file("probity.toml", program);
    let refused = probity.run_tickets([]).code(2);
    refused.says(["probity.toml:5: judges.mine.command names the program `touch ran.txt`"]);
    let refused = probity.run_tickets(["--judge", "baseline", "--target", "bot"]).code(2);
    refused.says(["probity.toml:8: targets.bot.command names the program `touch ran.txt`"]);
    assert!(!probity.path("ran.txt").exists());
    probity.run_tickets(["--judge", "baseline"]).code(0);
}

#[test]
fn n16_a_settings_file_reads_and_writes_nothing_outside_its_folder() {
    let probity = Probity::new().file("work/tickets.json", tickets(1)).file("secret.txt", "customers");
    std::os::unix::fs::symlink(probity.path("secret.txt"), probity.path("work/prompt.jinja"))
        .expect("a link");
    std::os::unix::fs::symlink(probity.path("none.db"), probity.path("work/hanging.db")).expect("a link");
    let run = |settings: &str| {
        probity.write("work/probity.toml", settings);
        Ran::of(probity.shell("cd work && exec \"$0\" run tickets.json"))
    };
    for setting in [
        "[run]\nstore = \"../store.db\"",
        "[run]\nstore = \"/store.db\"",
        "[run]\nstore = \"new/../../store.db\"",
        "[run]\nstore = \"hanging.db\"",
        "[run]\nrubric = \"../rubric.toml\"",
        "[gate]\npolicies = [\"/etc/hostname\"]",
        "[judge]\nname = \"openai\"\n[judges.openai]\ntemplate = \"prompt.jinja\"",
    ] {
        run(setting).code(2).says(["names a place outside the working folder", "not trusted"]);
    }
    assert!(!probity.path("store.db").exists() && !probity.path("none.db").exists());
    run("[run]\nstore = \"new/store.db\"\n").code(0);
}

#[test]
fn n16_the_users_own_settings_lie_below_those_of_the_folder() {
    let server = kind_judge();
    let probity = cloned(&server).file("own/probity/config.toml", settings(&server));
    let ran = probity.run_tickets([]).code(0);
    let own = probity.path("own/probity/config.toml").display().to_string();
    ran.says([&format!(
        "settings: {own}, probity.toml; judge openai: gpt-4o-mini at {}, key from OPENAI_API_KEY",
        server.url("/v1")
    )]);
    // They are the user's word, and the folder's file goes over what any file may decide.
    probity.write("own/probity/config.toml", settings(&server) + "model = \"m-own\"\nseed = 3\n");
    probity.write("probity.toml", "[judges.openai]\nmodel = \"m-folder\"\n");
    probity.run_tickets([]).code(0).says(["judge openai: m-folder at "]);
    let asked = server.requests().last().expect("a request").json();
    assert_eq!((&asked["model"], &asked["seed"]), (&"m-folder".into(), &3.into()));
    // Without XDG_CONFIG_HOME they lie where the specification says.
    let home =
        Probity::new().file("tickets.json", tickets(1)).file(".config/probity/config.toml", "[run]\nx = 1\n");
    let folder = home.path("").display().to_string();
    home.args(["run", "tickets.json"])
        .variable("HOME", &folder)
        .run()
        .code(2)
        .says(["config.toml:2: unknown setting"]);
}

#[test]
fn n16_every_run_names_its_settings_and_its_endpoint() {
    let probity = Probity::new().file("tickets.json", tickets(1)).file("probity.toml", "[run]\n");
    let line = "settings: probity.toml; judge baseline: inside this program";
    for command in [&["run"][..], &["run", "--json"], &["check"], &["probe", "--rubric", "relevance-tone"]] {
        let ran = probity.args([]).words(command.iter().copied()).words(["tickets.json"].into_iter()).run();
        assert!(ran.stderr.lines().any(|said| said == line), "{command:?}: {}", ran.stderr);
        assert!(!ran.stdout.contains("settings: probity.toml"), "{command:?}");
    }
}

#[test]
fn n16_no_key_goes_through_a_proxy_in_the_clear() {
    let (server, proxy) = (kind_judge(), kind_judge());
    let mut probity = Probity::new().file("tickets.json", tickets(1)).server(&server);
    for name in ["http_proxy", "HTTP_PROXY", "ALL_PROXY"] {
        probity = probity.variable(name, &proxy.url(""));
    }
    probity.variable("OPENAI_API_KEY", KEY).run_tickets([]).code(0);
    assert_eq!((server.n_requests(), proxy.n_connections()), (2, 0));
}

#[test]
fn n16_a_file_chooses_no_key_for_an_address_that_the_user_names() {
    let server = kind_judge();
    let probity = cloned(&server).variable("ANTHROPIC_API_KEY", "sk-ant-CANARY-0123456789");
    probity.write("probity.toml", "[judge]\nname = \"anthropic\"\n");
    let url = server.url("/v1");
    let ran = probity.run_tickets(["--base-url", &url]).code(2);
    ran.says(["probity.toml:2: judge.name chooses anthropic", "would get the key in ANTHROPIC_API_KEY"]);
    assert_eq!(server.n_connections(), 0, "nothing was sent");
    let trusted = probity.args(["trust"]).run().code(0).stdout;
    assert!(trusted.starts_with("probity.toml:2: judge.name: anthropic\n"), "{trusted}");
    assert!(!probity.run_tickets(["--base-url", &url]).stderr.contains("not trusted"));
    probity.write("probity.toml", "[judge]\nname = \"openai\"\n");
    probity.run_tickets(["--base-url", &url]).code(0);
}

#[test]
fn n16_what_is_trusted_is_shown_on_a_line_of_its_own() {
    let probity = cloned(&kind_judge());
    let settings =
        "[judges.x]\nkind = \"command\"\ncommand = [\"sh\", \"evil\\u001b[2K\\rharmless\\nline\"]\n";
    probity.write("probity.toml", settings);
    let shown = probity.args(["trust"]).run().code(0).stdout;
    assert!(shown.contains("sh evil\\u{1b}[2K harmless line\n"), "{shown}");
    let refused =
        probity.args(["run", "tickets.json", "--judge", "x"]).variable("XDG_CONFIG_HOME", "/none").run();
    let lines = refused.code(2).stderr;
    assert!(lines.lines().next().is_some_and(|line| line.contains("harmless line")), "{lines}");
}
