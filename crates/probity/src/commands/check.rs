//! What a command would send and cost: `probity check`, and `--dry-run` of every command that asks. It sends nothing.

use crate::render::figure::counted;
use std::io::{self, Write as _};
use std::sync::Arc;

use probity_core::report::metric_name;
use probity_engine::config::LeftOut;
use probity_engine::judge::request_body;
use probity_engine::ledger::Store;
use probity_engine::run::job::Job;
use probity_engine::run::panel::StagesAsked;
use probity_engine::run::plan::{Missing, Plan, Planned};
use probity_engine::run::quote::Quote;
use probity_engine::run::work::{PassEnd, Unit, Work};
use probity_engine::run::{dry_plan, quote};
use serde_json::{Value, json};

use super::as_read;
use super::price::{self, Shows};
use super::replies::PlannedReplies;
use crate::args::{CallArgs, CheckArgs, JobArgs};
use crate::exit::{Exit, Failure};
use crate::plain::plain;
use crate::render::report::pretty;
use crate::{settings, terminal};

/// Runs the command.
pub(crate) fn check(args: &CheckArgs) -> Result<Exit, Failure> {
    job(&args.job, None, args.show)
}

/// Prints what a run would cost, and with `show` what it would send.
pub(super) fn job(args: &JobArgs, calls: Option<&CallArgs>, show: bool) -> Result<Exit, Failure> {
    let say = &args.cases.reading.say;
    let job = Arc::new(settings::job(args, calls, &|line| say.note(line))?);
    let store = store(&*job)?;
    let mut replies = PlannedReplies::of(&job, store.as_ref(), show)?;
    let asked = replies.as_mut().map(|replies| std::mem::take(&mut replies.requests)).unwrap_or_default();
    let mut repeats = job.repeats();
    let first = repeats.next().expect("there is at least one repeat");
    let (left, Planned { mut plan, missing, .. }) = dry_plan(&*first, store.as_ref())?;
    for repeat in repeats {
        plan = plan.again(dry_plan(&*repeat, store.as_ref())?.1.plan);
    }
    let priced = Priced::of(&*first, store.as_ref(), plan, StagesAsked::AsFitted)?;
    let plan = &priced.plan;
    if say.json {
        let mut object = priced.json("record");
        let targets = job.rubric.targets().iter().map(|target| metric_name(&target.metric));
        object["targets"] = targets.collect();
        object["read"] = as_read::json(&as_read::first(&job.dataset)?);
        if show {
            let mut requests = Vec::new();
            each_request(&*job, missing, &left, &mut |request| {
                requests.push(request);
                Ok(())
            })?;
            object["requests"] = requests.into_iter().chain(asked).collect();
        }
        if let Some(replies) = &replies {
            object["replies"] = replies.json(plan);
        }
        terminal::print(&pretty(&object));
        return Ok(Exit::Done);
    }
    if show {
        let mut out = io::BufWriter::new(terminal::Pipe(io::stdout().lock()));
        let mut print = |request: Value| out.write_all(shown(&request).as_bytes());
        asked.into_iter().try_for_each(&mut print).map_err(|error| Failure::new(Exit::Store, &error))?;
        each_request(&*job, missing, &left, &mut print)?;
    }
    terminal::print(&as_read::text(&as_read::first(&job.dataset)?));
    terminal::print(&replies.as_ref().map(|replies| replies.text(plan)).unwrap_or_default());
    terminal::print(&priced.text("record"));
    Ok(Exit::Done)
}

/// A request as text.
fn shown(request: &Value) -> String {
    let word = |name: &str| plain(request[name].as_str().unwrap_or_default());
    let target = request.get("target").map(|_| format!("target {}, ", word("target"))).unwrap_or_default();
    format!("# case {}, {target}packet {}\n{:#}\n\n", word("case"), word("packet"), request["request"])
}

/// Says what the parts of one piece of work would take together; `unit` is what they go through.
pub(super) fn dry_run(parts: &[&dyn Work], unit: &str, is_json: bool) -> Result<Exit, Failure> {
    dry_run_of(parts, unit, StagesAsked::AsFitted, is_json)
}

/// The same, with `asked` of the members of a judge made of judges.
pub(super) fn dry_run_of(
    parts: &[&dyn Work],
    unit: &str,
    asked: StagesAsked,
    is_json: bool,
) -> Result<Exit, Failure> {
    let mut whole: Option<Plan> = None;
    for part in parts {
        let plan = dry_plan(*part, store(*part)?.as_ref())?.1.plan;
        whole = Some(match whole {
            None => plan,
            Some(whole) => whole.again(plan),
        });
    }
    if let (Some(first), Some(plan)) = (parts.first(), whole) {
        let priced = Priced::of(*first, store(*first)?.as_ref(), plan, asked)?;
        terminal::print(&if is_json { pretty(&priced.json(unit)) } else { priced.text(unit) });
    }
    Ok(Exit::Done)
}

/// Says what asking the targets of `jobs` for replies would take. The pairs are counted once the replies are there.
pub(super) fn dry_replies(jobs: &[Arc<Job>], is_json: bool) -> Result<Exit, Failure> {
    let (mut text, mut all) = (String::new(), Vec::new());
    for job in jobs {
        let store = store(&**job)?;
        let Some(replies) = PlannedReplies::of(job, store.as_ref(), false)? else { continue };
        text += &replies.text(&Plan::default());
        all.push(replies.json(&Plan::default()));
    }
    text += "calls to the judge are counted once the replies exist\nnothing was sent\n";
    terminal::print(&if is_json { pretty(&json!({ "replies": all })) } else { text });
    Ok(Exit::Done)
}

/// The store, where there is one.
fn store(work: &dyn Work) -> Result<Option<Store>, Failure> {
    let path = settings::store_address(work.asking())?;
    Ok(if path.may_exist() { Some(Store::open_read_only(&path)?) } else { None })
}

/// Gives every request that a run would send to `sink`.
fn each_request(
    work: &dyn Work,
    mut missing: Missing,
    left: &LeftOut,
    sink: &mut dyn FnMut(Value) -> io::Result<()>,
) -> Result<(), Failure> {
    let (asking, mut shown) = (work.asking(), Ok(()));
    let ended = work.units(&mut |unit| {
        let Unit::Asked { label, packets } = unit else { return Ok(()) };
        for sized in packets {
            if missing.take(sized.packet.hash()).is_none() {
                continue;
            }
            let prompt = asking.template.render(&sized.packet)?;
            let name = sized.packet.hash().to_string();
            let question = label.question(sized.packet, prompt);
            let body = request_body(&asking.judge, left, &question);
            shown = sink(json!({ "case": &*question.case_id, "packet": name, "request": body }));
            if shown.is_err() {
                return Err(PassEnd::Left);
            }
        }
        Ok(())
    });
    PassEnd::failure(ended)?;
    shown.map_err(|error| Failure::new(Exit::Store, &error))
}

/// A plan with what it costs.
struct Priced<'a> {
    work: &'a dyn Work,
    plan: Plan,
    /// `None` where the judge has no endpoint.
    quote: Option<Quote>,
}

impl<'a> Priced<'a> {
    fn of(
        work: &'a dyn Work,
        store: Option<&Store>,
        plan: Plan,
        asked: StagesAsked,
    ) -> Result<Priced<'a>, Failure> {
        let cascades = settings::cascades_over(work.basis())?;
        let quote = quote(work, store, &plan, (asked, &cascades))?;
        Ok(Priced { work, plan, quote })
    }

    /// As an object; `unit` is what the plan goes through.
    fn json(&self, unit: &str) -> Value {
        let plan = &self.plan;
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
            "cost_usd_expected": null,
            "cost_usd_max": null,
            "shows": Shows::of(plan, unit).map(|shows| shows.json()),
        });
        if let Some(quote) = &self.quote {
            price::add_json(&mut object, quote);
        }
        object
    }

    /// As lines.
    fn text(&self, unit: &str) -> String {
        let Plan { n_records, n_skipped, n_blocked, n_admitted, n_packets, n_calls, .. } = &self.plan;
        let judge = &self.work.asking().judge;
        let model = judge.chat().map(|chat| format!(" {}", plain(&chat.model))).unwrap_or_default();
        let recorded = n_packets - n_calls - self.plan.n_oversize;
        let is_panel = self.quote.as_ref().filter(|quote| !quote.stages.is_empty());
        let n_calls = is_panel.map_or(*n_calls, |quote| quote.n_calls);
        let waiting = match self.plan.n_no_reply {
            0 => String::new(),
            n => format!(", {n} without a reply"),
        };
        let mut text = format!(
            "{}: {n_admitted} admitted, {n_blocked} blocked, {n_skipped} skipped{waiting}\n\
             {} to judge {}{model} ({}, {recorded} on record or repeated)\n",
            counted(*n_records, unit),
            counted(n_calls, "call"),
            judge.kind().name(),
            counted(*n_packets, "packet")
        );
        text += &self.quote.as_ref().map_or("no tokens, no cost\n".to_owned(), price::text);
        text += &Shows::of(&self.plan, unit).map(|shows| shows.text(unit)).unwrap_or_default();
        for (case, tokens) in &self.plan.oversize {
            text += &format!("case {}: about {tokens} tokens exceed the judge's context\n", plain(case));
        }
        text.push_str("nothing was sent\n");
        text
    }
}
