//! What a report was made with: rubric, prompt, judge, hashes, and how to make it again.
//!
//! Every kind of page ends with it. It holds no key, no time and no path that the command line did not have.

use probity_core::results::{Facts, Members};
use probity_core::rubric::{Criterion, Judged, Rubric};
use probity_engine::config::Backend;
use probity_engine::run::asking::Asking;
use serde::{Deserialize, Serialize};

use super::document::{Block, Cells, Section, Table};
use super::reproduce::{self, Replay, called};

/// What a report was made with.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Appendix {
    /// The rubric, where there is one.
    rubric: Vec<Block>,
    /// The template of what the judge was asked; `None` where no prompt was sent.
    prompt: Option<String>,
    /// Its hash, or why there is none.
    prompt_note: String,
    /// Who it was, fact by fact.
    judge: Vec<(String, String)>,
    /// What everything rests on, by name.
    hashes: Vec<(String, String)>,
    /// The command that makes it again.
    reproduce: String,
}

impl Appendix {
    /// Of verdicts that a judge was asked for, with the judge as the store knows it.
    pub(crate) fn asked(asking: &Asking, rubric: &Rubric, facts: &Facts) -> Appendix {
        let template = &asking.template;
        let (prompt, note) = match &asking.judge.backend {
            Backend::Chat(_) | Backend::Command(_) => {
                let note = format!(
                    "template {}; what stands in braces is filled in for each question, and texts of \
                     customers and bots enter as JSON strings",
                    template.hash()
                );
                (Some(template.source()), note)
            }
            Backend::Baseline => (None, "This judge counts words. It reads no prompt.".to_owned()),
            Backend::Panel(panel) => {
                let names: Vec<&str> = panel.members.iter().map(|member| member.name.as_str()).collect();
                (None, format!("Made of the judges {}, each asked by its own prompt.", names.join(", ")))
            }
            Backend::Recorded { .. } => {
                (None, "The verdicts were recorded elsewhere. No prompt was sent.".to_owned())
            }
        };
        let mut appendix = Appendix::new(Some(rubric), note, Replay::Offline);
        appendix.prompt = prompt;
        for (name, value) in asking.config.digest_parts(&asking.judge, &asking.left()) {
            appendix = match name.strip_prefix("judge.") {
                Some(name) => appendix.fact(name, value),
                None => appendix.hash(&name, value),
            };
        }
        let list = |pairs: &Members<u64>| -> String {
            pairs.iter().map(|(name, n)| format!("{name} ({n})")).collect::<Vec<_>>().join(", ")
        };
        let judge = &facts.judge;
        appendix = appendix.hash("judge", &judge.id);
        appendix = appendix.fact("answered as", list(&judge.answered_as));
        appendix = appendix.fact("fingerprints", judge.fingerprints.as_ref().map(list).unwrap_or_default());
        for (name, value) in facts.definition.iter() {
            appendix = appendix.hash(name, value);
        }
        appendix
    }

    /// As the call on record that made it says.
    pub(crate) fn of_call(mut self, words: &[String]) -> Appendix {
        self.reproduce = reproduce::recorded(words);
        self
    }

    /// Of files that others made.
    pub(crate) fn of_files(rubric: Option<&Rubric>) -> Appendix {
        Appendix::new(rubric, "The files do not show what the judge was asked.".to_owned(), Replay::AsItIs)
    }

    fn new(rubric: Option<&Rubric>, prompt_note: String, replay: Replay) -> Appendix {
        let appendix = Appendix {
            rubric: rubric.map(rubric_blocks).unwrap_or_default(),
            prompt: None,
            prompt_note,
            judge: Vec::new(),
            hashes: Vec::new(),
            reproduce: called(replay),
        };
        appendix.hash("rubric", rubric.map(Rubric::hash).unwrap_or_default())
    }

    /// With one more fact about the judge, unless it is empty.
    fn fact(mut self, name: &str, value: String) -> Appendix {
        if !value.is_empty() && value != "[]" {
            self.judge.push((name.replace('_', " "), value));
        }
        self
    }

    /// With one more thing that everything rests on. What is known by this name already stays as it is.
    pub(crate) fn hash(mut self, name: &str, value: impl Into<String>) -> Appendix {
        let value = value.into();
        let is_known = self.hashes.iter().any(|(known, _)| known == name);
        if !is_known && !name.starts_with("judge.") && !value.is_empty() {
            self.hashes.push((name.to_owned(), value));
        }
        self
    }

    /// What everything rests on, by name.
    pub(crate) fn hashes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.hashes.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The command that makes it again.
    pub(crate) fn command(&self) -> &str {
        &self.reproduce
    }
}

fn rubric_blocks(rubric: &Rubric) -> Vec<Block> {
    let pass = rubric.pass().map(|pass| format!(" · passes from {}", pass.total_min)).unwrap_or_default();
    let section = Section::new("rubric", "Rubric")
        .heading(format!("Rubric {} {}", rubric.name(), rubric.version()))
        .legend(format!("{}{pass}", rubric.hash()));
    rubric.criteria().iter().fold(section, criterion_blocks).blocks
}

fn criterion_blocks(section: Section, criterion: &Criterion) -> Section {
    let levels = criterion.scale.levels().iter().map(ToString::to_string).collect::<Vec<_>>();
    let answers = match criterion.judged {
        Judged::Pairwise => "a, b, tie or needs_human_review".to_owned(),
        Judged::Pointwise => format!("a level: {}", levels.join(", ")),
    };
    let weight = criterion.weight.map(|weight| format!(" · weight {weight}")).unwrap_or_default();
    let (title, id, decider) = (&criterion.title, &criterion.id, criterion.decider.name());
    let mut table = Table::new(&["#level", "what it looks like"]);
    table.rows = criterion.anchors.iter().map(|anchor| cells![anchor.level, &anchor.text]).collect();
    // The lowest anchor of a pairwise criterion is what a tie means.
    let is_said = |tie: &&String| criterion.anchors.iter().any(|anchor| anchor.text == **tie);
    table.rows.extend(criterion.tie.as_ref().filter(|tie| !is_said(tie)).map(|tie| cells!["tie", tie]));
    section
        .heading(format!("{title} · {id} · decided by {decider} · {answers}{weight}"))
        .text(&criterion.question)
        .table(table)
}
