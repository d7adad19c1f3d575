//! What a plan will cost before it is carried out: what is expected, what it can come to at most, and what other ways
//! of asking the same would save.
//!
//! Expected is what the judge's latest answers took, where there are enough of them, else a typical length that is
//! stated. At most counts every call as long as it may be and as often as the settings allow: it is never exceeded.

use probity_core::verdict::Usage;

use super::asking::Asking;
use super::plan::Plan;
use crate::config::{ChatSettings, Config, Money, Price, Reask, Tier};
use crate::dialect::family;
use crate::ledger::AnswerHistory;

/// Answers of a judge from which what it takes can be told.
const ANSWERS_MIN: u64 = 5;

/// Tokens of a typical decision: a level, or which reply is better, and one or two sentences.
const TYPICAL_DECISION_TOKENS: u64 = 50;

/// Tokens that a model which thinks typically uses for it, in a call.
const TYPICAL_THINKING_TOKENS: u64 = 250;

/// What a quote rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuoteBasis {
    /// The judge's latest answers on record, as many as these.
    Answers(u64),
    /// A typical length of answers, in tokens for each decision and for the thinking of each call.
    Typical {
        /// For each decision: a criterion, or a pair.
        decision: u64,
        /// For each call of a model that thinks.
        thinking: u64,
    },
}

/// Another way of asking the same, or a part of the price that caching takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Way {
    /// In the tier that waits for room.
    Flex,
    /// In a batch, within a day.
    Batch,
    /// All criteria of a reply in one call.
    OneCall,
    /// With the part of the prompt that does not change read from the host's cache.
    PromptCache,
    /// By a cascade of the settings that ends with this judge, and asks cheaper ones first.
    Cascade(String),
}

impl Way {
    /// Its name in documents.
    pub fn name(&self) -> &'static str {
        match self {
            Way::Flex => "flex",
            Way::Batch => "batch",
            Way::OneCall => "one_call",
            Way::PromptCache => "prompt_cache",
            Way::Cascade(_) => "cascade",
        }
    }
}

/// What another way of asking would cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saving {
    /// The way.
    pub way: Way,
    /// Calls that it takes.
    pub n_calls: u64,
    /// What it is expected to cost.
    pub expected: Money,
}

/// What one member of a judge made of judges will cost.
#[derive(Debug, Clone, PartialEq)]
pub struct StageQuote {
    /// Its name.
    pub name: String,
    /// The share of the questions that is expected to come to it, above 0 and at most 1.
    pub share: f64,
    /// What asking it about all of them would cost.
    pub whole: Quote,
}

impl StageQuote {
    /// What it is expected to cost.
    pub fn expected(&self) -> Option<Money> {
        self.whole.expected.map(|whole| whole.part(self.share))
    }

    /// The calls that it is expected to take.
    pub fn n_calls(&self) -> u64 {
        self.part(self.whole.n_calls)
    }

    fn part(&self, n: u64) -> u64 {
        whole(n as f64 * self.share)
    }
}

/// What a plan will cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Quote {
    /// Packets that are asked about.
    pub n_calls: u64,
    /// The tokens that are expected.
    pub usage: Usage,
    /// What is expected; `None` without a price.
    pub expected: Option<Money>,
    /// What one call about each packet costs at the most: every answer as long as it may be. `None` without a price.
    pub longest: Option<Money>,
    /// What is never exceeded; `None` without a price.
    pub most: Option<Money>,
    /// Calls about one packet that may be billed, at the most.
    pub calls_per_packet_max: u64,
    /// What the expectation rests on.
    pub basis: QuoteBasis,
    /// What other ways would cost, where that is less; the cheapest first.
    pub savings: Vec<Saving>,
    /// The members of a judge made of judges that are asked, in their order; empty for any other judge.
    pub stages: Vec<StageQuote>,
}

/// What answers are expected to take.
#[derive(Debug, Clone, Copy)]
struct Expectation {
    basis: QuoteBasis,
    /// Tokens of prompts for each that was estimated.
    input: f64,
    /// The share of those that come from a cache.
    cached: f64,
    /// Tokens of answers for each decision.
    per_decision: f64,
    /// Tokens of answers for each call.
    per_call: f64,
    /// Calls for each packet: more than one where answers have to be asked for again.
    calls: f64,
}

impl Expectation {
    fn of(chat: &ChatSettings, history: Option<AnswerHistory>) -> Expectation {
        match history.filter(|history| history.n_calls >= ANSWERS_MIN) {
            Some(history) => Expectation::from_answers(&history),
            None => Expectation::typical(chat),
        }
    }

    fn from_answers(history: &AnswerHistory) -> Expectation {
        let share = |part: u64, whole: u64| part as f64 / whole.max(1) as f64;
        let n_packets = history.n_calls.saturating_sub(history.n_reasked).max(1);
        Expectation {
            basis: QuoteBasis::Answers(history.n_calls),
            input: share(history.tokens_in, history.tokens_planned),
            cached: share(history.tokens_cached, history.tokens_in),
            per_decision: share(history.tokens_out, history.decisions),
            per_call: 0.0,
            calls: share(history.n_calls, n_packets),
        }
    }

    fn typical(chat: &ChatSettings) -> Expectation {
        let (decision, thinking) = match (chat.dialect().gives_reasons(), family(&chat.model)) {
            (false, _) => (0, 0),
            (true, None) => (TYPICAL_DECISION_TOKENS, 0),
            (true, Some(_)) => (TYPICAL_DECISION_TOKENS, TYPICAL_THINKING_TOKENS),
        };
        Expectation {
            basis: QuoteBasis::Typical { decision, thinking },
            input: 1.0,
            cached: 0.0,
            per_decision: decision as f64,
            per_call: thinking as f64,
            calls: 1.0,
        }
    }

    fn usage(&self, asked: PricedAsk) -> Usage {
        let input = whole(asked.tokens_input as f64 * self.input * self.calls);
        let output = asked.n_decisions as f64 * self.per_decision + asked.n_calls as f64 * self.per_call;
        Usage::new(input, whole(output * self.calls)).cached(whole(input as f64 * self.cached), 0)
    }
}

/// Tokens that are expected, as a count.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "nothing below zero, and a guess"
)]
fn whole(tokens: f64) -> u64 {
    tokens.round().max(0.0) as u64
}

/// What is asked, as far as it has a price.
#[derive(Debug, Clone, Copy)]
struct PricedAsk {
    n_calls: u64,
    n_decisions: u64,
    tokens_input: u64,
}

impl Quote {
    /// What `plan` will cost with the judge of `asking`, whose latest answers took `history`. `None` where the judge
    /// has no endpoint. The calls are made in `tier`.
    pub(super) fn of(
        plan: &Plan,
        asking: &Asking,
        history: Option<AnswerHistory>,
        tier: Tier,
    ) -> Option<Quote> {
        let chat = asking.judge.chat()?;
        let price = asking.config.price(chat);
        let expectation = Expectation::of(chat, history);
        let asked = PricedAsk {
            n_calls: plan.n_calls,
            n_decisions: plan.n_decisions,
            tokens_input: plan.tokens_input,
        };
        let usage = expectation.usage(asked);
        let expected = price.map(|price| price.cost(tier, usage));
        let per_packet = calls_per_packet_max(&asking.config);
        let mut savings = match (price, expected) {
            (Some(price), Some(expected)) => {
                let ways = Ways { plan, chat, price, tier, expectation };
                ways.all(usage).into_iter().filter(|saving| saving.expected < expected).collect()
            }
            _ => Vec::new(),
        };
        savings.sort_by_key(|saving| saving.expected);
        Some(Quote {
            n_calls: plan.n_calls,
            usage,
            expected,
            longest: plan.most,
            most: plan.most.map(|most| most.times(per_packet)),
            calls_per_packet_max: per_packet,
            basis: expectation.basis,
            savings,
            stages: Vec::new(),
        })
    }

    /// Puts the cascade `name`, which would cost `cascade`, among the savings, if it is one.
    pub(super) fn beside_cascade(&mut self, name: &str, cascade: &Quote) {
        if let (Some(expected), Some(own)) = (cascade.expected, self.expected)
            && expected < own
        {
            let way = Way::Cascade(name.to_owned());
            self.savings.push(Saving { way, n_calls: cascade.n_calls, expected });
            self.savings.sort_by_key(|saving| saving.expected);
        }
    }

    /// What asking these members will cost together: what is expected of each, and at most all of them about everything.
    pub(super) fn of_stages(stages: Vec<StageQuote>) -> Option<Quote> {
        let sum = |of: &dyn Fn(&StageQuote) -> Option<Money>| stages.iter().map(of).sum::<Option<Money>>();
        let tokens =
            |of: &dyn Fn(&Quote) -> u64| stages.iter().map(|stage| stage.part(of(&stage.whole))).sum();
        Some(Quote {
            n_calls: stages.iter().map(StageQuote::n_calls).sum(),
            usage: Usage::new(tokens(&|quote| quote.usage.input), tokens(&|quote| quote.usage.output)),
            expected: sum(&StageQuote::expected),
            longest: sum(&|stage| stage.whole.longest),
            most: sum(&|stage| stage.whole.most),
            calls_per_packet_max: stages.iter().map(|stage| stage.whole.calls_per_packet_max).max()?,
            basis: stages.first()?.whole.basis,
            savings: Vec::new(),
            stages,
        })
    }
}

/// Calls about one packet that may be billed: the attempts it has, one further question, and one further chance for a
/// damaged body. A call that is put off is not billed.
fn calls_per_packet_max(config: &Config) -> u64 {
    let reasks = u64::from(config.run.reask == Reask::Once);
    u64::from(config.schedule.attempts_max) + reasks + 1
}

/// Other ways of asking what is planned.
struct Ways<'a> {
    plan: &'a Plan,
    chat: &'a ChatSettings,
    price: Price,
    tier: Tier,
    expectation: Expectation,
}

impl Ways<'_> {
    fn all(&self, usage: Usage) -> Vec<Saving> {
        let n_calls = self.plan.n_calls;
        let in_tier = |way, tier| Saving { way, n_calls, expected: self.price.cost(tier, usage) };
        let tiers = [
            self.price.flex.filter(|_| self.tier == Tier::Standard).map(|_| in_tier(Way::Flex, Tier::Flex)),
            self.price.batch.filter(|_| self.tier != Tier::Batch).map(|_| in_tier(Way::Batch, Tier::Batch)),
        ];
        tiers.into_iter().flatten().chain(self.one_call()).chain(self.prompt_cache(usage)).collect()
    }

    fn one_call(&self) -> Option<Saving> {
        let joined = self.plan.one_call.filter(|joined| joined.n_calls < self.plan.n_packets)?;
        let asked = PricedAsk {
            n_calls: joined.n_calls,
            n_decisions: joined.n_decisions,
            tokens_input: joined.tokens_input,
        };
        let expected = self.price.cost(self.tier, self.expectation.usage(asked));
        Some(Saving { way: Way::OneCall, n_calls: joined.n_calls, expected })
    }

    /// What the host's cache would save. Where the judge's answers show what it saves, the expectation has it already.
    fn prompt_cache(&self, usage: Usage) -> Option<Saving> {
        self.chat.dialect().cache.as_ref()?;
        let cached = self.plan.tokens_cacheable;
        let expected = self.price.cost(self.tier, usage.cached(cached, 0));
        let is_news = self.expectation.cached == 0.0 && cached > 0;
        is_news.then_some(Saving { way: Way::PromptCache, n_calls: self.plan.n_calls, expected })
    }
}
