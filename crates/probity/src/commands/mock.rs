//! `probity mock`: the mock judge, for rehearsing a run without a service.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::{Args, ValueEnum};
use probity_mock::{FaultPlan, Latency, Ledger, Levels, Mock, Pairs, Script, Settings, Usage};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::exit::{Exit, Failure};
use crate::serving::{interrupted, listen};
use crate::terminal;

/// `probity mock`
#[derive(Debug, Args)]
pub(crate) struct MockArgs {
    /// The port; 0 picks a free one
    #[arg(long, value_name = "PORT", default_value_t = 8377)]
    port: u16,
    /// The address, which has to be of the loopback interface
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    host: IpAddr,
    /// What levels, waits and faults are drawn from, together with the packet and the call's number for it
    #[arg(long, value_name = "N", default_value_t = 7)]
    seed: u64,
    /// How levels are chosen: `hash` by packet, `uniform` by call, or `fixed:N`
    #[arg(long, value_name = "HOW", default_value = "hash")]
    levels: Levels,
    /// How the better of two replies is chosen: `hash` by their texts, `first`, `second`, `longer`, `shorter`,
    /// `word:TEXT`, `tie`, `review` or `malformed`
    #[arg(long, value_name = "HOW", default_value = "hash")]
    pairs: Pairs,
    /// A judge that reads the replies, in place of --levels and --pairs: `fair`, or fair with weaknesses joined by
    /// `+`: `position`, `length`, `identity`, `never_ties`, `obeys`, `apology`, `formatting`, and with that share of
    /// answers by chance `noisy:SHARE`
    #[arg(long, value_name = "NAME", conflicts_with_all = ["levels", "pairs"])]
    script: Option<Script>,
    /// How long answers take: `50ms`, `uniform:20ms..80ms` or `lognormal:50ms,0.5` (median, sigma)
    #[arg(long, value_name = "HOW", default_value = "0")]
    latency: Latency,
    /// A fault and the share of calls that get it, such as F17=0.05; may be given again
    #[arg(long = "fault", value_name = "FAULT=SHARE", value_parser = probity_mock::share)]
    fault: Vec<(String, f64)>,
    /// A TOML file with lines such as `F17 = 0.05`; --fault goes over it
    #[arg(long, value_name = "FILE")]
    faults: Option<PathBuf>,
    /// Only the first N calls about a packet draw a fault [default: all of them]
    #[arg(long, value_name = "N")]
    fault_attempts: Option<u32>,
    /// Print the faults and end
    #[arg(long)]
    list_faults: bool,
    /// The seconds that F01 and F19 ask to wait
    #[arg(long, value_name = "SECONDS", default_value_t = 7)]
    retry_after: u32,
    /// The pause before each piece that F36 and F37 send
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = pause)]
    drip: Duration,
    /// Whether answers say how many tokens they took
    #[arg(long, value_enum, value_name = "HOW", default_value = "on")]
    usage: UsageArg,
    /// The model that answers say they come from [default: the one asked for]
    #[arg(long, value_name = "NAME")]
    model_echo: Option<String>,
    /// Fingerprints to draw from, separated by commas
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    fingerprints: Vec<String>,
    /// Append one JSON line per call to this file, before the call is answered
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,
}

/// `--usage`
#[derive(Debug, Clone, Copy, ValueEnum)]
enum UsageArg {
    /// They do.
    On,
    /// They do not.
    Off,
}

fn pause(text: &str) -> Result<Duration, String> {
    probity_mock::duration(text).ok_or_else(|| format!("expected a time such as 20s, found {text:?}"))
}

/// Runs the command until it is told to end.
pub(crate) fn run(args: &MockArgs) -> Result<Exit, Failure> {
    if args.list_faults {
        let lines: Vec<String> =
            probity_mock::faults().map(|fault| format!("{}  {}\n", fault.number, fault.sentence)).collect();
        terminal::print(&lines.concat());
        return Ok(Exit::Done);
    }
    if !args.host.is_loopback() {
        return Err(Failure::usage(format!(
            "--host: expected an address of the loopback interface, found {}",
            args.host
        ))
        .hint("whoever can reach the mock judge can make it work; it serves this machine only"));
    }
    let ledger = args.ledger.as_ref().map(|path| {
        Ledger::open(path).map_err(|error| Failure {
            exit: Exit::Store,
            message: format!("ledger {}: cannot be written: {error}", path.display()),
            hint: None,
        })
    });
    let mock = Arc::new(Mock::new(settings(args)?, ledger.transpose()?));
    raise_open_files();
    let failed = |message: String| Failure { exit: Exit::Usage, message, hint: None };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| failed(format!("could not start: {error}")))?;
    runtime.block_on(async {
        let address = SocketAddr::new(args.host, args.port);
        let listener =
            listen(address).map_err(|error| failed(format!("cannot listen on {address}: {error}")))?;
        let stop = interrupted().map_err(|error| failed(format!("could not start: {error}")))?;
        let address = listener.local_addr().unwrap_or(address);
        terminal::print(&format!("mock judge on http://{address}/v1\n"));
        probity_mock::serve(listener, Arc::clone(&mock), stop).await;
        Ok(())
    })?;
    terminal::print(&format!("{}\n", mock.counts.summary()));
    match mock.ledger_failures.load(Ordering::Relaxed) {
        0 => Ok(Exit::Done),
        n => Err(Failure {
            exit: Exit::Store,
            message: format!("{n} calls could not be written to the ledger and were not answered"),
            hint: None,
        }),
    }
}

fn settings(args: &MockArgs) -> Result<Settings, Failure> {
    let mut shares = BTreeMap::new();
    if let Some(path) = &args.faults {
        let place = path.display();
        let text = std::fs::read_to_string(path)
            .map_err(|error| Failure::usage(format!("faults {place}: cannot be read: {error}")))?;
        shares = probity_mock::shares(&text)
            .map_err(|error| Failure::usage(format!("faults {place}: {error}")))?;
    }
    shares.extend(args.fault.iter().cloned());
    Ok(Settings {
        seed: args.seed,
        levels: args.levels,
        pairs: args.pairs.clone(),
        script: args.script.clone(),
        usage: match args.usage {
            UsageArg::On => Usage::On,
            UsageArg::Off => Usage::Off,
        },
        model_echo: args.model_echo.clone(),
        fingerprints: args.fingerprints.clone(),
        latency: args.latency,
        faults: FaultPlan::new(&shares, args.fault_attempts).map_err(Failure::usage)?,
        drip: args.drip,
        retry_after_s: args.retry_after,
    })
}

/// Every call in flight is a socket here too.
fn raise_open_files() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current != maximum {
        // With the limit as it was, fewer clients fit; the rest wait to be accepted.
        let _limit_stays = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    }
}
