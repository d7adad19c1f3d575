//! What the files of other tools say about their replies, as rows: people's labels, another judge's verdicts, pairs of
//! replies by that judge's scores, and scored replies for probes.
//!
//! A score by another judge is never a label, and what a person decided is never a verdict. Verdicts of records without
//! a reply are about no reply and are left out. Nothing is asked.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use probity_core::case::Entry;
use probity_core::compare::{Grade, VerdictRow, Verdicts};
use probity_core::json::{Json, Object};
use probity_core::label::{ItemFacts, LabelEntry, Spoken, VerdictEntry};
use probity_core::probe::{JudgeRecords, ScoredReply};

use crate::input::{Dataset, ForeignLabel, ForeignScore, ForeignVerdict, LoadError, Place, Record};

/// How the letters of Inspect's scorers count in its own metrics.
const INSPECT_LETTERS: &[(&str, &str)] = &[("C", "1"), ("I", "0"), ("P", "0.5"), ("N", "0")];

/// The replies of other tools' files with what is said about them.
#[derive(Debug, Default)]
pub struct ForeignReplies {
    replies: Vec<ForeignReply>,
    is_inspect: bool,
}

/// A reply with what is said about it.
#[derive(Debug)]
struct ForeignReply {
    place: Place,
    case: String,
    facts: ItemFacts,
    entry: Box<Entry>,
    labels: Vec<ForeignLabel>,
    verdicts: Vec<ForeignVerdict>,
}

/// What a foreign judge is compared with.
#[derive(Debug, Clone, Default)]
pub struct HeldAgainst {
    /// The labels about this, where a file has several kinds.
    pub criterion: Option<String>,
    /// The score from which a verdict passes, where its file says neither that nor whether it does.
    pub pass_at: Option<f64>,
}

/// How verdicts are compared with labels.
#[derive(Debug, Clone, Copy)]
enum SaidAs {
    /// As pass and fail, from this score on where nothing else says.
    PassOrFail(Option<f64>),
    /// As the score it is.
    Score,
}

/// Labels and verdicts side by side, and what is worth a line about them.
#[derive(Debug, Default)]
pub struct HeldRows {
    /// What people said.
    pub labels: Vec<(Place, LabelEntry)>,
    /// What the foreign judges said.
    pub verdicts: Vec<(Place, VerdictEntry)>,
    /// What is worth a line.
    pub notices: Vec<String>,
}

impl ForeignReplies {
    /// Reads them; `None` where the files are not those of another tool.
    pub fn of(dataset: &Dataset) -> Result<Option<ForeignReplies>, LoadError> {
        let mut found = ForeignReplies::default();
        let mut is_foreign = false;
        for annotated in dataset.annotated()? {
            let annotated = annotated?;
            let Some(beside) = annotated.beside else { continue };
            is_foreign |= beside.kept.is_some() || !beside.labels.is_empty();
            if beside.labels.is_empty() && beside.verdicts.is_empty() {
                continue;
            }
            let Record::Entry { place, entry } = annotated.record else { continue };
            found.is_inspect |= beside.verdicts.iter().any(|verdict| verdict.judge.starts_with("inspect:"));
            let facts = ItemFacts {
                case: Some(entry.case.id.to_string()),
                slice: entry.case.slice.as_ref().map(|slice| slice.as_str().to_owned()),
                variant: entry.reply.variant.as_ref().map(|variant| variant.as_str().to_owned()),
                ..ItemFacts::default()
            };
            found.replies.push(ForeignReply {
                place,
                case: entry.case.id.to_string(),
                facts,
                entry,
                labels: beside.labels,
                verdicts: beside.verdicts,
            });
        }
        Ok(is_foreign.then_some(found))
    }

    /// Whether another judge's verdicts are among them.
    pub fn has_verdicts(&self) -> bool {
        self.replies.iter().any(|reply| !reply.verdicts.is_empty())
    }

    /// What people decided, with who and when. What one person says again about the same is a further round.
    pub fn labels(&self) -> Vec<(Place, LabelEntry)> {
        let mut rounds: HashMap<[Option<String>; 4], u64> = HashMap::new();
        let mut labels = Vec::new();
        for reply in &self.replies {
            for label in &reply.labels {
                let variant = reply.facts.variant.clone();
                let key =
                    [Some(reply.case.clone()), variant, label.criterion.clone(), label.annotator.clone()];
                let round = rounds.entry(key).or_default();
                *round += 1;
                labels.extend(self.label(reply, label, *round).map(|entry| (reply.place.clone(), entry)));
            }
        }
        labels
    }

    fn label(&self, reply: &ForeignReply, label: &ForeignLabel, round: u64) -> Option<LabelEntry> {
        let mut row = Object::new();
        let said = self.text(&label.label).map_or(Json::Null, Json::String);
        let _ = row.insert("item", Json::text(&reply.case));
        let _ = row.insert("label", said);
        let named = [("criterion", &label.criterion), ("annotator", &label.annotator), ("at", &label.at)];
        for (name, text) in named {
            let _ = text.as_ref().map(|text| row.insert(name, Json::text(text)));
        }
        let read = LabelEntry::read(&row).or_else(|_| {
            // A moment that is written in some other way is not known.
            row.take("at");
            LabelEntry::read(&row)
        });
        read.ok().map(|entry| LabelEntry { round, facts: reply.facts.clone(), ..entry })
    }

    /// What was said, as a label file writes it.
    fn text(&self, json: &Json) -> Option<String> {
        let text = match json {
            Json::Bool(passes) => if *passes { "pass" } else { "fail" }.to_owned(),
            Json::String(text) => text.trim().to_owned(),
            Json::Number(text) => text.clone(),
            Json::Null | Json::Array(_) | Json::Object(_) => return None,
        };
        let letter = INSPECT_LETTERS.iter().find(|(letter, _)| self.is_inspect && *letter == text);
        Some(letter.map_or(text, |(_, number)| (*number).to_owned()))
    }

    /// Every judge by name.
    fn judges(&self) -> BTreeSet<&str> {
        self.replies.iter().flat_map(|reply| &reply.verdicts).map(|verdict| verdict.judge.as_str()).collect()
    }

    /// What the labels are about that each judge is compared with: those of the judge's own name where people used it,
    /// else those about the whole reply, or about what most labels are about.
    fn yardsticks(
        &self,
        labels: &[(Place, LabelEntry)],
        asked: Option<&String>,
    ) -> BTreeMap<&str, Option<String>> {
        let mut counts: BTreeMap<Option<String>, usize> = BTreeMap::new();
        for (_, label) in labels {
            *counts.entry(label.criterion.clone()).or_default() += 1;
        }
        let is_named = |name: &Option<String>, judge: &str| {
            let grader = judge.rsplit(':').next().unwrap_or(judge);
            name.as_deref().is_some_and(|name| name.eq_ignore_ascii_case(grader))
        };
        let by_name = |judge: &str| counts.keys().find(|name| is_named(name, judge)).cloned();
        // Labels by the name of one judge are about what that one was asked, and no other.
        let free = counts.iter().filter(|(name, _)| !self.judges().iter().any(|judge| is_named(name, judge)));
        let most = free.max_by_key(|(name, n)| (name.is_none(), **n)).map(|(name, _)| name.clone());
        let judges = self.judges().into_iter();
        let yardstick = |judge| {
            let criterion = asked.cloned().map(Some).or_else(|| by_name(judge)).or_else(|| most.clone());
            Some((judge, criterion?))
        };
        judges.filter_map(yardstick).collect()
    }

    /// The foreign judges against `labels`.
    pub fn held(&self, labels: Vec<(Place, LabelEntry)>, held: &HeldAgainst) -> HeldRows {
        let mut rows = HeldRows::default();
        let mut used = BTreeSet::new();
        for (judge, criterion) in self.yardsticks(&labels, held.criterion.as_ref()) {
            let about = labels.iter().filter(|(_, label)| label.criterion == criterion);
            let mut words = about.filter_map(|(_, label)| label.label.as_deref());
            let is_pass_fail = words.all(|label| matches!(label, "pass" | "fail"));
            let said_as = if is_pass_fail { SaidAs::PassOrFail(held.pass_at) } else { SaidAs::Score };
            let said = self.said(judge, criterion.as_ref(), said_as);
            if said.iter().all(|(_, verdict)| verdict.spoken == Spoken::Once(None)) {
                rows.notices.push(format!(
                    "{judge} gives scores and does not say which pass: --pass-at SCORE holds it against pass and fail"
                ));
                continue;
            }
            used.insert(criterion);
            rows.verdicts.extend(said);
        }
        let (kept, left): (Vec<_>, Vec<_>) =
            labels.into_iter().partition(|(_, label)| used.contains(&label.criterion));
        if let Some((_, label)) = left.first().filter(|_| !used.is_empty()) {
            let name = label.criterion.as_deref().unwrap_or("the whole reply");
            let (n, hint) = (left.len(), "--criterion chooses what judges are compared with");
            rows.notices.push(format!("{n} labels are about something else, such as {name}; {hint}"));
        }
        rows.labels = kept;
        rows
    }

    /// What `judge` said.
    fn said(&self, judge: &str, criterion: Option<&String>, said_as: SaidAs) -> Vec<(Place, VerdictEntry)> {
        let mut rows = Vec::new();
        for reply in &self.replies {
            // Where a judge speaks twice about a reply, its last word counts.
            let Some(verdict) = reply.verdicts.iter().rev().find(|verdict| verdict.judge == judge) else {
                continue;
            };
            let spoken = match said_as {
                SaidAs::PassOrFail(pass_at) => self.passed(verdict, pass_at),
                SaidAs::Score => self.score(verdict),
            };
            let entry = VerdictEntry {
                item: reply.case.clone(),
                criterion: criterion.cloned(),
                judge: Some(judge.to_owned()),
                spoken: Spoken::Once(spoken),
                confidence: [None; 2],
                facts: reply.facts.clone(),
            };
            rows.push((reply.place.clone(), entry));
        }
        rows
    }

    fn score(&self, verdict: &ForeignVerdict) -> Option<String> {
        let ForeignScore::Scored { score, label, passed } = &verdict.said else { return None };
        let number = score.as_ref().and_then(|score| self.text(score));
        number
            .or_else(|| label.clone())
            .or_else(|| passed.map(|passed| if passed { "1" } else { "0" }.to_owned()))
    }

    fn passed(&self, verdict: &ForeignVerdict, pass_at: Option<f64>) -> Option<String> {
        let ForeignScore::Scored { label, passed, score } = &verdict.said else { return None };
        let word = |passes: bool| if passes { "pass" } else { "fail" }.to_owned();
        let named = label.clone().or_else(|| self.text(score.as_ref()?));
        let named = named.filter(|name| matches!(name.as_str(), "pass" | "fail"));
        let own = verdict.threshold.as_ref().and_then(number);
        let by_score = || Some(word(self.number(score.as_ref()?)? >= pass_at.or(own)?));
        passed.map(word).or(named).or_else(by_score)
    }

    fn number(&self, score: &Json) -> Option<f64> {
        self.text(score)?.parse().ok()
    }

    /// Every two variants of a case by the scores of each judge that is a number, or by what passes.
    pub fn pairs(&self) -> Vec<(Place, VerdictRow)> {
        let mut cases: BTreeMap<&str, Vec<&ForeignReply>> = BTreeMap::new();
        for reply in self.replies.iter().filter(|reply| reply.facts.variant.is_some()) {
            cases.entry(&reply.case).or_default().push(reply);
        }
        let mut rows = Vec::new();
        for (case, replies) in cases {
            for (n, one) in replies.iter().enumerate() {
                for other in &replies[n + 1..] {
                    for judge in self.judges() {
                        rows.extend(
                            self.pair(case, judge, [one, other]).map(|row| (other.place.clone(), row)),
                        );
                    }
                }
            }
        }
        rows
    }

    fn pair(&self, case: &str, judge: &str, replies: [&ForeignReply; 2]) -> Option<VerdictRow> {
        let mut replies = replies;
        replies.sort_by_key(|reply| reply.facts.variant.clone());
        let value = |reply: &ForeignReply| {
            self.value(reply.verdicts.iter().rev().find(|verdict| verdict.judge == judge)?)
        };
        let [a, b] = [value(replies[0])?, value(replies[1])?];
        let grade = Grade::new(if a > b {
            0.0
        } else if a < b {
            1.0
        } else {
            0.5
        })?;
        let [first, second] = replies.map(|reply| reply.facts.variant.clone().unwrap_or_default());
        if first == second {
            return None;
        }
        let facts = ItemFacts {
            variant: None,
            variants: Some([first, second]),
            lengths: Some(replies.map(|reply| reply.entry.reply.text.chars().count() as u64)),
            ..replies[0].facts.clone()
        };
        let verdicts = Verdicts::Graded(grade);
        Some(VerdictRow { item: case.to_owned(), judge: Some(judge.to_owned()), verdicts, facts })
    }

    /// The score of a verdict as a number, or whether it passes as 1 or 0.
    fn value(&self, verdict: &ForeignVerdict) -> Option<f64> {
        match &verdict.said {
            ForeignScore::Scored { score: Some(score), .. } => self.number(score),
            ForeignScore::Scored { passed, .. } => passed.map(|passed| f64::from(u8::from(passed))),
            ForeignScore::Unscored { .. } => None,
        }
    }

    /// The replies that each judge has scored, as often as it has.
    pub fn scored(&self) -> BTreeMap<String, JudgeRecords> {
        let labels = self.labels();
        let mut said: HashMap<_, BTreeSet<&str>> = HashMap::new();
        for (_, label) in &labels {
            let about = said.entry((&label.item, &label.facts.variant, &label.criterion)).or_default();
            about.extend(label.label.as_deref());
        }
        let yardsticks = self.yardsticks(&labels, None);
        let mut all: BTreeMap<String, JudgeRecords> = BTreeMap::new();
        for reply in &self.replies {
            for verdict in &reply.verdicts {
                let about = yardsticks.get(&*verdict.judge);
                let said = about.and_then(|about| said.get(&(&reply.case, &reply.facts.variant, about)));
                let label = said.filter(|said| said.len() == 1).and_then(|said| said.first());
                let passes = self.passed(verdict, None).map(|word| word == "pass");
                all.entry(verdict.judge.clone()).or_default().replies.push(ScoredReply {
                    entry: (*reply.entry).clone(),
                    score: self.value(verdict),
                    passes,
                    label: label.map(|label| (*label).to_owned()),
                });
            }
        }
        all
    }

    /// What each judge was asked, where its file says, in the order of their names.
    pub fn asked(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut all: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for verdict in self.replies.iter().flat_map(|reply| &reply.verdicts) {
            all.entry(&verdict.judge).or_default().extend(verdict.asked.as_deref());
        }
        all
    }
}

fn number(json: &Json) -> Option<f64> {
    match json {
        Json::Number(text) => text.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
