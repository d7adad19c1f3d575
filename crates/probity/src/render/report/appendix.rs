//! What a report was made with: rubric, prompt, judge, hashes, and how to make it again.
//!
//! Every kind of page ends with it. It holds no key, no time and no path that the command line did not have.

use probity_core::report::Facts;
use probity_core::rubric::{Criterion, Judged, Rubric};
use probity_engine::config::Backend;
use probity_engine::run::asking::Asking;
use serde::Serialize;
use serde_json::{Value, json};

use super::reproduce::{Replay, called};

/// What a report was made with.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Appendix {
    /// The rubric, where there is one.
    rubric: Option<Value>,
    /// What the judge was asked.
    prompt: Prompt,
    /// Who it was, fact by fact.
    judge: Vec<Fact>,
    /// What everything rests on, by name.
    hashes: Vec<Fact>,
    /// The command that makes it again.
    reproduce: String,
}

/// How a report came to be, known before there are figures.
#[derive(Debug, Clone)]
pub(crate) struct Origin {
    prompt: Prompt,
    settings: Vec<Fact>,
    replay: Replay,
}

/// What the judge was asked.
#[derive(Debug, Clone, Serialize)]
struct Prompt {
    /// The template; `None` where no prompt was sent.
    text: Option<String>,
    /// Its hash, or why there is none.
    note: String,
}

/// A fact by name.
#[derive(Debug, Clone, Serialize)]
struct Fact {
    name: String,
    value: String,
}

impl Origin {
    /// Of verdicts that a judge was asked for.
    pub(crate) fn asked(asking: &Asking) -> Origin {
        let template = &asking.template;
        let prompt = match &asking.judge.backend {
            Backend::Chat(_) | Backend::Command(_) => Prompt {
                text: Some(template.source()),
                note: format!(
                    "template {}; what stands in braces is filled in for each question, and texts of \
                     customers and bots enter as JSON strings",
                    template.hash()
                ),
            },
            Backend::Baseline => {
                Prompt { text: None, note: "This judge counts words. It reads no prompt.".to_owned() }
            }
            Backend::Recorded { .. } => Prompt {
                text: None,
                note: "The verdicts were recorded elsewhere. No prompt was sent.".to_owned(),
            },
        };
        let settings = asking.config.digest_parts(&asking.judge, &asking.left());
        let settings = settings.into_iter().map(|(name, value)| Fact { name, value });
        Origin { prompt, settings: settings.collect(), replay: Replay::Offline }
    }

    /// Of files that others made.
    pub(crate) fn files() -> Origin {
        let note = "The files do not show what the judge was asked.".to_owned();
        Origin { prompt: Prompt { text: None, note }, settings: Vec::new(), replay: Replay::AsItIs }
    }
}

impl Appendix {
    /// Without a judge that the store knows.
    pub(crate) fn new(origin: Origin, rubric: Option<&Rubric>) -> Appendix {
        let mut appendix = Appendix {
            rubric: rubric.map(rubric_view),
            prompt: origin.prompt,
            judge: Vec::new(),
            hashes: Vec::new(),
            reproduce: called(origin.replay),
        };
        if let Some(rubric) = rubric {
            appendix = appendix.hash("rubric", rubric.hash());
        }
        for Fact { name, value } in origin.settings {
            appendix = match name.strip_prefix("judge.") {
                Some(name) => appendix.fact(name, value),
                None => appendix.hash(&name, value),
            };
        }
        appendix
    }

    /// With the judge as the store knows it.
    pub(crate) fn of(origin: Origin, rubric: &Rubric, facts: &Facts) -> Appendix {
        let list = |pairs: &[(String, u64)]| -> String {
            pairs.iter().map(|(name, n)| format!("{name} ({n})")).collect::<Vec<_>>().join(", ")
        };
        let judge = &facts.judge;
        let cost =
            facts.cost_usd.map_or("unknown: no price for this model".to_owned(), |usd| format!("${usd}"));
        let mut appendix = Appendix::new(origin, Some(rubric)).hash("judge", &judge.id);
        for (name, value) in [
            ("standing", judge.standing.to_string()),
            ("because", judge.standing.reason().to_owned()),
            ("answered as", list(&judge.answered_as)),
            ("fingerprints", list(&judge.fingerprints)),
            ("calls on record", facts.calls.to_string()),
            ("tokens", format!("{} in, {} out", facts.tokens.input, facts.tokens.output)),
            ("cost", cost),
        ] {
            appendix = appendix.fact(name, value);
        }
        for (name, value) in &facts.definition {
            appendix = appendix.hash(name, value);
        }
        appendix
    }

    /// With one more fact about the judge, unless it is empty.
    fn fact(mut self, name: &str, value: String) -> Appendix {
        if !value.is_empty() && value != "[]" {
            self.judge.push(Fact { name: name.replace('_', " "), value });
        }
        self
    }

    /// With one more thing that everything rests on. What is known by this name already stays as it is.
    pub(crate) fn hash(mut self, name: &str, value: impl Into<String>) -> Appendix {
        let value = value.into();
        let is_known = self.hashes.iter().any(|fact| fact.name == name);
        if !is_known && !name.starts_with("judge.") && !value.is_empty() {
            self.hashes.push(Fact { name: name.to_owned(), value });
        }
        self
    }

    /// What everything rests on, by name.
    pub(crate) fn hashes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.hashes.iter().map(|fact| (fact.name.as_str(), fact.value.as_str()))
    }

    /// The command that makes it again.
    pub(crate) fn command(&self) -> &str {
        &self.reproduce
    }
}

fn rubric_view(rubric: &Rubric) -> Value {
    json!({
        "name": rubric.name(),
        "version": rubric.version(),
        "hash": rubric.hash(),
        "pass": rubric.pass().map(|pass| pass.total_min.to_string()),
        "criteria": rubric.criteria().iter().map(criterion_view).collect::<Vec<_>>(),
    })
}

fn criterion_view(criterion: &Criterion) -> Value {
    let levels = criterion.scale.levels().iter().map(ToString::to_string).collect::<Vec<_>>();
    let answers = match criterion.judged {
        Judged::Pairwise => "a, b, tie or needs_human_review".to_owned(),
        Judged::Pointwise => format!("a level: {}", levels.join(", ")),
    };
    let anchors = criterion.anchors.iter();
    // The lowest anchor of a pairwise criterion is what a tie means.
    let is_said = |tie: &&String| criterion.anchors.iter().any(|anchor| anchor.text == **tie);
    json!({
        "id": criterion.id.to_string(),
        "title": criterion.title,
        "question": criterion.question,
        "decider": criterion.decider.name(),
        "weight": criterion.weight.map(|weight| weight.to_string()),
        // What may be said about it.
        "answers": answers,
        "tie": criterion.tie.as_ref().filter(|tie| !is_said(tie)),
        "anchors": anchors.map(|anchor| json!({ "level": anchor.level, "text": anchor.text })).collect::<Vec<_>>(),
    })
}
