//! Policy files as people wrote them: the right keys and types, nothing checked against anything else.
//!
//! Every key that a policy file may have stands in the tables below; the reader and its hints come from
//! them. Which syntax a file is in is told by its first character.

use super::FactKind;
use crate::spec_file::{At, Faults, Field, Fields, LabelledText, Problem, Shape, json_tables, toml_table};

static TOP: Shape = Shape { place: "the top of the file", keys: &["source"] };
static SOURCE: Shape = Shape {
    place: "[[source]]",
    keys: &["id", "version", "audience", "region", "from", "until", "text", "facts"],
};
static FACTS: Shape = Shape {
    place: "[source.facts]",
    keys: &[
        "remedies", "required_remedies", "forbidden_remedies", "deeds", "amounts", "windows", "percentages",
        "codes", "contacts",
    ],
};
static SHAPES: [&Shape; 3] = [&TOP, &SOURCE, &FACTS];

/// `[[source]]`, or one line of JSON.
pub(super) struct SourceSpec {
    pub(super) line: usize,
    pub(super) id: Field<String>,
    pub(super) version: Field<String>,
    pub(super) audiences: Field<Vec<At<String>>>,
    pub(super) regions: Field<Vec<At<String>>>,
    pub(super) from: Field<String>,
    pub(super) until: Field<String>,
    pub(super) text: Field<String>,
    pub(super) facts: FactsSpec,
}

/// `[source.facts]`.
#[derive(Default)]
pub(super) struct FactsSpec {
    pub(super) remedies: Vec<At<String>>,
    pub(super) required: Vec<At<String>>,
    pub(super) forbidden: Vec<At<String>>,
    pub(super) deeds: Vec<At<String>>,
    pub(super) stated: Vec<(FactKind, At<LabelledText>)>,
}

/// The sources of a file.
pub(super) fn source_specs(text: &str, faults: &mut Faults) -> Vec<SourceSpec> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('{') {
        let tables = json_tables(text, faults);
        let fields = tables.iter().map(|(line, table)| Fields::top(&SOURCE, table, *line));
        return fields.map(|fields| source_spec(&fields, faults)).collect();
    }
    let n_before = faults.n_errors();
    let Some(table) = toml_table(text, faults) else { return Vec::new() };
    let top = Fields::top(&TOP, &table, 1);
    top.refuse_unknown_keys(&SHAPES, faults);
    let sources = top.tables("source", &SOURCE, faults);
    if sources.is_empty() && faults.n_errors() == n_before {
        let problem = Problem::at(1, "the file has no source");
        faults.error(problem.hint("add at least one [[source]], or one JSON object per line"));
    }
    sources.iter().map(|fields| source_spec(fields, faults)).collect()
}

fn source_spec(fields: &Fields<'_>, faults: &mut Faults) -> SourceSpec {
    fields.refuse_unknown_keys(&SHAPES, faults);
    let facts = fields.table("facts", &FACTS, faults).map(|fields| facts_spec(&fields, faults));
    SourceSpec {
        line: fields.line,
        id: fields.required_text("id", faults),
        version: fields.required_text("version", faults),
        audiences: fields.one_or_more_texts("audience", faults),
        regions: fields.one_or_more_texts("region", faults),
        from: fields.date("from", faults),
        until: fields.date("until", faults),
        text: fields.required_text("text", faults),
        facts: given(facts),
    }
}

fn facts_spec(fields: &Fields<'_>, faults: &mut Faults) -> FactsSpec {
    fields.refuse_unknown_keys(&SHAPES, faults);
    let mut names = |key: &str| given(fields.one_or_more_texts(key, faults));
    let mut spec = FactsSpec {
        remedies: names("remedies"),
        required: names("required_remedies"),
        forbidden: names("forbidden_remedies"),
        deeds: names("deeds"),
        stated: Vec::new(),
    };
    for kind in FactKind::ALL {
        let texts = given(fields.labelled_texts(kind.name(), faults));
        spec.stated.extend(texts.into_iter().map(|text| (kind, text)));
    }
    spec
}

fn given<T: Default>(field: Field<T>) -> T {
    match field {
        Field::Given(At { value, .. }) => value,
        Field::Absent | Field::Faulty => T::default(),
    }
}
