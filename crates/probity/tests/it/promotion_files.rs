//! `probity promote` from files: the decision alone, and everything that can be wrong with what it is given.

use serde_json::{Value, json};

use crate::binary::{Probity, Ran};

const CONTRACT: &str = "name = \"lab\"\nversion = \"1\"\nowner = \"lab team\"\n[labels]\nrows_min = 50\n\
    [probes]\npass = [\"all\"]\n[review]\npath = \"second line\"\n";

fn lines(rows: impl IntoIterator<Item = Value>) -> String {
    rows.into_iter().map(|row| row.to_string() + "\n").collect()
}

/// Eight labelled pairs in two slices, of which the judge is wrong about two, and a probing with a shortcut left.
fn lab() -> Probity {
    let rows = [
        ("p1", "replacement", "a", "a"),
        ("p2", "replacement", "b", "b"),
        ("p3", "replacement", "tie", "tie"),
        ("p4", "replacement", "a", "a"),
        ("p5", "address_change", "b", "b"),
        ("p6", "address_change", "tie", "a"),
        ("p7", "address_change", "a", "b"),
        ("p8", "address_change", "b", "b"),
    ];
    let label = rows.map(
        |(item, slice, label, _)| json!({ "item": item, "slice": slice, "annotator": "ann", "label": label }),
    );
    let verdict = rows.map(|(item, _, _, verdict)| json!({ "item": item, "judge": "j", "verdict": verdict }));
    let probe = |name, family, result| json!({ "name": name, "family": family, "result": result, "message": "as seen" });
    let probes = [
        probe("position_swap", "position", "pass"),
        probe("same_information_padding", "length", "fail"),
        probe("wrong_figure", "sensitivity", "pass"),
    ];
    Probity::new()
        .file("labels.jsonl", lines(label))
        .file("verdicts.jsonl", lines(verdict))
        .file("probes.json", json!({ "battery": "b", "probes": probes }).to_string())
        .file("contract.toml", CONTRACT)
}

fn promote(folder: &Probity, words: &[&str]) -> Ran {
    let files = [
        "promote", "--contract", "contract.toml", "--labels", "labels.jsonl", "--verdicts", "verdicts.jsonl",
    ];
    folder.args(files).words(["--resamples", "50", "--quiet"].into_iter()).words(words.iter().copied()).run()
}

#[test]
fn a_lab_with_eight_rows_and_a_length_shortcut_is_blocked_for_two_reasons() {
    let out = promote(&lab(), &["--probes", "probes.json", "--json"]).code(1).json();
    assert_eq!((&out["standing"], &out["recorded"]), (&json!("advisory"), &json!(false)));
    let unmet = |key: &str| -> Vec<Value> {
        out["unmet"].as_array().expect("a list").iter().map(|unmet| unmet[key].clone()).collect()
    };
    assert_eq!(unmet("requirement"), ["labelled_rows", "probes"]);
    assert_eq!((unmet("have")[0].clone(), unmet("need")[0].clone()), (json!(8), json!(50)));
    assert_eq!(unmet("message")[0], "8 labelled rows, 50 are needed: 42 more labels");
    assert_eq!(unmet("message")[1], "1 of 3 probes does not pass: same_information_padding (fail)");
    let checked = out["checked"].as_array().expect("a list");
    assert_eq!(checked[2]["requirement"], "human_review");
    assert_eq!(checked[2]["met"], true);
    assert_eq!(out["report"]["decision"]["failed_requirements"], json!(["labelled_rows", "probes"]));
    assert_eq!(out["report"]["calibration"]["weak_slices"], json!(["address_change"]));
    assert_eq!(out["report"]["probes"]["by_family"]["length"][0]["result"], "fail");
    assert_eq!(out["report"]["runs"].as_array().expect("a list").len(), 5);
    assert!(out["bound"]["labels"].is_string() && out["bound"]["verdicts"].is_string());
}

#[test]
fn the_decision_in_words() {
    let text = promote(&lab(), &["--probes", "probes.json", "--as-of", "2026-04-01"]).code(1).stdout;
    expect_test::expect![[r#"
        Promotion · contract lab 1 · judge j by verdicts.jsonl (advisory)
        owner of the contract: lab team
        1 requirements met · 2 not met · 8 labelled items · 1 people
        2 of 3 requirements of contract lab are not met.
        The judge may not gate a release.

        Decision
        requirement               have     need
        labelled rows                8       50  not met
        probes             2 of 3 pass      all  not met
        human review path  second line  defined  met

        What is missing
          labelled rows: 8 labelled rows, 50 are needed: 42 more labels
          probes: 1 of 3 probes does not pass: same_information_padding (fail)

        The standing
          nothing was recorded
          decided as of 2026-04-01

        note: hard gates are not checked: files of labels and verdicts do not show what the gate did; name the labelled cases instead of --verdicts
        standing: advisory, the contract is not met; nothing was recorded, because a standing rests on the store alone and not on files of verdicts, which show neither which judge made them nor what the gate did. Its scores are information only and must not gate a release.
    "#]]
    .assert_eq(&text);
}

#[test]
fn slices_say_how_many_labels_they_lack() {
    let folder = lab();
    let more = "[agreement]\nlower_bound_min = 0.6\nhuman_share_min = 0.8\nbeats = [\"constant\", \"baseline\"]\n\
        [[slice]]\nname = \"address_change\"\nrows_min = 46\n[gates]\nblock = [\"pii\"]\n\
        [model]\nfingerprints = \"one\"\n[coverage]\nmin = 1\n";
    folder.write("contract.toml", format!("{CONTRACT}{more}"));
    let out = promote(&folder, &["--json", "--as-of", "2026-04-01"]).code(1).json();
    let requirements: Vec<&str> = out["unmet"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|unmet| unmet["requirement"].as_str().unwrap())
        .collect();
    assert_eq!(
        requirements,
        [
            "labelled_rows", "agreement", "human_share", "beats_baseline", "beats_baseline", "slice_rows",
            "probes", "one_model"
        ]
    );
    let text = out["unmet"].to_string();
    assert!(text.contains("42 more labels in address_change: 4 of 46"), "{text}");
    assert!(text.contains("baseline was not measured on the same items"), "{text}");
    assert_eq!(out["as_of"], "2026-04-01");
}

#[test]
fn n04_a_contract_that_names_rules_is_held_against_files_as_one_that_names_none() {
    let folder = lab();
    let decided =
        || promote(&folder, &["--probes", "probes.json", "--json"]).code(1).json()["checked"].clone();
    let bare = decided();
    folder.write("contract.toml", format!("{CONTRACT}[gates]\nblock = [\"claim.contradicted\"]\n"));
    assert_eq!(decided(), bare);
    let words = ["promote", "--contract", "contract.toml", "--labels", "labels.jsonl"];
    let ran =
        folder.args(words).words(["--verdicts", "verdicts.jsonl", "--resamples", "50"].into_iter()).run();
    ran.code(1)
        .says(["hard gates are not checked: files of labels and verdicts do not show what the gate did"]);
}

#[test]
fn a_contract_that_is_met_by_files_is_not_recorded() {
    let folder = lab();
    let probes =
        String::from_utf8(folder.bytes("probes.json")).expect("text").replace("fail", "not_applicable");
    folder.write("probes.json", probes);
    let sixty = |row: &dyn Fn(usize, &str) -> Value| lines((0..60).map(|n| row(n, ["a", "b", "tie"][n % 3])));
    folder.write(
        "labels.jsonl",
        sixty(&|n, said| json!({ "item": format!("p{n}"), "annotator": "ann", "label": said })),
    );
    folder.write(
        "verdicts.jsonl",
        sixty(&|n, said| json!({ "item": format!("p{n}"), "judge": "j", "verdict": said })),
    );
    let out = promote(&folder, &["--probes", "probes.json", "--json"]).code(0).json();
    assert_eq!(
        (&out["standing"], &out["met"], &out["recorded"]),
        (&json!("advisory"), &json!(true), &json!(false))
    );
    let reason = out["standing_reason"].as_str().expect("a reason");
    assert!(reason.starts_with("would be promoted") && reason.contains("nor what the gate did"), "{out}");
    assert!(!folder.path(".probity").exists());
    folder.write(
        "verdicts.jsonl",
        sixty(&|n, _| json!({ "item": format!("p{n}"), "judge": "j", "verdict": "a" })),
    );
    let out = promote(&folder, &["--probes", "probes.json", "--json"]).code(1).json();
    assert_eq!(
        out["unmet"][0]["requirement"], "agreement",
        "a judge that always says the same is not promoted"
    );
    folder.write("contract.toml", CONTRACT.replace("rows_min = 50", "rows_min = 8"));
    promote(&folder, &[]).code(2).says(["contract.toml:5: `rows_min` must be from 50 to 1000000, found 8"]);
}

#[test]
fn faults_of_a_contract_stand_with_their_lines() {
    let folder = lab();
    folder.write("contract.toml", format!("{CONTRACT}[gates]\nblock = [\"pie\"]\n[expiry]\nvalid_day = 3\n"));
    promote(&folder, &[]).code(2).says([
        "contract.toml:11: the gate has no rule and no family called \"pie\"",
        "hint: did you mean \"pii\"?",
        "contract.toml:13: unknown key `valid_day` in [expiry]",
    ]);
}

#[test]
fn what_is_wrong_with_files_is_said_before_anything_is_decided() {
    let folder = lab();
    promote(&folder, &["--probes", "nowhere.json"])
        .code(2)
        .says(["probes nowhere.json: there is no such file"]);
    promote(&folder, &["--probes", "labels.jsonl"])
        .code(2)
        .says(["expected what `probity probe --json` writes"]);
    promote(&folder, &["--judge", "k"]).code(2).says(["there is no verdict by judge k", "judges: j"]);
    promote(&folder, &["--model", "m"]).code(2).says(["cannot be used with"]);
    promote(&folder, &["--as-of", "soon"]).code(2).says(["--as-of: \"soon\" is no moment"]);
    folder.write("verdicts.jsonl", "{\"item\":\"p1\",\"judge\":\"j\",\"verdict\":\"a\"}\n{\"item\":\"p1\",\"judge\":\"k\",\"verdict\":\"a\"}\n");
    promote(&folder, &[]).code(2).says(["the verdicts are by 2 judges", "name one with --judge: j, k"]);
    folder.write("labels.jsonl", "{\"item\":\"p1\",\"label\":\"better\"}\n");
    promote(&folder, &[]).code(2).says(["expected"]);
    folder.args(["promote", "--contract", "contract.toml"]).run().code(2).says(["CASES"]);
    folder.args(["promote", "--revoke", "why"]).run().code(2).says(["there is no store"]);
}
