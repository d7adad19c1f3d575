//! Probes that a person writes: one case, and what the judge must say about it.

use std::collections::HashMap;

use super::aspect::{Aspect, AspectCriteria};
use super::expectation::Expectation;
use super::task::JudgeTask;
use super::trial::{Arm, Arms, ProbeTrial, Stimulus};
use crate::case::{Case, CaseId, Entry, Reply, Role, Situation, Slice, Turn};
use crate::packet::AnswerForm;
use crate::rubric::CriterionId;
use crate::spec_file::{At, Faults, Field, Fields, Problem, Shape, toml_table};

static TOP: Shape = Shape { place: "the top of the file", keys: &["probe", "criteria"] };
static CRITERIA: Shape =
    Shape { place: "[criteria]", keys: &["accuracy", "completeness", "relevance", "tone", "safety"] };
static OWN: Shape = Shape {
    place: "[[probe]]",
    keys: &[
        "name", "means", "ticket", "turns", "slice", "reply", "changed", "expects", "reply_a", "reply_b",
        "expected", "criterion",
    ],
};
static TURN: Shape = Shape { place: "[[probe.turns]]", keys: &["role", "text"] };

crate::named! {
    /// What a person's own probe expects.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum OwnExpectation {
        /// Reply A wins in both orders.
        A = "a",
        /// Reply B wins in both orders.
        B = "b",
        /// Neither wins.
        Tie = "tie",
        /// The changed reply is not better.
        NoRise = "no_rise",
        /// The changed reply is neither better nor worse.
        NoMove = "no_move",
        /// The changed reply has a lower level of the criterion that the probe names.
        MustFall = "must_fall",
    }
}

/// How many of the expectations are about a pair; the others are about a change.
const N_OF_PAIRS: usize = 3;

/// The replies of a person's own probe.
#[derive(Debug, Clone, PartialEq)]
pub enum OwnReplies {
    /// Two, to be compared.
    Pair {
        /// Reply A.
        a: Entry,
        /// Reply B.
        b: Entry,
    },
    /// One, and the same with a change, to be graded.
    Changed {
        /// As it was.
        reply: Entry,
        /// With the change.
        changed: Entry,
    },
}

/// A probe that a person wrote.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnProbe {
    /// Names it.
    pub name: String,
    /// What it is about, in one sentence.
    pub means: String,
    /// The replies.
    pub replies: OwnReplies,
    /// What is expected.
    pub expects: OwnExpectation,
    /// The criterion that must fall, where one must.
    pub criterion: Option<CriterionId>,
}

/// What a person's own file of probes says.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OwnFile {
    /// The probes.
    pub probes: Vec<OwnProbe>,
    /// Which of the rubric's criteria the battery's faults must lower, where their ids do not tell.
    pub criteria: AspectCriteria,
}

impl OwnProbe {
    /// Why the probe has no meaning here, if it has none.
    pub fn inapplicable(&self, task: &JudgeTask) -> Option<&'static str> {
        match (&self.replies, task.form()) {
            _ if self.names_unjudged(task) => Some("no judge is asked about the criterion that must fall"),
            _ if task.needs_reference() => Some("the rubric needs a reference reply, and it has none"),
            (OwnReplies::Pair { .. }, AnswerForm::Levels) => {
                Some("it compares two replies, and this rubric grades one")
            }
            (OwnReplies::Changed { .. }, AnswerForm::Preference) => {
                Some("it is about one reply, and this rubric compares two")
            }
            _ => None,
        }
    }

    fn names_unjudged(&self, task: &JudgeTask) -> bool {
        let is_judged = |criterion: &CriterionId| task.judged_criterion(criterion.as_str()).is_some();
        task.form() == AnswerForm::Levels && self.criterion.as_ref().is_some_and(|id| !is_judged(id))
    }

    /// What is asked.
    pub fn trial(&self) -> ProbeTrial {
        let (control, treatment) = match &self.replies {
            OwnReplies::Pair { a, b } => (None, Stimulus::pair_of(a, b)),
            OwnReplies::Changed { reply, changed } => (
                Some(Arm::first(Stimulus::Reply(Box::new(reply.clone())))),
                Stimulus::Reply(Box::new(changed.clone())),
            ),
        };
        ProbeTrial::Asked(Box::new(Arms { control, treatment: Arm::first(treatment), noise: None }))
    }

    /// What is expected of a change, where the probe is about one.
    pub(super) fn expects_of_change(&self) -> Option<Expectation> {
        let is_change = matches!(self.replies, OwnReplies::Changed { .. });
        Expectation::from_name(self.expects.name()).filter(|_| is_change)
    }
}

/// Reads a person's own probes, and which criteria faults must lower. All problems are returned, by line.
pub fn read_own(text: &str) -> Result<OwnFile, Vec<Problem>> {
    let mut faults = Faults::default();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut own = OwnFile::default();
    if let Some(table) = toml_table(text, &mut faults) {
        let top = Fields::top(&TOP, &table, 1);
        top.refuse_unknown_keys(&[&TOP, &OWN], &mut faults);
        own.criteria = criteria(&top, &mut faults);
        let tables = top.tables("probe", &OWN, &mut faults);
        if tables.is_empty() && !top.has("criteria") {
            let problem = Problem::at(1, "there is no [[probe]] in the file");
            faults.error(problem.hint("write [[probe]] with two brackets"));
        }
        own.probes.extend(tables.iter().filter_map(|fields| own_probe(fields, &mut faults)));
        names_once(&tables, &mut faults);
    }
    faults.settle()?;
    Ok(own)
}

fn criteria(top: &Fields<'_>, faults: &mut Faults) -> AspectCriteria {
    let mut criteria = AspectCriteria::new();
    let Field::Given(At { value: fields, .. }) = top.table("criteria", &CRITERIA, faults) else {
        return criteria;
    };
    fields.refuse_unknown_keys(&[&CRITERIA], faults);
    for (name, aspect) in Aspect::NAMED {
        if let Field::Given(At { line, value }) = fields.text(name, faults) {
            criteria.extend(criterion_id(line, &value, faults).map(|id| (aspect, id)));
        }
    }
    criteria
}

/// One probe of a file.
fn own_probe(fields: &Fields<'_>, faults: &mut Faults) -> Option<OwnProbe> {
    fields.refuse_unknown_keys(&[&TOP, &OWN, &TURN], faults);
    let name = name(fields, faults);
    let situation = situation(fields, faults);
    let slice = fields.text("slice", faults).value().and_then(|slice| Slice::new(slice).ok());
    let means = fields.text("means", faults).value().cloned();
    let replies = replies(fields, faults);
    let (name, (expects, first, second)) = (name?, replies?);
    let criterion = criterion(fields, expects, faults);
    let mut case = Case::new(CaseId::new(format!("own-{name}")).ok()?, situation?);
    case.slice = slice;
    let entry = |reply: String| Entry { case: case.clone(), reply: Reply::new(reply) };
    let (first, second) = (entry(first), entry(second));
    let replies = match expects {
        OwnExpectation::A | OwnExpectation::B | OwnExpectation::Tie => {
            OwnReplies::Pair { a: first, b: second }
        }
        OwnExpectation::NoRise | OwnExpectation::NoMove | OwnExpectation::MustFall => {
            OwnReplies::Changed { reply: first, changed: second }
        }
    };
    let means = means.unwrap_or_else(|| format!("A probe of your own, which expects {}", expects.name()));
    Some(OwnProbe { name, means, replies, expects, criterion })
}

/// A name of words in lower case, joined by `_`.
fn name(fields: &Fields<'_>, faults: &mut Faults) -> Option<String> {
    let At { line, value } = fields.required_text("name", faults).given()?.clone();
    let is_word =
        |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    if value.len() > 64 || !value.split('_').all(is_word) {
        let message =
            format!("name {value:?} must be lower-case ASCII words joined by `_`, at most 64 characters");
        faults.error(Problem::at(line, message).hint("such as name = \"plain_plea\""));
        return None;
    }
    Some(value)
}

/// Reports each name that stands twice.
fn names_once(tables: &[Fields<'_>], faults: &mut Faults) {
    let mut lines: HashMap<String, usize> = HashMap::new();
    for fields in tables {
        let Field::Given(At { line, value }) = fields.any_text("name", &mut Faults::default()) else {
            continue;
        };
        if let Some(first) = lines.insert(value.clone(), line) {
            let problem = Problem::at(line, format!("probe {value:?} stands twice"));
            faults.error(problem.hint(format!("the other stands on line {first}")));
        }
    }
}

/// The criterion that must fall, which belongs to `must_fall` and to nothing else.
fn criterion(fields: &Fields<'_>, expects: OwnExpectation, faults: &mut Faults) -> Option<CriterionId> {
    let given = fields.text("criterion", faults);
    let given =
        if expects == OwnExpectation::MustFall { fields.required("criterion", given, faults) } else { given };
    let At { line, value } = given.given()?;
    if expects != OwnExpectation::MustFall {
        let message = format!("`criterion` has no effect on expects = \"{}\"", expects.name());
        faults.error(Problem::at(*line, message));
        return None;
    }
    criterion_id(*line, value, faults)
}

/// An id as rubrics have them.
fn criterion_id(line: usize, text: &str, faults: &mut Faults) -> Option<CriterionId> {
    let id = CriterionId::new(text);
    if id.is_none() {
        faults.error(Problem::at(line, format!("{text:?} is not the id of a criterion")));
    }
    id
}

/// What is expected, and the two replies.
fn replies(fields: &Fields<'_>, faults: &mut Faults) -> Option<(OwnExpectation, String, String)> {
    let is_pair = ["reply_a", "reply_b", "expected"].iter().any(|key| fields.has(key));
    let is_change = ["reply", "changed", "expects"].iter().any(|key| fields.has(key));
    if is_pair == is_change {
        let found = if is_pair { "both" } else { "neither" };
        let message = format!(
            "expected `reply_a`, `reply_b` and `expected`, or `reply`, `changed` and `expects`, found {found}"
        );
        faults.error(Problem::at(fields.line, message));
        return None;
    }
    let (keys, expectation, options) = if is_pair {
        (["reply_a", "reply_b"], "expected", &OwnExpectation::NAMED[..N_OF_PAIRS])
    } else {
        (["reply", "changed"], "expects", &OwnExpectation::NAMED[N_OF_PAIRS..])
    };
    let expects = fields.choice(expectation, options, faults);
    let expects = fields.required(expectation, expects, faults).value().copied();
    let [first, second] = keys.map(|key| {
        let text = fields.any_text(key, faults);
        fields.required(key, text, faults).value().cloned()
    });
    let (first, second) = (first?, second?);
    if first == second {
        let message = format!("`{}` and `{}` are the same text", keys[0], keys[1]);
        faults.error(Problem::at(fields.line, message).hint("a probe needs two replies that differ"));
        return None;
    }
    Some((expects?, first, second))
}

fn situation(fields: &Fields<'_>, faults: &mut Faults) -> Option<Situation> {
    if fields.has("ticket") == fields.has("turns") {
        let found = if fields.has("ticket") { "both" } else { "neither" };
        let message = format!("expected `ticket` or `turns`, found {found}");
        faults.error(Problem::at(fields.line, message));
        return None;
    }
    if fields.has("ticket") {
        return fields.text("ticket", faults).value().map(|text| Situation::Ticket(text.as_str().into()));
    }
    let tables = fields.tables("turns", &TURN, faults);
    if tables.is_empty() {
        faults.error(Problem::at(fields.line, "`turns` is empty").hint("say what the customer wrote"));
    }
    let turns: Vec<Option<Turn>> = tables.iter().map(|turn| self::turn(turn, faults)).collect();
    let turns: Option<Vec<Turn>> = turns.into_iter().collect();
    turns.filter(|turns| !turns.is_empty()).map(Situation::Conversation)
}

fn turn(fields: &Fields<'_>, faults: &mut Faults) -> Option<Turn> {
    fields.refuse_unknown_keys(&[&OWN, &TURN], faults);
    let roles = [Role::Customer, Role::Agent, Role::System].map(|role| (role.name(), role));
    let role = fields.choice("role", &roles, faults);
    let role = fields.required("role", role, faults);
    let text = fields.required_text("text", faults);
    Some(Turn { role: *role.value()?, text: text.value()?.as_str().into() })
}
