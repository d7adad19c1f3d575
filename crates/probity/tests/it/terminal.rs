//! What people read: help, the summary of a run, rubrics.

use expect_test::{expect, expect_file};

use crate::binary::Probity;

const TICKETS: &str = include_str!("../../../../examples/tickets.json");

#[test]
fn help() {
    let probity = Probity::new();
    let ran = probity.args(["run", "--help"]).variable("COLUMNS", "100").run().code(0);
    expect_file!["snapshots/run_help.txt"].assert_eq(&ran.stdout);
    let ran = probity.args(["--help"]).run().code(0);
    assert!(ran.stdout.contains("Exit codes: 0 done, 1 a check failed, 2"), "{}", ran.stdout);
    assert!(probity.args(["--version"]).run().code(0).stdout.starts_with("probity "));
}

#[test]
fn the_summary_of_the_example() {
    let probity = Probity::new().file("tickets.json", TICKETS);
    let ran = probity.args(["run", "tickets.json", "--judge", "baseline"]).run().code(0);
    expect![[r#"
        relevance-tone 1.1 · tickets.json · judge baseline (advisory)
        11 replies · 10 scored · 0 unscored · 1 blocked · 1 record skipped
        10 of 11 replies scored.
        The gate blocked 1 reply.

        Slices
        slice        replies
        all replies       11
        accounts           2
        api                2
        billing            2
        builds             3
        hardware           2

        Criteria
        criterion  mean  95 % interval   n  levels given                      unscored
        relevance  3.70      2.74–4.43  10  1: 0 · 2: 3 · 3: 2 · 4: 0 · 5: 5         0
        tone       3.50      2.83–4.00  10  1: 0 · 2: 0 · 3: 6 · 4: 3 · 5: 1         0

        Mean level by slice
        slice     relevance  tone
        accounts       3.50  3.00
        api            5.00  3.00
        billing        3.50  4.00
        builds         4.00  3.67
        hardware       3.00  3.50

        Failure patterns
        slice     what                  replies  such as
        accounts  weak tone              2 of 2  ticket-004, ticket-005
        hardware  weak relevance         2 of 2  ticket-008, ticket-009
        accounts  weak relevance         1 of 2  ticket-005
        api       weak tone              1 of 2  ticket-010
        api       blocked by pii.email   1 of 2  ticket-011
        billing   weak relevance         1 of 2  ticket-006
        billing   weak tone              1 of 2  ticket-007
        builds    weak relevance         1 of 3  ticket-002
        builds    weak tone              1 of 3  ticket-002
        hardware  weak tone              1 of 2  ticket-009

        Found by the gate
        rule       blocked  flagged
        pii.email        1        0
        No judge was asked about blocked replies, and no score reopens them.
          ticket-011 [api], blocked
            pii.email at 69-104: the reply contains an e-mail address

        Worst replies
          ticket-002 [builds], scored
            relevance 2: Lexical baseline, which counts words and understands nothing: the reply repeats 2 of 14 content words of the ticket.
            tone 3: Lexical baseline, which counts words and understands nothing: 46 words, 0 polite, 0 rude, 0 shouted.
          ticket-005 [accounts], scored
            relevance 2: Lexical baseline, which counts words and understands nothing: the reply repeats 1 of 11 content words of the ticket.
            tone 3: Lexical baseline, which counts words and understands nothing: 16 words, 0 polite, 0 rude, 0 shouted.
          ticket-009 [hardware], scored
            relevance 3: Lexical baseline, which counts words and understands nothing: the reply repeats 2 of 8 content words of the ticket.
            tone 3: Lexical baseline, which counts words and understands nothing: 27 words, 0 polite, 0 rude, 0 shouted.
          ticket-006 [billing], scored
            relevance 2: Lexical baseline, which counts words and understands nothing: the reply repeats 2 of 12 content words of the ticket.
            tone 5, the best: Lexical baseline, which counts words and understands nothing: 73 words, 2 polite, 0 rude, 0 shouted.
          ticket-008 [hardware], scored
            relevance 3: Lexical baseline, which counts words and understands nothing: the reply repeats 4 of 14 content words of the ticket.
            tone 4: Lexical baseline, which counts words and understands nothing: 75 words, 1 polite, 0 rude, 0 shouted.

        Not scored
        Skipped records
          record 11 at tickets.json:68 (ticket-012): Missing 'ticket' field

        20 calls on record, 0 tokens in, 0 out, $0
        standing: advisory, never promoted. Its scores are information only and must not gate a release.
    "#]].assert_eq(&ran.stdout);
    assert_eq!(
        ran.stderr,
        "settings: the defaults; judge baseline: inside this program\ntickets.json: line 68: record 11 is skipped: Missing 'ticket' field\n"
    );
}

#[test]
fn rubrics() {
    let probity = Probity::new();
    let list = probity.args(["rubric", "list"]).run().code(0).stdout;
    assert!(list.starts_with("relevance-tone    1.1  Relevance and tone\nsupport-gold"), "{list}");
    let card = probity.args(["rubric", "show", "support-gold"]).run().code(0).stdout;
    for part in ["Accuracy", "40", "support-gold 1.1\nhash "] {
        assert!(card.contains(part), "expected {part:?} in {card}");
    }
    probity.args(["rubric", "show", "none"]).run().code(2).says(["rubric none", "built in: "]);
    let rubric = include_str!("../../../probity-core/rubrics/support-gold.toml");
    let probity = probity.file("mine.toml", rubric);
    let ran = probity.args(["rubric", "check", "mine.toml"]).run().code(0);
    assert!(
        ran.stdout.starts_with("mine.toml: ok, support-gold 1.1, 5 criteria, pass at 70, hash "),
        "{}",
        ran.stdout
    );
    let heavy = rubric.replace("weight = 40", "weight = 41");
    let probity = probity.file("mine.toml", heavy);
    probity.args(["rubric", "check", "mine.toml"]).run().code(2).says(["mine.toml is not a rubric", "101"]);
}

#[test]
fn completions_and_man_pages_are_made_of_the_flags() {
    let probity = Probity::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = probity.args(["completions", shell]).run().code(0).stdout;
        assert!(script.contains("budget-usd"), "{shell}: {script}");
    }
    probity.args(["completions", "--man", "man"]).run().code(0);
    assert!(probity.text("man/probity-run.1").contains("fail\\-under"));
    assert!(probity.text("man/probity-gate-check.1").starts_with(".ie"), "a page for each command");
    probity.args(["completions"]).run().code(2);
}
