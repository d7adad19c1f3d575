//! Panels from labels: what is decided, what is refused, and what is said.

use std::sync::Arc;

use super::*;
use crate::json;
use crate::label::{JoinOptions, LabelEntry, VerdictEntry, sheet};

const TWICE: Looks = Looks { n: 2, signal: Signal::Looks };
const PROMISE: Promise = Promise { agreement: 0.8, confidence: 0.9 };

/// A row of a case of its own. Each opinion is a signal and whether it is right.
fn row(case: usize, slice: &str, opinions: &[Option<(f64, bool)>]) -> PanelRow {
    let opinion = |opinion: &Option<(f64, bool)>| {
        opinion.map(|(signal, right)| Opinion { said: usize::from(right), signal })
    };
    PanelRow { case, slice: Arc::from(slice), gold: 1, opinions: opinions.iter().map(opinion).collect() }
}

/// `n` rows of one slice, of which every `wrong`th has a first opinion that is wrong.
fn many(n: usize, slice: &str, wrong: usize, second: Option<(f64, bool)>) -> Vec<PanelRow> {
    (0..n).map(|i| row(i, slice, &[Some((1.0, i % wrong != 0)), second])).collect()
}

fn fit(rows: &[PanelRow]) -> Result<CascadeFit, Refusal> {
    fit_cascade(rows, &[TWICE; 2], PROMISE, "labels")
}

#[test]
fn a_stage_that_agrees_decides_and_the_rest_goes_on() {
    let mut rows = many(200, "", 20, None);
    rows.extend((200..300).map(|i| row(i, "", &[None, Some((1.0, i % 25 != 0))])));
    rows.extend((300..310).map(|i| row(i, "", &[None, None])));
    let CascadeFit { record, seen, .. } = fit(&rows).expect("both stages agree often enough");
    assert_eq!(seen.asked, [310, 110]);
    assert_eq!((seen.decided.clone(), seen.n_review), (vec![200, 100], 10));
    assert_eq!((seen.n_decided(), seen.n_right(), seen.n()), (300, 190 + 96, 310));
    assert!(record.may_decide(0, None, 1.0) && !record.may_decide(0, None, 0.75));
    assert!(record.is_open(0) && record.is_open(1) && !record.is_open(2));
}

#[test]
fn a_stage_that_does_not_agree_decides_nothing() {
    let rows = many(300, "", 3, Some((1.0, true)));
    let CascadeFit { record, seen, last_alone, .. } = fit(&rows).expect("the second stage agrees");
    assert_eq!((seen.decided, seen.n_review), (vec![0, 300], 0));
    assert!(!record.is_open(0));
    assert_eq!(last_alone, [300, 300]);
}

#[test]
fn without_enough_labels_or_agreement_there_is_no_cascade() {
    let few = fit(&many(10, "", 100, Some((1.0, true)))).expect_err("ten labels show nothing");
    assert_eq!(few.fewest, 14, "0.8^14 is below 0.05");
    fit(&many(500, "", 2, Some((1.0, false)))).expect_err("no stage agrees");
}

#[test]
fn a_slice_with_enough_labels_stands_by_itself() {
    let mut rows = many(300, "billing", 20, None);
    rows.extend(
        many(300, "refunds", 2, None).into_iter().map(|row| PanelRow { case: row.case + 300, ..row }),
    );
    rows.extend(many(20, "other", 20, None).into_iter().map(|row| PanelRow { case: row.case + 600, ..row }));
    let CascadeFit { record, .. } = fit(&rows).expect("one slice agrees");
    let slices: Vec<Option<&str>> = record.groups.iter().map(|group| group.slice.as_deref()).collect();
    assert_eq!(slices, [Some("billing"), Some("refunds"), None]);
    assert!(record.may_decide(0, Some("billing"), 1.0));
    assert!(!record.may_decide(0, Some("refunds"), 1.0), "a weak slice goes on to the next stage");
    assert!(!record.may_decide(0, Some("unseen"), 1.0), "and so does one that too few labels speak of");
}

#[test]
fn what_is_seen_on_other_cases_is_split_by_case() {
    // Rows of one case are alike; a case is never on both sides of a split.
    let rows: Vec<PanelRow> =
        (0..600).map(|i| row(i / 3, "", &[Some((1.0, (i / 3) % 20 != 0)), None])).collect();
    let CascadeFit { held_out, seen, record, .. } = fit(&rows).expect("it agrees");
    assert_eq!(record.groups[0].stages[0].n, 200, "a case counts once");
    assert_eq!(held_out.decided.n(), 600);
    assert_eq!(seen.n_decided(), 600);
    let folds: std::collections::BTreeSet<usize> = (0..200).map(fold).collect();
    assert_eq!(folds.len(), N_FOLDS);
}

#[test]
fn records_come_back_as_they_were() {
    let record = PanelRecord::Cascade(fit(&many(200, "", 20, None)).expect("a cascade").record);
    assert_eq!(PanelRecord::read(&record.text()).expect("a record"), record);
    let jury = PanelRecord::Jury(Jury { labels: "d".to_owned(), weights: vec![0.1, 2.5], beats_best: false });
    assert_eq!(PanelRecord::read(&jury.text()).expect("a record"), jury);
    assert!(PanelRecord::read("{}").is_err());
}

#[test]
fn consistency_is_not_confidence() {
    let mut rows = many(80, "", 2, Some((1.0, true)));
    rows.extend((80..100).map(|i| row(i, "", &[None, Some((1.0, true))])));
    let [first, second] = &reliability(&rows, &[TWICE; 2])[..] else { panic!("two stages") };
    assert_eq!((first.bands.len(), first.n_split), (1, 20));
    let warning = first.warning("small", 0.85).expect("it agrees with itself alone");
    assert!(
        warning.contains("on 80 % of the questions, and agrees with people on 50 % of those"),
        "{warning}"
    );
    assert_eq!(second.warning("large", 0.85), None);
}

fn vote(case: usize, votes: &[usize]) -> PanelRow {
    let opinions = votes.iter().map(|said| Some(Opinion { said: *said, signal: 1.0 })).collect();
    PanelRow { case, slice: Arc::from(""), gold: 1, opinions }
}

#[test]
fn a_jury_that_its_best_member_beats_says_so() {
    // The first member is right nine times of ten; the others err together on every second question.
    let rows: Vec<PanelRow> = (0..400)
        .map(|i| {
            let others = usize::from(i % 2 == 0);
            vote(i, &[usize::from(i % 10 != 0), others, others])
        })
        .collect();
    let fit = fit_jury(&rows, 3, 3, "labels").expect("questions");
    assert_eq!((fit.best, fit.members_right[0]), (0, 360));
    assert!(!fit.jury.beats_best, "{fit:?}");
    assert!(
        fit.effective_votes < 2.6,
        "two members that err together are about one: {}",
        fit.effective_votes
    );
}

#[test]
fn a_jury_of_independent_members_beats_each() {
    let right = |i: usize, member: usize| {
        // Three members that are right three times of four, independently.
        let mixed = ((i * 3 + member) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
        usize::from(!mixed.is_multiple_of(4))
    };
    let rows: Vec<PanelRow> = (0..2_000).map(|i| vote(i, &[right(i, 0), right(i, 1), right(i, 2)])).collect();
    let fit = fit_jury(&rows, 3, 2, "labels").expect("questions");
    assert!(fit.jury.beats_best && fit.jury_right > fit.best_right, "{fit:?}");
    assert!(fit.effective_votes > 2.5, "{}", fit.effective_votes);
}

#[test]
fn votes_by_weight() {
    let jury = Jury { labels: String::new(), weights: vec![2.0, 1.0, 1.5], beats_best: true };
    assert_eq!(jury.verdict(&[Some('a'), Some('b'), Some('b')]).map(|(said, _)| said), Some('b'));
    assert_eq!(jury.verdict(&[Some('a'), Some('b'), None]), Some(('a', 2.0 / 3.0)));
    let even = Jury { weights: vec![1.0, 1.0, 0.0], ..jury };
    assert_eq!(even.verdict(&[Some('a'), Some('b'), Some('a')]), None, "nothing has the most weight");
    assert_eq!(even.verdict::<char>(&[None, None, None]), None);
}

#[test]
fn rows_join_labels_with_the_looks_of_members() {
    let object = |text: &str| json::parse(text).expect("JSON").as_object().expect("an object").clone();
    let labels: Vec<LabelEntry> =
        [r#"{"item":"t1","label":"a","annotator":"x"}"#, r#"{"item":"t2","label":"b","annotator":"x"}"#]
            .map(|text| LabelEntry::read(&object(text)).expect("a label"))
            .into();
    let verdicts: Vec<VerdictEntry> = [
        r#"{"item":"t1","judge":"s#0","verdict_ab":"a","verdict_ba":"a"}"#,
        r#"{"item":"t1","judge":"s#1","verdict_ab":"a","verdict_ba":"b"}"#,
        r#"{"item":"t2","judge":"s#0","verdict_ab":"a","verdict_ba":"b"}"#,
        r#"{"item":"t2","judge":"l","verdict_ab":"b","verdict_ba":"b"}"#,
    ]
    .map(|text| VerdictEntry::read(&object(text)).expect("a verdict"))
    .into();
    let sheet = sheet(&labels, &verdicts, &[], JoinOptions::default()).expect("rows that fit");
    let member = |names: &[&str]| MemberLooks {
        names: names.iter().map(|name| (*name).to_owned()).collect(),
        signal: Signal::Looks,
    };
    let members = [member(&["s#0", "s#1"]), member(&["l"])];
    let mut rows = panel_rows(&sheet, &members);
    rows.sort_by_key(|row| row.gold);
    let graded: Vec<Vec<Option<(f64, bool)>>> =
        rows.iter().map(|row| vec![row.graded(0), row.graded(1)]).collect();
    assert_eq!(graded, [vec![Some((0.75, true)), None], vec![None, Some((1.0, true))]]);
}

#[test]
fn a_stage_decides_from_its_own_confidence_on() {
    // Right where it is 97 % sure, wrong every second time where it is 70 % sure.
    let sure = |i: usize| {
        if i.is_multiple_of(3) {
            Some((0.7, i.is_multiple_of(2)))
        } else {
            Some((0.97, !i.is_multiple_of(20)))
        }
    };
    let rows: Vec<PanelRow> = (0..300).map(|i| row(i, "", &[sure(i), Some((1.0, i % 20 != 0))])).collect();
    let once = Looks { n: 1, signal: Signal::Confidence };
    let CascadeFit { record, seen, .. } =
        fit_cascade(&rows, &[once, TWICE], PROMISE, "labels").expect("where it is sure it agrees");
    assert_eq!(record.groups[0].stages[0].threshold, Some(0.8));
    assert_eq!((seen.decided, seen.n_review), (vec![200, 100], 0));
    let [first, _] = &reliability(&rows, &[once, TWICE])[..] else { panic!("two stages") };
    let bands: Vec<(f64, u64)> = first.bands.iter().map(|band| (band.signal, band.agreement.n)).collect();
    assert_eq!(bands, [(0.95, 200), (0.6, 100)]);
    let overconfident: Vec<PanelRow> = (0..300).map(|i| row(i, "", &[Some((0.99, i % 2 == 0))])).collect();
    fit_cascade(&overconfident, &[once], PROMISE, "labels").expect_err("it is sure and wrong");
    let warning = reliability(&overconfident, &[once])[0].warning("small", 0.8).expect("it says so");
    assert!(warning.contains("it is 99 % sure or more on 100 % of the questions"), "{warning}");
}
