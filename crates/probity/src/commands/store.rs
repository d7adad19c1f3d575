//! `probity store`: copies, unions and upkeep of stores, whichever engine they are on.

use probity_engine::ledger::{Copied, Store, StoreAddress, vacuum};
use probity_engine::run::forget::forget;
use serde_json::json;

use super::outlet::deliver;
use super::session::open_for_writing;
use crate::args::{
    SettingsArgs, StoreCommand, StoreCopyArgs, StoreForgetArgs, StoreMergeArgs, StoreUpkeepArgs,
};
use crate::exit::{Exit, Failure};
use crate::render::figure::counted;
use crate::settings;

/// Contradictions that are shown.
const SHOWN_MAX: usize = 20;

/// Runs `probity store`.
pub(crate) fn store(command: &StoreCommand) -> Result<Exit, Failure> {
    match command {
        StoreCommand::Copy(args) => copy(args),
        StoreCommand::Merge(args) => merge(args),
        StoreCommand::Check(args) => check(args),
        StoreCommand::Stats(args) => stats(args),
        StoreCommand::Forget(args) => forget_case(args),
        StoreCommand::Vacuum(args) => {
            vacuum(&settings::store_of(&args.store)?)?;
            deliver(&args.say, &json!({ "vacuumed": true }), || "unused space was freed\n".to_owned())?;
            Ok(Exit::Done)
        }
    }
}

fn copy(args: &StoreCopyArgs) -> Result<Exit, Failure> {
    let StoreCopyArgs { from, to, store, say } = args;
    let copied = union(&store.settings, std::slice::from_ref(from), to, &|line| say.note(line))?;
    deliver(say, &told(&copied), || text(&copied, to))?;
    Ok(Exit::Done)
}

fn merge(args: &StoreMergeArgs) -> Result<Exit, Failure> {
    let StoreMergeArgs { from, into, store, say } = args;
    let copied = union(&store.settings, from, into, &|line| say.note(line))?;
    deliver(say, &told(&copied), || text(&copied, into))?;
    Ok(Exit::Done)
}

/// Adds what the stores named `from` hold to the one named `into`.
fn union(
    settings: &SettingsArgs,
    from: &[String],
    into: &str,
    note: &dyn Fn(&str),
) -> Result<Copied, Failure> {
    let named = |text: &str| settings::named_store(settings, Some(&text.to_owned()));
    let mut stores = Vec::new();
    for text in from {
        let address = named(text)?;
        if !address.may_exist() {
            return Err(Failure::usage(format!("there is no store at {address}")));
        }
        stores.push(Store::open_read_only(&address)?);
    }
    let into = open_for_writing(&named(into)?, note)?;
    let copied = into.merge(&stores)?;
    into.close()?;
    Ok(copied)
}

fn told(copied: &Copied) -> serde_json::Value {
    json!({ "added": copied.added, "contradictions": copied.contradictions })
}

fn text(copied: &Copied, into: &str) -> String {
    let n_added: u64 = copied.added.values().sum();
    let into = if into.contains("://") { "the server's store" } else { into };
    let mut text = format!("{} added to {into}", counted(n_added, "row"));
    let more: Vec<String> =
        copied.added.iter().filter(|(_, n)| **n > 0).map(|(table, n)| format!("{table} {n}")).collect();
    if !more.is_empty() {
        text += &format!(": {}", more.join(", "));
    }
    text.push('\n');
    let n = copied.contradictions.len();
    if n > 0 {
        text +=
            &format!("{} left out, because what was there says otherwise:\n", counted(n as u64, "record"));
        copied.contradictions.iter().take(SHOWN_MAX).for_each(|line| text += &format!("  {line}\n"));
        if n > SHOWN_MAX {
            text += &format!("  and {} more\n", n - SHOWN_MAX);
        }
    }
    text
}

fn forget_case(args: &StoreForgetArgs) -> Result<Exit, Failure> {
    let address = settings::store_of(&args.store)?;
    if !address.may_exist() {
        return Err(Failure::usage(format!("there is no store at {address}")));
    }
    let store = open_for_writing(&address, &|line| args.say.note(line))?;
    let forgotten = forget(&store, &args.case)?;
    store.close()?;
    if forgotten.n_cases == 0 {
        return Err(Failure::usage(format!("{address} has no case {}", args.case)));
    }
    // A file keeps what was erased in pages that are free until they are given back.
    vacuum(&address)?;
    let json = json!({
        "case": args.case,
        "records": forgotten.n_cases,
        "packets": forgotten.n_packets,
        "answers": forgotten.n_answers,
        "quotes": forgotten.n_quotes,
    });
    deliver(&args.say, &json, || {
        format!(
            "erased the texts of case {}: {}, {}, {}, {}\n",
            args.case,
            counted(forgotten.n_cases, "record"),
            counted(forgotten.n_packets, "packet"),
            counted(forgotten.n_answers, "answer"),
            counted(forgotten.n_quotes, "quote")
        )
    })?;
    Ok(Exit::Done)
}

/// The store for reading; a server's without tables gets them.
fn looked_at(address: &StoreAddress) -> Result<Store, Failure> {
    if address.file().is_none() {
        return Ok(
            Store::open_read_only(address).or_else(|_| Store::open(address).map(|opened| opened.store))?
        );
    }
    if !address.may_exist() {
        return Err(Failure::usage(format!("there is no store at {address}")));
    }
    Ok(Store::open_read_only(address)?)
}

fn check(args: &StoreUpkeepArgs) -> Result<Exit, Failure> {
    let address = settings::store_of(&args.store)?;
    let faults = looked_at(&address)?.snapshot()?.faults()?;
    let is_whole = faults.is_empty();
    deliver(
        &args.say,
        &json!({ "store": address.to_string(), "whole": is_whole, "faults": faults }),
        || {
            if is_whole { format!("{address} is whole\n") } else { format!("{}\n", faults.join("\n")) }
        },
    )?;
    Ok(if is_whole { Exit::Done } else { Exit::Store })
}

fn stats(args: &StoreUpkeepArgs) -> Result<Exit, Failure> {
    let address = settings::store_of(&args.store)?;
    let stats = looked_at(&address)?.snapshot()?.stats()?;
    let rows: serde_json::Map<String, serde_json::Value> =
        stats.rows.iter().map(|(table, n)| ((*table).to_owned(), json!(n))).collect();
    let json = json!({
        "store": address.to_string(),
        "bytes": stats.n_bytes,
        "verdicts": stats.n_verdicts,
        "in_flight": stats.n_in_flight,
        "lost": stats.n_lost,
        "workers": stats.n_workers,
        "rows": rows,
    });
    deliver(&args.say, &json, || {
        let mut text = format!(
            "{address}: {} bytes, {}, {} in flight, {} lost\n",
            stats.n_bytes,
            counted(stats.n_verdicts, "verdict"),
            stats.n_in_flight,
            stats.n_lost
        );
        for (table, n) in stats.rows.iter().filter(|(_, n)| *n > 0) {
            text += &format!("  {table:<12} {n}\n");
        }
        text
    })?;
    Ok(Exit::Done)
}
