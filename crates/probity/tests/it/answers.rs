//! Judges for tests: what was asked, read back out of a request, and answers to it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Act, Request, ScriptedServer, http_ok};

/// Tokens that every answer says its prompt had.
pub(crate) const TOKENS_INPUT: u64 = 1000;

/// Tokens that every answer says it had.
pub(crate) const TOKENS_OUTPUT: u64 = 10;

/// What a request asks about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Asked {
    /// The criteria by id.
    pub(crate) criteria: Vec<String>,
    /// The reply to be graded.
    pub(crate) reply: String,
}

impl Asked {
    /// Reads a chat request.
    pub(crate) fn of(request: &Request) -> Asked {
        let body = request.json();
        let user = body["messages"][1]["content"].as_str().expect("a user message");
        let lines = || user.lines();
        let criteria = lines().filter_map(|line| line.strip_prefix("Criterion `")?.split('`').next());
        let reply = lines().find_map(|line| line.strip_prefix("Reply to grade: ")).expect("a reply");
        Asked {
            criteria: criteria.map(str::to_owned).collect(),
            reply: serde_json::from_str(reply).expect("the reply is a JSON string"),
        }
    }

    /// A question about one criterion.
    pub(crate) fn about(reply: &str, criterion: &str) -> Asked {
        Asked { criteria: vec![criterion.to_owned()], reply: reply.to_owned() }
    }

    /// The criterion of a request that has one.
    pub(crate) fn criterion(&self) -> &str {
        assert_eq!(self.criteria.len(), 1, "one criterion in {self:?}");
        &self.criteria[0]
    }
}

/// The completion whose text is `content`, with an id that no other has.
pub(crate) fn completion(content: &str, finish: &str) -> Value {
    static N_COMPLETIONS: AtomicU64 = AtomicU64::new(0);
    json!({
        "id": format!("chatcmpl-{}", N_COMPLETIONS.fetch_add(1, Ordering::Relaxed)),
        "object": "chat.completion",
        "model": "gpt-4o-mini",
        "choices": [{ "index": 0, "message": { "role": "assistant", "content": content }, "finish_reason": finish }],
        "usage": { "prompt_tokens": TOKENS_INPUT, "completion_tokens": TOKENS_OUTPUT, "total_tokens": TOKENS_INPUT + TOKENS_OUTPUT },
    })
}

/// A whole answer with this text.
pub(crate) fn says(content: &str) -> Act {
    http_ok(&completion(content, "stop").to_string())
}

/// An answer that the token limit cut.
pub(crate) fn cut(content: &str) -> Act {
    http_ok(&completion(content, "length").to_string())
}

/// The verdict of one criterion.
pub(crate) fn level(score: i64, reasoning: &str) -> Act {
    says(&json!({ "score": score, "reasoning": reasoning }).to_string())
}

/// An error in the form OpenAI gives it.
pub(crate) fn error(status: u16, code: &str, message: &str) -> Act {
    let body = json!({ "error": { "message": message, "type": "invalid_request_error", "code": code } });
    Act::respond(status, &[("content-type", "application/json")], &body.to_string())
}

/// A rate limit that is over at once.
pub(crate) fn rate_limit() -> Act {
    let body = json!({ "error": { "message": "slow down", "code": "rate_limit_exceeded" } }).to_string();
    Act::respond(429, &[("content-type", "application/json"), ("retry-after", "0")], &body)
}

/// `act` after some milliseconds.
pub(crate) fn late(ms: u64, act: Act) -> Act {
    Act::After(Duration::from_millis(ms), Box::new(act))
}

/// A rubric of one criterion whose lowest level is the best.
pub(crate) const EFFORT: &str = "name = \"effort\"\nversion = \"1\"\ntitle = \"Effort\"\n[scale]\nmin = 1\nmax = 5\n\
    direction = \"lower_is_better\"\n[[criterion]]\nid = \"effort\"\ntitle = \"Effort\"\nquestion = \"How hard?\"\n\
    [criterion.anchors]\n1 = \"none\"\n2 = \"little\"\n3 = \"some\"\n4 = \"much\"\n5 = \"too much\"\n\
    [[target]]\nmetric = \"mean\"\ncriterion = \"effort\"\nmax = 1.5\n";

/// A judge that finds every reply good.
pub(crate) fn kind_judge() -> ScriptedServer {
    ScriptedServer::with(|request| good(&Asked::of(request)))
}

/// An answer that gives the best level but one of a five-point scale, with words about what was asked.
pub(crate) fn good(asked: &Asked) -> Act {
    level(4, &format!("On {} this reply of {} bytes does well.", asked.criterion(), asked.reply.len()))
}

/// Waits until `server` has got `n` requests.
pub(crate) fn wait_for(server: &ScriptedServer, n: usize) {
    let started = Instant::now();
    while server.n_requests() < n {
        assert!(started.elapsed() < Duration::from_secs(20), "{} of {n} requests came", server.n_requests());
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A case file with `n` tickets, whose replies are `Reply 1.` and so on.
pub(crate) fn tickets(n: usize) -> String {
    let ticket = |i: usize| {
        json!({
            "id": format!("ticket-{i:03}"),
            "ticket": format!("The export number {i} stays empty since Monday."),
            "response": format!("Reply {i}."),
        })
    };
    Value::Array((1..=n).map(ticket).collect()).to_string()
}
