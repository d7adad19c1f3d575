//! `probity review`: makes a queue of case files, and serves the room where people label it.
//!
//! What is served and how is the business of [`crate::web`]. No judge is asked here: what a judge said comes from
//! the store.

use crate::render::figure::counted;
use std::sync::Arc;

use probity_core::promote::Contract;
use probity_engine::ledger::StoreAddress;
use probity_engine::review::build::{Built, QueueRequest, QueueSource, of_pairs, of_replies};
use probity_engine::review::{Added, After, PersonName, QueueId, ReviewRoom};
use serde_json::json;
use tokio::runtime::Runtime;

use super::session::runtime;
use crate::args::{ReviewArgs, default_counting};
use crate::exit::{Exit, Failure};
use crate::render::report::pretty;
use crate::settings::{self, CaseFlags, LabelledJob};
use crate::terminal;
use crate::web::{self, Opening, Reach, RunSource, WebSettings};

/// Resamples behind figures that only decide what comes first.
const RESAMPLES: u32 = 200;

/// Digits of a digest that tell queues of one name apart.
const DIGITS: usize = 8;

/// Where the user's name is, by system.
const USER: [&str; 3] = ["USER", "LOGNAME", "USERNAME"];

/// A queue in the store, and how it was made.
struct Kept {
    id: QueueId,
    name: String,
    n_items: usize,
    built: Built,
}

/// Runs the command.
pub(crate) fn review(mut args: ReviewArgs) -> Result<Exit, Failure> {
    if args.queue.pairs {
        args.judge.rubric.get_or_insert_with(|| settings::PAIRWISE_RUBRIC.to_owned());
    }
    let note = |line: &str| args.reading.say.note(line);
    let contract = args.queue.contract.as_deref().map(|path| settings::contract(path, &note)).transpose()?;
    let (lead, people) = names(&args)?;
    let reach = Reach::of(&args.serving.address)?;
    let runtime = runtime()?;
    let room = if args.files.is_empty() {
        existing(&args)?
    } else {
        let job = job(&args, &note)?;
        let room = open(&settings::store_address(&job.asking)?)?;
        let kept = add(&room, &job, &args, contract.as_ref(), &runtime)?;
        tell(&kept, &args, &room, &note)?;
        room
    };
    if !args.serving.no_serve {
        let address = &args.serving.address;
        let opening = if address.no_open { Opening::Nothing } else { Opening::Browser };
        let source = RunSource::Store;
        let settings = WebSettings { reach, opening, lead, people, contract, source, first: None };
        runtime.block_on(web::serve(Arc::new(room.clone()), settings))?;
    }
    room.close()?;
    Ok(Exit::Done)
}

fn open(address: &StoreAddress) -> Result<ReviewRoom, Failure> {
    ReviewRoom::open(address).map_err(|error| Failure::new(Exit::Store, &error))
}

/// The room of a store that has queues.
fn existing(args: &ReviewArgs) -> Result<ReviewRoom, Failure> {
    let path = settings::named_store(&args.reading.settings, args.judge.store.as_ref())?;
    let empty = || {
        Failure::usage(format!("{path} has no queue")).hint("name case files: `probity review cases.jsonl`")
    };
    if args.queue.pairs || !path.may_exist() {
        return Err(empty());
    }
    let room = open(&path)?;
    let queues = room.queues()?;
    if queues.is_empty() { Err(empty()) } else { Ok(room) }
}

/// The name of the person who starts a server: the one given, or the user's.
pub(super) fn lead_name(given: Option<&str>) -> Result<PersonName, Failure> {
    let user = || USER.iter().find_map(|variable| PersonName::new(&settings::variable(variable)?).ok());
    match given {
        Some(text) => named("as", text),
        None => user().map_or_else(|| named("as", "lead"), Ok),
    }
}

fn named(flag: &str, text: &str) -> Result<PersonName, Failure> {
    PersonName::new(text).map_err(|error| Failure::usage(format!("--{flag}: {error}")))
}

/// The lead's name and those of the people invited.
fn names(args: &ReviewArgs) -> Result<(PersonName, Vec<PersonName>), Failure> {
    let lead = lead_name(args.serving.address.lead.as_deref())?;
    let people =
        args.serving.people.iter().map(|text| named("person", text)).collect::<Result<Vec<_>, _>>()?;
    if people.iter().any(|name| name.is_same(lead.as_str())) {
        return Err(Failure::usage(format!("--person {lead}: this is the name of the lead"))
            .hint("choose another name for yourself with --as"));
    }
    Ok((lead, people))
}

fn job(args: &ReviewArgs, note: &dyn Fn(&str)) -> Result<LabelledJob, Failure> {
    let flags = CaseFlags::new(&args.files, &args.judge, &args.reading);
    let flags = CaseFlags { one_call: args.queue.one_call, ..flags };
    let job = settings::labelled(&flags, note)?;
    match &job {
        LabelledJob::Replies(job) if args.queue.pairs => {
            Err(Failure::usage(format!("--pairs: rubric {} scores single replies", job.rubric.name()))
                .hint(format!("use --rubric {}, or leave --pairs out", settings::PAIRWISE_RUBRIC)))
        }
        _ => Ok(job),
    }
}

/// Makes the queue and keeps it, under a name of its own where none was given: what it asks and what it has.
fn add(
    room: &ReviewRoom,
    job: &LabelledJob,
    args: &ReviewArgs,
    contract: Option<&Contract>,
    runtime: &Runtime,
) -> Result<Kept, Failure> {
    let source = args.queue.source;
    if source == QueueSource::Contract && contract.is_none() {
        return Err(Failure::usage("--from contract needs a contract").hint("name it: --contract FILE"));
    }
    let mut counting = default_counting();
    counting.sampling.resampling.n_resamples = RESAMPLES;
    let wanted = QueueRequest {
        name: args.queue.queue.clone().unwrap_or_default(),
        source,
        overlap: args.queue.overlap,
        seed: args.queue.seed,
        after: if args.queue.reveal { After::Reveal } else { After::Nothing },
        round: args.queue.round,
        items_max: args.queue.items.map(|n| n as usize),
        contract,
        counting,
    };
    let mut built = match job {
        LabelledJob::Replies(job) => of_replies(room, job, &wanted),
        LabelledJob::Pairs(job) => of_pairs(room, job, &wanted),
    }?;
    refuse_nothing(&built, source)?;
    if args.queue.queue.is_none() {
        // Reviewers see the name. Files are often called after what wrote the replies, so it has none of them.
        let queue = &mut built.queue;
        queue.name = format!("{} {}", queue.spec.asked.rubric, &queue.digest()[..DIGITS]);
    }
    let added = runtime.block_on(room.add_queue(built.queue.clone()));
    let (name, n_items) = (built.queue.name.clone(), built.queue.items.len());
    match added? {
        Added::New(id) | Added::Known(id) => Ok(Kept { id, name, n_items, built }),
        Added::Differs(_) => Err(Failure::usage(format!(
            "--queue {name}: the store has a queue of this name with other items, or one that asks something else"
        ))
        .hint("choose another name, or leave --queue out")),
    }
}

fn refuse_nothing(built: &Built, source: QueueSource) -> Result<(), Failure> {
    if !built.queue.items.is_empty() {
        return Ok(());
    }
    let Built { n_blocked, n_identical, n_skipped, n_left_out, .. } = built;
    let hint = match source {
        QueueSource::Unstable => "run the judge on these cases first, or use --from all",
        QueueSource::All | QueueSource::Teach => "only replies that the gate admits can be labelled",
        QueueSource::Contract => {
            "the contract lacks no label, or the judge has no verdict on the cases it lacks"
        }
    };
    Err(Failure::usage(format!(
        "nothing to label: {} not {}, {n_blocked} blocked by the gate, {} identical, {} skipped",
        counted(*n_left_out, "case"),
        source.name(),
        counted(*n_identical, "pair"),
        counted(*n_skipped, "record")
    ))
    .hint(hint))
}

/// Says what was made.
fn tell(kept: &Kept, args: &ReviewArgs, room: &ReviewRoom, note: &dyn Fn(&str)) -> Result<(), Failure> {
    let Kept { id, name, n_items, built } = kept;
    if args.reading.say.json {
        let text = json!({
            "queue": name,
            "id": id,
            "items": n_items,
            "judged": built.n_judged,
            "blocked": built.n_blocked,
            "identical": built.n_identical,
            "skipped": built.n_skipped,
            "left_out": built.n_left_out,
            "overlap": args.queue.overlap,
            "store": room.path().display().to_string(),
        });
        return terminal::deliver(&pretty(&text));
    }
    note(&format!(
        "queue '{name}': {}, each for {} to label; the judge has a verdict on {}",
        counted(*n_items, "item"),
        if args.queue.overlap == 1 {
            "1 person".to_owned()
        } else {
            format!("{} people", args.queue.overlap)
        },
        built.n_judged
    ));
    if built.n_blocked + built.n_identical + built.n_skipped > 0 {
        note(&format!(
            "left out: {} blocked by the gate, {} identical, {} skipped",
            counted(built.n_blocked, "case"),
            counted(built.n_identical, "pair"),
            counted(built.n_skipped, "record")
        ));
    }
    Ok(())
}
