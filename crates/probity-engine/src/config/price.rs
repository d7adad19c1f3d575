//! What tokens cost, and money that is counted and not rounded.

use probity_core::exact::Exact;
use probity_core::verdict::Usage;

use super::{ChatSettings, Config, LeftOut};

/// Tokens that roles, message borders and an answer's schema add to a request, at the most.
const ENVELOPE_TOKENS: u64 = 512;

/// `[prices."model"]`, in US dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    /// Tokens of prompts.
    pub input_usd_per_mtok: Exact,
    /// Tokens of answers.
    pub output_usd_per_mtok: Exact,
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

    /// What a call with this usage costs at `price`. More than can be counted is the most that can be.
    pub fn of(price: Price, usage: Usage) -> Money {
        let part = |price: Exact, tokens: u64| {
            let per_token = price.checked_mul(Exact::from(PICO / 1_000_000));
            let picos = per_token.and_then(|picos| picos.checked_mul(Exact::ratio(i128::from(tokens), 1)?));
            picos.and_then(|picos| i64::try_from(picos.floor()).ok()).unwrap_or(i64::MAX)
        };
        let input = part(price.input_usd_per_mtok, usage.input);
        Money(input.saturating_add(part(price.output_usd_per_mtok, usage.output)))
    }
}

impl Config {
    /// The most that a call with a prompt of so many bytes can cost, without the parameters that were refused, where
    /// the model has a price: no token is shorter than a byte.
    pub fn most(&self, chat: &ChatSettings, left: &LeftOut, prompt_bytes: usize) -> Option<Money> {
        let price = self.price(chat)?;
        let output = chat.sent(left).limit_most();
        let usage = Usage { input: prompt_bytes as u64 + ENVELOPE_TOKENS, output };
        Some(Money::of(price, usage))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usd(text: &str) -> Exact {
        text.parse().expect("a decimal")
    }

    #[test]
    fn tokens_cost_what_the_price_says() {
        let price = Price { input_usd_per_mtok: usd("0.15"), output_usd_per_mtok: usd("0.60") };
        let cost = Money::of(price, Usage { input: 1_000, output: 100 });
        assert_eq!(cost.usd().to_string(), "0.00021");
    }

    #[test]
    fn usage_beyond_belief_costs_the_most_and_not_little() {
        let dear =
            Price { input_usd_per_mtok: usd("999999999999.999999999999"), output_usd_per_mtok: usd("1") };
        let cheap = Price { input_usd_per_mtok: usd("0.000001"), output_usd_per_mtok: usd("0") };
        let usage = Usage { input: u64::MAX, output: u64::MAX };
        assert_eq!(Money::of(dear, usage), Money::from_picos(i64::MAX));
        assert_eq!(Money::of(cheap, usage), Money::from_picos(i64::MAX));
        assert_eq!(Money::from_usd(usd("999999999999.999999999999")), None);
    }
}
