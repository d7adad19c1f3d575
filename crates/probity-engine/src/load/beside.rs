//! Records of a large file, parsed on two threads: one cuts texts and takes what they hold, in the order of the
//! file, the other parses. Whoever cuts parses too while the other has enough to do.
//!
//! What is cut ahead is bounded, in records and in bytes. Faults come where they would come on one thread: those of
//! a text with its record, those that end a file after every record before them.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;

use super::LoadError;
use super::parser::{Held, Parser, Read};
use super::split::Ended;

/// The most records that are handed over at once.
const BATCH_RECORDS_MAX: usize = 256;

/// About how many bytes of text are handed over at once, unless a single record has more.
const BATCH_BYTES_MAX: usize = 64 << 10;

/// The most batches that are cut and not taken.
const BATCHES_MAX: usize = 4;

/// Where a record stands in its file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cut {
    /// The line of its first byte, 1-based.
    pub(super) line: usize,
    /// What came after it.
    pub(super) ended: Ended,
}

/// The source texts of records that follow each other, and what they hold once they are parsed.
#[derive(Default)]
pub(super) struct Batch {
    texts: String,
    /// Each record, and where its text ends.
    cuts: Vec<(Cut, usize)>,
    /// What was read of the records that nobody has taken.
    reads: VecDeque<Read<Held>>,
}

impl Batch {
    /// Adds the next record.
    pub(super) fn add(&mut self, text: &str, cut: Cut) {
        self.texts.push_str(text);
        self.cuts.push((cut, self.texts.len()));
    }

    /// Whether no more should be added.
    pub(super) fn is_full(&self) -> bool {
        self.cuts.len() >= BATCH_RECORDS_MAX || self.texts.len() >= BATCH_BYTES_MAX
    }

    fn parse(&mut self, parser: &Parser) {
        let mut from = 0;
        for (_, end) in &self.cuts {
            self.reads.push_back(parser.read(&self.texts[from..*end]));
            from = *end;
        }
    }

    fn clear(&mut self) {
        self.texts.clear();
        self.cuts.clear();
        self.reads.clear();
    }
}

/// A batch that was cut.
enum Handed {
    /// The other thread has it. It gives batches back in the order in which it got them.
    Over,
    /// It is parsed.
    Back(Batch),
}

/// The other thread, and what is between cutting and taking.
pub(super) struct Beside {
    parser: Parser,
    /// Nobody, where there was no thread to spare.
    to_other: Option<SyncSender<Batch>>,
    from_other: Receiver<Batch>,
    handed: VecDeque<Handed>,
    /// The bytes of texts that are cut and not taken.
    n_bytes: usize,
    /// What follows the last batch, once that is known.
    end: Option<Result<(), LoadError>>,
    /// The batch that is being taken.
    taking: Batch,
    /// Batches whose memory can be used again.
    spare: Vec<Batch>,
}

impl Beside {
    /// Parses with `parser` from now on.
    pub(super) fn new(parser: &Parser) -> Beside {
        let (to_other, batches) = sync_channel::<Batch>(1);
        let (parsed, from_other) = sync_channel(BATCHES_MAX);
        let other = parser.clone();
        let spawned = thread::Builder::new().spawn(move || {
            for mut batch in batches {
                batch.parse(&other);
                if parsed.send(batch).is_err() {
                    return;
                }
            }
        });
        Beside {
            parser: parser.clone(),
            to_other: spawned.is_ok().then_some(to_other),
            from_other,
            handed: VecDeque::new(),
            n_bytes: 0,
            end: None,
            taking: Batch::default(),
            spare: Vec::new(),
        }
    }

    /// An empty batch to be filled and handed over; none where enough is cut or the file has ended.
    pub(super) fn wanted(&mut self) -> Option<Batch> {
        let has_room = self.handed.len() < BATCHES_MAX && self.n_bytes < BATCHES_MAX * BATCH_BYTES_MAX;
        (has_room && self.end.is_none()).then(|| self.spare.pop().unwrap_or_default())
    }

    /// Takes a batch that was cut, and what follows it where it is the last one.
    pub(super) fn hand_over(&mut self, batch: Batch, end: Option<Result<(), LoadError>>) {
        self.end = end;
        self.n_bytes += batch.texts.len();
        let refused = match &self.to_other {
            Some(to_other) => to_other.try_send(batch).map_err(|refused| match refused {
                TrySendError::Full(batch) | TrySendError::Disconnected(batch) => batch,
            }),
            None => Err(batch),
        };
        self.handed.push_back(match refused {
            Ok(()) => Handed::Over,
            Err(mut batch) => {
                batch.parse(&self.parser);
                Handed::Back(batch)
            }
        });
    }

    /// The next record that was parsed, with its text. None where more has to be cut first.
    pub(super) fn next(&mut self) -> Option<(Cut, Read<Held>, &str)> {
        let Batch { texts, cuts, reads } = &mut self.taking;
        let at = cuts.len() - reads.len();
        let read = reads.pop_front()?;
        let from = at.checked_sub(1).map_or(0, |before| cuts[before].1);
        let (cut, end) = cuts[at];
        Some((cut, read, &texts[from..end]))
    }

    /// Goes on with the next batch. What followed the last one, where there is none.
    pub(super) fn go_on(&mut self) -> Result<bool, LoadError> {
        let next = match self.handed.pop_front() {
            Some(Handed::Back(batch)) => batch,
            Some(Handed::Over) => self.from_other.recv().expect("parsing does not panic"),
            None => {
                let end = self.end.replace(Ok(()));
                return end.unwrap_or(Ok(())).map(|()| false);
            }
        };
        self.n_bytes -= next.texts.len();
        let mut taken = std::mem::replace(&mut self.taking, next);
        if taken.texts.capacity() <= BATCHES_MAX * BATCH_BYTES_MAX {
            taken.clear();
            self.spare.push(taken);
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::pass::{Pass, Threads};
    use super::super::source::Source;
    use super::super::{Content, LoadOptions, Record, Unanswered};
    use super::*;

    /// What a pass gives: each record, and how it ended.
    fn passed(bytes: &[u8], threads: Threads) -> Vec<String> {
        let options = LoadOptions { record_bytes_max: 1 << 20, ..LoadOptions::default() };
        let source = Source::spool(&Arc::from("-"), bytes, &options).expect("spooled");
        let mut pass = Pass::new(Arc::from([source]), options).on(threads);
        let mut shown = Vec::new();
        loop {
            match pass.next() {
                Ok(Some((place, parsed))) => {
                    let content = Content::of(parsed.outcome, Unanswered::Refuse);
                    shown.push(format!("{:?}", Record::of(place, content, parsed.warnings)));
                }
                Ok(None) => {
                    shown.push(format!("{:?} {} {:?}", pass.digests, pass.n_blank_lines, pass.notices));
                    return shown;
                }
                Err(error) => {
                    shown.push(format!("{error:?}"));
                    return shown;
                }
            }
        }
    }

    #[track_caller]
    fn check(bytes: impl AsRef<[u8]>, n_shown: usize) {
        let one = passed(bytes.as_ref(), Threads::One);
        let two = passed(bytes.as_ref(), Threads::Two { bytes_min: 0 });
        assert_eq!(one.len(), n_shown, "{:?}", one.last());
        assert!(one == two, "{:?} and {:?}", one.last(), two.last());
    }

    fn line(id: usize) -> String {
        format!("{{\"id\":\"{id}\",\"ticket\":\"It broke.\",\"reply\":\"Sorry.\"}}\n")
    }

    fn lines(n: usize) -> String {
        (0..n).map(line).collect()
    }

    fn rows(n: usize, ticket: &str) -> String {
        let row = |id: usize| format!("{id},{ticket},Sorry.\n");
        (0..n).map(row).collect()
    }

    /// Enough for every thread to have its share.
    const MANY: usize = 7 * BATCH_RECORDS_MAX + 5;

    #[test]
    fn the_sequence_is_that_of_one_thread() {
        for n in [1, 2, BATCH_RECORDS_MAX, BATCH_RECORDS_MAX + 1, BATCH_RECORDS_MAX + 2, MANY] {
            check(lines(n), n + 1);
            check(lines(n).replace('\n', "\r\n \r\n"), n + 1);
            check(format!("[{}]", lines(n).trim_end().replace('\n', ",\n")), n + 1);
            let rows = rows(n, "\"It\nbroke.\"");
            check(format!("id,ticket,reply\n{rows}"), n + 1);
        }
    }

    #[test]
    fn bad_and_large_records_keep_their_place() {
        let bad = [
            "{\"id\":1}\n",
            "{\"id\":\"a\",\"tikket\":\"t\",\"reply\":\"r\"}\n",
            "{\"id\":\n",
            "7\n",
            "{}{}\n",
        ];
        let large =
            format!("{{\"id\":\"l\",\"ticket\":\"t\",\"reply\":\"{}\"}}\n", "x".repeat(3 * BATCH_BYTES_MAX));
        let mixed: String =
            (0..MANY).map(|id| if id % 9 == 0 { line(id) + bad[id % bad.len()] } else { line(id) }).collect();
        check(format!("{mixed}{large}{mixed}{large}"), 2 * (MANY + MANY.div_ceil(9) + 1) + 1);
    }

    #[test]
    fn spans_come_one_by_one() {
        let span = |id: usize| {
            format!(
                "{{\"traceId\":\"t{id}\",\"spanId\":\"s\",\"attributes\":[{{\"key\":\"gen_ai.x\",\"value\":{{}}}}]}}"
            )
        };
        let batch = |id: usize| {
            let spans = format!("{},{{\"traceId\":\"t\"}},{}", span(2 * id), span(2 * id + 1));
            format!("{{\"resourceSpans\":[{{\"scopeSpans\":[{{\"spans\":[{spans}]}}]}}]}}\n")
        };
        check((0..MANY).map(batch).collect::<String>(), 2 * MANY + 1);
    }

    #[test]
    fn a_fault_of_the_file_comes_after_what_is_before_it() {
        let deep = "[".repeat(200) + "\n";
        let long = format!("{{\"id\":\"{}\n", "x".repeat(1 << 20));
        for fault in [deep.as_bytes(), long.as_bytes(), b"\xff\n"] {
            check([lines(MANY).as_bytes(), fault, lines(9).as_bytes()].concat(), MANY + 1);
            check(
                [lines(MANY).as_bytes(), deep.as_bytes(), lines(MANY).as_bytes(), fault].concat(),
                MANY + 1,
            );
        }
        check(lines(MANY) + "{\"id\":", MANY + 1);
        check(format!("[{}", lines(MANY).replace('\n', ",\n")), MANY + 1);
        let rows = rows(MANY, "It broke.");
        check(format!("id,ticket,reply\n{rows}7,It"), MANY + 1);
        check(format!("id,ticket,reply\n{rows}7,\"It\n"), MANY + 1);
        check("{\"id\":\n\"1\"}\n", 1);
    }
}
