//! The price before: what calls are expected to cost and cost at most, what would cost less, and what so many cases can
//! show.

use crate::render::figure::counted;
use probity_core::stats::{proportion, sign_test_detects};
use probity_engine::config::Money;
use probity_engine::run::plan::Plan;
use probity_engine::run::quote::{Quote, QuoteBasis, Saving, StageQuote, Way};
use serde_json::{Value, json};

use crate::plain::plain;

/// What a test must show, at the usual level and with the usual power.
const LEVEL: f64 = 0.05;
const POWER: f64 = 0.8;

/// Puts what `quote` says into the object of a plan.
pub(super) fn add_json(object: &mut Value, quote: &Quote) {
    let saving = |saving: &Saving| {
        let mut object = json!({
            "way": saving.way.name(),
            "calls": saving.n_calls,
            "cost_usd_expected": saving.expected.usd(),
            "saved_usd": quote.expected.map(|expected| expected.minus(saving.expected).usd()),
        });
        if let Way::Cascade(judge) = &saving.way {
            object["judge"] = json!(judge);
        }
        object
    };
    object["tokens"]["input_expected"] = json!(quote.usage.input);
    object["tokens"]["output_expected"] = json!(quote.usage.output);
    object["cost_usd_expected"] = json!(quote.expected.map(Money::usd));
    object["cost_usd_longest"] = json!(quote.longest.map(Money::usd));
    object["cost_usd_max"] = json!(quote.most.map(Money::usd));
    object["expected_from"] = match quote.basis {
        QuoteBasis::Answers(n) => json!({ "answers": n }),
        QuoteBasis::Typical { decision, thinking } => {
            json!({ "typical_tokens": { "decision": decision, "thinking": thinking } })
        }
    };
    object["savings"] = quote.savings.iter().map(saving).collect();
    let stage = |stage: &StageQuote| {
        json!({
            "judge": stage.name,
            "share": stage.share,
            "calls": stage.n_calls(),
            "calls_max": stage.whole.n_calls,
            "cost_usd_expected": stage.expected().map(Money::usd),
            "cost_usd_max": stage.whole.most.map(Money::usd),
        })
    };
    if !quote.stages.is_empty() {
        object["calls"] = json!(quote.n_calls);
        object["stages"] = quote.stages.iter().map(stage).collect();
    }
}

/// What calls cost, in lines.
pub(super) fn text(quote: &Quote) -> String {
    let (input, output) = (quote.usage.input, quote.usage.output);
    let tokens = format!("about {input} tokens in and {output} out");
    let (Some(expected), Some(longest), Some(most)) = (quote.expected, quote.longest, quote.most) else {
        return format!("{tokens}, cost unknown: no price for this model\n");
    };
    let basis = match quote.basis {
        QuoteBasis::Answers(n) => format!("by the latest {n} answers of this judge"),
        QuoteBasis::Typical { decision, thinking: 0 } => {
            format!("at {decision} tokens for each decision, a typical length")
        }
        QuoteBasis::Typical { decision, thinking } => {
            format!("at {decision} tokens for each decision and {thinking} for thinking, a typical length")
        }
    };
    let mut text = format!(
        "{tokens}: expected {} ({basis}), {} if every answer is as long as it may be, at most {} (and every packet is \
         asked {} times)\n",
        expected.shown(),
        longest.shown(),
        most.shown(),
        quote.calls_per_packet_max
    );
    for stage in &quote.stages {
        let StageQuote { name, share, whole } = stage;
        let cost = stage.expected().map(|cost| format!(", {}", cost.shown())).unwrap_or_default();
        text += &format!(
            "  stage {}: about {:.0} % of the questions, {} of at most {} calls{cost}\n",
            plain(name),
            100.0 * share,
            stage.n_calls(),
            whole.n_calls
        );
    }
    let last = quote.stages.last().filter(|_| quote.stages.len() > 1).and_then(|stage| stage.whole.expected);
    text += &last.map(|last| format!("  always asking the last: {}\n", last.shown())).unwrap_or_default();
    for saving in &quote.savings {
        let (amount, n_calls) = (saving.expected.shown(), saving.n_calls);
        let less = 100.0 * (1.0 - saving.expected.picos() as f64 / expected.picos().max(1) as f64);
        let way = match &saving.way {
            Way::Flex => "in the flex tier (service_tier = \"flex\" in the judge's table)".to_owned(),
            Way::Batch => "in a batch, within a day".to_owned(),
            Way::OneCall => {
                format!("with --one-call ({}, another question to the judge)", counted(n_calls, "call"))
            }
            Way::PromptCache => "with the host's prompt cache, which works by itself".to_owned(),
            Way::Cascade(judge) => {
                format!("by --judge {}, as its stages decided on labelled questions", plain(judge))
            }
        };
        text += &format!("  {way}: {amount}, {less:.0} % less\n");
    }
    text
}

/// What so many units can show, where that can be said.
pub(super) struct Shows {
    n: u64,
    figure: Precision,
}

enum Precision {
    /// Half the width of a rate's interval, at one half.
    HalfWidth(f64),
    /// The smallest share of wins that is found.
    WinRate(f64),
}

impl Shows {
    /// What `plan` can show about `unit`s.
    pub(super) fn of(plan: &Plan, unit: &str) -> Option<Shows> {
        let n = plan.n_admitted + plan.n_no_reply;
        let figure = if unit == "pair" {
            Precision::WinRate(sign_test_detects(n, LEVEL, POWER)?)
        } else {
            let estimate = proportion(n / 2, n)?;
            Precision::HalfWidth((estimate.high - estimate.low) / 2.0)
        };
        Some(Shows { n, figure })
    }

    /// As a member of the plan's object.
    pub(super) fn json(&self) -> Value {
        match self.figure {
            Precision::HalfWidth(half_width) => json!({ "n": self.n, "rate_half_width": half_width }),
            Precision::WinRate(rate) => json!({ "n": self.n, "smallest_win_rate": rate }),
        }
    }

    /// As a line about `unit`s.
    pub(super) fn text(&self, unit: &str) -> String {
        let n = counted(self.n, unit);
        match self.figure {
            Precision::HalfWidth(half_width) => {
                format!("precision: a rate over {n} is known to about ± {:.1} points\n", 100.0 * half_width)
            }
            Precision::WinRate(rate) => format!(
                "power: over {n}, a win rate of {:.0} % or more is found four times in five\n",
                100.0 * rate
            ),
        }
    }
}
