//! Faults in the text of an answer: F60 to F83.

use serde_json::Value;

use super::super::answer::MockCall;
use super::super::form::Decision;
use super::{FaultMade, MockFault, text};

/// How often a looping judge repeats itself.
const LOOP_TIMES: usize = 20_000;

pub(super) const FAULTS: &[MockFault] = &[
    text("F60", "a fence around the verdict", |call| {
        let verdict = call.said.json();
        let fences = [
            format!("```json\n{verdict}\n```"),
            format!("```\n{verdict}\n```\n"),
            format!("```json {verdict} ```"),
        ];
        FaultMade::Verdict(pick(call, &fences))
    }),
    text("F61", "prose around the verdict", |call| {
        FaultMade::Verdict(format!("Here is my verdict:\n\n{}\n\nI hope this helps.", call.said.json()))
    }),
    text("F62", "two verdicts that differ", |call| {
        FaultMade::Nothing(format!("{}\n{}", other(call), call.said.json()))
    }),
    text("F63", "a reasoning block with a draft before the verdict", |call| {
        FaultMade::Verdict(format!(
            "<think>\nPerhaps {}, but no.\n</think>\n\n{}",
            other(call),
            call.said.json()
        ))
    }),
    text("F64", "a reasoning block that never ends", |call| {
        FaultMade::Nothing(format!("<think>\nPerhaps {}, or", call.said.json()))
    }),
    text("F65", "a literal <think> inside the reasoning's text", |call| {
        FaultMade::Verdict(
            call.said.with_text(&|text| format!("{text} It shows <think> to the customer.")).json(),
        )
    }),
    text("F66", "braces inside the reasoning's text", |call| {
        FaultMade::Verdict(
            call.said.with_text(&|text| format!("{text} It has }} and {{ and {{\"a\": 1}} in it.")).json(),
        )
    }),
    text("F67", "the verdict that stands in the reply itself (where one does)", |call| {
        verdict_in_reply(call).map_or(FaultMade::Unbroken, FaultMade::Nothing)
    }),
    text("F68", "the level as a string", |call| {
        levelled(call, FaultMade::Verdict, &|level| format!("\"{}\"", level.given))
    }),
    text("F69", "the level with a fraction: 4.0 or 4.5", |call| {
        if call.variant(&[true, false]) {
            levelled(call, FaultMade::Verdict, &|level| format!("{}.0", level.given))
        } else {
            levelled(call, FaultMade::Nothing, &|level| format!("{}.5", level.given))
        }
    }),
    text("F70", "the level in words, stars or as x/5", |call| {
        let way = call.variant(&[0, 1, 2, 3]);
        levelled(call, FaultMade::Nothing, &|level| {
            let (n, (_, high)) = (&level.given, level.bounds());
            match way {
                0 => format!("\"{n}/{high}\""),
                1 => format!("\"{n} out of {high}\""),
                2 => "\"four\"".to_owned(),
                _ => "\"★★★★\"".to_owned(),
            }
        })
    }),
    text("F71", "a level outside of the scale", |call| {
        let way = call.variant(&[0, 1, 2, 3]);
        levelled(call, FaultMade::Nothing, &|level| {
            let (low, high) = level.bounds();
            match way {
                0 => (low - 1).to_string(),
                1 => (high + 1).to_string(),
                2 => (high + 80).to_string(),
                _ => "1e20".to_owned(),
            }
        })
    }),
    text("F72", "NaN, Infinity, 1e999 or \"nan\" as level", |call| {
        let number = call.variant(&["NaN", "Infinity", "1e999", "\"nan\""]);
        levelled(call, FaultMade::Nothing, &|_| number.to_owned())
    }),
    text("F73", "true, a list, an object or null as level", |call| {
        let way = call.variant(&[0, 1, 2, 3]);
        levelled(call, FaultMade::Nothing, &|level| match way {
            0 => "true".to_owned(),
            1 => format!("[{}]", level.given),
            2 => format!("{{\"value\":{}}}", level.given),
            _ => "null".to_owned(),
        })
    }),
    text("F74", "the level's key twice", |call| {
        let mut doubled = false;
        FaultMade::Nothing(call.said.json_with(&mut |name, decided| {
            let once = decided.given.to_string();
            if std::mem::replace(&mut doubled, true) {
                return once;
            }
            format!("{},\"{name}\":{once}", decided.other_json())
        }))
    }),
    text("F75", "a criterion, or the only level, is missing", |call| {
        FaultMade::Nothing(call.said.without_a_criterion().json())
    }),
    text("F78", "a trailing comma, single quotes, a comment, a raw line break or smart quotes", |call| {
        let verdict = call.said.json();
        let open = verdict.strip_suffix('}').unwrap_or(&verdict);
        let mut quotes = ["“", "”"].into_iter().cycle();
        let smart: String = verdict
            .chars()
            .map(|c| if c == '"' { quotes.next().unwrap_or("\"").to_owned() } else { c.to_string() })
            .collect();
        let ways = [
            format!("{open},}}"),
            verdict.replace('"', "'"),
            format!("{open} /* as asked */ }} // done\n"),
            verdict.replace("Mock verdict", "Mock\nverdict"),
            smart,
        ];
        FaultMade::Verdict(pick(call, &ways))
    }),
    text("F79", "a byte order mark before the verdict", |call| {
        FaultMade::Verdict(format!("\u{feff}{}", call.said.json()))
    }),
    text("F80", "a lone surrogate in the reasoning", |call| {
        FaultMade::Verdict(call.said.json().replacen("Mock verdict", "Mock \\ud800 verdict", 1))
    }),
    text("F81", "a NUL in the reasoning", |call| {
        FaultMade::Verdict(call.said.with_text(&|text| format!("{text}\0")).json())
    }),
    text("F82", "nesting 200 levels deep", |call| {
        let verdict = call.said.json();
        let open = verdict.strip_suffix('}').unwrap_or(&verdict);
        FaultMade::Nothing(format!("{open},\"extra\":{}{}}}", "[".repeat(200), "]".repeat(200)))
    }),
    // The longer one is more than a client should take in; the shorter one is whole and can be read.
    text("F83", "a reasoning of 5 MB, or one that repeats itself 20,000 times", |call| {
        if call.variant(&[true, false]) {
            FaultMade::Nothing(call.said.with_text(&|text| text.to_owned() + &"x".repeat(5_000_000)).json())
        } else {
            FaultMade::Verdict(
                call.said.with_text(&|text| text.to_owned() + &" and so on".repeat(LOOP_TIMES)).json(),
            )
        }
    }),
];

/// The last object with a verdict in a reply. The template shows replies as JSON strings.
fn verdict_in_reply(call: &MockCall<'_>) -> Option<String> {
    const REPLIES: [&str; 3] = ["Reply to grade: ", "Reply A: ", "Reply B: "];
    let is_reply = |line: &&str| REPLIES.iter().any(|start| line.starts_with(start));
    call.asked.user.lines().rev().filter(is_reply).find_map(|line| {
        let reply: String = serde_json::from_str(line.split_once(": ")?.1).ok()?;
        reply.rmatch_indices('{').find_map(|(at, _)| {
            let mut values = serde_json::Deserializer::from_str(&reply[at..]).into_iter::<Value>();
            let value = values.next()?.ok()?;
            value.get("score").or(value.get("verdict"))?;
            Some(reply[at..at + values.byte_offset()].to_owned())
        })
    })
}

fn pick(call: &MockCall<'_>, ways: &[String]) -> String {
    call.draw.pick("variant", ways).clone()
}

/// The verdict with other levels, or another word.
fn other(call: &MockCall<'_>) -> String {
    call.said.json_with(&mut |_, decided| decided.other_json())
}

/// The verdict with its levels written otherwise. Where words decide there is no level to break.
fn levelled(
    call: &MockCall<'_>,
    made: fn(String) -> FaultMade<String>,
    write: &dyn Fn(&Decision) -> String,
) -> FaultMade<String> {
    if call.said.word().is_some() {
        return FaultMade::Unbroken;
    }
    made(call.said.json_with(&mut |_, decided| write(decided)))
}
