//! Probings by the embedded judge: what becomes a packet, and under which number it is kept.

use std::collections::BTreeSet;

use probity_core::gate::Gate;
use probity_core::packet::PacketHash;
use probity_core::probe::{Change, Observation, battery};
use probity_core::rubric;
use tokio::sync::watch;

use super::super::fixture::Silent;
use super::super::plan::UnscoredPolicy;
use super::super::{Mode, Network};
use super::*;
use crate::config::Config;
use crate::judge::prompt::Template;
use crate::ledger::Store;

/// A probing of the embedded judge with so many shipped bases.
fn job(rubric: &str, n_bases: usize, probes: Vec<Probe>) -> ProbeJob {
    let config = Config::resolve([]).expect("the defaults fit");
    let judge = config.named_judge("baseline").expect("it is built in").clone();
    let rubric = rubric::built_in(rubric).expect("it is built in");
    let form = JudgeTask::of(&rubric, config.run.call_plan).expect("it can be probed").form();
    let (tolerance, only, own, seed) = (Tolerance::default(), Vec::new(), OwnFile::default(), 7);
    let asking = Asking::new(judge, Template::built_in(form), config).expect("no file is read");
    let basis = Basis::new("shipped".to_owned(), rubric, asking, Gate::default());
    let selection = Selection { probes, own, only, n_bases, seed, tolerance };
    ProbeJob::new(basis, None, selection).expect("the template fits")
}

fn packets(job: &ProbeJob, repeat: Repeat) -> Vec<PacketHash> {
    let units = job.units(repeat).flat_map(|unit| match unit {
        Unit::Asked { packets, .. } => packets,
        Unit::NotAsked | Unit::NoReply | Unit::Skipped(_) => Vec::new(),
    });
    units.map(|sized| sized.packet.hash()).collect()
}

#[test]
fn a_blocked_reply_makes_no_packet_and_its_control_neither() {
    let text = "Card 4111 1111 1111 1111.".to_owned();
    let mut leaking = battery().into_iter().find(|probe| probe.name == "restated_reply").expect("a probe");
    leaking.change = Change::Append { text, control: "This is a neutral remark.".to_owned() };
    let job = job("relevance-tone", 3, vec![leaking]);
    let blocked = |ready: &Ready| matches!(ready, Ready::Decided(Observation::Blocked));
    assert!(job.trials.iter().flatten().all(blocked), "{:?}", job.trials);
    assert_eq!((packets(&job, Repeat::First), packets(&job, Repeat::Again)), (Vec::new(), Vec::new()));
}

#[test]
fn what_probes_share_is_one_packet() {
    for rubric in ["relevance-tone", "pairwise-support"] {
        let job = job(rubric, 2, battery());
        let all = packets(&job, Repeat::First);
        let distinct: BTreeSet<&PacketHash> = all.iter().collect();
        assert!(distinct.len() < all.len(), "{rubric}");
        let again = packets(&job, Repeat::Again);
        assert!(
            again.iter().all(|packet| distinct.contains(packet)),
            "{rubric}: only what was asked is asked again"
        );
    }
}

#[tokio::test]
async fn repeats_are_kept_apart_and_nothing_is_asked_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(&folder.path().join("p.db")).expect("a store").store;
    let job = Arc::new(job("relevance-tone", 2, battery()));
    let (_interrupt, interrupted) = watch::channel(false);
    let mode = Mode {
        network: Network::Offline,
        unscored: UnscoredPolicy::Keep,
        interrupted,
        invocation: None,
        shard: None,
        dispatch: crate::run::batch::Dispatch::Online,
    };
    let session = Session { store: &store, mode: &mode, key: &|_| None, observer: &Silent };
    let first = run(&job, &session).await.expect("a probing");
    let asked: Vec<PacketHash> =
        [Repeat::First, Repeat::Again].into_iter().flat_map(|repeat| packets(&job, repeat)).collect();
    for repeat in [Repeat::First, Repeat::Again] {
        let reader = store.reader().expect("a reader");
        let known = reader.known(&first.judge_id, repeat.number(), &asked).expect("settlements");
        let known: BTreeSet<PacketHash> = known.into_keys().collect();
        assert_eq!(known, packets(&job, repeat).into_iter().collect(), "{repeat:?}");
    }
    let again = run(&job, &session).await.expect("a probing");
    assert!(
        first.plan.n_calls > 0 && again.plan.n_calls == 0,
        "{} {}",
        first.plan.n_calls,
        again.plan.n_calls
    );
    let [first, again] = [&first, &again].map(|ran| report(&job, &store, ran).expect("a report"));
    assert_eq!(first.probing, again.probing);
}
