//! One lane per key and model: what every call shares, and which server is asked next.
//!
//! Limits are set per account, so a 429 for one call is news for all calls to that server. Each server has the pause
//! its calls observe, the number of calls that may be in flight, and the breaker that ends what only burns attempts;
//! the lane ends with the last of them, and with what is no server's own: a parameter, a budget. Waits use the
//! monotonic clock: a suspended machine or a changed wall clock cannot stretch or skip them. What a call means is taken
//! in as one step, so no call enters between a refusal and the pause it asks for.

use std::fmt;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use super::pace::Pace;
use super::server::Server;
use crate::config::ScheduleSettings;
use crate::dialect::Parameter;
use crate::ledger::{LaneRefusal, LaneState};

/// Waiters of a pause start again spread over at most this long.
const SPREAD_MAX: Duration = Duration::from_millis(250);

/// Why a lane takes no further calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// The judge cannot be reached or keeps failing.
    Unreachable(String),
    /// The account's quota or credit is used up, or resets too late to wait for.
    Quota(String),
    /// The key is not accepted, or the server sends the call elsewhere.
    Refused(String),
    /// The request itself cannot work: parameter, model, certificate.
    Unusable(String),
    /// The judge does not take a parameter of the request.
    ParameterRefused {
        /// Which.
        parameter: Parameter,
        /// What the server said.
        why: String,
    },
    /// The call limit or the budget is reached.
    Budget(String),
    /// Calls wait in a batch.
    InBatch(String),
    /// The user asked to stop.
    Interrupted,
    /// The store failed.
    Store(crate::ledger::StoreError),
}

impl Stop {
    /// Why, in a sentence.
    pub fn message(&self) -> String {
        match self {
            Stop::Unreachable(why)
            | Stop::Quota(why)
            | Stop::Refused(why)
            | Stop::Unusable(why)
            | Stop::ParameterRefused { why, .. }
            | Stop::Budget(why)
            | Stop::InBatch(why) => why.clone(),
            Stop::Interrupted => "interrupted".to_owned(),
            Stop::Store(error) => error.to_string(),
        }
    }

    /// What other workers of the lane are to be told: that none of their calls can work either.
    pub(crate) fn refusal(&self) -> Option<LaneRefusal> {
        match self {
            Stop::Quota(why) => Some(LaneRefusal::Quota(why.clone())),
            Stop::Refused(why) => Some(LaneRefusal::Key(why.clone())),
            _ => None,
        }
    }
}

impl From<LaneRefusal> for Stop {
    fn from(refusal: LaneRefusal) -> Stop {
        match refusal {
            LaneRefusal::Quota(why) => Stop::Quota(why),
            LaneRefusal::Key(why) => Stop::Refused(why),
        }
    }
}

/// What one call meant for its lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// A whole answer.
    Clean,
    /// A failure of the judge or the way to it: concurrency stays as it is and does not grow.
    Failure,
    /// A rate limit: concurrency is cut once per episode.
    Limited(Ramp),
    /// The server is overloaded at this moment: one call's bad luck, and one of its packet's attempts.
    Unlucky,
    /// The server did no work and says so: none of the packet's attempts.
    Declined,
    /// The request was refused for what it is. Says nothing about the lane.
    Unfit,
}

/// How fast a lane grows after a pause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ramp {
    /// As usual.
    Normal,
    /// By at most half per step.
    Slow,
}

/// What is known of the parameters that calls are made with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameters {
    /// They were answered before: no call waits for the first one.
    Proven,
    /// None of them can be left out: the first call goes alone for a while.
    Settled,
    /// One of them may be refused: calls go one by one until one is answered, however long that takes.
    Unproven,
}

/// The state that all calls of a lane share.
#[derive(Debug)]
pub struct Lane {
    settings: ScheduleSettings,
    state: Mutex<State>,
    room: Notify,
    /// Told when a place on record is free.
    places: Notify,
    stopped: watch::Sender<bool>,
}

/// The right to have one call on record that no answer has come to. Dropping it makes room for the next.
#[derive(Debug)]
pub struct StandingCall<'a>(&'a Lane);

impl Drop for StandingCall<'_> {
    fn drop(&mut self) {
        self.0.state().n_standing -= 1;
        self.0.places.notify_one();
    }
}

/// A worker that pauses before it tries again.
struct Resting<'a> {
    lane: &'a Lane,
    until: Instant,
}

impl<'a> Resting<'a> {
    fn until(lane: &'a Lane, until: Instant) -> Resting<'a> {
        lane.state().rests.push(until);
        Resting { lane, until }
    }
}

impl Drop for Resting<'_> {
    fn drop(&mut self) {
        let mut state = self.lane.state();
        if let Some(at) = state.rests.iter().position(|until| *until == self.until) {
            state.rests.swap_remove(at);
        }
        drop(state);
        // One that gives up while it pauses may have been woken for all that wait for room.
        self.lane.room.notify_one();
    }
}

#[derive(Debug)]
struct State {
    servers: Vec<Server>,
    pace: Pace,
    peak: usize,
    parameters: Parameters,
    pilot: Pilot,
    answered: u64,
    /// When the latest answer came, or the first call was made.
    answered_at: Option<Instant>,
    stop: Option<Stop>,
    /// Why the next call is not made, if there is to be one.
    due: Option<Stop>,
    /// Whether the latest call met a rate limit, or used one up.
    is_limited: bool,
    /// When the workers that pause try again.
    rests: Vec<Instant>,
    /// The latest episode of pauses that other workers told of.
    episode: Option<i64>,
    /// How often other workers told that calls are refused for good.
    refusals: Option<i64>,
    /// Calls on record that no answer has come to, and how many there may be where other processes call too: what is on
    /// record ahead of its turn is charged to all of them if this process dies.
    n_standing: usize,
    n_standing_max: usize,
}

/// Whether the first call is still on its own.
#[derive(Debug, Clone, Copy)]
enum Pilot {
    Waiting,
    Alone { until: Instant },
    Landed,
}

/// The right to make one call. Dropping it makes room for the next.
#[derive(Debug)]
pub struct Permit<'a> {
    lane: &'a Lane,
    server: usize,
}

impl Permit<'_> {
    /// The place of the server that is to be called.
    pub fn server(&self) -> usize {
        self.server
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.lane.state().servers[self.server].in_flight -= 1;
        self.lane.room.notify_one();
    }
}

impl Lane {
    /// An open lane to so many servers.
    pub fn new(settings: ScheduleSettings, n_servers: usize, parameters: Parameters) -> Self {
        let state = State {
            servers: (0..n_servers).map(|_| Server::new(&settings)).collect(),
            pace: Pace::new(&settings),
            peak: 0,
            parameters,
            pilot: if parameters == Parameters::Settled { Pilot::Waiting } else { Pilot::Landed },
            answered: 0,
            answered_at: None,
            stop: None,
            due: None,
            is_limited: false,
            rests: Vec::new(),
            episode: None,
            refusals: None,
            n_standing: 0,
            n_standing_max: usize::MAX,
        };
        Lane {
            settings,
            state: Mutex::new(state),
            room: Notify::new(),
            places: Notify::new(),
            stopped: watch::Sender::new(false),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no thread panics while it holds the lane")
    }

    /// Waits for the right to make a call with so many tokens, or learns that there will be none.
    pub async fn enter(&self, tokens: u64) -> Result<Permit<'_>, Stop> {
        // Mostly there is room, and nothing to wait for.
        if let Admission::Open(server) = self.state().enter(tokens, self.settings.pilot_max) {
            return Ok(Permit { lane: self, server });
        }
        loop {
            let room = self.room.notified();
            tokio::pin!(room);
            // Registered before the look at the state, so that room made in between is not missed.
            room.as_mut().enable();
            let entry = self.state().enter(tokens, self.settings.pilot_max);
            match entry {
                Admission::Open(server) => return Ok(Permit { lane: self, server }),
                Admission::Stopped(stop) => return Err(stop),
                Admission::Due(stop) => {
                    self.stop(stop);
                    return Err(self.stop_reason().expect("the lane has stopped"));
                }
                Admission::Full => room.await,
                Admission::Pilot(until) => {
                    tokio::select! { () = tokio::time::sleep_until(until) => {}, () = room => {} }
                }
                Admission::Paced(until) => {
                    self.rest(until.saturating_duration_since(Instant::now())).await?;
                }
                Admission::Paused(until) => {
                    // All waiters would start at the same instant without a spread.
                    let until = until + SPREAD_MAX.mul_f64(rand::random::<f64>());
                    self.rest(until.saturating_duration_since(Instant::now())).await?;
                }
            }
        }
    }

    /// Completes when the lane has stopped.
    pub async fn stopped(&self) {
        let mut stopped = self.stopped.subscribe();
        stopped.wait_for(|stopped| *stopped).await.expect("the lane owns the sender");
    }

    /// Sleeps for `pause` unless the lane stops first.
    pub async fn rest(&self, pause: Duration) -> Result<(), Stop> {
        let resting = Resting::until(self, Instant::now() + pause);
        tokio::select! {
            () = tokio::time::sleep_until(resting.until) => Ok(()),
            () = self.stopped() => Err(self.stop_reason().expect("the lane has stopped")),
        }
    }

    /// How long it takes until the next call, while a rate limit lets none through.
    pub fn next_try(&self) -> Option<Duration> {
        let state = self.state();
        let next = state.rests.iter().min().filter(|_| state.is_limited && state.in_flight() == 0)?;
        Some(next.saturating_duration_since(Instant::now()))
    }

    /// Makes no further call to `server`, and ends the lane when the next call is about to be made where there is no
    /// other. A run that needs no further call is complete.
    pub(crate) fn stop_before_next(&self, server: usize, reason: Stop) {
        let mut state = self.state();
        if state.has_others(server) {
            state.leave(server, reason);
        } else {
            state.due.get_or_insert(reason);
        }
    }

    /// Makes no further call to `server`. Ends the lane with its last one.
    pub fn leave(&self, server: usize, reason: Stop) {
        let mut state = self.state();
        if let Some(stop) = state.leave(server, reason) {
            self.stop_in(state, stop);
        }
    }

    /// Ends the lane. The first reason stays, except that a failed store outranks every other.
    pub fn stop(&self, reason: Stop) {
        self.stop_in(self.state(), reason);
    }

    fn stop_in(&self, mut state: MutexGuard<'_, State>, reason: Stop) {
        let outranks = matches!(reason, Stop::Store(_)) && !matches!(state.stop, Some(Stop::Store(_)));
        if state.stop.is_none() || outranks {
            state.stop = Some(reason);
        }
        drop(state);
        self.stopped.send_replace(true);
        // Workers that wait to enter learn that there is no use.
        self.room.notify_waiters();
    }

    /// Why the lane has stopped, if it has.
    pub fn stop_reason(&self) -> Option<Stop> {
        self.state().stop.clone()
    }

    /// Takes in what a call to `server` meant, and the pause that every call to it has to make because of it. May cut
    /// or grow the limit, or stop the lane because of `what`.
    pub(crate) fn observe(
        &self,
        server: usize,
        signal: Signal,
        pause: Option<Duration>,
        what: impl fmt::Display,
    ) {
        let mut state = self.state();
        let allowed_before = state.allowed();
        match pause {
            Some(pause) => state.servers[server].pause_for(pause),
            None if matches!(signal, Signal::Clean | Signal::Unfit) || !state.has_others(server) => {}
            None => state.servers[server].failed_at = Some(Instant::now()),
        }
        state.is_limited = pause.is_some() || matches!(signal, Signal::Limited(_));
        state.pilot = Pilot::Landed;
        let stop = state.take_in(server, signal, self.settings.packet_max, &what);
        let more_room = state.allowed() > allowed_before;
        match stop {
            Some(stop) => self.stop_in(state, stop),
            None => drop(state),
        }
        if more_room {
            self.room.notify_waiters();
        }
    }

    /// Takes in what other workers on the lane met: their number, which shares what may be in flight, a pause, which is
    /// also a cut, once per episode, and a refusal for good, which ends the lane. What they met before the first news is
    /// theirs. Returns whether the lane ended.
    pub fn hear(&self, news: &LaneState) -> bool {
        let mut state = self.state();
        let n_workers = usize::try_from(news.n_workers).unwrap_or(usize::MAX).max(1);
        let share = (self.settings.concurrency / n_workers).max(1);
        let episode = state.episode.replace(news.episode);
        let is_new = episode.is_some_and(|before| before < news.episode);
        state.n_standing_max = share * state.servers.len() * 5 / 4 + 4;
        for server in &mut state.servers {
            server.share = share;
            if !news.pause.is_zero() {
                server.pause_for(news.pause);
                if is_new {
                    server.limit.cut(Ramp::Normal);
                }
            }
        }
        let refusals = state.refusals.replace(news.n_refusals);
        let is_refused = refusals.is_some_and(|before| before < news.n_refusals);
        drop(state);
        if let Some(refusal) = news.refusal.clone().filter(|_| is_refused) {
            self.stop(refusal.into());
        }
        self.room.notify_waiters();
        self.places.notify_waiters();
        is_refused
    }

    /// Whether other workers are on the lane, as far as they told.
    pub(crate) fn has_others(&self) -> bool {
        self.state().servers.iter().any(|server| server.share < self.settings.concurrency)
    }

    /// Waits until another call may be put on record, or learns that there will be none.
    pub async fn stand(&self) -> Result<StandingCall<'_>, Stop> {
        loop {
            let place = self.places.notified();
            tokio::pin!(place);
            // Registered before the look at the state, so that room made in between is not missed.
            place.as_mut().enable();
            {
                let mut state = self.state();
                if state.n_standing < state.n_standing_max {
                    state.n_standing += 1;
                    return Ok(StandingCall(self));
                }
            }
            tokio::select! {
                () = place => {}
                () = self.stopped() => return Err(self.stop_reason().expect("the lane has stopped")),
            }
        }
    }

    /// Takes in tokens that a call has used beyond those it entered with.
    pub(crate) fn used_more(&self, tokens: u64) {
        self.state().pace.more(Instant::now(), tokens);
    }

    /// Whole answers received so far.
    pub fn answered(&self) -> u64 {
        self.state().answered
    }

    /// The most calls that were in flight at once.
    pub fn peak(&self) -> usize {
        self.state().peak
    }

    /// How many calls may be in flight at most.
    pub fn concurrency(&self) -> usize {
        self.settings.concurrency * self.state().servers.len()
    }

    /// How many calls may be in flight now, the pilot's time apart.
    pub fn limit(&self) -> usize {
        self.state().servers.iter().map(Server::allowed).sum()
    }

    /// The servers that were asked no more while others were, by place, and why.
    pub fn gone(&self) -> Vec<(usize, String)> {
        let state = self.state();
        let gone = state.servers.iter().enumerate();
        gone.filter_map(|(place, server)| Some((place, server.gone.clone()?))).collect()
    }
}

enum Admission {
    /// To the server at this place.
    Open(usize),
    Full,
    Paced(Instant),
    Paused(Instant),
    Pilot(Instant),
    Stopped(Stop),
    Due(Stop),
}

impl State {
    fn enter(&mut self, tokens: u64, pilot: Duration) -> Admission {
        if let Some(stop) = &self.stop {
            return Admission::Stopped(stop.clone());
        }
        if let Some(stop) = &self.due {
            return Admission::Due(stop.clone());
        }
        let now = Instant::now();
        let servers = self.servers.iter().enumerate().filter(|(_, server)| server.gone.is_none());
        let next = servers.min_by_key(|(_, server)| server.order(now)).map(|(place, _)| place);
        let next = next.expect("a lane has a server until it stops");
        if let Some(until) = self.servers[next].pause(now) {
            return Admission::Paused(until);
        }
        if let Some(until) = self.pace.wait(now) {
            return Admission::Paced(until);
        }
        match self.pilot {
            Pilot::Alone { until } if until > now => return Admission::Pilot(until),
            Pilot::Alone { .. } | Pilot::Landed => self.pilot = Pilot::Landed,
            Pilot::Waiting => self.pilot = Pilot::Alone { until: now + pilot },
        }
        if self.servers[next].is_full() || (self.is_unproven() && self.in_flight() > 0) {
            return Admission::Full;
        }
        self.answered_at.get_or_insert(now);
        let server = &mut self.servers[next];
        server.in_flight += 1;
        server.limit.entered(server.in_flight);
        self.pace.call(now, tokens);
        self.peak = self.peak.max(self.in_flight());
        Admission::Open(next)
    }

    fn in_flight(&self) -> usize {
        self.servers.iter().map(|server| server.in_flight).sum()
    }

    fn allowed(&self) -> usize {
        match self.pilot {
            Pilot::Landed if !self.is_unproven() => self.servers.iter().map(Server::allowed).sum(),
            Pilot::Landed | Pilot::Waiting | Pilot::Alone { .. } => 1,
        }
    }

    /// Whether a parameter may still be refused.
    fn is_unproven(&self) -> bool {
        self.parameters == Parameters::Unproven && self.answered == 0
    }

    /// Whether calls can be made to another server.
    fn has_others(&self, server: usize) -> bool {
        self.servers.iter().enumerate().any(|(place, other)| place != server && other.gone.is_none())
    }

    /// Makes no further call to `server`. The reason again where it was the last one.
    fn leave(&mut self, server: usize, reason: Stop) -> Option<Stop> {
        self.servers[server].gone.get_or_insert_with(|| reason.message());
        self.servers.iter().all(|server| server.gone.is_some()).then_some(reason)
    }

    fn take_in(
        &mut self,
        place: usize,
        signal: Signal,
        drought: Duration,
        what: &dyn fmt::Display,
    ) -> Option<Stop> {
        let server = &mut self.servers[place];
        match signal {
            Signal::Clean => {
                server.breaker.answered();
                server.limit.clean();
                server.failed_at = None;
                self.answered += 1;
                self.answered_at = Some(Instant::now());
                None
            }
            Signal::Failure => {
                server.limit.hold();
                let why = format!("{}: {what}", server.breaker.failed(server.limit.allowed())?);
                self.leave(place, Stop::Unreachable(why))
            }
            Signal::Limited(ramp) => {
                server.limit.cut(ramp);
                self.dry(drought, what).map(Stop::Quota)
            }
            Signal::Unlucky | Signal::Declined => {
                server.limit.hold();
                self.dry(drought, what).map(Stop::Unreachable)
            }
            Signal::Unfit => {
                server.limit.hold();
                None
            }
        }
    }

    /// What to say if no call has been answered for longer than `drought`.
    fn dry(&self, drought: Duration, what: &dyn fmt::Display) -> Option<String> {
        let since = self.answered_at?.elapsed();
        (since > drought).then(|| format!("no call was answered for {} s: {what}", since.as_secs()))
    }
}

#[cfg(test)]
mod tests;
