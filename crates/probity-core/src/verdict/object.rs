//! An object becomes what was asked for, or a reason why not: one level with its reason for every criterion,
//! or one preference for all of them.
//!
//! Where the object came from is not asked here. What always holds: no criterion is left out unless a level fails
//! the reply by itself, no level is off its scale, and a key that decides anything stands once.

use super::invalid::{Invalid, InvalidReason};
use super::level::level;
use super::preference::{self, preferred};
use super::repair::{Repair, Repairs, Suspicion, Suspicions};
use super::{CriterionScore, REASONING_BYTES_MAX, Statement};
use crate::json::{Json, Object};
use crate::packet::{AnswerForm, Ask, Packet};
use crate::rubric::{Criterion, ReasoningDemand};

pub(super) const SCORE: &str = "score";
const REASONING: &str = "reasoning";
const VIOLATIONS: &str = "violations";
const PACKET: &str = "packet";
pub(super) const CONFIDENCE: &str = "confidence";
/// Names under which judges report a sum. The sum is never used.
const TOTALS: [&str; 3] = ["total", "overall", "overall_score"];

/// What an object says, and what was needed to understand it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ObjectReading {
    pub(super) statement: Statement,
    pub(super) repairs: Repairs,
    pub(super) suspicions: Suspicions,
}

/// Whether `object` has a key that only a verdict about `ask` would have.
pub(super) fn is_shaped(object: &Object, ask: &Ask) -> bool {
    match ask.form() {
        AnswerForm::Levels => has_levels(object, ask),
        AnswerForm::Preference => preference::is_shaped(object),
    }
}

fn has_levels(object: &Object, ask: &Ask) -> bool {
    let criteria = ask.criteria();
    object.iter().any(|(key, value)| {
        let names = |criterion: &Criterion| key.eq_ignore_ascii_case(criterion.id.as_str());
        match criteria {
            [only] if names(only) => value.as_object().is_some(),
            [_] => key.eq_ignore_ascii_case(SCORE) || key.eq_ignore_ascii_case(REASONING),
            several => several.iter().any(names),
        }
    })
}

/// What `object` says about `packet`.
pub(super) fn reading(object: &Object, packet: &Packet) -> Result<ObjectReading, Invalid> {
    let mut members = AnswerMembers::of(object);
    let statement = match packet.ask().form() {
        AnswerForm::Levels => {
            let statement = levels(&mut members, packet.ask())?;
            if let Statement::Levels(scores) = &statement
                && has_wrong_total(&mut members, scores, packet.ask())?
            {
                members.suspicions.insert(Suspicion::Arithmetic);
            }
            statement
        }
        AnswerForm::Preference => Statement::Preference(preferred(&mut members)?),
    };
    check_packet(&mut members, packet)?;
    // What a judge says of its own confidence is read by [`super::confidence`], where it was asked.
    members.left.retain(|(name, _)| *name != CONFIDENCE);
    let suspicions = std::mem::take(&mut members.suspicions);
    Ok(ObjectReading { statement, repairs: members.finish(), suspicions })
}

fn levels(members: &mut AnswerMembers<'_>, ask: &Ask) -> Result<Statement, Invalid> {
    let several = match ask.criteria() {
        [only] => return Ok(Statement::Levels(vec![single(members, only)?])),
        several => several,
    };
    let (mut scores, mut rest) = (Vec::with_capacity(several.len()), None);
    for criterion in several {
        match one_of_several(members, criterion) {
            Ok(score) => scores.push(score),
            Err(invalid) => rest = rest.or(Some(invalid)),
        }
    }
    let Some(rest) = rest else { return Ok(Statement::Levels(scores)) };
    scores.retain(|score| ask.fails_alone(&score.criterion, score.level));
    if scores.is_empty() { Err(rest) } else { Ok(Statement::Failing { scores, rest }) }
}

/// Removes the sums that a judge volunteers, and reports whether one is wrong.
fn has_wrong_total(
    members: &mut AnswerMembers<'_>,
    scores: &[CriterionScore],
    ask: &Ask,
) -> Result<bool, Invalid> {
    let mut is_wrong = false;
    for name in TOTALS {
        if let Some(Json::Number(total)) = members.take(name)? {
            is_wrong |= !adds_up(total, scores, ask);
        }
    }
    Ok(is_wrong)
}

/// The reasoning as it is stored: no NUL, at most [`REASONING_BYTES_MAX`] bytes.
pub(super) fn stored_reasoning(text: &str, repairs: &mut Repairs) -> String {
    let mut kept = text.replace('\0', "\u{fffd}");
    if text.contains('\0') {
        repairs.insert(Repair::Nul.name());
    }
    if kept.len() > REASONING_BYTES_MAX {
        kept.truncate(kept.floor_char_boundary(REASONING_BYTES_MAX));
        repairs.insert(Repair::ReasoningCapped.name());
    }
    kept
}

/// The score and the reasoning in `object`, whatever the case of their keys, for comparing two objects.
pub(super) fn score_and_reasoning(object: &Object) -> Option<(&Json, &str)> {
    let find =
        |key: &str| object.iter().find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, value)| value);
    Some((find(SCORE)?, find(REASONING)?.as_str()?))
}

/// The members of an object that were not taken yet.
pub(super) struct AnswerMembers<'a> {
    left: Vec<(&'a str, &'a Json)>,
    repairs: Repairs,
    suspicions: Suspicions,
}

impl<'a> AnswerMembers<'a> {
    fn of(object: &'a Object) -> Self {
        AnswerMembers {
            left: object.iter().collect(),
            repairs: Repairs::new(),
            suspicions: Suspicions::new(),
        }
    }

    fn has(&self, key: &str) -> bool {
        self.left.iter().any(|(name, _)| name.eq_ignore_ascii_case(key))
    }

    /// Takes the member called `key`. Two that differ in case only are the same key twice.
    pub(super) fn take(&mut self, key: &str) -> Result<Option<&'a Json>, Invalid> {
        let mut same = self.left.iter().enumerate().filter(|(_, (name, _))| name.eq_ignore_ascii_case(key));
        let (first, second) = (same.next().map(|(at, _)| at), same.next());
        if second.is_some() {
            return Err(Invalid::new(InvalidReason::DuplicateKey, format!("key {key:?} stands twice")));
        }
        let Some(at) = first else { return Ok(None) };
        let (name, value) = self.left.swap_remove(at);
        if name != key {
            self.repairs.insert(Repair::KeyCase.name());
        }
        Ok(Some(value))
    }

    /// The clean-ups so far, for those found in a member's value.
    pub(super) fn repairs_mut(&mut self) -> &mut Repairs {
        &mut self.repairs
    }

    fn finish(mut self) -> Repairs {
        if !self.left.is_empty() {
            self.repairs.insert(Repair::UnknownKey.name());
        }
        self.repairs
    }
}

/// The only criterion's answer: the members themselves, or an object under the criterion's id.
fn single(members: &mut AnswerMembers<'_>, criterion: &Criterion) -> Result<CriterionScore, Invalid> {
    let id = criterion.id.as_str();
    let wrapped =
        members.left.iter().any(|(name, value)| name.eq_ignore_ascii_case(id) && value.as_object().is_some());
    if !wrapped {
        return criterion_score(members, criterion);
    }
    if id != SCORE && members.has(SCORE) {
        let detail = format!("a score stands both in the object and under {id:?}");
        return Err(Invalid::new(InvalidReason::Ambiguous, detail));
    }
    members.repairs.insert(Repair::Wrapped.name());
    one_of_several(members, criterion)
}

fn one_of_several(members: &mut AnswerMembers<'_>, criterion: &Criterion) -> Result<CriterionScore, Invalid> {
    let id = criterion.id.as_str();
    let Some(value) = members.take(id)? else {
        return Err(Invalid::new(InvalidReason::MissingCriterion, id));
    };
    let Some(object) = value.as_object() else {
        // A verdict is never a number on its own.
        let bare = matches!(value, Json::Number(_) | Json::String(_));
        let reason = if bare { InvalidReason::MissingReasoning } else { InvalidReason::Type };
        let detail = format!("{id}: expected an object with score and reasoning, found {}", value.kind());
        return Err(Invalid::new(reason, detail));
    };
    let mut inner = AnswerMembers::of(object);
    let score = criterion_score(&mut inner, criterion)?;
    members.suspicions.append(&mut inner.suspicions);
    members.repairs.extend(inner.finish());
    Ok(score)
}

fn criterion_score(
    members: &mut AnswerMembers<'_>,
    criterion: &Criterion,
) -> Result<CriterionScore, Invalid> {
    let id = &criterion.id;
    let Some(score) = members.take(SCORE)? else {
        return Err(Invalid::new(InvalidReason::MissingScore, format!("{id}: expected a score, found none")));
    };
    let level = level(score, criterion, &mut members.repairs)?;
    let Some(reasoning) = members.take(REASONING)?.and_then(Json::as_str) else {
        let detail = format!("{id}: expected a reasoning beside the score, found no text");
        return Err(Invalid::new(InvalidReason::MissingReasoning, detail));
    };
    if criterion.reasoning == ReasoningDemand::NotEmpty && reasoning.trim().is_empty() {
        let detail = format!("{id}: expected a reasoning with words, found an empty one");
        return Err(Invalid::new(InvalidReason::EmptyReasoning, detail));
    }
    let reasoning = stored_reasoning(reasoning, &mut members.repairs);
    let violations = violations(members, criterion);
    Ok(CriterionScore { criterion: id.clone(), level, reasoning, violations })
}

/// The violations that the judge names. A name that the rubric does not have is left out: the level says that there
/// is a violation, and stands without its name.
fn violations(members: &mut AnswerMembers<'_>, criterion: &Criterion) -> Vec<String> {
    if criterion.violations.is_empty() {
        return Vec::new();
    }
    let named = match members.take(VIOLATIONS) {
        Ok(Some(Json::Array(named))) => named.as_slice(),
        Ok(None | Some(Json::Null)) => return Vec::new(),
        Ok(Some(_)) | Err(_) => {
            members.suspicions.insert(Suspicion::UnknownViolation);
            return Vec::new();
        }
    };
    let known = criterion.violations.iter().map(|violation| violation.id.as_str());
    let is_known = |name: &Json| known.clone().any(|id| name.as_str() == Some(id));
    if !named.iter().all(is_known) {
        members.suspicions.insert(Suspicion::UnknownViolation);
    }
    known.clone().filter(|id| named.iter().any(|name| name.as_str() == Some(id))).map(str::to_owned).collect()
}

/// An answer that names a packet must name this one.
fn check_packet(members: &mut AnswerMembers<'_>, packet: &Packet) -> Result<(), Invalid> {
    let Some(named) = members.take(PACKET)? else { return Ok(()) };
    let hash = packet.hash().to_string();
    if named.as_str().is_some_and(|name| name == hash || name == packet.boundary()) {
        return Ok(());
    }
    let found = named.as_str().unwrap_or(named.kind());
    Err(Invalid::new(InvalidReason::IdMismatch, format!("expected an answer about {hash}, found {found:?}")))
}

/// Whether `total` is what the levels come to, up to half a unit of the last digit it was written with.
///
/// With weights that is the weighted sum; without, the sum and the mean are both fair readings.
fn adds_up(total: &str, scores: &[CriterionScore], ask: &Ask) -> bool {
    let Ok(stated) = total.parse::<f64>() else { return false };
    let decimals = total.split_once('.').map_or(0, |(_, digits)| digits.len().min(12));
    let slack = 0.5 * 0.1_f64.powi(i32::try_from(decimals).unwrap_or(12)) + 1e-9;
    let sum: f64 = scores.iter().map(|score| score.level as f64).sum();
    let weighted: Option<f64> = scores
        .iter()
        .zip(ask.criteria())
        .map(|(score, criterion)| {
            let scale = &criterion.scale;
            let width = scale.max() as f64 - scale.min() as f64;
            let share = (score.level as f64 - scale.worst() as f64).abs() / width;
            criterion.weight.map(|weight| weight.to_f64() * share)
        })
        .sum();
    let expected = weighted.map_or_else(|| vec![sum, sum / scores.len() as f64], |total| vec![total]);
    expected.iter().any(|value| (value - stated).abs() <= slack)
}

#[cfg(test)]
mod tests {
    use super::super::{Completion, Finish, ParseMode, VerdictRecord, fixture, read};
    use super::*;
    use crate::rubric::Violation;

    #[track_caller]
    fn check(bytes: usize, kept_bytes: usize, want: &[&str]) {
        let mut repairs = Repairs::new();
        assert_eq!(stored_reasoning(&"x".repeat(bytes), &mut repairs).len(), kept_bytes);
        assert_eq!(repairs.into_iter().collect::<Vec<_>>(), want, "{bytes} bytes");
    }

    #[test]
    fn f83_a_reason_is_cut_only_beyond_the_most_that_is_kept() {
        check(REASONING_BYTES_MAX, REASONING_BYTES_MAX, &[]);
        check(REASONING_BYTES_MAX + 1, REASONING_BYTES_MAX, &["reasoning_capped"]);
    }

    /// What an answer about `tone` and `clarity` comes to, where a `clarity` below 4 fails the reply.
    #[track_caller]
    fn check_failing(tone: &str, clarity: &str, want: &str) {
        let given =
            [("tone", tone), ("clarity", clarity)].into_iter().filter(|(_, member)| !member.is_empty());
        let members: Vec<String> = given.map(|(id, member)| format!("{id:?}:{member}")).collect();
        let text = format!("{{{}}}", members.join(","));
        let completion = Completion { text: Some(text), finish: Finish::Stop, ..Completion::default() };
        let packet = fixture::failing_packet(&["tone", "clarity"], "clarity");
        let got = match read(&completion, &packet, ParseMode::Tolerant) {
            Err(invalid) => format!("invalid {}", invalid.reason),
            Ok(verdict) => {
                let levels: Vec<String> = verdict
                    .scores()
                    .iter()
                    .map(|score| format!("{}={}", score.criterion, score.level))
                    .collect();
                let rest = match &verdict.statement {
                    Statement::Failing { rest, .. } => format!(", rest {}", rest.reason),
                    Statement::Levels(_) | Statement::Preference(_) => String::new(),
                };
                levels.join(" ") + &rest
            }
        };
        assert_eq!(got, want, "{tone} {clarity}");
    }

    #[test]
    fn n01_a_level_that_fails_the_reply_stands_whatever_the_rest_is() {
        const FATAL: &str = r#"{"score":1,"reasoning":"It invents a fee."}"#;
        check_failing(r#"{"score":9,"reasoning":"a"}"#, FATAL, "clarity=1, rest out_of_range");
        check_failing("", FATAL, "clarity=1, rest missing_criterion");
        check_failing("\"fine\"", FATAL, "clarity=1, rest missing_reasoning");
        check_failing(r#"{"score":"n/a","reasoning":"a"}"#, FATAL, "clarity=1, rest type");
        check_failing(r#"{"score":2,"reasoning":"a"}"#, FATAL, "tone=2 clarity=1");
        // A level that fails nothing is as unusable as the answer, and one that is not valid is none.
        check_failing(
            r#"{"score":9,"reasoning":"a"}"#,
            r#"{"score":4,"reasoning":"b"}"#,
            "invalid out_of_range",
        );
        check_failing(FATAL, r#"{"score":0,"reasoning":"b"}"#, "invalid out_of_range");
        check_failing("", r#"{"score":1}"#, "invalid missing_criterion");
    }

    /// The level of an answer about `tone` with these further members, the violations that it names, and what is
    /// suspicious about it.
    #[track_caller]
    fn check_violations(score: i64, more: &str, want: &str) {
        let known = ["rude_word", "mockery"].map(|id| Violation { id: id.to_owned(), text: String::new() });
        let criterion = Criterion { violations: known.into(), ..fixture::criterion("tone", &[0, 4]) };
        let packet = fixture::packet_of(vec![criterion], "Where is my order?", "Hello");
        let text = format!(r#"{{"reasoning":"As seen.","score":{score}{more}}}"#);
        let completion = Completion { text: Some(text), finish: Finish::Stop, ..Completion::default() };
        let verdict = read(&completion, &packet, ParseMode::Strict).expect("a verdict");
        let score = &verdict.scores()[0];
        let stored = serde_json::to_string(&VerdictRecord::from(&verdict)).expect("serializable");
        let record: VerdictRecord<'_> = serde_json::from_str(&stored).expect("a record");
        assert_eq!(record.verdict(packet.ask()).as_ref(), Ok(&verdict));
        let got = format!("{} {:?} {:?}", score.level, score.violations, verdict.suspicions);
        assert_eq!(got, want, "{more}");
    }

    #[test]
    fn n21_a_violation_is_named_by_the_rubrics_ids() {
        check_violations(0, r#","violations":["mockery"]"#, r#"0 ["mockery"] []"#);
        check_violations(
            0,
            r#","violations":["mockery","rude_word","mockery"]"#,
            r#"0 ["rude_word", "mockery"] []"#,
        );
        check_violations(0, "", "0 [] []");
        check_violations(4, r#","violations":[]"#, "4 [] []");
        check_violations(4, r#","violations":null"#, "4 [] []");
        // The level stands without a name that the rubric has.
        check_violations(
            0,
            r#","violations":["sarcasm","mockery"]"#,
            r#"0 ["mockery"] ["unknown_violation"]"#,
        );
        check_violations(0, r#","violations":"mockery""#, r#"0 [] ["unknown_violation"]"#);
        check_violations(0, r#","violations":["mockery"],"Violations":[]"#, r#"0 [] ["unknown_violation"]"#);
        check_violations(4, r#","violations":["mockery"]"#, r#"4 ["mockery"] ["contradiction"]"#);
    }

    #[test]
    fn f83_sixty_four_kibibytes_are_kept() {
        check(65_536, 65_536, &[]);
        check(65_537, 65_536, &["reasoning_capped"]);
    }
}
