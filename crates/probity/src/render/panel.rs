//! What labels made of a panel as a document, and what its members decided in a run in lines.

use probity_core::panel::{
    CascadeFit, Decided, Group, JuryFit, Promise, Refusal, Signal, StageReliability, StageTest,
};
use probity_core::results::{PanelFacts, PanelMember};
use probity_core::stats::{Estimate, proportion};
use serde_json::{Value, json};

use super::figure::{counted, none, p_value, percent, share, value_or_none};
use super::report::document::{Cells, Document, Section, Table, Tile};
use super::report::junit::{Came, TestCase};

/// What labels made of a panel.
pub(crate) enum Fitted {
    /// Thresholds that keep the promise, or none.
    Cascade(Promise, Result<CascadeFit, Refusal>),
    /// Weights.
    Jury(JuryFit),
}

/// What is shown of a fit.
pub(crate) struct PanelShown {
    /// The names of the members.
    pub(crate) names: Vec<String>,
    /// The panel's own name.
    pub(crate) judge: String,
    /// The cases and the labels.
    pub(crate) about: String,
    /// What each member's signal is worth.
    pub(crate) reliability: Vec<StageReliability>,
    /// Labelled questions.
    pub(crate) n_rows: u64,
    /// The digest of the labels.
    pub(crate) labels: String,
    /// What came of it.
    pub(crate) fitted: Fitted,
}

/// The document of a fit.
pub(crate) fn document(shown: &PanelShown) -> Document {
    match &shown.fitted {
        Fitted::Cascade(promise, Ok(fit)) => cascade(shown, *promise, fit),
        Fitted::Cascade(promise, Err(refusal)) => refused(shown, *promise, refusal),
        Fitted::Jury(fit) => jury(shown, fit),
    }
}

fn base(shown: &PanelShown, kind: &str) -> Document {
    Document {
        command: "calibrate".to_owned(),
        title: format!("{kind} {} · {}", shown.judge, shown.about),
        about: format!("{} with a label", counted(shown.n_rows, "question")),
        ..Document::default()
    }
}

fn promised(promise: Promise) -> String {
    format!(
        "of what it decides, {} agree with people at least, with {} confidence over all draws of labels",
        percent(promise.agreement),
        percent(promise.confidence)
    )
}

fn cascade(shown: &PanelShown, promise: Promise, fit: &CascadeFit) -> Document {
    let seen = &fit.seen;
    let rate = proportion(seen.n_decided(), seen.n());
    let held = proportion(fit.held_out.decided.n_right(), fit.held_out.decided.n_decided());
    let mut tiles = Vec::new();
    tiles.extend(rate.map(|rate| Tile::share(&rate, "decided by a stage")));
    tiles.extend(held.map(|held| Tile::share(&held, "agree on other cases")));
    Document {
        verdict: format!(
            "Thresholds keep the promise: stages decide {}, people the rest.",
            value_or_none(rate)
        ),
        lead: format!("Promised: {}.", promised(promise)),
        tiles,
        warnings: warnings(shown, promise.agreement),
        sections: vec![stages(shown, seen, fit), thresholds(shown, &fit.record.groups), signals(shown)],
        tests: vec![TestCase::new("calibrate", "cascade", Came::Passed)],
        json: cascade_json(shown, promise, fit),
        ..base(shown, "cascade")
    }
}

fn refused(shown: &PanelShown, promise: Promise, refusal: &Refusal) -> Document {
    let why = format!(
        "No threshold of any stage keeps the promise that {}. It takes at least {} on which a stage agrees with people \
         throughout, and more where it does not.",
        promised(promise),
        counted(refusal.fewest, "labelled case")
    );
    Document {
        verdict: "There is no cascade: no threshold keeps the promise.".to_owned(),
        lead: why.clone(),
        warnings: warnings(shown, promise.agreement),
        sections: vec![thresholds(shown, &refusal.groups), signals(shown)],
        tests: vec![TestCase::new("calibrate", "cascade", Came::failed(why))],
        json: json!({
            "kind": "cascade", "judge": shown.judge, "kept": false, "labels": shown.labels, "questions": shown.n_rows,
            "promise": promise_json(promise), "fewest_labels": refusal.fewest,
            "thresholds": groups_json(shown, &refusal.groups), "reliability": reliability_json(shown),
        }),
        ..base(shown, "cascade")
    }
}

/// What the warnings are: members that agree with themselves and not with people.
fn warnings(shown: &PanelShown, agreement: f64) -> Vec<String> {
    let each = shown.names.iter().zip(&shown.reliability);
    each.filter_map(|(name, reliability)| reliability.warning(name, agreement)).collect()
}

fn stages(shown: &PanelShown, seen: &Decided, fit: &CascadeFit) -> Section {
    let mut table = Table::new(&["stage", "#asked", "#decided", "#agrees", "#95 %", "#of"]);
    for (place, name) in shown.names.iter().enumerate() {
        let [value, interval, n] = share(proportion(seen.right[place], seen.decided[place]).as_ref());
        table.row(cells![name.as_str(), seen.asked[place], seen.decided[place], value, interval, n]);
    }
    let all = proportion(seen.n_right(), seen.n_decided());
    let [value, interval, n] = share(all.as_ref());
    table.row(cells!["all stages", seen.n(), seen.n_decided(), value, interval, n]);
    table.row(cells!["a person", seen.n_review, none(), none(), none(), none()]);
    let [decided, right] = fit.last_alone;
    let [value, interval, n] = share(proportion(right, decided).as_ref());
    table.row(cells!["the last stage alone", seen.n(), decided, value, interval, n]);
    let held = &fit.held_out.decided;
    let elsewhere = match proportion(held.n_right(), held.n_decided()) {
        None => "On cases that thresholds were not made from, nothing was decided.".to_owned(),
        Some(rate) => format!(
            "On cases that thresholds were not made from, {} of {} were decided, and {} of those agree with people.",
            held.n_decided(),
            held.n(),
            percent(rate.value)
        ),
    };
    Section::new("stages", "Who decides").table(table).text(elsewhere)
}

fn thresholds(shown: &PanelShown, groups: &[Group]) -> Section {
    let mut table = Table::new(&["slice", "stage", "decides from", "#agree", "#of", "#at least"]);
    for group in groups {
        let slice = group.slice.as_deref().unwrap_or(if groups.len() > 1 { "all others" } else { "all" });
        for ((name, test), worth) in shown.names.iter().zip(&group.stages).zip(&shown.reliability) {
            let StageTest { threshold, n, n_right, low } = test;
            let of = match worth.signal {
                Signal::Looks => "of its looks",
                Signal::Confidence => "sure",
            };
            let from =
                threshold.map_or("never".to_owned(), |threshold| format!("{} {of}", percent(threshold)));
            table.row(cells![slice, name.as_str(), from, *n_right, *n, percent(*low)]);
        }
    }
    Section::new("thresholds", "Thresholds")
        .text(
            "A stage decides where so large a share of its looks says the same, or where it is so sure. A slice has \
             thresholds of its own where it has enough labelled cases.",
        )
        .table(table)
}

fn signals(shown: &PanelShown) -> Section {
    let mut table = Table::new(&["judge", "signal", "#agrees with people", "#95 %", "#of"]);
    for (name, reliability) in shown.names.iter().zip(&shown.reliability) {
        for band in &reliability.bands {
            let [value, interval, n] = share(Some(&band.agreement));
            let signal = match reliability.signal {
                Signal::Looks => format!("{} of its looks agree", percent(band.signal)),
                Signal::Confidence if band.signal > 0.0 => format!("{} sure or more", percent(band.signal)),
                Signal::Confidence => "less sure".to_owned(),
            };
            table.row(cells![name.as_str(), signal, value, interval, n]);
        }
        table.row(cells![name.as_str(), "split", none(), none(), reliability.n_split]);
    }
    Section::new("signal", "What the signal is worth").table(table)
}

fn jury(shown: &PanelShown, fit: &JuryFit) -> Document {
    let rate = |n: u64| proportion(n, fit.n);
    let best = &shown.names[fit.best];
    let p = fit.test.map(|test| format!(" ({})", p_value(test.exact))).unwrap_or_default();
    let (jury, alone) = (value_or_none(rate(fit.jury_right)), value_or_none(rate(fit.best_right)));
    let verdict = if fit.jury.beats_best {
        format!("The jury beats its best member: {jury} agree with people, {alone} of {best}{p}.")
    } else {
        format!(
            "The jury does not beat its best member: {jury} agree with people, {alone} of {best}{p}. Ask {best} alone."
        )
    };
    let mut table = Table::new(&["member", "#weight", "#agrees", "#95 %", "#of"]);
    for (place, name) in shown.names.iter().enumerate() {
        let [value, interval, n] = share(rate(fit.members_right[place]).as_ref());
        table.row(cells![name.as_str(), format!("{:.2}", fit.jury.weights[place]), value, interval, n]);
    }
    let votes = format!(
        "The votes are worth {:.1} of {} that err independently.",
        fit.effective_votes,
        shown.names.len()
    );
    let came = if fit.jury.beats_best { Came::Passed } else { Came::failed(verdict.clone()) };
    Document {
        warnings: if fit.jury.beats_best { Vec::new() } else { vec![verdict.clone()] },
        verdict,
        lead: "Both were compared with labels that weights were not made from, split by case.".to_owned(),
        sections: vec![Section::new("members", "Members").table(table).text(votes), signals(shown)],
        tests: vec![TestCase::new("calibrate", "jury", came)],
        json: json!({
            "kind": "jury", "judge": shown.judge, "labels": shown.labels, "questions": fit.n,
            "beats_best": fit.jury.beats_best, "best": best, "effective_votes": fit.effective_votes,
            "agreement": { "jury": rate(fit.jury_right), "best": rate(fit.best_right) },
            "p_value": fit.test.map(|test| test.exact),
            "members": shown.names.iter().enumerate().map(|(place, name)| json!({
                "judge": name, "weight": fit.jury.weights[place], "agreement": rate(fit.members_right[place]),
            })).collect::<Vec<_>>(),
            "reliability": reliability_json(shown),
        }),
        ..base(shown, "jury")
    }
}

fn promise_json(promise: Promise) -> Value {
    json!({ "agreement": promise.agreement, "confidence": promise.confidence })
}

fn cascade_json(shown: &PanelShown, promise: Promise, fit: &CascadeFit) -> Value {
    let counts = |decided: &Decided| {
        json!({
            "questions": decided.n(), "decided": decided.n_decided(), "needs_human_review": decided.n_review,
            "agreement": proportion(decided.n_right(), decided.n_decided()),
            "stages": shown.names.iter().enumerate().map(|(place, name)| json!({
                "judge": name, "asked": decided.asked[place], "decided": decided.decided[place],
                "agreement": proportion(decided.right[place], decided.decided[place]),
            })).collect::<Vec<_>>(),
        })
    };
    json!({
        "kind": "cascade", "judge": shown.judge, "kept": true, "labels": shown.labels, "questions": shown.n_rows,
        "promise": promise_json(promise), "thresholds": groups_json(shown, &fit.record.groups),
        "seen": counts(&fit.seen), "held_out": counts(&fit.held_out.decided),
        "last_alone": { "decided": fit.last_alone[0], "agreement": proportion(fit.last_alone[1], fit.last_alone[0]) },
        "reliability": reliability_json(shown),
    })
}

fn groups_json(shown: &PanelShown, groups: &[Group]) -> Value {
    let stage = |(name, test): (&String, &StageTest)| json!({ "judge": name, "threshold": test.threshold, "n": test.n, "agree": test.n_right, "at_least": test.low });
    groups
        .iter()
        .map(|group| {
            json!({
                "slice": group.slice,
                "stages": shown.names.iter().zip(&group.stages).map(stage).collect::<Vec<_>>(),
            })
        })
        .collect()
}

fn reliability_json(shown: &PanelShown) -> Value {
    let each = shown.names.iter().zip(&shown.reliability);
    each.map(|(name, reliability)| {
        let bands = reliability.bands.iter();
        let bands = bands.map(|band| json!({ "signal": band.signal, "agreement": band.agreement }));
        let signal = match reliability.signal {
            Signal::Looks => "looks",
            Signal::Confidence => "confidence",
        };
        json!({ "judge": name, "signal": signal, "split": reliability.n_split, "bands": bands.collect::<Vec<_>>() })
    })
    .collect()
}

/// What the members of a panel decided in a run, line by line.
pub(super) fn lines(panel: &PanelFacts) -> Vec<String> {
    let share =
        |n: u64| proportion(n, panel.questions).map_or_else(none, |rate: Estimate| percent(rate.value));
    let line = |member: &PanelMember| {
        let cost = member.cost_usd.map(|usd| format!(", ${usd}")).unwrap_or_default();
        format!(
            "{}: asked about {}, decided {} ({}), {}{cost}",
            member.judge,
            member.asked,
            member.decided,
            share(member.decided),
            counted(member.calls, "call")
        )
    };
    let mut lines: Vec<String> = panel.members.iter().map(line).collect();
    lines.push(format!("a person: {} ({})", panel.needs_human_review, share(panel.needs_human_review)));
    if panel.pending > 0 {
        lines.push(format!("{} not answered yet", counted(panel.pending, "question")));
    }
    if let Some(promise) = &panel.promise {
        let seen = proportion(promise.seen_right, promise.seen_decided);
        let seen = seen.map_or("nothing was seen".to_owned(), |rate| {
            format!("seen {} of {} on other labelled cases", percent(rate.value), rate.n)
        });
        let (agreement, confidence) = (promise.agreement.to_f64(), promise.confidence.to_f64());
        lines.push(format!(
            "promised: {} agree with people at least ({} confidence); {seen}",
            percent(agreement),
            percent(confidence)
        ));
    }
    let spent: Option<f64> = panel.members.iter().map(|member| Some(member.cost_usd?.to_f64())).sum();
    if let (Some(spent), Some(last)) = (spent, panel.last_alone_usd.map(probity_core::exact::Exact::to_f64))
        && last > 0.0
    {
        lines.push(format!(
            "cost: {:.2} of always asking the last, which would have taken about ${last:.4}",
            spent / last
        ));
    }
    lines
}
