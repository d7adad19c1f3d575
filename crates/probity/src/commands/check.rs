//! `probity check`: what a run would send and cost. It sends nothing.

use std::io::{self, Write as _};

use probity_core::exact::Exact;
use probity_engine::config::Layer;
use probity_engine::judge::params::Shape;
use probity_engine::judge::request_body;
use probity_engine::run::job::Job;
use probity_engine::run::plan::{Known, Plan, UnscoredPolicy, plan};
use probity_engine::run::shape;
use probity_engine::run::work::{Unit, Work as _};
use probity_engine::schedule::budget::Money;
use probity_engine::store::{JudgeId, Store, StoreError};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::compare::pretty;
use super::replies::Planned;
use crate::args::CheckArgs;
use crate::exit::{Exit, Failure};
use crate::render::plain::plain;
use crate::{settings, terminal};

/// What `check --json` writes.
#[derive(Serialize, JsonSchema)]
pub(super) struct PlanDocument {
    records: u64,
    skipped: u64,
    blocked: u64,
    admitted: u64,
    /// Cases without a reply.
    no_reply: u64,
    /// Questions in all.
    packets: u64,
    /// Of those, neither on record nor equal to another.
    calls: u64,
    /// Packets that are too large to be sent.
    oversize: u64,
    /// The first of them.
    oversize_cases: Vec<OversizeCase>,
    tokens: PlannedTokens,
    /// Null without a price, and for judges that cost nothing.
    cost_usd_max: Option<Exact>,
    /// Each call's body as it would be sent; only with `--show`.
    #[serde(skip_serializing_if = "Option::is_none")]
    requests: Option<Vec<Value>>,
    /// What the target would be asked; only with `--target`.
    #[serde(skip_serializing_if = "Option::is_none")]
    replies: Option<Value>,
}

#[derive(Serialize, JsonSchema)]
struct OversizeCase {
    case: String,
    tokens: u64,
}

/// Tokens of the calls: estimated, and the most that answers may have.
#[derive(Serialize, JsonSchema)]
struct PlannedTokens {
    input: u64,
    output_max: u64,
}

/// Runs the command.
pub(crate) fn check(args: &CheckArgs) -> Result<Exit, Failure> {
    let quiet = args.job.cases.reading.quiet || args.job.cases.reading.json;
    let note = |line: &str| {
        if !quiet {
            terminal::note(line);
        }
    };
    let job = settings::job(&args.job, Layer::default(), &note)?;
    let (shape, known) = known(&job)?;
    let replies = Planned::of(&job, args.show)?;
    let plan = plan(&job, known.clone()).map_err(settings::load_failure)?;
    if args.job.cases.reading.json {
        let mut requests = if args.show { Some(requests(&job, known, shape)?) } else { None };
        if let (Some(requests), Some(replies)) = (&mut requests, &replies) {
            requests.extend(replies.requests());
        }
        let replies = replies.as_ref().map(|replies| replies.json(&plan));
        terminal::print(&pretty(&PlanDocument { requests, replies, ..PlanDocument::of(&plan) }));
        return Ok(Exit::Done);
    }
    if args.show {
        terminal::print(&replies.as_ref().map(Planned::shown).unwrap_or_default());
        show(&job, known, shape)?;
    }
    terminal::print(&replies.as_ref().map(|replies| replies.text(&plan)).unwrap_or_default());
    terminal::print(&plan_text(&job, &plan));
    Ok(Exit::Done)
}

/// How the answer's shape would be asked for, and what is on record already where there is a store.
fn known(job: &Job) -> Result<(Option<Shape>, Known), Failure> {
    let path = settings::store_path(&job.asking)?;
    if !path.exists() {
        return Ok((job.asking.shape_first(), Known::default()));
    }
    let read = || {
        let store = Store::open_read_only(&path)?;
        let shape = shape(&job.asking, &store)?;
        let judge = JudgeId::of_identity(&job.asking.identity(shape));
        Ok((shape, Known::new(store.settled(&judge, job.repeat())?, UnscoredPolicy::Keep)))
    };
    read().map_err(|error: StoreError| Failure::new(Exit::Store, &error))
}

/// Gives every request that a run would send to `sink`.
fn each_request(
    job: &Job,
    mut known: Known,
    shape: Option<Shape>,
    sink: &mut dyn FnMut(&str, String, Value) -> io::Result<()>,
) -> Result<(), Failure> {
    for unit in job.units().map_err(settings::load_failure)? {
        let Unit::Asked { label, packets } = unit.map_err(settings::load_failure)? else { continue };
        for sized in packets {
            if job.asking.is_oversize(&sized) || !known.needs(sized.packet.hash()) {
                continue;
            }
            let prompt = job
                .asking
                .template
                .render(&sized.packet)
                .map_err(|error| Failure::new(Exit::Usage, &error))?;
            let name = sized.packet.hash().to_string();
            let question = label.question(sized.packet, prompt);
            let body = request_body(&job.asking.judge, shape, &question);
            sink(&question.case_id, name, body).map_err(|error| Failure::new(Exit::Store, &error))?;
        }
    }
    Ok(())
}

fn requests(job: &Job, known: Known, shape: Option<Shape>) -> Result<Vec<Value>, Failure> {
    let mut requests = Vec::new();
    each_request(job, known, shape, &mut |case, packet, body| {
        requests.push(json!({ "case": case, "packet": packet, "request": body }));
        Ok(())
    })?;
    Ok(requests)
}

fn show(job: &Job, known: Known, shape: Option<Shape>) -> Result<(), Failure> {
    let mut out = io::BufWriter::new(terminal::Pipe(io::stdout().lock()));
    each_request(job, known, shape, &mut |case, packet, body| {
        writeln!(out, "# case {}, packet {packet}", plain(case))?;
        writeln!(out, "{}\n", serde_json::to_string_pretty(&body)?)
    })
}

impl PlanDocument {
    fn of(plan: &Plan) -> PlanDocument {
        let oversize = plan.oversize.iter();
        PlanDocument {
            records: plan.n_records,
            skipped: plan.n_skipped,
            blocked: plan.n_blocked,
            admitted: plan.n_admitted,
            no_reply: plan.n_no_reply,
            packets: plan.n_packets,
            calls: plan.n_calls,
            oversize: plan.n_oversize,
            oversize_cases: oversize
                .map(|(case, tokens)| OversizeCase { case: case.clone(), tokens: *tokens })
                .collect(),
            tokens: PlannedTokens { input: plan.tokens_input, output_max: plan.tokens_output_max },
            cost_usd_max: plan.most.map(Money::usd),
            requests: None,
            replies: None,
        }
    }
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
