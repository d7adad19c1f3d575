//! Files of other tools, read as they are: transcripts, help desks, other tools' results, traces.
//!
//! Each format is one file here: how a record of it is told by its content, and what cases it holds. A case becomes
//! the fields of a native record and goes through the same checks. What a file says beside its cases is a [`Beside`]:
//! people's labels, other judges' verdicts and outcomes, which are never mixed.
//!
//! Where a case is spread over records or files (a ticket and its comments, a trace and its scores), the others are
//! gathered when the data set is opened, and looked up when the case is read.
//!
//! What always holds: no private note of a help desk is in a case or kept beside it.

mod beside;
mod case;
mod conversation;
mod deepeval;
mod desk;
mod freshdesk;
mod graders;
mod inspect;
mod intercom;
mod langfuse;
mod mail;
mod messages;
mod openai_evals;
mod path;
mod pieces;
mod promptfoo;
mod spans;
mod transcript;
mod zendesk;

use std::io;
use std::path::Path;

use probity_core::json::{Json, Object};

pub use beside::{
    Beside, CustomerOutcome, ForeignLabel, ForeignScore, ForeignVerdict, JoinedRecord, Withheld,
};
pub(super) use case::{FileContext, ForeignCase, ReadCase};
pub(super) use desk::{is_desk, public_frame};
pub use graders::{Graders, graders};
#[cfg(test)]
pub(super) use path::{as_text, at, list_at, text_at};
pub(super) use pieces::{Gathering, Pieces};
pub(super) use spans::begins_batch;
pub(super) use transcript::unfold;

use super::LoadOptions;

/// One format of another tool.
pub(super) struct Form {
    /// The tool, for people.
    pub(super) tool: &'static str,
    /// Whether a record is one of this format.
    is: fn(&Object) -> bool,
    /// What a record of it holds.
    read: fn(&Json, &FileContext<'_>) -> Read,
    /// What a record says about others, where it does.
    pub(super) pieces: Option<fn(&Json, &mut Pieced<'_>) -> io::Result<()>>,
}

/// What a foreign record holds.
pub(super) enum Read {
    /// Cases; none where a batch has nothing about replies.
    Cases(Vec<ForeignCase>),
    /// No case of its own, but something about others: what, for people.
    Beside(&'static str),
    /// The same of a help desk, which is written back.
    Joined {
        /// What it is, for people.
        what: &'static str,
        /// What is public of it.
        kept: Option<Json>,
        /// What is not.
        withheld: Withheld,
    },
    /// Nothing about a reply: what it is, for people.
    Nothing(&'static str),
    /// Cases among so many spans of other things.
    Spans {
        /// Those that are calls of a model.
        cases: Vec<ForeignCase>,
        /// How many are not.
        n_passed_over: usize,
    },
}

/// Every format, the most particular first.
const FORMS: &[Form] = &[
    promptfoo::FORM,
    openai_evals::FORM,
    inspect::FORM,
    langfuse::TRACE,
    langfuse::OBSERVATION,
    langfuse::SCORE,
    langfuse::ITEM,
    spans::ANNOTATION,
    spans::LOGS,
    spans::FORM,
    intercom::FORM,
    zendesk::TICKETS,
    zendesk::BESIDE,
    freshdesk::TICKETS,
    freshdesk::BESIDE,
    deepeval::FORM,
    transcript::FORM,
];

/// The format of a record; `None` where it is a native one.
pub(super) fn form(record: &Object) -> Option<&'static Form> {
    FORMS.iter().find(|form| (form.is)(record))
}

impl Form {
    /// Whether its records are spans, which a mapping never makes into other records.
    pub(super) fn is_spans(&self) -> bool {
        self.tool == spans::FORM.tool
    }

    /// What a record of this format holds. What a person mapped goes before what the format says.
    pub(super) fn read(&self, record: Object, context: &FileContext<'_>) -> Read {
        let record = Json::Object(record);
        let mut read = (self.read)(&record, context);
        if let Read::Cases(cases) = &mut read {
            for case in cases {
                // Private notes and known personal data are in nothing that is kept, and so in nothing that is mapped.
                if let Some(Json::Object(kept)) = &mut case.beside.kept {
                    kept.take("known_pii");
                }
                let mapped = case.beside.kept.clone();
                case.map(mapped.as_ref().unwrap_or(&record), context);
            }
        }
        read
    }
}

/// Whether all of these members are there, null or not.
fn has(record: &Object, names: &[&str]) -> bool {
    names.iter().all(|name| record.get(name).is_some())
}

/// Where the pieces of one file go.
pub(super) struct Pieced<'a> {
    pub(super) gathering: &'a mut Gathering,
    /// The file as it was named.
    pub(super) file: &'a str,
    pub(super) options: &'a LoadOptions,
}

impl Pieced<'_> {
    fn add(&mut self, key: &str, piece: &Json) -> io::Result<()> {
        self.gathering.add(key, piece)
    }

    /// Notes the mail address of an agent.
    fn note_agent(&mut self, address: &str) {
        self.gathering.note_agent(address);
    }

    /// The name of the file without folder and suffix.
    fn file_stem(&self) -> Option<&str> {
        Path::new(self.file).file_stem()?.to_str()
    }
}
