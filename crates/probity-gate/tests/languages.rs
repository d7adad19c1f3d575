//! Replies in several languages against one policy: the remedy that it requires is found where it is offered, a promise that
//! nothing permits is blocked, and a language without word lists is said and not guessed.

use probity_gate::case::{Case, CaseId, Entry, Evidence, Reply, Situation};
use probity_gate::gate::claim::Languages;
use probity_gate::gate::policy::PolicyFile;
use probity_gate::gate::{Defaults, Gate, Policies, PolicyTexts, Settings, WordFile};

const LABELLED: &str = include_str!("corpus/claims.open.jsonl");

const POLICY: &str = r#"
[[source]]
id = "refurbished"
version = "1"
text = "A refurbished device that fails within 24 months is replaced. We pay no money back."
[source.facts]
required_remedies = ["replacement"]
forbidden_remedies = ["refund"]
windows = ["24 months"]
"#;

fn gate(words: &[WordFile<'_>], language: Option<&str>) -> Gate {
    let sources = [PolicyFile { name: "policies.toml", text: POLICY }];
    let texts = PolicyTexts { sources: &sources, words, allowed_claims: &[] };
    let defaults = Defaults { language: language.map(str::to_owned), ..Defaults::default() };
    let (policies, _) = Policies::read(&texts, defaults).expect("good policies");
    Gate::new(Settings { policies: Some(policies), ..Settings::default() }).expect("no patterns")
}

fn entry(reply: &str) -> Entry {
    let case = Case {
        evidence: Evidence::of_sources([("refurbished", None)]).into(),
        ..Case::new(CaseId::new("case").expect("an id"), Situation::Ticket("?".into()))
    };
    Entry { case, reply: Reply::new(reply) }
}

/// The rules of all findings, and whether claims were checked and found in order.
fn rules(gate: &Gate, reply: &str) -> (Vec<&'static str>, bool) {
    match gate.screen(entry(reply)) {
        Ok(admitted) => {
            let rules = admitted.flags().iter().map(probity_gate::gate::Finding::rule).collect();
            (rules, admitted.checks_passed().contains(&"claim"))
        }
        Err(blocked) => (blocked.findings().iter().map(probity_gate::gate::Finding::rule).collect(), false),
    }
}

#[track_caller]
fn check(reply: &str, want: &[&str]) {
    assert_eq!(rules(&gate(&[], None), reply).0, want, "{reply:?}");
}

const REFUND: [&str; 2] = ["claim.unsupported_promise", "claim.omitted_remedy"];

#[test]
fn the_remedy_is_found_in_the_language_of_the_reply() {
    check("Your laptop is covered, and we will replace it.", &[]);
    check("Ihr Laptop ist abgedeckt, wir schicken Ihnen gerne ein Ersatzgerät.", &[]);
    check("Das Gerät wird von uns innerhalb der 24 Monate ersetzt.", &[]);
    check("Votre ordinateur est couvert, nous le remplaçons.", &[]);
    check("Su portátil está cubierto y lo reemplazaremos.", &[]);
    check("O seu portátil está coberto e será substituído.", &[]);
    check("Il suo portatile è coperto e lo sostituiremo.", &[]);
    check("Uw laptop is gedekt en wij zullen hem vervangen.", &[]);
}

#[test]
fn a_refund_that_nothing_permits_is_blocked_in_every_language() {
    check("We will refund the full price.", &REFUND);
    check("Wir erstatten Ihnen den vollen Kaufpreis.", &REFUND);
    check("Nous vous remboursons le prix intégral.", &REFUND);
    check("Le reembolsaremos el importe completo.", &REFUND);
    check("Vamos reembolsar o valor total.", &REFUND);
    check("Le rimborseremo l'intero importo.", &REFUND);
    check("Wij betalen u het volledige bedrag terug.", &REFUND);
}

#[test]
fn what_is_denied_is_not_promised() {
    let omitted = ["claim.omitted_remedy"];
    check("Eine Rückerstattung ist leider nicht möglich.", &omitted);
    check("Nous ne pouvons pas vous rembourser.", &omitted);
    check("No podemos ofrecerle ningún reembolso.", &omitted);
}

#[test]
fn a_language_without_word_lists_is_said_and_not_guessed() {
    let (seen, is_checked) = rules(&gate(&[], None), "Zwrócimy Panu pełną kwotę w ciągu 14 dni na konto.");
    assert_eq!(seen, ["record.no_language"]);
    assert!(!is_checked, "nothing was found because nothing was looked for");
    let blocked = gate(&[], None).screen(entry("Zwrócimy Panu pełną kwotę w ciągu 14 dni na konto."));
    let message = &blocked.expect("admitted").flags()[0].sighting.message.clone();
    assert_eq!(
        message,
        "the claims of the reply were not checked: there are no word lists for its language (pl)"
    );
}

/// What `docs/design/languages.md` says about the labelled replies of `corpus.rs`.
#[test]
fn labelled_replies_are_told_as_what_they_are() {
    let (mut n, mut n_unknown, mut n_wrong) = (0, 0, 0);
    for line in LABELLED.lines() {
        let row: serde_json::Value = serde_json::from_str(line).expect("a line is a reply");
        let [reply, customer] = ["reply", "customer"].map(|key| row[key].as_str().unwrap_or_default());
        let both = format!("{customer}\n{reply}");
        let told = Languages::built_in().detect(reply).or_else(|| Languages::built_in().detect(&both));
        n += 1;
        n_unknown += usize::from(told.is_none());
        n_wrong += usize::from(told.is_some_and(|code| row["language"] != code));
    }
    println!("{n} labelled replies: {n_unknown} without a language, {n_wrong} in a wrong one");
    assert!(n_unknown * 100 <= n && n_wrong * 100 <= n, "{n_unknown} and {n_wrong} of {n}");
}

#[test]
fn a_language_that_is_given_is_not_guessed() {
    assert_eq!(rules(&gate(&[], Some("pl")), "We will refund you.").0, ["record.no_language"]);
    let mut given = entry("Refund: 5.");
    given.case.circumstances.language = Some("de-AT".to_owned());
    assert!(gate(&[], Some("pl")).screen(given).is_err(), "the record's own language comes first");
}

#[test]
fn a_tenant_adds_a_language() {
    let text =
        "[language]\nfunction_words = [\"w\", \"na\", \"panu\"]\n[remedy.refund]\ngranted = [\"zwrócimy\"]";
    let words = [WordFile { language: "pl", file: PolicyFile { name: "pl/all.toml", text } }];
    assert_eq!(rules(&gate(&words, None), "Zwrócimy Panu pełną kwotę w ciągu 14 dni na konto.").0, REFUND);
}
