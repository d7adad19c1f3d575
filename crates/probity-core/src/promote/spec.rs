//! A contract as a person wrote it: the right keys and types, nothing checked against anything else.
//!
//! Every key that a contract may have stands in the tables below; the reader and its hints come from them.

use super::contract::{Answers, Floor, Kappa};
use crate::exact::Exact;
use crate::spec_file::{At, Faults, Field, Fields, Problem, Shape, Table};

static TOP: Shape = Shape {
    place: "the top of the file",
    keys: &[
        "name",
        "version",
        "owner",
        "gates",
        "labels",
        "agreement",
        "slices",
        "slice",
        "probes",
        "review",
        "coverage",
        "model",
        "expiry",
    ],
};
static GATES: Shape = Shape { place: "[gates]", keys: &["block"] };
static LABELS: Shape = Shape { place: "[labels]", keys: &["rows_min"] };
static AGREEMENT: Shape =
    Shape { place: "[agreement]", keys: &["measure", "lower_bound_min", "human_share_min", "beats"] };
static SLICES: Shape =
    Shape { place: "[slices]", keys: &["rows_min", "agreement_lower_bound_min", "lower_bound_min"] };
static SLICE: Shape =
    Shape { place: "[[slice]]", keys: &["name", "rows_min", "agreement_lower_bound_min", "lower_bound_min"] };
static PROBES: Shape = Shape { place: "[probes]", keys: &["pass"] };
static REVIEW: Shape = Shape { place: "[review]", keys: &["path"] };
static COVERAGE: Shape = Shape { place: "[coverage]", keys: &["min"] };
static MODEL: Shape = Shape { place: "[model]", keys: &["fingerprints"] };
static EXPIRY: Shape = Shape { place: "[expiry]", keys: &["valid_days", "until"] };
static SHAPES: [&Shape; 11] =
    [&TOP, &GATES, &LABELS, &AGREEMENT, &SLICES, &SLICE, &PROBES, &REVIEW, &COVERAGE, &MODEL, &EXPIRY];

const FINGERPRINTS: &[(&str, Answers)] = &[("one", Answers::OneModel), ("any", Answers::Any)];

/// A contract file.
pub(super) struct ContractSpec {
    pub(super) name: Field<String>,
    pub(super) version: Field<String>,
    pub(super) owner: Field<String>,
    pub(super) block: Field<Vec<At<String>>>,
    pub(super) rows_min: Field<i64>,
    pub(super) agreement: Field<AgreementSpec>,
    pub(super) every_slice: Field<SliceSpec>,
    pub(super) slices: Vec<SliceSpec>,
    pub(super) probes: Field<Vec<At<String>>>,
    pub(super) review: Field<Field<String>>,
    pub(super) coverage_min: Field<Exact>,
    pub(super) answers: Field<Answers>,
    pub(super) valid_days: Field<i64>,
    pub(super) until: Field<String>,
}

/// `[agreement]`.
pub(super) struct AgreementSpec {
    pub(super) kappa: Field<Kappa>,
    pub(super) lower_bound_min: Field<Exact>,
    pub(super) human_share_min: Field<Exact>,
    pub(super) beats: Field<Vec<At<String>>>,
}

/// `[slices]`, or one `[[slice]]`.
pub(super) struct SliceSpec {
    pub(super) line: usize,
    pub(super) name: Field<String>,
    pub(super) rows_min: Field<i64>,
    pub(super) agreement_lower_bound_min: Field<Exact>,
    pub(super) lower_bound_min: Field<Exact>,
}

/// Reads the whole file.
pub(super) fn contract_spec(table: &Table, faults: &mut Faults) -> ContractSpec {
    let top = Fields::top(&TOP, table, 1);
    top.refuse_unknown_keys(&SHAPES, faults);
    let slices = top.tables("slice", &SLICE, faults);
    let slices = slices.iter().map(|fields| {
        let name = fields.required_text("name", faults);
        SliceSpec { name, ..slice_spec(fields, faults) }
    });
    let slices = slices.collect();
    let (valid_days, until) = expiry(&top, faults);
    ContractSpec {
        name: top.required_text("name", faults),
        version: top.required_text("version", faults),
        owner: top.required_text("owner", faults),
        block: inside(&top, ("gates", "block"), &GATES, faults, Fields::one_or_more_texts),
        rows_min: inside(&top, ("labels", "rows_min"), &LABELS, faults, Fields::integer),
        agreement: top.table("agreement", &AGREEMENT, faults).map(|fields| agreement_spec(&fields, faults)),
        every_slice: top.table("slices", &SLICES, faults).map(|fields| slice_spec(&fields, faults)),
        slices,
        probes: inside(&top, ("probes", "pass"), &PROBES, faults, Fields::one_or_more_texts),
        review: top.table("review", &REVIEW, faults).map(|fields| {
            fields.refuse_unknown_keys(&SHAPES, faults);
            fields.text("path", faults)
        }),
        coverage_min: inside(&top, ("coverage", "min"), &COVERAGE, faults, Fields::decimal),
        answers: inside(&top, ("model", "fingerprints"), &MODEL, faults, |fields, key, faults| {
            fields.choice(key, FINGERPRINTS, faults)
        }),
        valid_days,
        until,
    }
}

/// What a table says under its only key, whose absence is reported.
fn inside<'a, T>(
    top: &Fields<'a>,
    (table, key): (&str, &str),
    shape: &'static Shape,
    faults: &mut Faults,
    read: impl FnOnce(&Fields<'a>, &str, &mut Faults) -> Field<T>,
) -> Field<T> {
    match top.table(table, shape, faults) {
        Field::Absent => Field::Absent,
        Field::Faulty => Field::Faulty,
        Field::Given(At { value: fields, .. }) => {
            fields.refuse_unknown_keys(&SHAPES, faults);
            let field = read(&fields, key, faults);
            fields.required(key, field, faults)
        }
    }
}

fn expiry(top: &Fields<'_>, faults: &mut Faults) -> (Field<i64>, Field<String>) {
    let Field::Given(At { value: fields, line }) = top.table("expiry", &EXPIRY, faults) else {
        return (Field::Absent, Field::Absent);
    };
    fields.refuse_unknown_keys(&SHAPES, faults);
    let (days, until) = (fields.integer("valid_days", faults), fields.date("until", faults));
    if let (Field::Absent, Field::Absent) = (&days, &until) {
        let problem = Problem::at(line, "[expiry] says neither `valid_days` nor `until`");
        faults.error(problem.hint("such as valid_days = 90"));
    }
    (days, until)
}

fn agreement_spec(fields: &Fields<'_>, faults: &mut Faults) -> AgreementSpec {
    fields.refuse_unknown_keys(&SHAPES, faults);
    let kappas = Kappa::ALL.map(|kappa| (kappa.name(), kappa));
    AgreementSpec {
        kappa: fields.choice("measure", &kappas, faults),
        lower_bound_min: fields.decimal("lower_bound_min", faults),
        human_share_min: fields.decimal("human_share_min", faults),
        beats: fields.one_or_more_texts("beats", faults),
    }
}

fn slice_spec(fields: &Fields<'_>, faults: &mut Faults) -> SliceSpec {
    fields.refuse_unknown_keys(&SHAPES, faults);
    SliceSpec {
        line: fields.line,
        name: Field::Absent,
        rows_min: fields.integer("rows_min", faults),
        agreement_lower_bound_min: fields.decimal("agreement_lower_bound_min", faults),
        lower_bound_min: fields.decimal("lower_bound_min", faults),
    }
}

/// The names that `beats` may list.
pub(super) fn floor_named(name: &At<String>, faults: &mut Faults) -> Option<Floor> {
    let floor = Floor::ALL.into_iter().find(|floor| floor.name() == name.value);
    if floor.is_none() {
        let names = Floor::ALL.map(Floor::name).join(", ");
        let message = format!("`beats` must list some of {names}, found {:?}", name.value);
        faults.error(Problem::at(name.line, message));
    }
    floor
}
