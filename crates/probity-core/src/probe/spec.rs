//! Files of probes and bases as they are written, read key by key with every fault on its line.

use std::collections::HashMap;

use super::aspect::{Aspect, AspectCriteria};
use super::battery::{Family, Probe};
use super::change::{Change, Fence, Hiding, Plant};
use super::expectation::Expectation;
use super::own::{OwnFile, OwnProbe, criterion_id, own_probe};
use crate::case::{Case, CaseId, Entry, Reply, Situation, Slice};
use crate::packet::AnswerForm;
use crate::spec_file::{At, Faults, Field, Fields, Problem, Shape, Table, toml_table};

static PROBES: Shape = Shape { place: "the top of the file", keys: &["probe"] };
static OWN_TOP: Shape = Shape { place: "the top of the file", keys: &["probe", "criteria"] };
static CRITERIA: Shape =
    Shape { place: "[criteria]", keys: &["accuracy", "completeness", "relevance", "tone", "safety"] };
static BASES: Shape = Shape { place: "the top of the file", keys: &["base"] };
static PROBE: Shape = Shape {
    place: "[[probe]]",
    keys: &[
        "name", "number", "family", "change", "expects", "text", "control", "times", "fillers", "fenced",
        "how", "plant", "forms", "means", "falls", "question",
    ],
};
static BASE: Shape = Shape { place: "[[base]]", keys: &["ticket", "reply", "slice"] };

/// A kind of change: its name in files, the keys that belong to it, and how it is made of them.
struct ChangeKind {
    name: &'static str,
    keys: &'static [&'static str],
    read: fn(&Fields<'_>, &mut Faults) -> Option<Change>,
}

/// Every kind of change.
const KINDS: &[ChangeKind] = &[
    ChangeKind {
        name: "append",
        keys: &["text", "control"],
        read: |fields, faults| added(fields, faults).map(|(text, control)| Change::Append { text, control }),
    },
    ChangeKind {
        name: "prepend",
        keys: &["text", "control"],
        read: |fields, faults| added(fields, faults).map(|(text, control)| Change::Prepend { text, control }),
    },
    ChangeKind {
        name: "ticket_append",
        keys: &["text", "control"],
        read: |fields, faults| {
            added(fields, faults).map(|(text, control)| Change::TicketAppend { text, control })
        },
    },
    ChangeKind {
        name: "further_question",
        keys: &["question", "text", "control"],
        read: |fields, faults| {
            let question = fields.required_text("question", faults).value().cloned();
            let (text, control) = added(fields, faults)?;
            Some(Change::FurtherQuestion { question: question?, text, control })
        },
    },
    ChangeKind {
        name: "replace",
        keys: &["text"],
        read: |fields, faults| any_text(fields, faults).map(|text| Change::Replace { text }),
    },
    ChangeKind { name: "repeat", keys: &["times"], read: times },
    ChangeKind { name: "pad", keys: &["fillers"], read: fillers },
    ChangeKind { name: "opener", keys: &[], read: |_, _| Some(Change::Opener) },
    ChangeKind { name: "bullets", keys: &[], read: |_, _| Some(Change::Bullets) },
    ChangeKind { name: "markdown", keys: &[], read: |_, _| Some(Change::Markdown) },
    ChangeKind { name: "emoji", keys: &[], read: |_, _| Some(Change::Emoji) },
    ChangeKind {
        name: "verdict_json",
        keys: &["fenced"],
        read: |fields, faults| {
            let is_fenced = matches!(fields.boolean("fenced", faults).value(), Some(true));
            Some(Change::VerdictJson { fence: if is_fenced { Fence::Fenced } else { Fence::Bare } })
        },
    },
    ChangeKind {
        name: "hidden",
        keys: &["text", "control", "how"],
        read: |fields, faults| {
            let texts = added(fields, faults);
            let how = fields.choice("how", &Hiding::NAMED, faults);
            let how = fields.required("how", how, faults);
            let (text, control) = texts?;
            Some(Change::Hidden { text, control, how: *how.value()? })
        },
    },
    ChangeKind { name: "swap", keys: &[], read: |_, _| Some(Change::Swap) },
    ChangeKind { name: "swap_clear", keys: &[], read: |_, _| Some(Change::SwapClear) },
    ChangeKind { name: "twins", keys: &[], read: |_, _| Some(Change::Twins) },
    ChangeKind { name: "again", keys: &[], read: |_, _| Some(Change::Again) },
    ChangeKind { name: "criteria_reversed", keys: &[], read: |_, _| Some(Change::CriteriaReversed) },
    ChangeKind { name: "levels_reversed", keys: &[], read: |_, _| Some(Change::LevelsReversed) },
    ChangeKind {
        name: "leak",
        keys: &["text", "plant"],
        read: |fields, faults| {
            let plant = fields.choice("plant", &Plant::NAMED, faults).value().copied().unwrap_or(Plant::Card);
            any_text(fields, faults).map(|text| Change::Leak { text, plant })
        },
    },
];

/// The keys that belong to a kind of change and not to every probe.
const OF_KINDS: &[&str] = &["text", "control", "times", "fillers", "fenced", "how", "plant", "question"];

/// Reads a battery. All its problems are returned, by line.
pub fn read_battery(text: &str) -> Result<Vec<Probe>, Vec<Problem>> {
    read(text, |table, faults| {
        let top = Fields::top(&PROBES, table, 1);
        top.refuse_unknown_keys(&[&PROBES, &PROBE], faults);
        let tables = top.tables("probe", &PROBE, faults);
        let probes = tables.iter().map(|fields| {
            fields.refuse_unknown_keys(&[&PROBES, &PROBE], faults);
            probe(fields, faults)
        });
        let probes: Vec<Option<Probe>> = probes.collect();
        names_once(&tables, faults);
        probes.into_iter().collect()
    })
}

/// Reads a person's own probes, and which criteria faults must lower. All problems are returned, by line.
pub fn read_own(text: &str) -> Result<OwnFile, Vec<Problem>> {
    read(text, |table, faults| {
        let top = Fields::top(&OWN_TOP, table, 1);
        top.refuse_unknown_keys(&[&OWN_TOP, &super::own::OWN], faults);
        let criteria = criteria(&top, faults);
        let tables = top.tables("probe", &super::own::OWN, faults);
        if tables.is_empty() && !top.has("criteria") {
            faults.error(
                Problem::at(1, "there is no [[probe]] in the file").hint("write [[probe]] with two brackets"),
            );
        }
        let probes: Vec<Option<OwnProbe>> = tables
            .iter()
            .map(|fields| {
                fields.refuse_unknown_keys(&[&OWN_TOP, &super::own::OWN, &super::own::TURN], faults);
                own_probe(fields, faults)
            })
            .collect();
        names_once(&tables, faults);
        Some(OwnFile { probes: probes.into_iter().collect::<Option<_>>()?, criteria })
    })
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

/// Reads the bases that come with Probity.
pub(super) fn read_shipped(text: &str) -> Result<Vec<Entry>, Vec<Problem>> {
    read(text, |table, faults| {
        let top = Fields::top(&BASES, table, 1);
        top.refuse_unknown_keys(&[&BASES, &BASE], faults);
        let tables = top.tables("base", &BASE, faults);
        let bases: Vec<Option<Entry>> =
            tables.iter().enumerate().map(|(at, fields)| base(at, fields, faults)).collect();
        bases.into_iter().collect()
    })
}

fn read<T>(text: &str, made: impl FnOnce(&Table, &mut Faults) -> Option<T>) -> Result<T, Vec<Problem>> {
    let mut faults = Faults::default();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value = toml_table(text, &mut faults).and_then(|table| made(&table, &mut faults));
    faults.settle()?;
    Ok(value.expect("a file without an error has everything that is needed"))
}

fn probe(fields: &Fields<'_>, faults: &mut Faults) -> Option<Probe> {
    let name = name(fields, faults);
    let number = fields.text("number", faults).value().cloned();
    let family = fields.choice("family", &Family::NAMED, faults);
    let family = fields.required("family", family, faults);
    let expects = fields.choice("expects", &Expectation::NAMED, faults);
    let expects = fields.required("expects", expects, faults);
    let falls = falls(fields, expects.value().copied(), faults);
    let means = fields.required_text("means", faults);
    let forms = forms(fields, faults);
    let kinds: Vec<(&str, &ChangeKind)> = KINDS.iter().map(|kind| (kind.name, kind)).collect();
    let kind = fields.choice("change", &kinds, faults);
    let kind = *fields.required("change", kind, faults).value()?;
    for key in OF_KINDS.iter().filter(|key| fields.has(key) && !kind.keys.contains(key)) {
        faults.error(Problem::at(fields.line, format!("`{key}` means nothing to change \"{}\"", kind.name)));
    }
    let change = (kind.read)(fields, faults)?;
    Some(Probe {
        name: name?,
        number,
        family: *family.value()?,
        change,
        expects: *expects.value()?,
        falls,
        forms,
        means: means.value()?.clone(),
    })
}

/// What a planted fault is about, which belongs to `must_fall` and to nothing else.
fn falls(fields: &Fields<'_>, expects: Option<Expectation>, faults: &mut Faults) -> Option<Aspect> {
    let falls = fields.choice("falls", &Aspect::NAMED, faults);
    let must_fall = expects == Some(Expectation::MustFall);
    if fields.has("falls") && !must_fall {
        faults.error(Problem::at(fields.line, "`falls` belongs to expects = \"must_fall\" alone"));
    }
    if must_fall { fields.required("falls", falls, faults).value().copied() } else { None }
}

/// A name of words in lower case, joined by `_`.
pub(super) fn name(fields: &Fields<'_>, faults: &mut Faults) -> Option<String> {
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

fn forms(fields: &Fields<'_>, faults: &mut Faults) -> Vec<AnswerForm> {
    if !fields.has("forms") {
        return vec![AnswerForm::Levels, AnswerForm::Preference];
    }
    let mut forms = Vec::new();
    for word in fields.texts("forms", faults) {
        match AnswerForm::from_name(&word) {
            Some(form) => forms.push(form),
            None => faults.error(Problem::at(
                fields.line,
                format!("`forms` must be of levels and preference, found {word:?}"),
            )),
        }
    }
    forms
}

fn any_text(fields: &Fields<'_>, faults: &mut Faults) -> Option<String> {
    let text = fields.any_text("text", faults);
    fields.required("text", text, faults).value().cloned()
}

/// The texts that the treatment and the control get, of one length.
fn added(fields: &Fields<'_>, faults: &mut Faults) -> Option<(String, String)> {
    let text = any_text(fields, faults);
    let control = fields.any_text("control", faults);
    let control = fields.required("control", control, faults);
    let (text, At { line, value: control }) = (text?, control.given()?.clone());
    let [n_text, n_control] = [text.chars().count(), control.chars().count()];
    if n_text != n_control {
        let message = format!("`control` has {n_control} characters, and `text` has {n_text}");
        faults.error(
            Problem::at(line, message).hint("both must be of one length, so that length is not measured"),
        );
        return None;
    }
    Some((text, control))
}

fn times(fields: &Fields<'_>, faults: &mut Faults) -> Option<Change> {
    let times = fields.integer("times", faults);
    let At { line, value } = fields.required("times", times, faults).given()?.clone();
    match usize::try_from(value) {
        Ok(times) if (2..=1000).contains(&times) => Some(Change::Repeat { times }),
        _ => {
            faults.error(Problem::at(line, format!("`times` must be 2 to 1000, found {value}")));
            None
        }
    }
}

fn fillers(fields: &Fields<'_>, faults: &mut Faults) -> Option<Change> {
    let fillers = fields.texts("fillers", faults);
    if fillers.is_empty() {
        faults.error(
            Problem::at(fields.line, "change \"pad\" has no `fillers`").hint("write fillers = [\"…\"]"),
        );
        return None;
    }
    Some(Change::Pad { fillers })
}

fn base(at: usize, fields: &Fields<'_>, faults: &mut Faults) -> Option<Entry> {
    fields.refuse_unknown_keys(&[&BASES, &BASE], faults);
    let ticket = fields.required_text("ticket", faults);
    let reply = fields.required_text("reply", faults);
    let slice = fields.text("slice", faults).value().and_then(|slice| Slice::new(slice).ok());
    let id = CaseId::new(format!("shipped-{:02}", at + 1)).expect("a plain word is an id");
    let mut case = Case::new(id, Situation::Ticket(ticket.value()?.as_str().into()));
    case.slice = slice;
    Some(Entry { case, reply: Reply::new(reply.value()?.as_str()) })
}
