//! What columns and members are called, beside the names that are native: read from `config/columns.toml`.
//!
//! A name is folded, then taken apart into known words; the set of their classes says which field it is. Folding knows
//! no locale. Nothing is taken for known because it is near: a name with one unknown word is unknown.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock};

use probity_core::case::Role;
use serde::Deserialize;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::field::{Field, NAMES, OUTCOMES, Vocabulary};

const DATA: &str = include_str!("../../config/columns.toml");

static TABLE: LazyLock<NameTable> = LazyLock::new(|| {
    NameTable::new(&toml::from_str(DATA).expect("the embedded table is read by every test"))
});

/// Names that are kept after they were looked up; data with more has no names but values.
const KEPT_MAX: usize = 10_000;

/// Fields whose native names are also known in another spelling. The others hold JSON, and a column that happens to be
/// called like one of them does not.
const SPELLED: &[Field] = &[
    Field::Id,
    Field::Slice,
    Field::Ticket,
    Field::Reply,
    Field::Variant,
    Field::Reference,
    Field::Confidence,
    Field::Context,
    Field::Time,
    Field::Region,
    Field::Csat,
    Field::Rating,
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    skip: Vec<String>,
    words: BTreeMap<String, Vec<String>>,
    read: BTreeMap<String, Vec<String>>,
    perhaps: BTreeMap<String, Vec<String>>,
    messages: MessageNames,
}

/// The names of tables with a row for each message.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MessageNames {
    author: Vec<String>,
    private: Vec<String>,
    private_not: Vec<String>,
    customer: Vec<String>,
    agent: Vec<String>,
}

/// What a column of a table with a row for each message holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MessageColumn {
    Author,
    /// Whether the customer does not see it.
    Private,
    /// Whether the customer sees it.
    Public,
}

/// How sure it is that a name means a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Certainty {
    /// The name is native, byte for byte.
    Exact,
    /// The name is in common use.
    Usual,
    /// It may mean the field, which is said and never assumed.
    Perhaps,
}

/// The field that a name means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FieldMeaning {
    pub(super) field: Field,
    pub(super) certainty: Certainty,
    /// Which of the names of this field it is, the best first.
    pub(super) rank: usize,
}

/// A name that was looked up.
#[derive(Debug)]
pub(super) struct KnownName {
    pub(super) folded: String,
    pub(super) meaning: Option<FieldMeaning>,
    pub(super) message: Option<MessageColumn>,
    /// What it was probably meant to be, where it means nothing.
    pub(super) typo: Option<String>,
}

impl KnownName {
    /// Looks up a name of a case's field.
    pub(super) fn new(name: &str) -> KnownName {
        let folded = fold(name);
        let meaning = meaning(name, &folded);
        let is_known = meaning.is_some_and(|meaning| meaning.certainty != Certainty::Perhaps);
        let typo = if is_known { None } else { Vocabulary::Cases.suggestion(name) };
        KnownName { message: TABLE.messages.get(&folded).copied(), folded, meaning, typo }
    }

    /// The field that the name is read as.
    pub(super) fn is(&self, field: Field) -> bool {
        self.meaning.is_some_and(|known| known.field == field && known.certainty != Certainty::Perhaps)
    }
}

/// Names that were looked up, each once.
#[derive(Debug, Default)]
pub(super) struct NameCache {
    known: HashMap<String, Arc<KnownName>>,
    is_noted: bool,
    /// What is worth saying about the first names.
    notice: Option<String>,
}

impl NameCache {
    /// What is known of `name`.
    pub(super) fn get(&mut self, name: &str) -> Arc<KnownName> {
        if let Some(known) = self.known.get(name) {
            return Arc::clone(known);
        }
        let known = Arc::new(KnownName::new(name));
        if self.known.len() < KEPT_MAX {
            self.known.insert(name.to_owned(), Arc::clone(&known));
        }
        known
    }

    /// Keeps what is worth saying about the first record's names.
    pub(super) fn note_first(&mut self, notice: impl FnOnce() -> Option<String>) {
        if !std::mem::replace(&mut self.is_noted, true) {
            self.notice = notice();
        }
    }

    /// What is worth saying about the first names.
    pub(super) fn notice(self) -> Option<String> {
        self.notice
    }
}

/// A name without case, accents, spaces and punctuation; `#` is a word.
pub(super) fn fold(name: &str) -> String {
    // The dot of the Turkish capital I is no accent: it makes another letter.
    let kept = name.nfkd().filter(|c| !is_combining_mark(*c) || *c == '\u{307}');
    let mut folded = String::with_capacity(name.len());
    for c in kept {
        match c {
            '#' => folded.push_str("number"),
            '\u{307}' => folded.push(c),
            c if c.is_alphanumeric() => folded.extend(c.to_lowercase()),
            _ => {}
        }
    }
    folded
}

/// Whether a folded name has a word that asks, or one that answers, though it is unknown as a whole.
pub(super) fn hints_at(folded: &str, field: Field) -> bool {
    let class = match field {
        Field::Ticket => "ask",
        Field::Reply => "answer",
        _ => return false,
    };
    TABLE.hints.get(class).is_some_and(|words| words.iter().any(|word| folded.contains(word.as_str())))
}

/// The role that an author's kind means.
pub(super) fn role(author: &str) -> Option<Role> {
    TABLE.roles.get(&fold(author)).copied().or_else(|| Role::parse(author))
}

fn meaning(name: &str, folded: &str) -> Option<FieldMeaning> {
    if let Some(field) = Field::named(name) {
        return Some(FieldMeaning { field, certainty: Certainty::Exact, rank: 0 });
    }
    // An accent makes another word of a native name: "Référence" is a number, no ideal reply.
    if let Some(field) = TABLE.spelled.get(folded).filter(|_| name.is_ascii()) {
        return Some(FieldMeaning { field: *field, certainty: Certainty::Usual, rank: 0 });
    }
    let pattern = |folded: &str| TABLE.patterns.get(&TABLE.classes(folded)?).copied();
    let scaled = || pattern(&fold(name.split_once(['(', '['])?.0)).filter(|is| OUTCOMES.contains(&is.field));
    pattern(folded).or_else(scaled)
}

/// A set of classes, a bit for each.
type Classes = u32;

struct NameTable {
    /// Words and their classes.
    words: HashMap<String, Classes>,
    /// How long the longest word is, in bytes.
    word_bytes_max: usize,
    patterns: HashMap<Classes, FieldMeaning>,
    spelled: HashMap<String, Field>,
    messages: HashMap<String, MessageColumn>,
    roles: HashMap<String, Role>,
    /// Words by which a name hints at a field.
    hints: HashMap<String, Vec<String>>,
}

/// A word by which an unknown name hints at a field has at least so many bytes.
const HINT_BYTES_MIN: usize = 5;

impl NameTable {
    fn new(data: &Data) -> NameTable {
        let bits: HashMap<&str, Classes> =
            data.words.keys().enumerate().map(|(n, class)| (class.as_str(), 1 << n)).collect();
        let mut words: HashMap<String, Classes> = data.skip.iter().map(|word| (fold(word), 0)).collect();
        let mut hints = HashMap::new();
        for (class, listed) in &data.words {
            words.extend(listed.iter().map(|word| (fold(word), bits[class.as_str()])));
            let long = listed.iter().map(|word| fold(word)).filter(|word| word.len() >= HINT_BYTES_MIN);
            hints.insert(class.clone(), long.collect());
        }
        let mut patterns = HashMap::new();
        for (certainty, fields) in [(Certainty::Usual, &data.read), (Certainty::Perhaps, &data.perhaps)] {
            for (field, sets) in fields {
                let field = Field::named(field).expect("the table names fields");
                for (rank, set) in sets.iter().enumerate() {
                    let classes = set
                        .split(' ')
                        .fold(0, |all, class| all | bits.get(class).expect("a set names classes"));
                    patterns.entry(classes).or_insert(FieldMeaning { field, certainty, rank });
                }
            }
        }
        let native = NAMES.iter().filter(|(_, field)| SPELLED.contains(field));
        let columns = [
            (&data.messages.author, MessageColumn::Author),
            (&data.messages.private, MessageColumn::Private),
            (&data.messages.private_not, MessageColumn::Public),
        ];
        let roles = [(&data.messages.customer, Role::Customer), (&data.messages.agent, Role::Agent)];
        NameTable {
            word_bytes_max: words.keys().map(String::len).max().unwrap_or_default(),
            words,
            patterns,
            spelled: native.map(|(name, field)| (fold(name), *field)).collect(),
            messages: columns
                .iter()
                .flat_map(|(names, is)| names.iter().map(|name| (fold(name), *is)))
                .collect(),
            roles: roles.iter().flat_map(|(names, is)| names.iter().map(|name| (fold(name), *is))).collect(),
            hints,
        }
    }

    /// The classes of the fewest words that a folded name is made of; `None` where it is not made of known ones.
    fn classes(&self, folded: &str) -> Option<Classes> {
        let mut ends: Vec<Option<(usize, Classes)>> = vec![None; folded.len() + 1];
        ends[0] = Some((0, 0));
        for start in 0..folded.len() {
            let Some((n_words, classes)) = ends[start].filter(|_| folded.is_char_boundary(start)) else {
                continue;
            };
            let longest = folded.len().min(start + self.word_bytes_max);
            for (end, best) in ends.iter_mut().enumerate().take(longest + 1).skip(start + 1) {
                let word = folded.get(start..end).and_then(|word| self.words.get(word));
                if let Some(class) = word
                    && best.is_none_or(|(n, _)| n > n_words + 1)
                {
                    *best = Some((n_words + 1, classes | class));
                }
            }
        }
        ends[folded.len()].map(|(_, classes)| classes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, want: Option<(Field, Certainty)>) {
        assert_eq!(KnownName::new(name).meaning.map(|known| (known.field, known.certainty)), want, "{name}");
    }

    #[test]
    fn spelling_does_not_matter() {
        for name in ["bot_reply", "Bot reply", "BotReply", "bot-reply", " BOT  REPLY: "] {
            check(name, Some((Field::Reply, Certainty::Usual)));
        }
        check("reply", Some((Field::Reply, Certainty::Exact)));
        check("Reply", Some((Field::Reply, Certainty::Usual)));
        check("Antwort des Agenten", Some((Field::Reply, Certainty::Usual)));
        check("Kundenanfrage", Some((Field::Ticket, Certainty::Usual)));
        check("R\u{e9}ponse", Some((Field::Reply, Certainty::Usual)));
        check("Ticket #", Some((Field::Id, Certainty::Usual)));
    }

    #[test]
    fn a_name_with_an_unknown_word_is_unknown() {
        for name in ["First reply time in minutes", "Customer email", "Replies", "Requester", "\u{130}d", ""]
        {
            check(name, None);
        }
        check("Agent", None);
        check("Answer (draft)", None);
        check("CSAT (1-5)", Some((Field::Csat, Certainty::Usual)));
        check("outcome", None);
        check("Subject", Some((Field::Ticket, Certainty::Perhaps)));
    }
}
