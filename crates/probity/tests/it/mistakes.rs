//! Mistakes that people make on their first day, and the message that each gets: what is wrong, and what to do next.

use std::net::TcpListener;

use expect_test::{Expect, expect};

use crate::answers::tickets;
use crate::binary::Probity;

/// What a mistake says on standard error, apart from notices about settings and the judge.
#[track_caller]
fn check(folder: &Probity, args: &[&str], want: &Expect) {
    let ran = folder.args([]).words(args.iter().copied()).run();
    let is_notice = |line: &&str| line.starts_with("settings: ") || line.starts_with("no key is set");
    let said = ran.stderr.lines().filter(|line| !is_notice(line)).collect::<Vec<_>>().join("\n");
    let said = said.replace(folder.path("").to_str().expect("a path"), "");
    want.assert_eq(&format!("{said}\n[exit code {}]\n", ran.code.expect("a code")));
}

fn folder() -> Probity {
    Probity::new()
        .file("tickets.json", tickets(2))
        .file("noreply.csv", "id,ticket\n1,Where is it?\n2,Refund?\n")
        .file("comma.json", r#"[{"id": "a", "ticket": "T", "reply": "R"},]"#)
        .file("empty.json", "")
        .file("wrong.toml", "[run]\nrubrik = \"x\"\n")
}

#[test]
fn names_that_are_nearly_right() {
    let folder = folder();
    check(
        &folder,
        &["rnu", "tickets.json"],
        &expect![[r#"
        error: unrecognized subcommand 'rnu'

          tip: a similar subcommand exists: 'run'

        Usage: probity <COMMAND>

        For more information, try '--help'.
        [exit code 2]
    "#]],
    );
    check(
        &folder,
        &["run", "tickets.json", "--modle", "m"],
        &expect![[r#"
        error: unexpected argument '--modle' found

          tip: a similar argument exists: '--model'

        Usage: probity run --model <MODEL> <FILE>...

        For more information, try '--help'.
        [exit code 2]
    "#]],
    );
    check(
        &folder,
        &["run", "tickts.json"],
        &expect![[r#"
        error: tickts.json: there is no such file
        hint: did you mean tickets.json?
        [exit code 2]
    "#]],
    );
    check(
        &folder,
        &["run", "tickets.json", "--rubric", "relevance-tones"],
        &expect![[r#"
        error: there is no rubric relevance-tones: it is neither built in nor a file
        hint: did you mean `relevance-tone`?
        [exit code 2]
    "#]],
    );
    check(
        &folder,
        &["run", "tickets.json", "--rubric", "my.toml"],
        &expect![[r#"
        error: there is no rubric my.toml: it is neither built in nor a file
        hint: built in: relevance-tone, support-gold, pairwise-support
        [exit code 2]
    "#]],
    );
}

#[test]
fn judges_settings_and_files_that_are_nearly_right() {
    let folder = folder();
    check(
        &folder,
        &["run", "tickets.json", "--judge", "opnai"],
        &expect![[r#"
        error: judge.name: there is no judge "opnai"
          hint: did you mean `openai`?
        [exit code 2]
    "#]],
    );
    check(
        &folder,
        &["run", "tickets.json", "--config", "wrong.toml"],
        &expect![[r#"
        error: wrong.toml:2: unknown setting `rubrik` in [run]
          hint: did you mean `rubric`?
        [exit code 2]
    "#]],
    );
    check(
        &folder,
        &["gate", "check", "tickets.json", "--policies", "polices.toml"],
        &expect![[r#"
        error: polices.toml: there is no such file
        [exit code 2]
    "#]],
    );
    check(
        &folder,
        &["diff", "ticket.json", "after.json"],
        &expect![[r#"
        error: ticket.json: there is no such file
        hint: did you mean tickets.json?
        [exit code 2]
    "#]],
    );
}

#[test]
fn files_that_are_not_what_they_should_be() {
    let folder = folder();
    check(
        &folder,
        &["run", "noreply.csv"],
        &expect![[r#"
        error: noreply.csv:1: found no column with the reply
        hint: these are its columns, each with its first value:
          id      "1"
          ticket  "Where is it?"
        none of them looks like the reply: exports of tickets often leave messages out (those of Zendesk, Freshdesk, HubSpot and Gorgias do), and their API has them; where a column has it after all, say which: --map reply=COLUMN
        [exit code 2]
    "#]],
    );
    check(
        &folder,
        &["run", "comma.json"],
        &expect![[r#"
        error: comma.json:1: unexpected ']' in the array, expected a record
        hint: JSON has no comma after the last record
        [exit code 2]
    "#]],
    );
    check(
        &folder,
        &["run", "empty.json"],
        &expect![[r#"
        error: empty.json: no records
        hint: expected a JSON array, JSON lines or CSV with a header row
        [exit code 2]
    "#]],
    );
    check(
        &folder,
        &["run", "."],
        &expect![[r#"
        error: .: is a directory, expected a file
        hint: name the files in it one by one
        [exit code 2]
    "#]],
    );
}

#[test]
fn files_that_do_not_have_what_is_asked_for() {
    let folder = folder();
    check(
        &folder,
        &["import", "labels", "tickets.json"],
        &expect![[r#"
        error: tickets.json:1: none of the 2 rows can be used; the first one: Missing 'label' field
        [exit code 2]
    "#]],
    );
    check(
        &folder,
        &["compare", "tickets.json"],
        &expect![[r#"
        error: tickets.json: expected replies of two variants, found only 'tickets'
        hint: name a file for each variant, or give records a `variant`
        [exit code 2]
    "#]],
    );
    check(
        &folder,
        &["run", "tickets.json", "--store", "wrong.toml"],
        &expect![[r#"
        error: cannot open wrong.toml: expected a store, found another kind of file
        [exit code 4]
    "#]],
    );
    check(
        &folder,
        &["run", "tickets.json", "--only", "nothing"],
        &expect![[r#"
        error: tickets.json: no record matches --slice or --only
        [exit code 2]
    "#]],
    );
    check(
        &folder,
        &["run", "tickets.json", "--slice", "nothing"],
        &expect![[r#"
        error: tickets.json: no record matches --slice or --only
        hint: no record has a slice; --map slice=COLUMN names where it stands
        [exit code 2]
    "#]],
    );
}

#[test]
fn keys_servers_and_limits() {
    let folder = folder();
    check(
        &folder,
        &["run", "tickets.json", "--model", "gpt-6-luna"],
        &expect![[r#"
            error: the environment variable OPENAI_API_KEY is not set
            hint: export OPENAI_API_KEY=…, or choose --judge baseline; --base-url names a server without a key
            [exit code 2]
        "#]],
    );
    check(
        &folder,
        &["run", "tickets.json", "--base-url", "http://127.0.0.1:9/v1"],
        &expect![[r#"
        error: http://127.0.0.1:9/v1/models did not answer: could not connect: Connection refused (os error 111)
        hint: start the server, or correct --base-url
        [exit code 3]
    "#]],
    );
    check(
        &folder,
        &["run", "tickets.json", "--budget-usd", "$5"],
        &expect![[r#"
        error: --budget-usd: expected a plain decimal number such as 40 or 12.5, found "$5"
        [exit code 2]
    "#]],
    );
    check(
        &folder,
        &["run", "tickets.json", "--max-calls", "-1"],
        &expect![[r#"
        error: invalid value '-1' for '--max-calls <N>': expected a whole number, 0 or more

        For more information, try '--help'.
        [exit code 2]
    "#]],
    );
    check(
        &folder,
        &["run", "tickets.json", "--fail-under", "80"],
        &expect![[r#"
        error: invalid value '80' for '--fail-under <RATE>': expected a number from 0 to 1, such as 0.8 for 80 %

        For more information, try '--help'.
        [exit code 2]
    "#]],
    );
}

#[test]
fn reports_runs_contracts_and_labels() {
    let folder = folder();
    folder.args(["run", "tickets.json"]).run();
    check(
        &folder,
        &["run", "tickets.json", "--report", "report.pdf"],
        &expect![[r#"
        error: --report report.pdf: expected a name that ends in .html, .md, .txt, .xml, .json or .slack.json
        [exit code 2]
    "#]],
    );
    check(
        &folder,
        &["report", "99"],
        &expect![[r#"
        error: .probity/store.db has no run 99, expected a number or `last`
        hint: `probity report` lists the runs
        [exit code 2]
    "#]],
    );
    check(
        &folder,
        &["promote", "tickets.json"],
        &expect![[r#"
        error: the following required arguments were not provided:
          --contract <FILE>

        Usage: probity promote --contract <FILE> <CASES>...

        For more information, try '--help'.
        [exit code 2]
    "#]],
    );
    check(
        &folder,
        &["calibrate", "tickets.json"],
        &expect![[r#"
        error: .probity/store.db has no labels
        hint: name a file with --labels, or import labels with `probity import labels FILE`
        [exit code 2]
    "#]],
    );
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let ran = folder.args(["mock", "--port", &port]).run().code(2);
    ran.says(["Address already in use", "hint: another server may have the port; --port 0 takes a free one"]);
    check(
        &folder,
        &["init"],
        &expect![[r#"

        [exit code 0]
    "#]],
    );
    check(
        &folder,
        &["init"],
        &expect![[r#"
        error: ./probity.toml already exists; nothing was written
        hint: give another folder: probity init FOLDER
        [exit code 2]
    "#]],
    );
}

#[test]
fn the_doctor_says_what_is_configured_and_from_where() {
    let folder = folder()
        .file("probity.toml", "[run]\nrubric = \"support-gold\"\n[budget]\nusd_max = 2.5\n")
        .variable("OPENAI_API_KEY", "sk-secret-0123456789");
    let ran = folder.args(["doctor", "--model", "gpt-6-luna"]).run().code(0);
    assert!(!ran.stdout.contains("sk-secret"), "{}", ran.stdout);
    expect![[r#"
        settings   probity.toml                                   (read, not trusted)
        judge      openai                                         (its key is set)
        model      gpt-6-luna                                     (--model)
        host       https://api.openai.com/v1                      (default)
        key        set                                            (OPENAI_API_KEY)
        price      $0.1 in, $0.5 out for a million tokens         (probity models)
        rubric     support-gold 1.1, 5 criteria                   (probity.toml)
        store      .probity/store.db: the first run makes it      (default)
        policies   none: claims are not checked against policies  (gate.policies)
        own rules  0 files                                        (gate.rules)
        budget     $2.5; asks first above $5                      (budget)
        No call was made; --ask asks the judge's host for its models.
    "#]]
    .assert_eq(&ran.stdout);
    assert!(!folder.path(".probity").exists(), "nothing is written");

    let none =
        Probity::new().args(["doctor", "--model", "gpt-6-luna", "--rubric", "support-glod"]).run().code(2);
    expect![[r#"
        settings   probity.toml                                   (not there)
        judge      openai                                         (a model is named by --model)
        model      gpt-6-luna                                     (--model)
        host       https://api.openai.com/v1                      (default)
        key        missing                                        (OPENAI_API_KEY)
        price      $0.1 in, $0.5 out for a million tokens         (probity models)
        rubric     support-glod: unusable                         (--rubric)
        store      .probity/store.db: the first run makes it      (default)
        policies   none: claims are not checked against policies  (gate.policies)
        own rules  0 files                                        (gate.rules)
        budget     none; asks first above $5                      (budget)
        problem: the environment variable OPENAI_API_KEY is not set
        problem: there is no rubric support-glod: it is neither built in nor a file
        No call was made; --ask asks the judge's host for its models.
    "#]]
    .assert_eq(&none.stdout);
}

#[test]
fn the_doctor_asks_only_when_told_to() {
    let server = crate::answers::kind_judge();
    server.list_models(r#"{"data":[{"id":"only-one"}]}"#);
    let folder = folder().server(&server);
    folder.args(["doctor"]).run().code(0);
    assert_eq!(server.n_connections(), 0);
    let ran = folder.args(["doctor", "--ask", "--json"]).run().code(0);
    assert!(ran.stdout.contains("the host lists 1 model"), "{}", ran.stdout);
    let ran = folder.args(["doctor", "--ask", "--model", "only-on"]).run().code(2);
    assert!(ran.stdout.contains("does not list the model only-on; did you mean only-one?"), "{}", ran.stdout);
}
