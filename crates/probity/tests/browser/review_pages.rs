//! Every page of the review room as people see it, by day, by night and on a telephone. The pictures are kept.

use serde_json::json;

use crate::axe::accessible;
use crate::binary::Probity;
use crate::client::{Browser, Look};
use crate::review_room::{ENTER, ESCAPE, ReviewRoom, Visitor};

/// The looks that a page to work in has; nobody prints one.
const LOOKS: [(Look, &str); 4] = [
    (Look::Light, "light"),
    (Look::Dark, "dark"),
    (Look::Narrow, "narrow"),
    (Look::NarrowDark, "narrow-dark"),
];

/// Pictures of the page that is open. It must fit its width and have nothing to complain about.
#[track_caller]
fn pictured(browser: &Browser, name: &str) {
    for (look, suffix) in LOOKS {
        browser.look(look);
        tall(browser, look);
        browser.screenshot(&format!("review-{name}-{suffix}"));
        let over = "return document.documentElement.scrollWidth - document.documentElement.clientWidth";
        assert_eq!(browser.execute(over, &[]), 0, "{name} is too wide: {suffix}");
    }
    browser.look(Look::Light);
    accessible(browser, name);
    assert_eq!(browser.complaints(), Vec::<String>::new(), "{name} at {}", browser.url());
}

/// Makes the window as tall as the page, so that what sticks to its edges stands where the page ends.
#[track_caller]
fn tall(browser: &Browser, look: Look) {
    let height = browser.execute("scrollTo(0, 0); return document.documentElement.scrollHeight", &[]);
    let is_narrow = matches!(look, Look::Narrow | Look::NarrowDark);
    let (width, mobile) = if is_narrow { (390, true) } else { (1440, false) };
    let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile });
    browser.devtools("Emulation.setDeviceMetricsOverride", &metrics);
}

/// Tickets with a conversation, evidence and two variants of the reply.
fn cases() -> [String; 2] {
    let tickets = [
        (
            "returns",
            "The keyboard I bought twelve days ago has two dead keys. Can I send it back?",
            "Yes. A faulty keyboard can go back within 30 days of delivery. Open Orders, choose the keyboard and press Return: the label is free, and we send the replacement when the parcel is scanned.",
            "Please return the item.",
        ),
        (
            "returns",
            "I opened the software box but never used the licence. Is a refund possible?",
            "Unfortunately opened software can never be returned.",
            "Yes, as long as the licence key was not activated. Send us the order number; we check the key and refund within five working days.",
        ),
        (
            "shipping",
            "My order shows \"delivered\" but there is nothing here. What do I do?",
            "Sorry about that. Check with neighbours today; if it does not turn up, tell us by tomorrow and we open a search with the carrier.",
            "Please look around your house and ask your neighbours. If you do not find it, contact the carrier.",
        ),
        (
            "shipping",
            "Can I change the delivery address? The order was placed an hour ago.",
            "Yes, while the order is being prepared. Open Orders, choose the order and press Change address.",
            "Address changes are not possible.",
        ),
        (
            "billing",
            "I was charged twice for order 5512. Please refund one of them.",
            "I see both charges. One was a reservation that falls away by itself within three working days; nothing else is needed from you.",
            "You were charged correctly.",
        ),
        (
            "billing",
            "Where do I find the invoice for last month?",
            "Under Account, Invoices. Each invoice can be downloaded as a PDF from the first of the month on.",
            "Invoices are sent by e-mail, have a look at your inbox or the spam folder, or contact us again with the order number so that we can send it another time.",
        ),
    ];
    let line = |n: usize, reply: &str, variant: &str| {
        let (slice, ticket, ..) = tickets[n];
        let turns = json!([
            { "role": "customer", "text": "Hello, is anybody there?" },
            { "role": "agent", "text": "Yes, how can I help?" },
            { "role": "customer", "text": ticket },
        ]);
        let evidence = json!([{ "source": "returns-policy", "version": "2" }]);
        let id = format!("t-{:03}", n + 1);
        json!({ "id": id, "slice": slice, "turns": turns, "reply": reply, "variant": variant, "evidence": evidence })
            .to_string()
    };
    let first = (0..tickets.len()).map(|n| line(n, tickets[n].2, "prompt-a"));
    let second = (0..tickets.len()).map(|n| line(n, tickets[n].3, "prompt-b"));
    [first.collect::<Vec<_>>().join("\n"), second.collect::<Vec<_>>().join("\n")]
}

const POLICIES: &str = r#"
[[source]]
id = "returns-policy"
version = "2"
text = """
Goods that are faulty can be sent back within 30 days of delivery, free of charge. Software can be sent back as long as its licence key was not activated.
"""
"#;

const CONTRACT: &str = r#"
name = "support"
version = "1"
owner = "QA"
[labels]
rows_min = 50
[agreement]
measure = "cohen_kappa"
lower_bound_min = 0.6
[[slice]]
name = "billing"
rows_min = 30
"#;

fn levels(page: &str, shift: usize) -> Vec<(String, String)> {
    let fields = page.split("name=\"level.").skip(1).filter_map(|rest| rest.split('"').next());
    let mut names: Vec<&str> = fields.collect();
    names.dedup();
    let level = |n: usize| ((page.len() / 7 + n * 3 + shift) % 3 + 3).to_string();
    names.iter().enumerate().map(|(n, name)| (format!("level.{name}"), level(n))).collect()
}

#[test]
fn every_page_by_day_by_night_and_on_a_telephone() {
    let Some(browser) = Browser::start() else { return };
    let [first, second] = cases();
    let probity = Probity::new()
        .file("a.jsonl", first)
        .file("b.jsonl", second)
        .file("policies.toml", POLICIES)
        .file("contract.toml", CONTRACT);
    probity.args(["run", "a.jsonl", "--policies", "policies.toml"]).run().code(0);
    probity.args(["run", "b.jsonl", "--policies", "policies.toml"]).run().code(0);
    probity.args(["compare", "a.jsonl", "b.jsonl"]).run();
    let pairs = [
        "review", "a.jsonl", "b.jsonl", "--pairs", "--policies", "policies.toml", "--no-serve", "--queue",
        "Prompt A against B",
    ];
    probity.args(pairs).run().code(0);
    let words =
        ["a.jsonl", "--policies", "policies.toml", "--reveal", "--queue", "Weekly sample", "--person", "Ann"];
    let more = ["--person", "Ben", "--contract", "contract.toml"];
    let room = ReviewRoom::start(&probity, &[&words[..], &more].concat());

    browser.goto(&room.url("/enter"));
    pictured(&browser, "enter");
    browser.come_in(room.link("Ann"));
    pictured(&browser, "queues");
    labelled_by_ann(&browser);
    let ben: Visitor = room.visitor("Ben");
    ben.label(2, 6, |page| levels(page, 1));
    browser.turned(|| browser.click(".who button"));
    browser.come_in(room.link("Lena"));
    for (path, name) in [
        ("/", "home"),
        ("/queues", "queues-lead"),
        ("/queues/2", "queue"),
        ("/queues/2/disagreements", "disagreements"),
        ("/queues/2/agreement", "agreement"),
        ("/people", "people"),
        ("/log", "log"),
        ("/queues/2/guidelines", "guidelines"),
        ("/runs", "runs"),
        ("/runs/1", "run"),
        ("/runs/1?case=t-003%20(prompt-a)", "case"),
        ("/runs/1?case=t-003%20(prompt-a)&tab=raw", "raw"),
        ("/runs/3", "comparison"),
        ("/runs/compare?one=1&other=2", "compare"),
        ("/nowhere", "refusal"),
    ] {
        browser.goto(&room.url(path));
        if name == "refusal" {
            browser.complaints();
        }
        if name == "compare" {
            // What changed is a list here too, and comes with the page.
            browser.wait_until("document.querySelector('#replies:not([hidden]) .row')");
        }
        if name == "raw" {
            browser.wait_until("document.querySelector('.raw-side')");
        }
        pictured(&browser, name);
    }
    browser.goto(&room.url("/queues/2/disagreements"));
    browser.turned(|| browser.click("tbody a.button"));
    pictured(&browser, "settle");
    browser.goto(&room.url("/people"));
    browser.send_keys("#name", "Carla");
    browser.turned(|| browser.click("button.primary"));
    browser.find("[data-copy]");
    pictured(&browser, "invited");
}

/// The pages of labelling, for levels and for pairs.
fn labelled_by_ann(browser: &Browser) {
    browser.turned(|| browser.click(".queue:nth-child(1) button"));
    pictured(browser, "pair");
    browser.press("2");
    pictured(browser, "pair-chosen");
    browser.turned(|| browser.click(".brand"));
    browser.turned(|| browser.click(".queue:nth-child(2) button"));
    pictured(browser, "levels");
    browser.press("4");
    pictured(browser, "levels-chosen");
    browser.picture("label", 1000, 800);
    browser.press("?");
    pictured(browser, "help");
    browser.press(ESCAPE);
    browser.wait_until("!document.getElementById('help').open");
    browser.turned(|| browser.press(&format!("5{ENTER}")));
    pictured(browser, "answered");
    browser.turned(|| browser.press("v"));
    pictured(browser, "reveal");
    for _ in 0..3 {
        browser.turned(|| browser.press(ENTER));
        browser.turned(|| browser.press(&format!("34{ENTER}")));
    }
}
