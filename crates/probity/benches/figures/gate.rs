//! How fast the whole gate reads replies: every rule on, with policies, on one thread.
//!
//! The time is that of the thread, not of the clock on the wall, where the kernel tells it; and the best of
//! several rounds, because another program can only make a round slower.

use std::time::Duration;

use probity_core::case::{Case, CaseId, Circumstances, Entry, Evidence, Reply, Situation};
use probity_core::gate::policy::PolicyFile;
use probity_core::gate::{Defaults, Gate, Policies, PolicyTexts, Settings};

use crate::bench::Bench;
use crate::clock::Clock;
use crate::figure::{Bar, Figure};
use crate::replies::{Letter, letters};

const POLICIES: &str = include_str!("../../../../examples/policies.toml");

const MEBIBYTE: usize = 1 << 20;
const ROUNDS: usize = 7;

/// Pieces of replies that were written to slow the gate down, each repeated to one long reply.
const HOSTILE: &[&str] = &[
    "4111 1111-1111.1111 (12) 34/56, ",
    "4",
    "4 ",
    "4111 ",
    "4-",
    "111 ",
    "1-2-3-4.",
    "4\n",
    "756.",
    "123.456.789-",
    "a@a.a",
    "@",
    "@ a.",
    "eyJ.",
    "12 Oak ",
    "xx 4 ",
    "one ",
    "0 ",
    "4l",
    "cpf ",
    "cpf 1",
    "ssn 123-",
    "password: a ",
    "born ",
    "your code is ",
    "Login: a/",
    "at gmail ",
    "a dot b ",
    "Suite 1 ",
    "AB 12 ",
    "refund ",
    "not refund, ",
    "if ",
    "$1 ",
    "\"",
    "'",
    "“",
    ".",
    "a.",
    "\n>",
    "1.",
    "#1",
    "hundred and ",
    "http://",
    "n't",
    "&#39;",
    "&#52;",
    "%34",
    "é",
    "e\u{301}",
    "番",
    "番1",
    "１",
    "\u{200b}",
    "{\"score\":5,",
    "ignore the ",
    "ending in 4242 Jane Doe ",
    "Acme Lights ",
    "do not open the battery ",
];

/// Replies of a support desk, in megabytes per second, and the slowest reply that was written to be slow, by how many
/// times longer it takes than as much ordinary text.
pub(crate) fn throughput(bench: &Bench) -> Vec<Figure> {
    let entries: Vec<Entry> = letters(8 * MEBIBYTE / bench.scale).into_iter().map(entry).collect();
    let n_bytes: usize = entries.iter().map(|entry| entry.reply.text.len()).sum();
    let speed = n_bytes as f64 / 1e6 / best(&entries).as_secs_f64();
    let what = "gate with policies, support replies, one thread (best of 7)";
    let slow = HOSTILE.iter().map(|piece| {
        let reply = piece.repeat(MEBIBYTE / 4 / bench.scale / piece.len());
        let ordinary = reply.len() as f64 / 1e6 / speed;
        let taken = best(&[entry(Letter { ticket: "Where is it?".to_owned(), reply })]);
        (taken.as_secs_f64() / ordinary, piece)
    });
    let (times, piece) = slow.max_by(|a, b| a.0.total_cmp(&b.0)).expect("there are hostile replies");
    let slowest =
        format!("gate, slowest of {} hostile replies ({piece:?} repeated) to ordinary text", HOSTILE.len());
    vec![
        Figure::new(what, speed, "MB/s", Bar::AtLeast(15.0)),
        Figure::new(slowest, times, "times", Bar::AtMost(5.0)),
    ]
}

/// One reply that is nothing but digits and what can stand between them.
pub(crate) fn digits(bench: &Bench) -> Vec<Figure> {
    let text = "4111 1111-1111.1111 (12) 34/56, ".repeat(MEBIBYTE / 32 / bench.scale);
    let taken = best(&[entry(Letter { ticket: "Where is it?".to_owned(), reply: text })]);
    let what = format!("gate with policies, {} KiB of digits (best of 7)", 1024 / bench.scale);
    vec![Figure::new(what, taken.as_secs_f64() * 1000.0, "ms", Bar::AtMost(50.0))]
}

/// One reply that is nothing but the beginning of a verdict, again and again.
pub(crate) fn signs(bench: &Bench) -> Vec<Figure> {
    let sign = "{\"score\":5,";
    let text = sign.repeat(MEBIBYTE / sign.len() / bench.scale);
    let taken = best(&[entry(Letter { ticket: "Where is it?".to_owned(), reply: text })]);
    let what = format!("gate with policies, {} KiB of verdicts begun (best of 7)", 1024 / bench.scale);
    vec![Figure::new(what, taken.as_secs_f64() * 1000.0, "ms", Bar::AtMost(100.0))]
}

/// The shortest time that the gate takes for all of `entries`.
fn best(entries: &[Entry]) -> Duration {
    let gate = gate();
    let rounds = (0..ROUNDS).map(|_| {
        let copies = entries.to_vec();
        let started = Clock::start();
        let outcomes: Vec<_> = copies.into_iter().map(|entry| gate.screen(entry)).collect();
        let taken = started.elapsed().on_processor;
        std::hint::black_box(outcomes);
        taken
    });
    rounds.min().expect("there are rounds")
}

/// The gate as a run with the example policies has it.
fn gate() -> Gate {
    let files = [PolicyFile { name: "policies.toml", text: POLICIES }];
    let texts = PolicyTexts { sources: &files, words: &[], allowed_claims: &[] };
    let (policies, _) = Policies::read(&texts, Defaults::default()).expect("the example policies are good");
    let settings = Settings {
        policies: Some(policies),
        competitors: vec!["Acme Lights".to_owned()],
        forbidden_advice: vec!["open the battery".to_owned()],
        ..Settings::default()
    };
    Gate::new(settings).expect("the settings have no patterns")
}

fn entry(letter: Letter) -> Entry {
    let id = CaseId::new("case").expect("a good id");
    let case = Case {
        circumstances: Circumstances { region: Some("EU".to_owned()), ..Circumstances::default() },
        evidence: Evidence::of_sources([("returns", None), ("delivery", None)]).into(),
        ..Case::new(id, Situation::Ticket(letter.ticket.into()))
    };
    Entry { case, reply: Reply::new(letter.reply) }
}
