//! `ResultsReading` the results of a batch that has ended: whole lines are taken in as they come, by id, and once.

use std::collections::{HashMap, VecDeque};

use super::collect::{BatchCollector, CollectedLines};
use crate::fault_points::{self, Point};
use crate::judge::batch::{
    BadLine, BatchStatus, LineCutter, NoHostReply, RequestEnd, ResultLine, request_id,
};
use crate::ledger::{BatchCall, BatchFacts, BatchRecord, BatchState, StoreError};
use crate::schedule::batched::LineConclusion;
use crate::schedule::lane::Stop;

/// Conclusions that wait for the disk together.
const WAITING_MAX: usize = 256;

/// Readings of results before a request without a line is given up.
const READS_MIN: u32 = 2;

/// Lines of strangers that are kept.
const STRANGE_MAX: usize = 20;

/// How a reading ended.
enum ReadEnd {
    Whole,
    /// It is read again later.
    Cut,
    /// The host does not have the results any more.
    Gone,
    /// The results are those of other requests.
    Others,
}

/// One reading of the results of a batch.
struct ResultsReading {
    /// The calls of the batch by the id of their request.
    calls: HashMap<String, BatchCall>,
    /// The ids met in this reading, each with a hash of what came.
    met: HashMap<String, blake3::Hash>,
    /// Lines that cannot be read, by id.
    bad: HashMap<String, BadLine>,
    strange: Vec<String>,
    n_lines: usize,
    n_strange: usize,
    n_doubled: u64,
    n_differing: u64,
    n_run: u64,
    tokens: u64,
    stop: Option<Stop>,
}

/// What is written while a reading goes on.
type Writes = VecDeque<std::pin::Pin<Box<dyn Future<Output = Result<(), StoreError>> + Send>>>;

impl BatchCollector<'_> {
    /// Reads the results of a batch that has ended, and ends it when all is known.
    pub(super) async fn read(
        &self,
        batch: &BatchRecord,
        status: &BatchStatus,
        collected: &mut CollectedLines,
    ) -> Result<(), StoreError> {
        let mut batch = batch.clone();
        loop {
            let mut reading = self.begun(&batch)?;
            let end = match self.read_once(status, &mut reading, collected).await? {
                Ok(end) => end,
                Err(no_reply) => {
                    self.not_read(&batch, &no_reply, collected);
                    return Ok(());
                }
            };
            collected.stop = collected.stop.take().or(reading.stop.take());
            match end {
                ReadEnd::Whole => {}
                ReadEnd::Cut => {
                    self.say(&format!("batch {}: its results were cut; reading them again", status.id));
                    self.watch.add(self.client, Some(&status.id), batch.facts.n_requests);
                    return Ok(());
                }
                ReadEnd::Gone => {
                    return self.undecided(&batch, "its host has no results of it any more").await;
                }
                ReadEnd::Others => {
                    return self.undecided(&batch, "its results are those of other requests").await;
                }
            }
            batch.facts.n_reads += 1;
            batch.facts.strange.clone_from(&reading.strange);
            self.note(&batch, BatchState::Running).await?;
            let missing = reading.missing();
            if missing.is_empty() || batch.facts.n_reads >= READS_MIN {
                self.say_faults(&batch, &reading);
                self.say_usage(&batch, status, &reading);
                let detail = self.give_up(status, &reading, missing, collected).await?;
                return self.end(&batch, &detail).await;
            }
        }
    }

    fn begun(&self, batch: &BatchRecord) -> Result<ResultsReading, StoreError> {
        let calls = self.desk.store.reader()?.batch_calls(batch.id)?;
        let id = |call: &BatchCall| request_id(&call.packet, &self.desk.judge_id, call.repeat, call.n);
        Ok(ResultsReading {
            calls: calls.into_iter().map(|call| (id(&call), call)).collect(),
            met: HashMap::new(),
            bad: HashMap::new(),
            strange: Vec::new(),
            n_lines: 0,
            n_strange: 0,
            n_doubled: 0,
            n_differing: 0,
            n_run: 0,
            tokens: 0,
            stop: None,
        })
    }

    /// Reads all files of results once.
    async fn read_once(
        &self,
        status: &BatchStatus,
        reading: &mut ResultsReading,
        collected: &mut CollectedLines,
    ) -> Result<Result<ReadEnd, NoHostReply>, StoreError> {
        for path in &status.results {
            let mut download = match self.client.results(path).await {
                Ok(download) => download,
                Err(no_reply) if matches!(no_reply.status(), Some(404 | 410)) => {
                    return Ok(Ok(ReadEnd::Gone));
                }
                Err(no_reply) => return Ok(Err(no_reply)),
            };
            let mut cutter = LineCutter::new(self.client.line_bytes_max());
            let (mut lines, mut writes) = (Vec::new(), Writes::new());
            let is_whole = loop {
                match download.piece().await {
                    Err(_) => break false,
                    Ok(None) => break true,
                    Ok(Some(piece)) => cutter.feed(&piece, &mut |line| lines.push(line)),
                }
                for line in lines.drain(..) {
                    self.take_line(line, reading, &mut writes, collected);
                }
                while writes.len() > WAITING_MAX {
                    written(&mut writes).await?;
                }
                if reading.is_of_others() {
                    return Ok(Ok(ReadEnd::Others));
                }
            };
            if is_whole {
                cutter.finish(&mut |line| lines.push(line));
                lines.drain(..).for_each(|line| self.take_line(line, reading, &mut writes, collected));
            }
            while !writes.is_empty() {
                written(&mut writes).await?;
            }
            if !is_whole {
                return Ok(Ok(ReadEnd::Cut));
            }
        }
        Ok(Ok(ReadEnd::Whole))
    }

    /// Takes in one line. What is written for it waits in `writes`.
    fn take_line(
        &self,
        line: Result<ResultLine, BadLine>,
        reading: &mut ResultsReading,
        writes: &mut Writes,
        collected: &mut CollectedLines,
    ) {
        reading.n_lines += 1;
        let Some((call, end)) = reading.met(line) else { return };
        let conclusion = match end {
            RequestEnd::NotRun { why } => LineConclusion::not_run(why),
            RequestEnd::Answered { status, body } => {
                let read = |body: &[u8]| self.desk.respondent.completion(body);
                let reception = self.client.reception(status, body);
                LineConclusion::of(&self.desk.hearing(&read), call.n, reception)
            }
        };
        let LineConclusion { end, settlement, is_answer, stop } = conclusion;
        collected.has_changed = true;
        collected.n_answered += u64::from(is_answer);
        reading.stop = reading.stop.take().or(stop);
        fault_points::reach(Point::BatchLine);
        let concluded = self.desk.store.conclude(call.attempt, end, settlement);
        writes.push_back(Box::pin(async move { concluded.await.map(drop) }));
    }

    /// Ends the calls without a line that can be read, and says what is to be kept about the batch.
    async fn give_up(
        &self,
        status: &BatchStatus,
        reading: &ResultsReading,
        missing: Vec<BatchCall>,
        collected: &mut CollectedLines,
    ) -> Result<String, StoreError> {
        if missing.is_empty() {
            return Ok(status.word.clone());
        }
        collected.has_changed = true;
        let n_bad =
            missing.iter().filter(|call| reading.bad.values().any(|bad| reading.is_of(bad, call))).count();
        // The host says how many it ran, and there is a line for each of those: the others were not run.
        let were_run = status.n_run.is_none_or(|n| n > reading.n_run) || status.word == "completed";
        if !were_run && n_bad == 0 {
            for call in &missing {
                let end = LineConclusion::not_run("batch_ended").end;
                self.desk.store.conclude(call.attempt, end, None).await?;
            }
            return Ok(status.word.clone());
        }
        let n = missing.len();
        let detail =
            format!("{}; {n} requests without a line that can be read: possibly billed", status.word);
        self.session.observer.notice(&format!(
            "batch {}: {n} of its requests have no line of results that can be read: possibly billed, not recorded",
            status.id
        ));
        self.desk.store.lose(missing.iter().map(|call| call.attempt).collect()).await?;
        Ok(detail)
    }

    fn say_faults(&self, batch: &BatchRecord, reading: &ResultsReading) {
        let counts = [
            (reading.n_strange as u64, "lines that answer none of its requests"),
            (reading.n_doubled, "lines that came twice"),
            (reading.n_differing, "lines that came twice and differ; the first counts"),
        ];
        for (n, what) in counts.into_iter().filter(|(n, _)| *n > 0) {
            self.say(&format!("batch {}: {n} {what}", batch.name()));
        }
    }

    /// Compares the tokens of the lines with what the host counts for all.
    fn say_usage(&self, batch: &BatchRecord, status: &BatchStatus, reading: &ResultsReading) {
        let Some(told) = status.usage.map(|usage| usage.input + usage.output) else { return };
        if batch.facts.n_reads == 1 && reading.tokens > 0 && told != reading.tokens {
            let counted = reading.tokens;
            self.say(&format!(
                "batch {}: its host counts {told} tokens, its lines {counted}; the bill may be the larger one",
                batch.name()
            ));
        }
    }
}

impl ResultsReading {
    /// The call that a line answers, where it is to be concluded by it.
    fn met(&mut self, line: Result<ResultLine, BadLine>) -> Option<(BatchCall, RequestEnd)> {
        let line = match line {
            Ok(line) => line,
            Err(bad) => {
                match bad.id.clone().filter(|id| self.calls.contains_key(id)) {
                    Some(id) => drop(self.bad.insert(id, bad)),
                    None => self.strange(&String::from_utf8_lossy(&bad.raw)),
                }
                return None;
            }
        };
        let text = format!("{:?}", line.end);
        let Some(call) = self.calls.get(&line.id).copied() else {
            self.strange(&format!("{}: {text}", line.id));
            return None;
        };
        let hash = blake3::hash(text.as_bytes());
        if let Some(earlier) = self.met.insert(line.id.clone(), hash) {
            self.met.insert(line.id.clone(), earlier);
            if earlier == hash {
                self.n_doubled += 1;
            } else {
                self.n_differing += 1;
                self.keep(&format!("{}: {text}", line.id));
            }
            return None;
        }
        if let RequestEnd::Answered { body, .. } = &line.end {
            self.n_run += 1;
            self.tokens += tokens(body);
        }
        call.is_in_flight.then_some((call, line.end))
    }

    fn strange(&mut self, text: &str) {
        self.n_strange += 1;
        self.keep(text);
    }

    fn keep(&mut self, text: &str) {
        if self.strange.len() < STRANGE_MAX {
            self.strange.push(text.chars().take(2000).collect());
        }
    }

    /// Whether most lines answer other requests than those of the batch.
    fn is_of_others(&self) -> bool {
        self.n_strange > 10 && 2 * self.n_strange > self.n_lines
    }

    /// The calls without a line that can be read.
    fn missing(&self) -> Vec<BatchCall> {
        let missing = self.calls.iter().filter(|(id, call)| call.is_in_flight && !self.met.contains_key(*id));
        missing.map(|(_, call)| *call).collect()
    }

    fn is_of(&self, bad: &BadLine, call: &BatchCall) -> bool {
        bad.id.as_ref().and_then(|id| self.calls.get(id)).is_some_and(|other| other.attempt == call.attempt)
    }
}

/// Waits for the first of what is being written.
async fn written(writes: &mut Writes) -> Result<(), StoreError> {
    match writes.pop_front() {
        Some(write) => write.await,
        None => Ok(()),
    }
}

/// The tokens that an answer says it took.
fn tokens(body: &[u8]) -> u64 {
    let body: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
    let names = ["prompt_tokens", "completion_tokens", "input_tokens", "output_tokens"];
    names.iter().filter_map(|name| body.pointer(&format!("/usage/{name}"))?.as_u64()).sum()
}

impl BatchRecord {
    /// Whether no host was asked for it: cancelling it is a matter of the store alone.
    pub fn is_unsent(&self) -> bool {
        self.state == BatchState::Reserved || self.facts.is_exported()
    }
}

impl BatchFacts {
    /// Whether its requests were written to a file and not sent.
    pub(crate) fn is_exported(&self) -> bool {
        self.word == super::send::EXPORTED
    }
}
