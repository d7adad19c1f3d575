//! Where each figure about people and judges stands in a calibration.

use serde_json::{Value, json};

use super::{Found, Ours, Published, Set};

/// What a calibration is made of: files as texts, and policies by name.
#[derive(Debug, Clone)]
pub(crate) struct LabelAsk {
    /// Rows of labels.
    pub(crate) labels: String,
    /// Rows of verdicts; none if empty.
    pub(crate) verdicts: String,
    /// What several votes are worth.
    pub(crate) votes: &'static str,
    /// What ties are worth.
    pub(crate) ties: &'static str,
    /// What a missing verdict is worth.
    pub(crate) unparsed: &'static str,
}

/// What makes figures of labels.
pub(crate) trait Calibrator {
    /// The calibration as JSON.
    fn calibrate(&self, ask: &LabelAsk) -> Value;
}

const MAJORITY: &LabelAsk = &LabelAsk {
    labels: String::new(),
    verdicts: String::new(),
    votes: "majority",
    ties: "keep",
    unparsed: "drop",
};

/// A number that stands for itself.
fn plain(value: f64) -> Found {
    Found::Ours(Ours { value, n: 0, published: Published::Rounded })
}

/// The estimate at `place`, times `scale`.
fn at(json: &Value, place: &[&str], scale: f64) -> Found {
    let found = place.iter().fold(json, |json, name| &json[*name]);
    match (found["value"].as_f64(), found["n"].as_u64()) {
        (Some(value), Some(n)) => {
            Found::Ours(Ours { value: scale * value, n, published: Published::Rounded })
        }
        _ => panic!("no estimate at {place:?}: {found}"),
    }
}

fn number(json: &Value, place: &[&str]) -> f64 {
    let found = place.iter().fold(json, |json, name| &json[*name]);
    found.as_f64().unwrap_or_else(|| panic!("no number at {place:?}: {found}"))
}

fn rows(text: &str) -> impl Iterator<Item = Value> + '_ {
    text.lines().map(|line| serde_json::from_str(line).expect("JSON"))
}

/// The rows of `text` that `change` keeps, as it leaves them.
fn changed(text: &str, change: impl FnMut(Value) -> Option<Value>) -> String {
    rows(text).filter_map(change).map(|row| row.to_string() + "\n").collect()
}

fn kept(text: &str, keep: impl Fn(&Value) -> bool) -> String {
    changed(text, |row| keep(&row).then_some(row))
}

/// How many different beginnings the items have, up to the last hyphen.
fn n_beginnings(text: &str) -> f64 {
    let items = rows(text).map(|row| {
        let item = row["item"].as_str().expect("an item").to_owned();
        item.rsplit_once('-').map_or(item.clone(), |(front, _)| front.to_owned())
    });
    items.collect::<std::collections::BTreeSet<_>>().len() as f64
}

/// The figures of two people, by the ends of their names.
fn pair<'a>(people: &'a Value, first: &str, second: &str) -> &'a Value {
    let pairs = people["pairs"].as_array().expect("pairs");
    let ends = |pair: &&Value| {
        let names = &pair["annotators"];
        let name = |place: usize| names[place].as_str().expect("a name");
        name(0).ends_with(first) && name(1).ends_with(second)
    };
    pairs.iter().find(ends).unwrap_or_else(|| panic!("no pair {first}, {second}"))
}

/// Votes of experts and authors on answers of six systems, and one judge.
pub(crate) fn mtbench_human(product: &dyn Calibrator) {
    let Some(set) = Set::open("mtbench_human") else { return };
    // One person voted twice on one item; both votes are in the published figures.
    let mut seen = std::collections::BTreeSet::new();
    let human = changed(&set.file("human.jsonl"), |mut row| {
        if !seen.insert((row["item"].to_string(), row["annotator"].to_string())) {
            row["annotator"] = json!("again");
        }
        Some(row)
    });
    let judge = set.file("judge.jsonl");
    let expert = kept(&human, |row| row["annotator_kind"] == "expert");
    let votes = |turn: &str, ties: &'static str| {
        let turn = |row: &Value| turn == "all" || format!("turn{}", row["turn"]) == turn;
        let (labels, verdicts) = (kept(&expert, turn), kept(&judge, turn));
        let ask = LabelAsk { labels, verdicts, votes: "pooled", ties, ..MAJORITY.clone() };
        product.calibrate(&ask)
    };
    let majority = |ties| {
        product.calibrate(&LabelAsk {
            labels: human.clone(),
            verdicts: judge.clone(),
            ties,
            ..MAJORITY.clone()
        })
    };
    let (all, decisive) = (majority("keep"), majority("drop"));
    let people = product.calibrate(&LabelAsk { labels: human.clone(), ..MAJORITY.clone() });
    let tables: Vec<(String, Value)> = ["turn1", "turn2", "all"]
        .iter()
        .flat_map(|turn| [("S1", "keep"), ("S2", "drop")].map(|(name, ties)| (turn, name, ties)))
        .map(|(turn, name, ties)| (format!("{turn}.{name}"), votes(turn, ties)))
        .collect();
    set.check(|id| {
        if let Some(found) = expert_figure(&tables, id) {
            return found;
        }
        let parts: Vec<&str> = id.split('.').collect();
        match parts[..] {
            ["majority", "all", "agreement"] => at(&all, &["agreement"], 1.0),
            ["majority", "all", "cohen_kappa"] => at(&all, &["cohen_kappa"], 1.0),
            ["majority", "all", "cohen_kappa_se"] => plain(number(&all, &["cohen_kappa_standard_error"])),
            ["majority", "all", "cohen_kappa", "symmetrised"] => at(&all, &["cohen_kappa_symmetrised"], 1.0),
            ["majority", "nontie", figure] => at(&decisive, &[figure], 1.0),
            ["slice", slice, "majority", figure] => at(&all, &["by_slice", slice, figure], 1.0),
            ["slice", slice, "human_human", figure] => {
                at(&people, &["human_human", "by_slice", slice, figure], 1.0)
            }
            ["human", "krippendorff_alpha", "nominal"] => {
                at(&people, &["human_human", "krippendorff_alpha"], 1.0)
            }
            ["gpt4", "position_inconsistent_rate"] => {
                Found::LeftOut("about the judge alone, which a comparison has")
            }
            ["trap", ..] => {
                Found::LeftOut("a join that loses votes, which this program cannot be told to make")
            }
            _ => panic!("an unknown figure: {id}"),
        }
    });
    check_vote_counts(&set, &tables);
    // The large-sample interval is .4726 to .5367.
    let kappa = &all["cohen_kappa"];
    let near = |end: &str, want: f64| (number(kappa, &[end]) - want).abs() < 0.02;
    assert!(near("low", 0.472_6) && near("high", 0.536_7), "{kappa}");
}

/// A figure of experts' votes, by turn and by what ties are worth.
fn expert_figure(tables: &[(String, Value)], id: &str) -> Option<Found> {
    let (name, table) = tables.iter().find(|(name, _)| id.starts_with(&format!("{name}.")))?;
    Some(match &id[name.len() + 1..] {
        "gpt4_vs_expert.agreement" => at(table, &["agreement"], 1.0),
        "gpt4_vs_expert.cohen_kappa" => at(table, &["cohen_kappa"], 1.0),
        "expert_vs_expert.agreement" => at(table, &["human_human", "agreement"], 1.0),
        other => panic!("an unknown figure: {other}"),
    })
}

/// The votes behind each cell are as many as the reference says.
fn check_vote_counts(set: &Set, tables: &[(String, Value)]) {
    for (name, table) in tables {
        for (figure, place) in
            [("gpt4_vs_expert", &["agreement"][..]), ("expert_vs_expert", &["human_human", "agreement"])]
        {
            let id = format!("{name}.{figure}.agreement");
            let Found::Ours(ours) = at(table, place, 1.0) else { continue };
            let metric = set.metrics.iter().find(|metric| metric.id == id).expect("a figure");
            assert_eq!(Some(ours.n), metric.n, "votes behind {id}");
        }
    }
}

/// Three people on 999 pairs, and two judges, one of which does not always answer.
pub(crate) fn pandalm(product: &dyn Calibrator) {
    let Some(set) = Set::open("pandalm") else { return };
    let (labels, verdicts) = (set.file("human.jsonl"), set.file("judge.jsonl"));
    let asked = |unparsed| {
        let ask =
            LabelAsk { labels: labels.clone(), verdicts: verdicts.clone(), unparsed, ..MAJORITY.clone() };
        product.calibrate(&ask)
    };
    let (tied, dropped, wrong) = (asked("tie"), asked("drop"), asked("wrong"));
    let people = &tied["human_human"];
    // Of 999 items 25 have no verdict: they are wrong, or not there.
    assert_eq!(number(&wrong, &["judges", "gpt-3.5-turbo", "n"]).to_bits(), 999.0_f64.to_bits());
    let right = number(&dropped, &["judges", "gpt-3.5-turbo", "agreement", "value"]) * 974.0;
    let share = number(&wrong, &["judges", "gpt-3.5-turbo", "agreement", "value"]);
    assert!((share - right / 999.0).abs() < 1e-12, "{share}");
    set.check(|id| {
        let parts: Vec<&str> = id.split('.').collect();
        let panda = &tied["judges"]["pandalm-7b"];
        let unparsed = |how: &str| if how == "unparseable_as_tie" { &tied } else { &dropped };
        let gpt =
            |how: &str, figure: &str, scale| at(unparsed(how), &["judges", "gpt-3.5-turbo", figure], scale);
        match parts[..] {
            ["human", "fleiss_kappa"] => at(people, &["fleiss_kappa"], 1.0),
            ["human", "krippendorff_alpha", "nominal"] => at(people, &["krippendorff_alpha"], 1.0),
            ["human", both, figure] => {
                let (first, second) = both.split_once('-').expect("two people");
                at(pair(people, first, second), &[figure], 1.0)
            }
            ["majority", "count", label] => plain(number(people, &["labels", label])),
            ["pandalm7b", "accuracy"] => at(panda, &["agreement"], 100.0),
            ["pandalm7b", "cohen_kappa"] => at(panda, &["cohen_kappa"], 1.0),
            ["pandalm7b", figure] => at(panda, &[figure], 100.0),
            ["gpt35", "accuracy", how] => gpt(how, "agreement", 100.0),
            ["gpt35", "macro_f1", how] => gpt(how, "macro_f1", 100.0),
            ["gpt35", "cohen_kappa", how] => gpt(how, "cohen_kappa", 1.0),
            ["gpt35", "unparseable_rate"] => {
                plain(number(&dropped, &["judges", "gpt-3.5-turbo", "without_verdict"]) / 999.0)
            }
            ["pandalm_f1_as_share_of_gpt35_f1"] => {
                let f1 = |judge: &str| number(&tied, &["judges", judge, "macro_f1", "value"]);
                let value = 100.0 * f1("pandalm-7b") / f1("gpt-3.5-turbo");
                // The published share does not follow from the published verdicts.
                Found::Ours(Ours { value, n: 0, published: Published::OfMore })
            }
            ["slice", .., "pandalm7b", figure] => {
                at(panda, &["by_slice", slice_of(id, ".pandalm7b."), figure], 1.0)
            }
            ["slice", .., "mean_of_3_pairs"] => {
                let slice = &people["by_slice"][slice_of(id, ".human_human.")];
                let kappa = |(first, second)| number(pair(slice, first, second), &["cohen_kappa", "value"]);
                plain([("1", "2"), ("1", "3"), ("2", "3")].map(kappa).iter().sum::<f64>() / 3.0)
            }
            _ => panic!("an unknown figure: {id}"),
        }
    });
}

/// The name of a slice, which may hold dots itself.
fn slice_of<'a>(id: &'a str, until: &str) -> &'a str {
    let (front, _) = id.split_once(until).expect("a slice");
    front.strip_prefix("slice.").expect("a slice")
}

/// Satisfaction from one to five on turns and dialogues, by three people and more.
pub(crate) fn uss_sgd(product: &dyn Calibrator) {
    let Some(set) = Set::open("uss_sgd") else { return };
    let human = set.file("human.jsonl");
    let of = |labels: String| product.calibrate(&LabelAsk { labels, ..MAJORITY.clone() });
    let turns = kept(&human, |row| row["level"] == "turn");
    let mut n_ratings = std::collections::BTreeMap::new();
    rows(&turns).for_each(|row| *n_ratings.entry(row["item"].to_string()).or_insert(0) += 1);
    let thrice = kept(&turns, |row| n_ratings[&row["item"].to_string()] == 3);
    let low = changed(&thrice, |mut row| {
        row["label"] = json!(u8::from(row["label"].as_u64().expect("a label") < 3));
        Some(row)
    });
    let runs = [
        ("all", of(human.clone())),
        ("turn", of(turns.clone())),
        ("dialogue", of(kept(&human, |row| row["level"] != "turn"))),
        ("thrice", of(thrice.clone())),
        ("low", of(low)),
    ];
    let run = |name: &str| &runs.iter().find(|(known, _)| *known == name).expect("a run").1["human_human"];
    let against_others = product.calibrate(&first_against_agreeing(&thrice));
    set.check(|id| {
        let parts: Vec<&str> = id.split('.').collect();
        match parts[..] {
            ["dialogues"] => plain(number(run("dialogue"), &["n"])),
            ["units"] => plain(number(run("all"), &["n"])),
            ["turn_units"] => plain(number(run("turn"), &["n"])),
            ["turn_units", with] => {
                let n = with.trim_start_matches("with_").trim_end_matches("_ratings");
                plain(number(run("turn"), &["ratings_per_item", n]))
            }
            ["turn", "rating_count", level] => plain(number(run("turn"), &["votes", level])),
            ["majority_count", level] => {
                let value = number(run("all"), &["labels", level]);
                // How the published counts were made is not documented.
                Found::Ours(Ours { value, n: 0, published: Published::OfMore })
            }
            [level, "krippendorff_alpha", "nominal"] => at(run(level), &["krippendorff_alpha"], 1.0),
            [level, "krippendorff_alpha", metric] => {
                at(run(level), &[&format!("krippendorff_alpha_{metric}")], 1.0)
            }
            ["turn", "fleiss_kappa", "3ratings"] => at(run("turn"), &["fleiss_kappa"], 1.0),
            ["turn", "pairwise_agreement", "3ratings"] => at(run("thrice"), &["agreement"], 1.0),
            ["turn", "binary_dissatisfied", "fleiss_kappa"] => at(run("low"), &["fleiss_kappa"], 1.0),
            ["turn", "binary_dissatisfied", "rate"] => {
                let votes = &run("low")["votes"];
                plain(number(votes, &["1"]) / (number(votes, &["0"]) + number(votes, &["1"])))
            }
            ["turn", "slot1_vs_agreeing_others", figure] => at(&against_others, &[figure], 1.0),
            ["turn", both, figure] => {
                let (first, second) = both.split_once('-').expect("two people");
                let figure = match figure {
                    "weighted_kappa_quadratic" => "cohen_kappa_quadratic",
                    "weighted_kappa_linear" => "cohen_kappa_linear",
                    figure => figure,
                };
                at(pair(run("thrice"), first, second), &[figure], 1.0)
            }
            ["slice", slice, _, "ordinal"] => {
                at(run("turn"), &["by_slice", slice, "krippendorff_alpha_ordinal"], 1.0)
            }
            _ => panic!("an unknown figure: {id}"),
        }
    });
}

/// The first person as a judge, against the other two where they agree.
fn first_against_agreeing(thrice: &str) -> LabelAsk {
    let by = |name: &str| -> std::collections::BTreeMap<String, Value> {
        rows(thrice)
            .filter(|row| row["annotator"] == name)
            .map(|row| (row["item"].to_string(), row["label"].clone()))
            .collect()
    };
    let (second, third) = (by("slot2"), by("slot3"));
    let agree = |row: &Value| second.get(&row["item"].to_string()) == third.get(&row["item"].to_string());
    let labels = kept(thrice, |row| row["annotator"] == "slot2" && agree(row));
    let verdicts = changed(thrice, |row| {
        let wanted = row["annotator"] == "slot1" && agree(&row);
        wanted.then(|| json!({ "item": row["item"], "score": row["label"] }))
    });
    LabelAsk { labels, verdicts, ..MAJORITY.clone() }
}

/// Sentences that two to five people chose for a summary, or not.
pub(crate) fn tweetsumm_support(product: &dyn Calibrator) {
    let Some(set) = Set::open("tweetsumm_support") else { return };
    let human = set.file("human.jsonl");
    let splits = ["valid", "test"].map(|split| {
        let rows_of = kept(&human, |row| row["split"] == split);
        let mut n_ratings = std::collections::BTreeMap::new();
        rows(&rows_of).for_each(|row| *n_ratings.entry(row["item"].to_string()).or_insert(0) += 1);
        let of = |labels: String| {
            let all = product.calibrate(&LabelAsk { labels, ..MAJORITY.clone() });
            all["human_human"].clone()
        };
        let several = kept(&rows_of, |row| n_ratings[&row["item"].to_string()] >= 2);
        let thrice = kept(&rows_of, |row| n_ratings[&row["item"].to_string()] == 3);
        (split, n_beginnings(&rows_of), of(several), of(thrice))
    });
    set.check(|id| {
        let (split, figure) = id.split_once('.').expect("a name with parts");
        let found = splits.iter().find(|(name, ..)| *name == split);
        let Some((_, n_conversations, several, thrice)) = found else {
            let why = if split == "train" {
                "the training split is not in the set"
            } else {
                "a remark without a figure"
            };
            return Found::LeftOut(why);
        };
        match figure {
            "conversations" if split == "test" => {
                Found::LeftOut("counts a conversation of which the set has no rows")
            }
            "conversations" => plain(*n_conversations),
            "sentences_with_2plus_annotators" => plain(number(several, &["n"])),
            "krippendorff_alpha.nominal" => at(several, &["krippendorff_alpha"], 1.0),
            "fleiss_kappa.3annotators" => at(several, &["fleiss_kappa"], 1.0),
            "pairwise_agreement.3annotators" => at(thrice, &["agreement"], 1.0),
            "selection_rate" => {
                let votes = |label: &str| number(several, &["votes", label]);
                plain(votes("1") / (votes("0") + votes("1")))
            }
            _ => {
                let (both, figure) = figure.split_once('.').expect("two people");
                let (first, second) = both.split_once('-').expect("two people");
                at(pair(thrice, first, second), &[figure], 1.0)
            }
        }
    });
}

/// Three votes on 480 pairs: people against people.
pub(crate) fn prd_vicuna80_people(product: &dyn Calibrator) {
    let Some(set) = Set::open("prd_vicuna80") else { return };
    let human = set.file("human.jsonl");
    let shown = changed(&human, |mut row| {
        let item = row["item"].as_str().expect("an item").to_owned();
        let first = row["shown_first"].as_str().expect("a system");
        // Names of items are a question and the systems in the order of their names.
        let swapped = !item[4..].starts_with(&format!("{first}-"));
        row["label"] = match (row["label"].as_str(), swapped) {
            (Some("a"), true) => json!("b"),
            (Some("b"), true) => json!("a"),
            _ => row["label"].clone(),
        };
        Some(row)
    });
    let of =
        |labels: String| product.calibrate(&LabelAsk { labels, ..MAJORITY.clone() })["human_human"].clone();
    let (identity, position) = (of(human), of(shown));
    set.check(|id| match id {
        "human.fleiss_kappa.3votes.position_labels" => at(&position, &["fleiss_kappa"], 1.0),
        "human.fleiss_kappa.3votes.identity_labels" => at(&identity, &["fleiss_kappa"], 1.0),
        "human.krippendorff_alpha.nominal.identity_labels" => at(&identity, &["krippendorff_alpha"], 1.0),
        "human.pairwise_agreement.3votes" => at(&identity, &["agreement"], 1.0),
        id if id.starts_with("qlora") => Found::LeftOut("about eight systems, of which the set holds five"),
        _ => Found::LeftOut("about judges on pairs, which a comparison has"),
    });
}
