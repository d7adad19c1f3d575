//! What tokens cost in each service tier, and money that is counted and not rounded.
//!
//! Pure values: the one place where tokens become money. Unknown prices are never assumed to be low: a tier without a
//! price costs as much as the standard tier, and cached tokens as much as others.

use probity_core::exact::Exact;
use probity_core::verdict::Usage;
use serde::{Deserialize, Serialize};

use super::{ChatSettings, Config, LeftOut};
use crate::dialect::FlexPrice;

/// An upper bound on the tokens that roles, message delimiters and the answer's schema add to a request.
const ENVELOPE_TOKENS: u64 = 512;

/// How a host serves a call, which decides its price. It is not part of a judge's identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// At once, at the full price.
    #[default]
    Standard,
    /// When the host has spare capacity, for less.
    Flex,
    /// Within a day, for less.
    Batch,
}

impl Tier {
    /// The name in settings and records.
    pub fn name(self) -> &'static str {
        match self {
            Tier::Standard => "standard",
            Tier::Flex => "flex",
            Tier::Batch => "batch",
        }
    }

    /// The tier by which a call is billed that asked for this one, where the answer names a tier as `said`. `None` where
    /// that is one whose price is not known. A host that does not say that it was cheap was not; a batch is one whatever
    /// its lines say.
    pub fn billed(self, said: Option<&str>) -> Option<Tier> {
        let said = said.unwrap_or_default().to_lowercase();
        match said.trim_start_matches("service_tier_") {
            "flex" => Some(Tier::Flex),
            "batch" => Some(Tier::Batch),
            "" | "default" | "standard" | "auto" | "on_demand" | "unspecified" => {
                Some(if self == Tier::Batch { Tier::Batch } else { Tier::Standard })
            }
            _ => None,
        }
    }
}

/// US dollars per million tokens in one tier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenPrice {
    /// Prompt tokens.
    pub input: Exact,
    /// Completion tokens, including reasoning.
    pub output: Exact,
    /// Tokens of prompts that the host reads from its cache.
    pub cached: Exact,
    /// Tokens of prompts that the host writes to its cache.
    pub cache_write: Exact,
}

/// What calls to a model cost, by tier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    /// The full price.
    pub standard: TokenPrice,
    /// The price of the tier that waits for room, where it is known.
    pub flex: Option<TokenPrice>,
    /// The price in a batch, where it is known.
    pub batch: Option<TokenPrice>,
}

/// `[prices."model"]`, or what the list of models says: US dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListPrice {
    /// Prompt tokens.
    pub input: Exact,
    /// Tokens of answers.
    pub output: Exact,
    /// Tokens of prompts from a cache.
    pub cached: Option<Exact>,
    /// Tokens of prompts to a cache.
    pub cache_write: Option<Exact>,
    /// Tokens of prompts and of answers in the flex tier.
    pub flex: Option<(Exact, Exact)>,
    /// Tokens of prompts and of answers in a batch.
    pub batch: Option<(Exact, Exact)>,
}

impl ListPrice {
    /// What calls cost at a host whose flex tier costs this, and where tokens written to a cache cost so many times as
    /// much as others.
    pub fn at(self, flex: Option<FlexPrice>, write_factor: Option<Exact>) -> Price {
        let by_factor = || self.input.checked_mul(write_factor?);
        let standard = TokenPrice {
            input: self.input,
            output: self.output,
            cached: self.cached.unwrap_or(self.input),
            cache_write: self.cache_write.or_else(by_factor).unwrap_or(self.input),
        };
        let batch = self.batch.map(|tier| standard.in_tier(tier));
        let flex = self.flex.map(|tier| standard.in_tier(tier)).or_else(|| match flex? {
            FlexPrice::Batch => batch,
            FlexPrice::Standard => Some(standard),
        });
        Price { standard, flex, batch }
    }
}

impl TokenPrice {
    /// The prices of a tier with these for prompts and answers. What is saved or paid for a cache is in proportion.
    fn in_tier(self, (input, output): (Exact, Exact)) -> TokenPrice {
        let share = input.checked_div(self.input);
        let part = |price: Exact| share.and_then(|share| price.checked_mul(share)).unwrap_or(input);
        TokenPrice { input, output, cached: part(self.cached), cache_write: part(self.cache_write) }
    }

    /// What so many tokens cost. More than can be counted is the most that can be.
    pub fn cost(self, usage: Usage) -> Money {
        let part = |price: Exact, tokens: u64| {
            let per_token = price.checked_mul(Exact::from(PICO / 1_000_000));
            let picos = per_token.and_then(|picos| picos.checked_mul(Exact::ratio(i128::from(tokens), 1)?));
            Money(picos.and_then(|picos| i64::try_from(picos.floor()).ok()).unwrap_or(i64::MAX))
        };
        let plain = usage.input.saturating_sub(usage.cached).saturating_sub(usage.cache_written);
        part(self.input, plain)
            .plus(part(self.cached, usage.cached))
            .plus(part(self.cache_write, usage.cache_written))
            .plus(part(self.output, usage.output))
    }

    /// The most that so many tokens can cost, whatever a cache does.
    fn most(self, usage: Usage) -> Money {
        TokenPrice { input: self.input.max(self.cache_write), ..self }.cost(usage)
    }
}

impl Price {
    /// The prices of a tier; where they are not known, those of the standard tier.
    pub fn of(&self, tier: Tier) -> TokenPrice {
        let own = match tier {
            Tier::Standard => None,
            Tier::Flex => self.flex,
            Tier::Batch => self.batch,
        };
        own.unwrap_or(self.standard)
    }

    /// What a call with this usage costs in a tier.
    pub fn cost(&self, tier: Tier, usage: Usage) -> Money {
        self.of(tier).cost(usage)
    }

    /// What the same call costs in the standard tier of a host without a cache.
    pub(crate) fn list_cost(&self, usage: Usage) -> Money {
        self.standard.cost(Usage::new(usage.input, usage.output))
    }

    /// The most that a call with so many tokens can cost. A call in the flex tier may be billed at the full price.
    pub fn most(&self, tier: Tier, usage: Usage) -> Money {
        let tier = if tier == Tier::Flex { Tier::Standard } else { tier };
        self.of(tier).most(usage)
    }
}

/// Dollars in whole picodollars (10⁻¹² $), so that money is counted and not rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Money(i64);

/// Picodollars in a dollar.
const PICO: i64 = 1_000_000_000_000;

impl Money {
    /// From whole picodollars.
    pub fn from_picos(picos: i64) -> Self {
        Money(picos)
    }

    /// In whole picodollars.
    pub fn picos(self) -> i64 {
        self.0
    }

    /// From dollars; `None` when it is negative or beyond nine million dollars.
    pub fn from_usd(usd: Exact) -> Option<Self> {
        let whole = usd.checked_mul(Exact::from(PICO))?.floor();
        (whole >= 0).then(|| i64::try_from(whole).ok().map(Money)).flatten()
    }

    /// In dollars.
    pub fn usd(self) -> Exact {
        Exact::from(self.0).over(PICO).expect("a dollar has picodollars")
    }

    /// Both together, at most as much as can be counted.
    #[must_use]
    pub fn plus(self, other: Money) -> Money {
        Money(self.0.saturating_add(other.0))
    }

    /// What is left of it without the other, nothing at the least.
    #[must_use]
    pub fn minus(self, other: Money) -> Money {
        Money(self.0.saturating_sub(other.0).max(0))
    }

    /// So many times as much, at most as much as can be counted.
    #[must_use]
    pub fn times(self, n: u64) -> Money {
        Money(self.0.saturating_mul(i64::try_from(n).unwrap_or(i64::MAX)))
    }

    /// A share of it, from 0 to 1.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "a share of a whole number")]
    pub fn part(self, share: f64) -> Money {
        Money((self.0 as f64 * share).round() as i64)
    }

    /// For people: dollars and cents, and below a dollar cents with two digits.
    pub fn shown(self) -> String {
        let usd = self.0 as f64 / PICO as f64;
        let cents = 100.0 * usd;
        match cents {
            _ if self.0 == 0 => "nothing".to_owned(),
            cents if cents >= 99.5 => format!("${usd:.2}"),
            cents if cents >= 9.95 => format!("{cents:.0} cents"),
            cents if cents >= 0.995 => format!("{cents:.1} cents"),
            cents if cents >= 0.0995 => format!("{cents:.2} cents"),
            cents if cents >= 0.001 => format!("{cents:.3} cents"),
            _ => "less than 0.001 cents".to_owned(),
        }
    }
}

impl std::iter::Sum for Money {
    fn sum<I: Iterator<Item = Money>>(all: I) -> Money {
        all.fold(Money::default(), Money::plus)
    }
}

impl Config {
    /// The most that a call in this tier with a prompt of so many bytes can cost, without the parameters that were
    /// refused, where the model has a price: no token is shorter than a byte.
    pub fn most(
        &self,
        chat: &ChatSettings,
        left: &LeftOut,
        prompt_bytes: usize,
        tier: Tier,
    ) -> Option<Money> {
        let price = self.price(chat)?;
        let output = chat.sent(left).limit_most();
        Some(price.most(tier, Usage::new(prompt_bytes as u64 + ENVELOPE_TOKENS, output)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usd(text: &str) -> Exact {
        text.parse().expect("a decimal")
    }

    fn listed(input: &str, output: &str) -> ListPrice {
        let (input, output) = (usd(input), usd(output));
        ListPrice { input, output, cached: None, cache_write: None, flex: None, batch: None }
    }

    #[track_caller]
    fn check(price: &Price, tier: Tier, usage: Usage, want: &str) {
        assert_eq!(price.cost(tier, usage).usd().to_string(), want);
    }

    #[test]
    fn tokens_cost_what_the_price_says() {
        let price = listed("0.15", "0.60").at(None, None);
        check(&price, Tier::Standard, Usage::new(1_000, 100), "0.00021");
    }

    #[test]
    fn cached_tokens_have_prices_of_their_own_and_tiers_take_their_share_of_them() {
        let listed = ListPrice {
            cached: Some(usd("0.10")),
            batch: Some((usd("0.50"), usd("2.50"))),
            ..listed("1", "5")
        };
        let price = listed.at(Some(FlexPrice::Batch), Some(usd("1.25")));
        let usage = Usage::new(1_000_000, 0).cached(600_000, 200_000);
        check(&price, Tier::Standard, usage, "0.51");
        check(&price, Tier::Flex, usage, "0.255");
        check(&price, Tier::Batch, usage, "0.255");
        assert_eq!(price.list_cost(usage).usd(), usd("1"));
        assert_eq!(price.most(Tier::Standard, usage).usd(), usd("0.56"), "writing to the cache costs more");
        assert_eq!(price.most(Tier::Flex, usage), price.most(Tier::Standard, usage));
    }

    #[test]
    fn what_is_not_known_is_never_cheap() {
        let price = listed("1", "5").at(None, None);
        let usage = Usage::new(1_000_000, 0).cached(1_000_000, 0);
        for tier in [Tier::Standard, Tier::Flex, Tier::Batch] {
            check(&price, tier, usage, "1");
        }
        let billed = |asked: Tier, said| asked.billed(said);
        assert_eq!(billed(Tier::Flex, Some("flex")), Some(Tier::Flex));
        assert_eq!(billed(Tier::Flex, Some("default")), Some(Tier::Standard));
        assert_eq!(billed(Tier::Flex, None), Some(Tier::Standard));
        assert_eq!(billed(Tier::Standard, Some("SERVICE_TIER_FLEX")), Some(Tier::Flex));
        assert_eq!(billed(Tier::Batch, Some("default")), Some(Tier::Batch));
        assert_eq!(billed(Tier::Standard, Some("priority")), None);
    }

    #[test]
    fn usage_beyond_belief_costs_the_most_and_not_little() {
        let dear = listed("999999999999.999999999999", "1").at(None, None);
        let cheap = listed("0.000001", "0").at(None, None);
        let usage = Usage::new(u64::MAX, u64::MAX);
        assert_eq!(dear.cost(Tier::Standard, usage), Money::from_picos(i64::MAX));
        assert_eq!(cheap.cost(Tier::Standard, usage), Money::from_picos(i64::MAX));
        assert_eq!(Money::from_usd(usd("999999999999.999999999999")), None);
    }

    #[test]
    fn money_for_people_has_cents_where_cents_matter() {
        for (amount, want) in [
            ("0", "nothing"),
            ("12.345", "$12.35"),
            ("0.996", "$1.00"),
            ("0.341", "34 cents"),
            ("0.0213", "2.1 cents"),
            ("0.004", "0.40 cents"),
            ("0.00012", "0.012 cents"),
            ("0.000001", "less than 0.001 cents"),
        ] {
            assert_eq!(Money::from_usd(usd(amount)).expect("an amount").shown(), want);
        }
    }
}
