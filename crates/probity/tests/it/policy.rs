//! `probity policy`: a draft of the example that ships, and what a check says about the policies of the examples.

use std::fs;
use std::path::Path;

use expect_test::expect;

use crate::binary::Probity;

fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    fs::read_to_string(path).expect("an example that ships")
}

#[test]
fn a_draft_of_texts_can_be_checked_and_used() {
    let probity = Probity::new().file("texts.md", example("policy-texts.md"));
    let draft = probity.args(["policy", "draft", "texts.md"]).run().code(0).stdout;
    expect![[r##"
        # A draft of `probity policy draft`, for a person to check: versions, from when a source counts, for whom, and
        # whether each fact is one. A name for a figure is worth writing: windows = { return_window = "30 days" }.

        # From texts.md.
        [[source]]
        id = "returns"
        version = "1"
        text = """
        You can return new goods within 30 days of delivery, and we refund the price. The money is on its way 5 to 7 working days
        after the parcel is here. A return label costs 4.90 EUR for orders below 50 EUR.
        """
        [source.facts]
        remedies = [
            "return", # You can return new goods within 30 days of delivery, and we refund the price.
            "refund", # You can return new goods within 30 days of delivery, and we refund the price.
        ]
        amounts = [
            "4.90 EUR", # A return label costs 4.90 EUR for orders below 50 EUR.
            "50 EUR", # A return label costs 4.90 EUR for orders below 50 EUR.
        ]
        windows = [
            "30 days", # You can return new goods within 30 days of delivery, and we refund the price.
            "5 to 7 working days", # The money is on its way 5 to 7 working days after the parcel is here.
        ]

        # From texts.md.
        [[source]]
        id = "damaged-on-arrival"
        version = "1"
        text = """
        If a lamp arrives broken, we will send you a replacement within 2 working days. Quote code DMG-7. Write to
        help@shop.example.
        """
        [source.facts]
        remedies = [
            "replacement", # If a lamp arrives broken, we will send you a replacement within 2 working days.
        ]
        windows = [
            "2 working days", # If a lamp arrives broken, we will send you a replacement within 2 working days.
        ]
        codes = [
            "DMG-7", # Quote code DMG-7.
        ]
        contacts = [
            "help@shop.example", # Write to help@shop.example.
        ]

        # From texts.md.
        [[source]]
        id = "sale"
        version = "1"
        text = """
        Goods with a discount of 50 % or more cannot be refunded.
        """
        [source.facts]
        remedies = [
            # "discount", # Goods with a discount of 50 % or more cannot be refunded.
        ]
        forbidden_remedies = [
            "refund", # Goods with a discount of 50 % or more cannot be refunded.
        ]
        percentages = [
            "50 %", # Goods with a discount of 50 % or more cannot be refunded.
        ]
    "##]].assert_eq(&draft);
    probity.write("policies.toml", &draft);
    probity.args(["policy", "check", "policies.toml"]).run().code(0);
    probity.write("title.md", "# Only a title\n");
    probity.args(["policy", "draft", "title.md"]).run().code(2).says(["hold no text"]);
}

#[test]
fn a_check_says_what_policies_leave_open() {
    let probity = Probity::new().file("policies.toml", example("policies.toml"));
    let probity = probity.file("cases.jsonl", example("policy-cases.jsonl"));
    let ran = probity.args(["policy", "check", "policies.toml", "--cases", "cases.jsonl"]).run().code(0);
    expect![[r#"
        returns: 2026-eu (customer in eu) and 2026-us (customer in us) are both in force from 2026-01-01
          both permit refund, return; 2026-eu alone nothing; 2026-us alone nothing
        eu-refurb-v2-rule eu-electronics/2025-01-01: no case uses it
        goodwill-guide 2: no case uses it
        returns 2026-us: no case uses it
        6 versions: 0 warnings, 1 overlaps, 0 with more in the text than in the facts, 3 used by no case
    "#]]
    .assert_eq(&ran.stdout);
    probity.args(["policy", "check"]).run().code(2).says(["there are no policies to check"]);
}

#[test]
fn warnings_are_in_the_json_too() {
    let grants = "[[source]]\nid = \"a\"\nversion = \"1\"\ntext = \"We refund the price within 30 days.\"\n";
    let probity =
        Probity::new().file("p.toml", grants).file("probity.toml", "[gate]\npolicies = [\"p.toml\"]\n");
    let checked = probity.args(["policy", "check", "--json"]).run().code(0).json();
    assert_eq!(checked["warnings"][0]["line"], 4);
    assert_eq!(checked["warnings"][0]["message"], "the text grants refund, which the facts do not list");
    assert_eq!(checked["unlisted"][0]["remedies"][0], "refund");
    assert_eq!(checked["unlisted"][0]["figures"][0], "30 days");
    assert!(checked["unused"].is_null());
}
