//! The questions that a panel is asked, what its members think about each, and who decides it.
//!
//! A pair is one question in two packets, one for each order; of a reply each packet is a question.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use probity_core::packet::{AnswerForm, PacketHash, PacketMap};
use probity_core::panel::{Look, Opinion, PanelRecord, opinion};
use probity_core::verdict::{Preference, Verdict, VerdictRecord};

use super::super::asking::{Asking, SizedPacket};
use super::super::spec::REPEATS_MAX;
use super::super::work::{PassEnd, Unit, Work};
use super::super::{RunError, Session};
use super::n_repeats;
use crate::config::PanelRule;
use crate::judge::PanelAnswer;
use crate::ledger::{Found, JudgeId, Settlement, Store};

/// Questions that are looked up at once.
const GROUP: usize = 64;

/// Where a member is asked from.
#[derive(Clone, Copy)]
pub(super) struct Standpoint<'a> {
    pub(super) work: &'a Arc<dyn Work>,
    pub(super) session: &'a Session<'a>,
    pub(super) member: usize,
    pub(super) panel: &'a JudgeId,
}

/// A member that was asked.
#[derive(Clone, Copy)]
pub(super) struct AskedMember<'a> {
    /// Its place.
    pub(super) member: usize,
    /// What the store knows it by.
    pub(super) id: &'a JudgeId,
    /// How it was asked.
    pub(super) asking: &'a Asking,
}

/// One question of a panel.
struct PanelQuestion {
    slice: Option<Arc<str>>,
    packets: Vec<SizedPacket>,
    state: QuestionState,
    /// What each member says, with the number of the look that each packet's verdict is taken from.
    said: Vec<Option<MemberSays>>,
}

/// What a member says about a question.
#[derive(Clone)]
struct MemberSays {
    opinion: Opinion<String>,
    /// For each packet, the look that says so.
    looks: Vec<u32>,
}

/// What a member's looks at a question come to.
enum Looked {
    /// It has not answered all of them yet.
    NotYet,
    /// What it says; nothing where its looks are split.
    Whole(Option<MemberSays>),
}

/// How far a question has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum QuestionState {
    Open,
    /// A member has not answered yet.
    Pending,
    /// By the member at this place.
    Decided(usize),
    /// For a person.
    Undecided,
}

/// What is settled about a packet.
#[derive(Debug, Clone)]
pub(super) enum PacketDecision {
    /// As the member at this place said under this repeat.
    By { member: usize, repeat: u32 },
    /// By no member.
    ForPerson(PanelAnswer),
}

/// All questions of a work.
pub(super) struct Questions {
    all: Vec<PanelQuestion>,
    form: AnswerForm,
    /// The number under which the panel is asked.
    repeat: u32,
    /// How often each member looks in each order.
    n_repeats: Vec<u32>,
    /// The members that were asked.
    pub(super) members: Vec<Option<JudgeId>>,
    /// The questions that came to each.
    pub(super) asked: Vec<u64>,
}

impl Questions {
    /// The questions of `work`, all of them open.
    pub(super) fn of(work: &dyn Work, asking: &Asking) -> Result<Questions, RunError> {
        let (mut all, mut form, mut seen) = (Vec::new(), AnswerForm::Levels, HashSet::new());
        let mut is_one_call = false;
        PassEnd::failure(work.units(&mut |unit| {
            let Unit::Asked { label, packets } = unit else { return Ok(()) };
            let Some(first) = packets.first() else { return Ok(()) };
            form = first.packet.ask().form();
            is_one_call |= form == AnswerForm::Levels && first.packet.ask().criteria().len() > 1;
            let groups: Vec<Vec<SizedPacket>> = match form {
                AnswerForm::Preference => packets.chunks(2).map(<[_]>::to_vec).collect(),
                AnswerForm::Levels => packets.into_iter().map(|packet| vec![packet]).collect(),
            };
            for packets in groups {
                // Equal content is one question, whichever case met it first.
                if seen.insert(packets[0].packet.hash()) {
                    let (slice, state) = (label.slice.clone(), QuestionState::Open);
                    let said = vec![None; asking.members().len()];
                    all.push(PanelQuestion { slice, packets, state, said });
                }
            }
            Ok(())
        }))?;
        if is_one_call {
            return Err(RunError::OneCallPanel { judge: asking.judge.name.clone() });
        }
        let n_members = asking.members().len();
        let (repeat, n_repeats) = (work.repeat(), n_repeats(asking, form));
        let (members, asked) = (vec![None; n_members], vec![0; n_members]);
        Ok(Questions { all, form, repeat, n_repeats, members, asked })
    }

    /// Under which numbers the looks of a member are kept.
    pub(super) fn numbers(&self, member: usize) -> Range<u32> {
        look_numbers(self.repeat, self.n_repeats[member])
    }

    /// Whether no question is open.
    pub(super) fn is_done(&self) -> bool {
        self.all.iter().all(|question| question.state != QuestionState::Open)
    }

    /// The packets of the open questions.
    pub(super) fn open_packets(&self) -> HashSet<PacketHash> {
        let open = self.all.iter().filter(|question| question.state == QuestionState::Open);
        open.flat_map(|question| &question.packets).map(|sized| sized.packet.hash()).collect()
    }

    /// Takes in what a member has on record about the open questions, and decides those that it may.
    pub(super) fn hear(
        &mut self,
        AskedMember { member, id, asking }: AskedMember<'_>,
        store: &Store,
        record: &PanelRecord,
    ) -> Result<(), RunError> {
        let reader = store.snapshot()?;
        self.members[member] = Some(id.clone());
        let numbers = self.numbers(member);
        let mut open: Vec<&mut PanelQuestion> =
            self.all.iter_mut().filter(|question| question.state == QuestionState::Open).collect();
        self.asked[member] = open.len() as u64;
        for group in open.chunks_mut(GROUP) {
            let hashes: Vec<PacketHash> = group
                .iter()
                .flat_map(|question| &question.packets)
                .map(|sized| sized.packet.hash())
                .collect();
            let looks = numbers.clone().map(|repeat| Ok((repeat, reader.found(id, repeat, &hashes)?)));
            let looks: Vec<(u32, PacketMap<Found>)> = looks.collect::<Result<_, RunError>>()?;
            for question in group {
                match question.heard(&looks, self.form, asking)? {
                    Looked::NotYet => question.state = QuestionState::Pending,
                    Looked::Whole(said) => {
                        if let (PanelRecord::Cascade(cascade), Some(said)) = (record, &said)
                            && cascade.may_decide(member, question.slice.as_deref(), said.opinion.signal)
                        {
                            question.state = QuestionState::Decided(member);
                        }
                        question.said[member] = said;
                    }
                }
            }
        }
        Ok(())
    }

    /// Decides what is left once every member has been heard.
    pub(super) fn close(&mut self, record: &PanelRecord) {
        for question in self.all.iter_mut().filter(|question| question.state == QuestionState::Open) {
            question.state = QuestionState::Undecided;
            if let PanelRecord::Jury(jury) = record {
                let votes: Vec<Option<&str>> = question
                    .said
                    .iter()
                    .map(|said| said.as_ref().map(|said| said.opinion.said.as_str()))
                    .collect();
                let verdict = jury.verdict(&votes).map(|(said, _)| said);
                // The member with the most weight among those who say so speaks for the jury.
                let speakers =
                    (0..votes.len()).filter(|member| verdict.is_some() && votes[*member] == verdict);
                let speaker =
                    speakers.max_by(|one, other| jury.weights[*one].total_cmp(&jury.weights[*other]));
                question.state = speaker.map_or(QuestionState::Undecided, QuestionState::Decided);
            }
        }
    }

    /// What is settled about each packet. Nothing about those that a member has not answered yet.
    pub(super) fn decisions(&self) -> PacketMap<PacketDecision> {
        let mut decisions = PacketMap::default();
        for question in &self.all {
            match question.state {
                QuestionState::Open | QuestionState::Pending => {}
                QuestionState::Decided(member) => {
                    let Some(said) = &question.said[member] else { continue };
                    for (sized, repeat) in question.packets.iter().zip(&said.looks) {
                        let repeat = *repeat;
                        decisions.insert(sized.packet.hash(), PacketDecision::By { member, repeat });
                    }
                }
                QuestionState::Undecided => {
                    for sized in &question.packets {
                        let decision = PacketDecision::ForPerson(for_person(self.form));
                        decisions.insert(sized.packet.hash(), decision);
                    }
                }
            }
        }
        decisions
    }

    /// How many questions there are, how many each member decided, how many are for a person, and how many are not
    /// answered yet. In a jury a member decides what it votes on as the jury does.
    pub(super) fn counts(&self, rule: PanelRule) -> QuestionCounts {
        let mut counts = QuestionCounts { decided: vec![0; self.members.len()], ..QuestionCounts::default() };
        for question in &self.all {
            counts.n += 1;
            match question.state {
                QuestionState::Open | QuestionState::Pending => counts.n_pending += 1,
                QuestionState::Undecided => counts.n_review += 1,
                QuestionState::Decided(member) => match rule {
                    PanelRule::Cascade { .. } => counts.decided[member] += 1,
                    PanelRule::Jury => {
                        let said = |said: &Option<MemberSays>| Some(said.as_ref()?.opinion.said.clone());
                        let verdict = said(&question.said[member]);
                        for (count, vote) in counts.decided.iter_mut().zip(&question.said) {
                            *count += u64::from(said(vote) == verdict);
                        }
                    }
                },
            }
        }
        let n_repeats = self.n_repeats.last().copied().unwrap_or(1);
        counts.calls_per_question =
            u64::from(n_repeats) * if self.form == AnswerForm::Preference { 2 } else { 1 };
        counts
    }
}

/// What became of questions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct QuestionCounts {
    pub(super) n: u64,
    pub(super) decided: Vec<u64>,
    pub(super) n_review: u64,
    pub(super) n_pending: u64,
    pub(super) calls_per_question: u64,
}

impl PanelQuestion {
    /// What a member's `looks` come to.
    fn heard(
        &self,
        looks: &[(u32, PacketMap<Found>)],
        form: AnswerForm,
        asking: &Asking,
    ) -> Result<Looked, RunError> {
        let terms = asking.terms();
        let mut said: Vec<Option<Look<String>>> = Vec::new();
        let mut by_packet: Vec<HashMap<String, u32>> = vec![HashMap::new(); self.packets.len()];
        for (repeat, found) in looks {
            for (place, sized) in self.packets.iter().enumerate() {
                let found = found.get(&sized.packet.hash());
                let is_settled = matches!(found, Some(Found::Settled(Settlement { .. })));
                if !is_settled && !asking.is_oversize(sized) {
                    return Ok(Looked::NotYet);
                }
                let verdict = terms.result(sized.named(), found)?.verdict.ok();
                let look = verdict.and_then(|verdict| {
                    Some(asking.signal().look(statement(&verdict, form, place)?, verdict.confidence))
                });
                if let Some(look) = &look {
                    by_packet[place].entry(look.said.clone()).or_insert(*repeat);
                }
                said.push(look);
            }
        }
        let says = opinion(&said).and_then(|opinion| {
            let looks = by_packet.iter().map(|looks| looks.get(&opinion.said).copied());
            Some(MemberSays { looks: looks.collect::<Option<Vec<u32>>>()?, opinion })
        });
        Ok(Looked::Whole(says))
    }
}

/// What a verdict says, in words that are the same for both orders of a pair; `None` where it asks for a person.
fn statement(verdict: &Verdict, form: AnswerForm, place: usize) -> Option<String> {
    if form == AnswerForm::Levels {
        return verdict.scores().first().map(|score| score.level.to_string());
    }
    let first = place.is_multiple_of(2);
    Some(match (verdict.preferred()?.preference(), first) {
        (Preference::First, true) | (Preference::Second, false) => "first".to_owned(),
        (Preference::Second, true) | (Preference::First, false) => "second".to_owned(),
        (Preference::Tie, _) => "tie".to_owned(),
        (Preference::NeedsHumanReview, _) => return None,
    })
}

/// What is settled about a packet that no member may decide.
fn for_person(form: AnswerForm) -> PanelAnswer {
    let reason = "no judge of the panel may decide it";
    match form {
        AnswerForm::Levels => PanelAnswer::ForPerson(reason.to_owned()),
        AnswerForm::Preference => {
            let record = VerdictRecord::for_person(reason);
            PanelAnswer::Verdict(serde_json::to_string(&record).expect("a verdict is plain data"))
        }
    }
}

/// The numbers of a member's looks where the panel is asked under `repeat`: no two repeats of a panel share one.
fn look_numbers(repeat: u32, n_looks: u32) -> Range<u32> {
    let round = repeat / REPEATS_MAX * REPEATS_MAX;
    let first = round + (repeat - round) * n_looks;
    first..first + n_looks
}

/// What the look of this number of the member at `place` is called among judges.
pub fn look_name(place: usize, look: u32) -> String {
    format!("member {place} look {look}")
}
