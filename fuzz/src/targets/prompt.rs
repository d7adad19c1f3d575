//! The prompt: whatever customers and bots wrote, each of their texts stays one JSON string on one line
//! between the two marks, and no text contains the mark.

use std::cell::LazyCell;
use std::sync::Arc;

use probity_core::case::{Case, CaseId, Entry, Reply, Role, Situation, Turn};
use probity_core::gate::{Admitted, Gate};
use probity_core::json;
use probity_core::packet::{AnswerForm, Ask, CallPlan, Packet, asks, pair, pair_ask, question};
use probity_core::rubric;
use probity_engine::judge::prompt::Template;

use super::input::{choices, joined, parts, text};
use super::seeds as cases;

/// Rubrics and plans to ask by: with one criterion and with several, without a reference and with one.
const ASKED: [(&str, CallPlan); 4] = [
    ("relevance-tone", CallPlan::PerCriterion),
    ("relevance-tone", CallPlan::OneCall),
    ("support-gold", CallPlan::PerCriterion),
    ("support-gold", CallPlan::OneCall),
];

/// Two replies are compared instead of one being graded.
const PAIR: u8 = 1 << 6;

thread_local! {
    static TEMPLATE: LazyCell<Template> = const { LazyCell::new(|| Template::built_in(AnswerForm::Levels)) };
    static PAIR_TEMPLATE: LazyCell<Template> =
        const { LazyCell::new(|| Template::built_in(AnswerForm::Preference)) };
    static ASKS: LazyCell<Vec<Arc<Ask>>> = const { LazyCell::new(first_asks) };
}

fn first_asks() -> Vec<Arc<Ask>> {
    let first =
        |(name, plan): (&str, CallPlan)| asks(&rubric::built_in(name).expect("built in"), plan).remove(0);
    ASKED.map(first).to_vec()
}

/// Panics where a text gets out of its string.
pub fn check(data: &[u8]) {
    let (choice, rest) = choices(data);
    let [reply, reference, first, second] = parts(rest).map(text);
    let situation = if choice & 1 == 0 {
        Situation::Ticket(first.as_str().into())
    } else {
        let turn = |role, text: &String| Turn { role, text: text.as_str().into() };
        Situation::Conversation(vec![turn(Role::Customer, &first), turn(Role::Agent, &second)])
    };
    let (packet, prompt) = if choice & PAIR == 0 {
        let ask = ASKS.with(|asks| Arc::clone(&asks[usize::from(choice >> 1) % asks.len()]));
        let packet = question(&admitted(situation, &reply, &reference), &ask);
        let prompt = TEMPLATE.with(|template| template.render(&packet));
        (packet, prompt)
    } else {
        let packet = pair_packet(&situation, [&reply, &second], &reference);
        let prompt = PAIR_TEMPLATE.with(|template| template.render(&packet));
        (packet, prompt)
    };
    let prompt = prompt.expect("any packet can be rendered");
    let mark = packet.boundary();
    assert!(!prompt.system.contains(&mark), "the system message is the same for every packet");
    assert_eq!(
        prompt.user.matches(&mark).count(),
        3,
        "the mark is named once and stands around the material"
    );
    let (start, end) =
        (format!("\n===== material {mark} =====\n"), format!("\n===== end of material {mark} =====\n"));
    let (_, rest) = prompt.user.split_once(&start).expect("the first mark stands on a line of its own");
    let (material, after) = rest.split_once(&end).expect("the second mark stands on a line of its own");
    assert!(after.trim_start().starts_with("What stands above"), "what follows the material");
    check_material(material, &packet);
}

/// Inputs to start from.
pub fn seeds() -> Vec<Vec<u8>> {
    let literals = cases::literals(&cases::file("crates/probity-engine/src/judge/prompt.rs"));
    let corpus = cases::folder("crates/probity-core/tests/verdicts", ".toml");
    let texts: Vec<String> = literals.into_iter().chain(corpus).collect();
    let choices = (0_u8..8).chain([PAIR, PAIR | 1]).cycle();
    texts.windows(4).zip(choices).map(|(parts, choice)| joined(choice, parts)).collect()
}

fn pair_packet(situation: &Situation, replies: [&str; 2], reference: &str) -> Packet {
    let ask = pair_ask(&rubric::built_in("support-gold").expect("built in")).expect("it has ties");
    let [a, b] = replies.map(|reply| admitted(situation.clone(), reply, reference));
    pair(&a, &b, &ask).expect("two replies to one case")
}

fn admitted(situation: Situation, reply: &str, reference: &str) -> Admitted {
    let case = Case {
        reference: (!reference.is_empty()).then(|| reference.to_owned()),
        ..Case::new(CaseId::new("case").expect("an id"), situation)
    };
    let reply = Reply::new(reply);
    Gate::default().screen(Entry { case, reply }).expect("no rule blocks")
}

/// The texts come back from the material in their order, one to a line, and nothing else is in it.
fn check_material(material: &str, packet: &Packet) {
    assert!(!material.contains('<'), "a tag can be imitated");
    assert!(!material.contains(&packet.boundary()));
    let is_heading = |line: &str| line.starts_with("Conversation before the repl") && line.ends_with(':');
    let strings = material.split('\n').filter(|line| !is_heading(line)).map(|line| {
        let (_, string) = line.split_once(": ").expect("every line names its text");
        let value = json::parse(string).expect("every text is one JSON string");
        value.as_str().expect("every text is one JSON string").to_owned()
    });
    let mut want: Vec<&str> = packet.situation().texts();
    want.extend(packet.reference());
    want.extend(packet.subject().replies());
    assert!(strings.eq(want), "the texts of the prompt are not those of the packet");
}
