//! Which column or member gives which field, and what is said where that is not clear.
//!
//! Native names come before usual ones, and what a person maps comes before both. Two usual names for one text are a
//! message, never a choice: the other text would be lost.

use std::cmp::Ordering;
use std::sync::Arc;

use super::Unanswered;
use super::field::{Field, N_FIELDS, Reason, both_name};
use super::mapping::FieldMap;
use super::names::{Certainty, FieldMeaning, KnownName, hints_at};

/// What the names of a record, or of a table's columns, mean together.
#[derive(Debug)]
pub(super) struct Assignment {
    pub(super) known: Vec<Arc<KnownName>>,
    /// The field that each name gives.
    pub(super) fields: Vec<Option<Field>>,
    /// What is worth saying about names that were not read.
    pub(super) doubts: Vec<String>,
}

impl Assignment {
    /// That of names which mean nothing here.
    pub(super) fn none() -> Assignment {
        Assignment { known: Vec::new(), fields: Vec::new(), doubts: Vec::new() }
    }

    /// Decides what the names mean beside what `map` says.
    pub(super) fn new<'a>(
        names: &(impl Iterator<Item = &'a str> + Clone),
        known: Vec<Arc<KnownName>>,
        map: &FieldMap,
    ) -> Result<Assignment, Unclear> {
        let name = |at: usize| names.clone().nth(at).unwrap_or_default();
        let meanings: Vec<Option<FieldMeaning>> =
            names.clone().zip(&known).map(|(name, known)| read_as(name, known, map)).collect();
        // Texts of the context come together, whatever they are called.
        let context = |meaning: &Option<FieldMeaning>| {
            meaning.map(|known| known.field).filter(|field| *field == Field::Context)
        };
        let mut fields: Vec<Option<Field>> = meanings.iter().map(context).collect();
        let mut doubts = Vec::new();
        for GivingName { at, meaning, rival } in claims(&meanings) {
            let Some(rival) = rival else {
                fields[at] = Some(meaning.field);
                continue;
            };
            let (field, first, second) = (meaning.field, name(at), name(rival));
            if meaning.certainty == Certainty::Exact {
                return Err(Unclear { field, message: both_name(first, second, field) });
            }
            let unclear = format!("'{first}' and '{second}' could both be the '{}' field", field.native());
            if REQUIRED.contains(&field) {
                return Err(Unclear { field, message: unclear });
            }
            doubts.push(format!("{unclear}, so neither is read: say which with --map {}=…", field.native()));
        }
        Ok(Assignment { known, fields, doubts })
    }

    /// Whether a name gives the field.
    pub(super) fn has(&self, field: Field) -> bool {
        self.fields.contains(&Some(field))
    }

    /// Says what was read from names that are not native, and what was not read; nothing where all that was read is
    /// native.
    pub(super) fn notice<'a>(&self, names: impl Iterator<Item = &'a str>, map: &FieldMap) -> Option<String> {
        let (mut read, mut rest) = (Vec::new(), Vec::new());
        for ((name, known), field) in names.zip(&self.known).zip(&self.fields) {
            match field {
                Some(field) if Field::named(name).is_none() => {
                    read.push(format!("{} from '{name}'", field.native()));
                }
                None if !name.is_empty() && known.message.is_none() && !map.uses(name, known) => {
                    rest.push(name);
                }
                _ => {}
            }
        }
        let rest = if rest.is_empty() { String::new() } else { format!("; not read: {}", listed(&rest)) };
        (!read.is_empty()).then(|| format!("read {}{rest}", read.join(", ")))
    }
}

/// Two names that give one field.
pub(super) struct Unclear {
    pub(super) field: Field,
    pub(super) message: String,
}

impl From<Unclear> for Reason {
    fn from(unclear: Unclear) -> Reason {
        unclear.message.into()
    }
}

/// Fields without which a record is of no use, and which are therefore never left out.
const REQUIRED: &[Field] = &[Field::Id, Field::Ticket, Field::Turns, Field::Reply];

/// The name that gives a field, and another that would give it as well.
#[derive(Clone, Copy)]
struct GivingName {
    at: usize,
    meaning: FieldMeaning,
    rival: Option<usize>,
}

/// What a name is read as, unless a person says where its field comes from or what its column is.
fn read_as(name: &str, known: &KnownName, map: &FieldMap) -> Option<FieldMeaning> {
    let meaning = known.meaning.filter(|known| known.certainty != Certainty::Perhaps)?;
    // A ticket and a conversation exclude each other.
    let other = match meaning.field {
        Field::Ticket => Field::Turns,
        Field::Turns => Field::Ticket,
        field => field,
    };
    let is_said = || map.has(meaning.field) || map.has(other) || map.takes(name, known);
    (map.is_empty() || !is_said()).then_some(meaning)
}

/// The best name of each field but the context.
fn claims(meanings: &[Option<FieldMeaning>]) -> impl Iterator<Item = GivingName> {
    let mut best: [Option<GivingName>; N_FIELDS] = [None; N_FIELDS];
    let read = meanings.iter().enumerate().filter_map(|(at, meaning)| Some((at, (*meaning)?)));
    for (at, meaning) in read.filter(|(_, meaning)| meaning.field != Field::Context) {
        let slot = &mut best[meaning.field as usize];
        let rank = |other: &GivingName| order(meaning).cmp(&order(other.meaning));
        match slot.as_ref().map_or(Ordering::Less, rank) {
            Ordering::Less => *slot = Some(GivingName { at, meaning, rival: None }),
            Ordering::Equal => {
                *slot = slot.map(|claim| GivingName { rival: claim.rival.or(Some(at)), ..claim });
            }
            Ordering::Greater => {}
        }
    }
    // Of a ticket and a conversation the one that is called so counts, then a ticket with its reply.
    let certainty = |field: Field| best[field as usize].map(|claim| claim.meaning.certainty);
    let left_out = match (certainty(Field::Turns), certainty(Field::Ticket)) {
        (None, _) | (_, None) | (Some(Certainty::Exact), Some(Certainty::Exact)) => None,
        (Some(Certainty::Exact), _) => Some(Field::Ticket),
        (_, Some(Certainty::Exact)) => Some(Field::Turns),
        _ if certainty(Field::Reply).is_some() => Some(Field::Turns),
        _ => Some(Field::Ticket),
    };
    best.into_iter().flatten().filter(move |claim| Some(claim.meaning.field) != left_out)
}

/// What counts first among names of one field. Of ids the best is taken: one that is not unique is found out.
fn order(meaning: FieldMeaning) -> (Certainty, usize) {
    (meaning.certainty, if meaning.field == Field::Id { meaning.rank } else { 0 })
}

/// So many names of columns are listed.
const LISTED_MAX: usize = 12;

fn listed(names: &[&str]) -> String {
    let shown = names[..names.len().min(LISTED_MAX)].join(", ");
    match names.len().saturating_sub(LISTED_MAX) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// A column or member with its first value, for a person.
pub(super) struct ShownColumn<'a> {
    pub(super) name: &'a str,
    pub(super) known: &'a KnownName,
    /// The beginning of its first value.
    pub(super) sample: String,
}

/// So many characters of a value are shown.
pub(super) const SAMPLE_CHARS: usize = 48;

/// A value with fewer words is no message.
const WORDS_MIN: usize = 4;

/// What a file lacks, what it has, and what to try.
pub(super) struct NotUnderstood {
    /// Which fields no column gives; nothing where two could.
    pub(super) message: String,
    /// The columns with samples, and a command.
    pub(super) hint: String,
}

/// The fields that records need and `has` does not find.
pub(super) fn lacking(has: impl Fn(Field) -> bool, unanswered: Unanswered) -> Vec<Field> {
    let mut lacking = Vec::new();
    if !has(Field::Id) {
        lacking.push(Field::Id);
    }
    if !has(Field::Ticket) && !has(Field::Turns) {
        lacking.push(Field::Ticket);
    }
    if !has(Field::Reply) && !has(Field::Turns) && unanswered == Unanswered::Refuse {
        lacking.push(Field::Reply);
    }
    lacking
}

/// What to say about a file whose records lack fields, by the columns that it has.
pub(super) fn not_understood(columns: &[ShownColumn<'_>], lacks: &[Field]) -> NotUnderstood {
    let words = |field: &Field| match field {
        Field::Id => "an id",
        Field::Reply => "the reply",
        _ => "the customer's text",
    };
    let what: Vec<&str> = lacks.iter().map(words).collect();
    let message = match &what[..] {
        [one] => format!("found no column with {one}"),
        _ => format!("found no columns with {}", what.join(", ")),
    };
    let (sources, unfound) = suggested(columns, lacks);
    let width = columns.iter().map(|column| column.name.chars().count()).max().unwrap_or_default();
    let mut hint = String::from("these are its columns, each with its first value:\n");
    for ShownColumn { name, sample, .. } in columns {
        hint += &format!("  {name:width$}  {sample}\n");
    }
    if unfound.is_empty() {
        let numbers =
            if sources.iter().any(|source| source == "id=#") { " (# numbers the records)" } else { "" };
        hint += &format!("add to the command: --map {}{numbers}", quoted_for_shell(&sources.join(",")));
    } else if let Some(sign) = delimiter_in(columns) {
        hint +=
            &format!("only one column was found: if '{sign}' separates its cells, add --delimiter '{sign}'");
    } else {
        let unfound: Vec<&str> = unfound.iter().map(words).collect();
        let field = if unfound.contains(&"the reply") { "reply" } else { "ticket" };
        hint += &format!(
            "none of them looks like {}: exports of tickets often leave messages out (those of Zendesk, Freshdesk, \
             HubSpot and Gorgias do), and their API has them; where a column has it after all, say which: --map {field}=COLUMN",
            unfound.join(" or ")
        );
    }
    NotUnderstood { message, hint }
}

/// The character that may separate the names in a file with only one column.
fn delimiter_in(columns: &[ShownColumn<'_>]) -> Option<char> {
    let [ShownColumn { name, .. }] = columns else { return None };
    let is_sign =
        |c: &char| !c.is_alphanumeric() && !c.is_whitespace() && !['_', '-', '.', '"', '\''].contains(c);
    name.chars().find(is_sign)
}

/// A mapping for the fields that are lacking, and the fields for which no column is likely.
fn suggested(columns: &[ShownColumn<'_>], lacks: &[Field]) -> (Vec<String>, Vec<Field>) {
    let (mut sources, mut unfound, mut used) = (Vec::new(), Vec::new(), Vec::new());
    for field in lacks {
        let is_free = |at: &usize| {
            let taken = columns[*at].known.meaning.is_some_and(|known| {
                known.field != *field
                    && known.certainty != Certainty::Perhaps
                    && !lacks.contains(&known.field)
            });
            // What looks more like the other side is not this one.
            let other = if *field == Field::Ticket { Field::Reply } else { Field::Ticket };
            let is_other = named(columns[*at].known, other) > named(columns[*at].known, *field);
            !taken && !used.contains(at) && (*field == Field::Id || !is_other)
        };
        let free = (0..columns.len()).filter(is_free);
        let likely = free.filter_map(|at| Some((likelihood(&columns[at], *field)?, at))).max();
        match likely {
            Some((_, at)) => {
                used.push(at);
                sources.push(format!("{}={}", field.native(), quoted_name(columns[at].name)));
            }
            None if *field == Field::Id => sources.push("id=#".to_owned()),
            None => unfound.push(*field),
        }
    }
    (sources, unfound)
}

/// How much a name speaks for a field.
fn named(known: &KnownName, field: Field) -> usize {
    match known.meaning.filter(|known| known.field == field) {
        Some(FieldMeaning { certainty: Certainty::Perhaps, .. }) => 1,
        Some(_) => 3,
        None if hints_at(&known.folded, field) => 2,
        None => 0,
    }
}

/// How likely a column gives a field, to be compared; `None` where it is not.
fn likelihood(column: &ShownColumn<'_>, field: Field) -> Option<(bool, usize, usize)> {
    let is_wordy = column.sample.split_whitespace().count() >= WORDS_MIN;
    let named = named(column.known, field);
    let is_text = field != Field::Id;
    // A name alone makes no text of what has only a word or two: it is a person, a number, a state.
    let is_likely = if is_text { is_wordy || named == 3 } else { named > 0 };
    is_likely.then_some((is_wordy && is_text, named, column.sample.len()))
}

/// The beginning of a value, on one line.
pub(super) fn sample(value: &str) -> String {
    let mut line: String = value.chars().take(SAMPLE_CHARS).collect();
    if line.len() < value.len() {
        line.push('…');
    }
    format!("{line:?}")
}

/// The name of a column as a mapping has it.
fn quoted_name(name: &str) -> String {
    if name.contains([',', '+', '[', ']', '\'', '=', '#']) { format!("\"{name}\"") } else { name.to_owned() }
}

/// A word of a command as a shell takes it.
fn quoted_for_shell(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./=,:@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
