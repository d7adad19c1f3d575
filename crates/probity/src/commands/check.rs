//! `probity check`: what a run would send and cost. It sends nothing.

use std::io::{self, Write as _};

use probity_engine::config::Layer;
use probity_engine::judge::params::Shape;
use probity_engine::judge::request_body;
use probity_engine::run::dry_plan;
use probity_engine::run::job::Job;
use probity_engine::run::plan::{Missing, Plan, Planned};
use probity_engine::run::work::{PassEnd, Unit, Work as _};
use probity_engine::schedule::budget::Money;
use probity_engine::store::Store;
use serde_json::{Value, json};

use super::replies::PlannedReplies;
use super::session::failure;
use crate::args::CheckArgs;
use crate::exit::{Exit, Failure};
use crate::render::plain::plain;
use crate::{settings, terminal};

/// Runs the command.
pub(crate) fn check(args: &CheckArgs) -> Result<Exit, Failure> {
    let quiet = args.job.cases.reading.quiet || args.job.cases.reading.json;
    let note = |line: &str| {
        if !quiet {
            terminal::note(line);
        }
    };
    let job = settings::job(&args.job, Layer::default(), &note)?;
    let store = settings::store_path(&job.asking).map(|path| path.exists().then_some(path))?;
    let store = store.map(|path| Store::open_read_only(&path)).transpose();
    let store = store.map_err(|error| Failure::new(Exit::Store, &error))?;
    let replies = PlannedReplies::of(&job, store.as_ref(), args.show)?;
    let (shape, Planned { plan, missing, .. }) = dry_plan(&job, store.as_ref()).map_err(failure)?;
    if args.job.cases.reading.json {
        let mut requests = if args.show { Some(requests(&job, missing, shape)?) } else { None };
        if let (Some(requests), Some(replies)) = (&mut requests, &replies) {
            requests.extend(replies.requests());
        }
        let mut object = plan_json(&plan, requests);
        if let Some(replies) = &replies {
            object["replies"] = replies.json(&plan);
        }
        let text = serde_json::to_string_pretty(&object).expect("JSON values can be written");
        terminal::print(&format!("{text}\n"));
        return Ok(Exit::Done);
    }
    if args.show {
        terminal::print(&replies.as_ref().map(PlannedReplies::shown).unwrap_or_default());
        show(&job, missing, shape)?;
    }
    terminal::print(&replies.as_ref().map(|replies| replies.text(&plan)).unwrap_or_default());
    terminal::print(&plan_text(&job, &plan));
    Ok(Exit::Done)
}

/// Gives every request that a run would send to `sink`.
fn each_request(
    job: &Job,
    mut missing: Missing,
    shape: Option<Shape>,
    sink: &mut dyn FnMut(&str, String, Value) -> io::Result<()>,
) -> Result<(), Failure> {
    let mut shown = Ok(());
    let ended = job.units(&mut |unit| {
        let Unit::Asked { label, packets } = unit else { return Ok(()) };
        for sized in packets {
            if missing.take(sized.packet.hash()).is_none() {
                continue;
            }
            let prompt = job.asking.template.render(&sized.packet)?;
            let name = sized.packet.hash().to_string();
            let question = label.question(sized.packet, prompt);
            shown = sink(&question.case_id, name, request_body(&job.asking.judge, shape, &question));
            if shown.is_err() {
                return Err(PassEnd::Left);
            }
        }
        Ok(())
    });
    PassEnd::failure(ended).map_err(failure)?;
    shown.map_err(|error| Failure::new(Exit::Store, &error))
}

fn requests(job: &Job, missing: Missing, shape: Option<Shape>) -> Result<Vec<Value>, Failure> {
    let mut requests = Vec::new();
    each_request(job, missing, shape, &mut |case, packet, body| {
        requests.push(json!({ "case": case, "packet": packet, "request": body }));
        Ok(())
    })?;
    Ok(requests)
}

fn show(job: &Job, missing: Missing, shape: Option<Shape>) -> Result<(), Failure> {
    let mut out = io::BufWriter::new(terminal::Pipe(io::stdout().lock()));
    each_request(job, missing, shape, &mut |case, packet, body| {
        writeln!(out, "# case {}, packet {packet}", plain(case))?;
        writeln!(out, "{}\n", serde_json::to_string_pretty(&body)?)
    })
}

fn plan_json(plan: &Plan, requests: Option<Vec<Value>>) -> Value {
    let oversize: Vec<Value> =
        plan.oversize.iter().map(|(case, tokens)| json!({ "case": case, "tokens": tokens })).collect();
    let mut object = json!({
        "records": plan.n_records,
        "skipped": plan.n_skipped,
        "blocked": plan.n_blocked,
        "admitted": plan.n_admitted,
        "no_reply": plan.n_no_reply,
        "packets": plan.n_packets,
        "calls": plan.n_calls,
        "oversize": plan.n_oversize,
        "oversize_cases": oversize,
        "tokens": { "input": plan.tokens_input, "output_max": plan.tokens_output_max },
        "cost_usd_max": plan.most.map(Money::usd),
    });
    if let Some(requests) = requests {
        object["requests"] = requests.into();
    }
    object
}

fn plan_text(job: &Job, plan: &Plan) -> String {
    let Plan { n_records, n_skipped, n_blocked, n_admitted, n_packets, n_calls, .. } = plan;
    let judge = job.asking.judge.kind().name();
    let model = job.asking.judge.chat().map(|chat| format!(" {}", plain(&chat.model))).unwrap_or_default();
    let recorded = n_packets - n_calls - plan.n_oversize;
    let waiting = match plan.n_no_reply {
        0 => String::new(),
        n => format!(", {n} without a reply"),
    };
    let mut text = format!(
        "{n_records} records: {n_admitted} admitted, {n_blocked} blocked, {n_skipped} skipped{waiting}\n\
         {n_calls} calls to judge {judge}{model} ({n_packets} packets, {recorded} on record or repeated)\n"
    );
    if job.asking.judge.chat().is_some() {
        let cost = plan.most.map_or("cost unknown: no price for this model".to_owned(), |most| {
            format!("at most ${}", most.usd())
        });
        let (input, output) = (plan.tokens_input, plan.tokens_output_max);
        text += &format!("about {input} tokens in, at most {output} out, {cost}\n");
    } else {
        text.push_str("no tokens, no cost\n");
    }
    for (case, tokens) in &plan.oversize {
        text += &format!("case {}: about {tokens} tokens are more than the judge reads\n", plain(case));
    }
    text.push_str("nothing was sent\n");
    text
}
