//! `probity mock`: the mock judge, for rehearsing a run without a service.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use probity_engine::platform::raise_open_files;
use probity_mock::{CallLedger, FaultPlan, Mock, MockBatches, MockSettings, UsageReport};

use crate::args::{MockArgs, UsageArg};
use crate::exit::{Exit, Failure};
use crate::serving::{PORT_TAKEN, interrupted, listen};
use crate::terminal;

/// Runs the command until it is told to end.
pub(crate) fn run(args: &MockArgs) -> Result<Exit, Failure> {
    if args.list_faults {
        let of_calls = probity_mock::faults().map(|fault| (fault.number, fault.sentence));
        let of_batches = probity_mock::batch_faults().map(|fault| (fault.number, fault.sentence));
        let lines = of_calls.chain(of_batches).map(|(number, sentence)| format!("{number}  {sentence}\n"));
        let lines: Vec<String> = lines.collect();
        terminal::print(&lines.concat());
        return Ok(Exit::Done);
    }
    if !args.host.is_loopback() {
        return Err(Failure::usage(format!(
            "--host: expected an address of the loopback interface, found {}",
            args.host
        ))
        .hint("any program that reaches the mock judge can use it, so it serves this machine only"));
    }
    let ledger = args.ledger.as_ref().map(|path| {
        CallLedger::open(path).map_err(|error| Failure {
            exit: Exit::Store,
            message: format!("ledger {}: cannot be written: {error}", path.display()),
            hint: None,
        })
    });
    let mock = Arc::new(Mock::new(settings(args)?, ledger.transpose()?));
    // Every call in flight is a socket here too: with fewer open files, clients wait to be accepted.
    raise_open_files(u64::MAX);
    let failed = |message: String| Failure { exit: Exit::Usage, message, hint: None };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| failed(format!("could not start: {error}")))?;
    runtime.block_on(async {
        let address = SocketAddr::new(args.host, args.port);
        let listener = listen(address)
            .map_err(|error| failed(format!("cannot listen on {address}: {error}")).hint(PORT_TAKEN))?;
        let stop = interrupted().map_err(|error| failed(format!("could not start: {error}")))?;
        let address = listener.local_addr().unwrap_or(address);
        terminal::print(&format!("mock judge on http://{address}/v1\n"));
        probity_mock::serve(listener, Arc::clone(&mock), stop).await;
        Ok::<(), Failure>(())
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

fn settings(args: &MockArgs) -> Result<MockSettings, Failure> {
    let mut shares = BTreeMap::new();
    if let Some(path) = &args.faults {
        let place = path.display();
        let text = std::fs::read_to_string(path)
            .map_err(|error| Failure::usage(format!("faults {place}: cannot be read: {error}")))?;
        shares = probity_mock::shares(&text)
            .map_err(|error| Failure::usage(format!("faults {place}: {error}")))?;
    }
    shares.extend(args.fault.iter().cloned());
    Ok(MockSettings {
        seed: args.seed,
        levels: args.levels,
        pairs: args.pairs.clone(),
        unsure: args.unsure.clone(),
        script: args.script.clone(),
        host: args.dialect.clone(),
        usage: match args.usage {
            UsageArg::On => UsageReport::On,
            UsageArg::Off => UsageReport::Off,
        },
        cached: args.cached,
        model_echo: args.model_echo.clone(),
        fingerprints: args.fingerprints.clone(),
        latency: args.latency,
        faults: FaultPlan::new(&shares, args.fault_attempts).map_err(Failure::usage)?,
        drip: args.drip,
        retry_after_s: args.retry_after,
        batch: MockBatches { polls: args.batch_polls, faults: args.batch_fault.iter().copied().collect() },
    })
}
