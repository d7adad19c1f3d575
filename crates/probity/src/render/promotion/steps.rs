//! What stands between a judge and its promotion, as a page shows it: what is missing first, each with the command that
//! gets it, then every requirement by group, then the steps up to the decision.

use probity_core::label::ScaleKind;
use probity_core::promote::{Check, Requirement};
use serde_json::Value;

use super::super::families::folded;
use super::super::figure::none;
use super::super::report::chart::have_need;
use super::super::report::document::{Block, Cell, Cells, Fold, Section, Table, Tone};
use super::super::report::reproduce::{Replay, called, other_command};
use super::{PromotionShown, figures, title};

/// Flags of this command that another one about the same judge takes too, each with a value.
const KEPT: [&str; 6] = ["--rubric", "--judge", "--model", "--base-url", "--store", "--labels"];

/// A longer list of what is missing is folded.
const MESSAGE_BYTES_MAX: usize = 300;

/// The sections.
pub(super) fn sections(shown: &PromotionShown<'_>) -> Vec<Section> {
    let checks = &shown.decision.checks;
    let unmet: Vec<&Check> = checks.iter().filter(|check| check.unmet.is_some()).collect();
    let missing = unmet.iter().map(|check| Block::Fold(card(check, shown)));
    let missing = missing.fold(Section::new("missing", "What is missing"), Section::with);
    let mut groups: Vec<(Requirement, Vec<&Check>)> = Vec::new();
    for check in checks {
        match groups.iter_mut().find(|(requirement, _)| *requirement == check.requirement) {
            Some((_, group)) => group.push(check),
            None => groups.push((check.requirement, vec![check])),
        }
    }
    let all = Section::new("requirements", "All requirements");
    let all = groups
        .iter()
        .map(|(requirement, group)| Block::Fold(grouped(*requirement, group)))
        .fold(all, Section::with);
    let mut steps = Section::new("then", "Then");
    for (at, (text, command)) in then(&unmet, shown).into_iter().enumerate() {
        steps = steps.with(Block::Text(format!("{}. {text}", at + 1))).with(Block::Command(command));
    }
    let steps = steps.text(
        "What would end a standing: a change of model, template, rubric, labels, gate rules or contract; the day on which \
         the contract says it ends; a lead who withdraws it.",
    );
    let sections = [missing.filled(), Some(all), Some(steps)];
    sections.into_iter().flatten().map(Section::on_pages).collect()
}

/// A requirement that is not met: how far it is, what is missing, and the command that gets it.
fn card(check: &Check, shown: &PromotionShown<'_>) -> Fold {
    let mut blocks = Vec::new();
    if let Some(bar) = have_need(&check.have, &check.need, false) {
        let [have, need] = figures(check);
        let mut table = Table::new(&["|", "#have", "#need"]);
        table.row(cells![Cell::Plot(bar).named(&title(check)), have, need]);
        blocks.push(Block::Table(table));
    }
    match check.message().split_once(": ").filter(|_| check.message().len() > MESSAGE_BYTES_MAX) {
        Some((what, which)) => blocks
            .extend([Block::Text(format!("{what}.")), folded("Which ones", Block::Text(which.to_owned()))]),
        None => blocks.push(Block::Text(check.message().to_owned())),
    }
    blocks.extend(command(check.requirement, shown).map(Block::Command));
    Fold {
        title: title(check),
        about: String::new(),
        shapes: Vec::new(),
        word: to_go(check).unwrap_or_else(|| "not met".to_owned()),
        tone: Tone::Missed,
        is_open: true,
        blocks,
    }
}

/// How many are missing, where what is counted is whole.
fn to_go(check: &Check) -> Option<String> {
    let whole = |value: &Value| value.as_u64();
    let gap = whole(&check.need)?.checked_sub(whole(&check.have)?)?;
    (gap > 0).then(|| format!("{gap} to go"))
}

/// The checks of one requirement in a line.
fn grouped(requirement: Requirement, checks: &[&Check]) -> Fold {
    let n_met = checks.iter().filter(|check| check.unmet.is_none()).count();
    let is_met = n_met == checks.len();
    let mut table = Table::new(&["requirement", "|", "#have", "#need", ""]);
    for check in checks {
        let [have, need] = figures(check);
        let is_met = check.unmet.is_none();
        let (word, tone) = if is_met { ("met", Tone::Met) } else { ("not met", Tone::Missed) };
        let bar = have_need(&check.have, &check.need, is_met).map_or_else(|| Cell::text(""), Cell::Plot);
        table.row(cells![title(check), bar.named(&title(check)), have, need, Cell::word(word, tone)]);
    }
    let about = match checks {
        [only] => {
            let [have, need] = figures(only);
            if have == none() { format!("need {need}") } else { format!("{have}, need {need}") }
        }
        several => format!("{n_met} of {}", several.len()),
    };
    let shape = |check: &&Check| (if check.unmet.is_none() { Tone::Met } else { Tone::Missed }, title(check));
    Fold {
        title: requirement.title().to_owned(),
        about,
        shapes: checks.iter().map(shape).collect(),
        word: if is_met { "met" } else { "not met" }.to_owned(),
        tone: if is_met { Tone::Met } else { Tone::Missed },
        is_open: false,
        blocks: vec![Block::Table(table)],
    }
}

/// The command that gets what a requirement lacks, where one does.
fn command(requirement: Requirement, shown: &PromotionShown<'_>) -> Option<String> {
    match requirement {
        Requirement::LabelledRows | Requirement::SliceRows => {
            let contract = shown.source.strip_prefix("file:").unwrap_or(shown.source);
            let pairs = shown.gathered.calibration.scale.kind() == ScaleKind::Pairwise;
            let mut more = vec!["--from", "contract", "--contract", contract];
            more.extend(pairs.then_some("--pairs"));
            Some(other_command("review", &["--rubric", "--store"], &more))
        }
        Requirement::Probes => Some(other_command("probe", &KEPT[..5], &["--report", "probe.html"])),
        Requirement::Agreement
        | Requirement::HumanShare
        | Requirement::BeatsBaseline
        | Requirement::SliceAgreement => {
            Some(other_command("calibrate", &KEPT, &["--report", "calibrate.html"]))
        }
        Requirement::Coverage => Some(again()),
        Requirement::HardGates
        | Requirement::HumanReview
        | Requirement::Reasons
        | Requirement::OneModel
        | Requirement::ModelEnd
        | Requirement::Expiry => None,
    }
}

/// The steps up to the decision, each with its command.
fn then(unmet: &[&Check], shown: &PromotionShown<'_>) -> Vec<(String, String)> {
    let mut steps: Vec<(String, String)> = Vec::new();
    for check in unmet {
        let text = match check.requirement {
            Requirement::LabelledRows | Requirement::SliceRows => {
                "Label what the contract still lacks, blind."
            }
            Requirement::Probes => "See which shortcuts work, change the template, probe again.",
            Requirement::Agreement
            | Requirement::HumanShare
            | Requirement::BeatsBaseline
            | Requirement::SliceAgreement => {
                "See where the judge and people differ, and make the rubric say it."
            }
            _ => continue,
        };
        let command = command(check.requirement, shown).unwrap_or_default();
        if steps.iter().all(|(known, _)| known != text) {
            steps.push((text.to_owned(), command));
        }
    }
    steps.push(("Ask for the decision again.".to_owned(), again()));
    steps
}

/// This command once more.
fn again() -> String {
    called(Replay::AsItIs)
}
