//! `probity calibrate --cascade` and `--jury`: what labels let the members of a panel decide, kept in the store.

use probity_core::packet::AnswerForm;
use probity_core::panel::{
    CascadeFit, JuryFit, MemberLooks, PanelRecord, PanelRow, Promise, Refusal, fit_cascade, fit_jury,
    panel_rows, reliability,
};
use probity_engine::config::{PanelRule, PanelSettings};
use probity_engine::ledger::Store;
use probity_engine::run::Ran;
use probity_engine::run::panel::{StagesAsked, ask_all, keep, look_name, looks, n_repeats};

use super::super::check::dry_run_of;
use super::super::outlet::Outlet;
use super::super::session::{Ended, Session};
use super::live::{Asked, Labelled, labelled};
use super::live_flags;
use crate::args::CalibrateArgs;
use crate::exit::{Exit, Failure};
use crate::render::panel::{Fitted, PanelShown, document};

/// Runs the command for a judge made of judges.
pub(super) fn fit(args: &CalibrateArgs, outlet: &Outlet<'_>) -> Result<Exit, Failure> {
    let session = Session::new(&args.ask.calls, args.ask.reading.say.quiet);
    let labelled = labelled(&live_flags(args), &|line| session.note(line))?;
    let panel = panel(args, &labelled)?;
    let (asking, rubric) = (&labelled.asked.asking, &labelled.asked.rubric);
    if session.is_dry_run() {
        return dry_run_of(&[&*labelled.asked.work()], "labelled item", StagesAsked::All, outlet.is_json());
    }
    let store = session.open_for_writing(asking)?;
    let work = labelled.asked.work();
    let asked = session.ask(&store, async |session| ask_all(&work, session).await)??;
    if let Some(stopped) = asked.iter().find_map(stopped) {
        store.close()?;
        return Ok(stopped.say());
    }
    let form =
        if matches!(labelled.asked, Asked::Pairs(_)) { AnswerForm::Preference } else { AnswerForm::Levels };
    let looks = looks(asking, form);
    let (rows, n_answers) = rows(&labelled, &store, &asked, form)?;
    let digest = labelled.labels.digest.as_str();
    let fitted = match panel.rule {
        PanelRule::Cascade { agreement, confidence } => {
            let promise = Promise { agreement: agreement.0.to_f64(), confidence: confidence.0.to_f64() };
            Fitted::Cascade(promise, fit_cascade(&rows, &looks, promise, digest))
        }
        PanelRule::Jury => {
            let fit = fit_jury(&rows, panel.members.len(), n_answers, digest);
            Fitted::Jury(fit.ok_or_else(|| Failure::usage("no label can be compared with the judges"))?)
        }
    };
    if let Some(record) = record(&fitted) {
        keep(asking, rubric, &store, record)?;
    }
    store.close()?;
    let shown = PanelShown {
        names: panel.members.iter().map(|member| member.name.clone()).collect(),
        judge: asking.judge.name.clone(),
        about: format!("{} against {}", labelled.asked.name, labelled.labels.source),
        reliability: reliability(&rows, &looks),
        n_rows: rows.len() as u64,
        labels: digest.to_owned(),
        fitted,
    };
    let ended = match &shown.fitted {
        Fitted::Cascade(_, Err(_)) => {
            Ended::with(Exit::No, "FAILED: no threshold keeps the promise; nothing was saved".to_owned())
        }
        Fitted::Cascade(_, Ok(_)) | Fitted::Jury(_) => Ended::done(),
    };
    outlet.end(&document(&shown), ended)
}

/// What the judge is made of, which must be what the flag says.
fn panel<'a>(args: &CalibrateArgs, labelled: &'a Labelled) -> Result<&'a PanelSettings, Failure> {
    let (flag, wanted) = if args.jury { ("--jury", "jury") } else { ("--cascade", "cascade") };
    let judge = &labelled.asked.asking.judge;
    let panel = judge.panel().filter(|panel| panel.rule.kind().name() == wanted);
    let panel = panel.ok_or_else(|| {
        let (name, kind) = (&judge.name, judge.kind().name());
        Failure::usage(format!(
            "{flag}: expected a judge of kind {wanted}, and judge {name} is of kind {kind}"
        ))
        .hint(format!("name one with --judge; its table in probity.toml has kind = \"{wanted}\""))
    })?;
    let is_outcome = |labelled: &Labelled| {
        matches!(labelled.asked, Asked::Replies(_))
            && labelled.matched.labels.first().is_some_and(|label| label.criterion.is_none())
    };
    if is_outcome(labelled) {
        return Err(Failure::usage(format!(
            "{flag}: the labels are about whole replies, and judges decide criteria"
        ))
        .hint("label criteria, or pairs of replies"));
    }
    Ok(panel)
}

fn stopped(ran: &Ran) -> Option<Ended> {
    let stop = ran.driven.as_ref()?.stop.as_ref()?;
    Some(Ended::stopped("judge", stop, ran.n_answered))
}

/// Labels beside what each member thinks, and how many answers there are.
fn rows(
    labelled: &Labelled,
    store: &Store,
    asked: &[Ran],
    form: AnswerForm,
) -> Result<(Vec<PanelRow>, usize), Failure> {
    let asking = &labelled.asked.asking;
    let (mut said, mut members) = (Vec::new(), Vec::new());
    let looks = looks(asking, form).into_iter().zip(n_repeats(asking, form));
    for ((place, ran), (looks, n_repeats)) in asked.iter().enumerate().zip(looks) {
        let names: Vec<String> = (0..n_repeats).map(|look| look_name(place, look)).collect();
        for (look, name) in (0..n_repeats).zip(&names) {
            said.extend(labelled.asked.look(store, (place, &ran.judge_id), look, name)?);
        }
        members.push(MemberLooks { names, signal: looks.signal });
    }
    let sheet = labelled.sheet(&said)?;
    Ok((panel_rows(&sheet, &members), sheet.n_answers()))
}

/// What is kept of a fit.
fn record(fitted: &Fitted) -> Option<PanelRecord> {
    match fitted {
        Fitted::Cascade(_, Ok(CascadeFit { record, .. })) => Some(PanelRecord::Cascade(record.clone())),
        Fitted::Cascade(_, Err(Refusal { .. })) => None,
        Fitted::Jury(JuryFit { jury, .. }) => Some(PanelRecord::Jury(jury.clone())),
    }
}
