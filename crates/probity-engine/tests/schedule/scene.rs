//! A desk before a scripted server, and the audit of what it leaves in the store.

use std::sync::Arc;
use std::time::Duration;

use expect_test::Expect;
use probity_core::case::{Case, CaseId, Entry, Reply, Situation};
use probity_core::gate::Gate;
use probity_core::packet::{self, Ask, CallPlan};
use probity_core::rubric;
use probity_engine::config::{
    Config, Layer, LeftOut, ModelMismatch, Price, Reask, ScheduleSettings, StoredTexts, Tier,
};
use probity_engine::judge::{CallLimits, Judge, Prompt, Question};
use probity_engine::ledger::{
    AskAgain, AttemptRecord, JudgeId, Manifest, Reader, RunOpening, Settled, Settlement, Store,
};
use probity_engine::schedule::budget::{Budget, BudgetTerms, Limits, Money};
use probity_engine::schedule::desk::{Desk, Earlier, Progress, Task};
use probity_engine::schedule::lane::{Lane, Parameters, Stop};
use probity_engine::schedule::{Driven, drive};
use serde_json::json;
use tempfile::TempDir;
use tokio::sync::mpsc;

use crate::support::{Act, ScriptedServer, http_ok};

/// A key that must never be seen again.
pub(crate) const CANARY: &str = "sk-CANARY0123456789abcdef";

/// What a scene can change before it starts.
pub(crate) struct Terms {
    /// How the lane behaves.
    pub(crate) lane: ScheduleSettings,
    /// How packets are pursued.
    pub(crate) pursuit: ScheduleSettings,
    /// Whether unusable answers are asked for again.
    pub(crate) reask: Reask,
    /// The clocks of a call.
    pub(crate) call: CallLimits,
    /// What may be spent.
    pub(crate) budget: Limits,
    /// What tokens cost.
    pub(crate) price: Option<Price>,
    /// The most one call can cost.
    pub(crate) most: Money,
}

impl Terms {
    /// Clocks that no test waits for, and back-offs of a millisecond. The first call goes alone.
    pub(crate) fn quick(concurrency: usize) -> Terms {
        let patient = Duration::from_secs(20);
        let call = CallLimits {
            connect: patient,
            first_byte: patient,
            idle: patient,
            total: patient,
            body_bytes_max: 64 * 1024,
        };
        let schedule = ScheduleSettings {
            concurrency,
            attempts_max: 5,
            limits: call,
            packet_max: patient,
            backoff_first: Duration::from_millis(1),
            backoff_max: Duration::from_millis(2),
            retry_after_max: Duration::from_secs(2),
            breaker_consecutive: 20,
            breaker_window: 200,
            breaker_share: "0.5".parse().expect("a decimal"),
            pilot_max: patient,
            requests_per_minute: None,
            tokens_per_minute: None,
        };
        Terms {
            lane: schedule.clone(),
            pursuit: schedule,
            reask: Reask::Once,
            call,
            budget: Limits::default(),
            price: None,
            most: Money::default(),
        }
    }
}

/// A desk and its store.
pub(crate) struct Scene {
    pub(crate) desk: Arc<Desk>,
    pub(crate) questions: Vec<Question>,
    most: Money,
    earlier: Earlier,
    // Dropped last: the store lives in it.
    _folder: TempDir,
}

impl Scene {
    /// A desk before `server` with `n` different packets.
    pub(crate) fn new(server: &ScriptedServer, n: usize, terms: Terms) -> Scene {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(&folder.path().join("store.db")).expect("a store").store;
        let judge_id = JudgeId::of_identity("{}");
        let manifest = Manifest { name: "scene".into(), parts: Vec::new(), body: "{}".into() };
        let budget = Budget::new(BudgetTerms { key: "scene".to_owned(), limits: terms.budget });
        let opening = RunOpening {
            judge: &judge_id,
            identity: "{}",
            manifest: &manifest,
            invocation: None,
            spec: None,
            budget: Some(budget.terms()),
            lane: None,
        };
        let run = store.begin_judged_run(opening).expect("a run").run();
        let desk = Desk {
            respondent: judge(server, terms.call),
            judge_id,
            store,
            texts: StoredTexts::Full,
            again: AskAgain::Never,
            run,
            repeat: 0,
            lane: Arc::new(Lane::new(terms.lane, 1, Parameters::Settled)),
            budget: Arc::new(budget),
            price: terms.price,
            tier: Tier::Standard,
            schedule: terms.pursuit,
            reask: terms.reask,
            mismatch: ModelMismatch::Note,
            models: vec!["m-1".to_owned()],
            progress: Arc::new(Progress::default()),
        };
        let ask = asked();
        let questions = (0..n).map(|number| question(number, &ask)).collect();
        let (desk, most, earlier) = (Arc::new(desk), terms.most, Earlier::Nothing);
        Scene { desk, questions, most, earlier, _folder: folder }
    }

    /// The same packets, taken up by a process that finds attempts on record.
    pub(crate) fn resumed(mut self) -> Scene {
        self.earlier = Earlier::Attempts;
        self
    }

    /// Drives every packet to its end.
    pub(crate) async fn drive(&self) -> Driven {
        let (sender, receiver) = mpsc::channel(self.questions.len().max(1));
        for question in &self.questions {
            let (most, tokens_input, earlier) = (self.most, 0, self.earlier);
            let task = Task { question: question.clone(), most, tokens_input, earlier };
            sender.send(task).await.expect("the channel is open");
        }
        drop(sender);
        drive(Arc::clone(&self.desk), receiver).await
    }

    /// The attempts at a packet.
    pub(crate) fn attempts(&self, question: &Question) -> Vec<AttemptRecord> {
        let hash = question.packet.hash();
        self.reader().attempts_of(&hash, &self.desk.judge_id, self.desk.repeat).expect("attempts")
    }

    /// What is settled about a packet.
    pub(crate) fn settlement(&self, question: &Question) -> Option<Settlement> {
        let hash = question.packet.hash();
        self.reader().settlement(&hash, &self.desk.judge_id, self.desk.repeat).expect("a settlement or none")
    }

    fn reader(&self) -> Reader {
        self.desk.store.reader().expect("a reader")
    }

    /// Checks what must hold after every drive, and tells the packets' stories.
    #[track_caller]
    pub(crate) fn audit(&self, server: &ScriptedServer, driven: &Driven) -> String {
        let mut n_attempts = 0;
        let mut stories = String::new();
        let (mut n_verdicts, mut n_unscored) = (0, 0);
        for question in &self.questions {
            let attempts = self.attempts(question);
            n_attempts += attempts.len();
            let settlement = self.settlement(question);
            audit_numbers(&attempts);
            match settlement.as_ref().map(|settlement| &settlement.decision) {
                Some(Settled::Verdict { body, .. }) => {
                    n_verdicts += 1;
                    let last = attempts.last().expect("a verdict has an attempt");
                    assert_eq!(last.outcome.name(), "answered");
                    assert_eq!(last.raw, good_answer().into_bytes(), "the verdict of another answer");
                    assert!(body.contains("\"level\":4"), "{body}");
                }
                Some(Settled::Unscored { .. }) => n_unscored += 1,
                None => {}
            }
            stories += &story(&attempts, settlement.as_ref());
        }
        assert_eq!(n_attempts, server.n_requests(), "one attempt per call");
        assert_eq!((driven.verdicts, driven.unscored), (n_verdicts, n_unscored));
        assert!(!format!("{driven:?}{stories}").contains("CANARY"), "the key is seen");
        stories
    }
}

/// Attempts are numbered from one, in order, the first of them because it is the first.
#[track_caller]
fn audit_numbers(attempts: &[AttemptRecord]) {
    for (attempt, n) in attempts.iter().zip(1..) {
        assert_eq!(attempt.n, n);
        assert_eq!(attempt.cause == "first", n == 1, "{}", attempt.cause);
    }
}

/// A packet's attempts and its end, one line each.
fn story(attempts: &[AttemptRecord], settlement: Option<&Settlement>) -> String {
    let mut story = String::new();
    for AttemptRecord { n, cause, http_status, outcome, raw, .. } in attempts {
        let status = http_status.map_or("-".to_owned(), |status| status.to_string());
        let raw = match raw.len() {
            len if len > 40 => format!("{len} bytes"),
            _ => format!("{:?}", String::from_utf8_lossy(raw)),
        };
        story += &format!("{n} {cause}: {status} {} {raw}\n", outcome.name());
    }
    story += &match settlement.map(|settlement| &settlement.decision) {
        None => "=> nothing\n".to_owned(),
        Some(Settled::Verdict { .. }) => "=> verdict\n".to_owned(),
        Some(Settled::Unscored { reason, detail, .. }) if detail.is_empty() => {
            format!("=> unscored {reason}\n")
        }
        Some(Settled::Unscored { reason, detail, .. }) => {
            format!("=> unscored {reason}: {detail}\n")
        }
    };
    story
}

/// One packet before a server that does these acts in turn, the last again and again.
pub(crate) async fn check(acts: Vec<Act>, want: &Expect) -> Driven {
    check_on(Terms::quick(1), acts, want).await
}

/// [`check`] on other terms.
pub(crate) async fn check_on(terms: Terms, acts: Vec<Act>, want: &Expect) -> Driven {
    let server = ScriptedServer::sequence(acts);
    let scene = Scene::new(&server, 1, terms);
    let driven = scene.drive().await;
    want.assert_eq(&scene.audit(&server, &driven));
    driven
}

/// Twenty packets, four at a time, before a server whose very first act ends everything: it is asked once.
pub(crate) async fn check_stop(act: Act, want: &Expect) -> Stop {
    let server = ScriptedServer::always(act);
    let scene = Scene::new(&server, 20, Terms::quick(4));
    let driven = scene.drive().await;
    scene.audit(&server, &driven);
    assert_eq!(server.n_requests(), 1, "one call is enough to know");
    assert_eq!(driven.verdicts + driven.unscored + driven.gave_up, 0);
    let stop = driven.stop.expect("stopped");
    want.assert_eq(&format!("{stop:?}"));
    stop
}

/// The text of a verdict, as the judge writes it.
pub(crate) fn verdict_text() -> String {
    json!({"reasoning": "It says when the order comes.", "score": 4}).to_string()
}

/// A completion with this content and finish reason.
pub(crate) fn completion(content: &serde_json::Value, finish: &str) -> String {
    let message = json!({"role": "assistant", "content": content});
    json!({
        "id": "r-1",
        "model": "m-1",
        "choices": [{"index": 0, "finish_reason": finish, "message": message}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10},
    })
    .to_string()
}

/// The body of a whole valid answer.
pub(crate) fn good_answer() -> String {
    completion(&json!(verdict_text()), "stop")
}

/// A whole valid answer.
pub(crate) fn good() -> Act {
    http_ok(&good_answer())
}

/// An error as the chat completions API reports it.
pub(crate) fn error(status: u16, headers: &[(&str, &str)], code: &str, message: &str) -> Act {
    let body = json!({"error": {"message": message, "type": null, "param": null, "code": code}});
    Act::respond(status, headers, &body.to_string())
}

fn judge(server: &ScriptedServer, limits: CallLimits) -> Judge {
    let settings = format!("[judges.openai]\nbase_url = '{}'\nmodel = 'm-1'\n", server.url("/v1"));
    let layer = Layer::read("probity.toml", &settings).expect("settings");
    let config = Config::resolve([layer]).expect("a config");
    let judge = config.named_judge("openai").expect("built in");
    Judge::build(judge, &LeftOut::default(), limits, &|_| Some(CANARY.to_owned())).expect("a judge")
}

fn asked() -> Arc<Ask> {
    let rubric = rubric::built_in("relevance-tone").expect("a built-in rubric");
    packet::asks(&rubric, CallPlan::PerCriterion).swap_remove(0)
}

fn question(number: usize, ask: &Arc<Ask>) -> Question {
    let case_id = format!("t{number}");
    let case = Case::new(
        CaseId::new(case_id.clone()).expect("an id"),
        Situation::Ticket(format!("Where is my order {number}?").into()),
    );
    let reply = Reply::new("It comes tomorrow.");
    let admitted = Gate::open().screen(Entry { case, reply }).expect("admitted");
    let packet = packet::question(&admitted, ask);
    let prompt = Prompt { system: "Judge.".into(), user: packet.canonical().to_owned(), n_stable: 0 };
    Question { packet: Arc::new(packet), prompt, case_id, variant: None }
}
