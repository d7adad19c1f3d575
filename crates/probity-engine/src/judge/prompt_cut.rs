//! Whether a server read the whole prompt.
//!
//! Some servers drop a part of a prompt that is longer than their context and answer all the same. The answer is about
//! something else than was asked, so it is no verdict.

use probity_core::verdict::Usage;

use super::Prompt;
use crate::config::ChatSettings;

/// No tokenizer in use makes tokens that are longer than this on average, runs of one character apart.
const BYTES_PER_TOKEN_MAX: u64 = 12;

/// A prompt whose tokens are longer than this on average was hardly read as a whole.
const BYTES_PER_TOKEN_USUAL_MAX: u64 = 5;

/// Why the prompt cannot have been read as a whole, in a sentence, if it cannot. `told` is how many tokens the server once
/// said that it reads. It may read more by now, so only a prompt of exactly that size is one that was cut.
pub(super) fn prompt_cut(
    chat: &ChatSettings,
    told: Option<u32>,
    usage: Usage,
    prompt: &Prompt,
) -> Option<String> {
    // Whether tokens of this length would not have been enough. Most prompts are short enough as they are.
    let is_longer = |bytes_per_token: u64| {
        let n_read = usage.input * bytes_per_token;
        n_read < (prompt.system.len() + prompt.user.len()) as u64
            && n_read < n_changes(&prompt.system) + n_changes(&prompt.user)
    };
    let is_half = chat.dialect().cuts && is_cut_in_half(usage.input) && is_longer(BYTES_PER_TOKEN_USUAL_MAX);
    let is_full = chat.context_tokens.is_some_and(|tokens| usage.input >= u64::from(tokens.get()));
    let is_told =
        told.is_some_and(|told| u64::from(told) == usage.input || u64::from(told) == usage.input + 1);
    let is_cut = is_longer(BYTES_PER_TOKEN_MAX) || is_half || is_full || is_told;
    // A count of nothing is no count.
    (is_cut && usage.input > 0).then(|| {
        format!(
            "the server read only {} tokens of a prompt of {} bytes; raise the context of the server, with context_tokens \
             where it is Ollama, or shorten the case",
            usage.input,
            prompt.system.len() + prompt.user.len()
        )
    })
}

/// Bytes that differ from the one before: a long run of one character may be a single token.
fn n_changes(text: &str) -> u64 {
    text.as_bytes().windows(2).filter(|pair| pair[0] != pair[1]).count() as u64
}

/// Whether it is what Ollama reads of a prompt that is longer than its context: the first few tokens and the last half.
fn is_cut_in_half(tokens: u64) -> bool {
    (11..=18).any(|power| (2..=3).any(|kept| tokens == (1 << power) / 2 + kept))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Layer};

    #[track_caller]
    fn check(judge: &str, input: u64, user: &str, is_cut: bool) {
        let layer = Layer::read("f", &format!("[judges.x]\n{judge}\nmodel = 'm'\n")).expect("settings");
        let config = Config::resolve([layer]).expect("settings that fit");
        let chat = config.named_judge("x").and_then(|judge| judge.chat()).expect("a chat judge").clone();
        let prompt = Prompt { system: String::new(), user: user.to_owned(), n_stable: 0 };
        let found = prompt_cut(&chat, Some(9000), Usage::new(input, 1), &prompt);
        assert_eq!(found.is_some(), is_cut, "{input} {found:?}");
    }

    #[test]
    fn fewer_tokens_than_the_bytes_must_have_are_a_cut_prompt() {
        let words = "some words of a ticket ".repeat(1000);
        check("kind = 'vllm'", 5000, &words, false);
        check("kind = 'vllm'", 1900, &words, true);
        check("kind = 'vllm'", 0, &words, false);
        check("kind = 'vllm'", 10, &" ".repeat(5000), false);
    }

    #[test]
    fn ollamas_half_context_is_a_cut_prompt() {
        let words = "some words of a ticket ".repeat(1000);
        check("kind = 'ollama'", 2050, &words, true);
        check("kind = 'vllm'", 2050, &words, false);
        check("kind = 'ollama'", 2050, &words[..8200], false);
    }

    #[test]
    fn a_prompt_of_the_size_that_the_server_told_is_a_cut_prompt() {
        let words = "some words of a ticket ".repeat(1000);
        check("kind = 'vllm'", 8998, &words, false);
        check("kind = 'vllm'", 8999, &words, true);
        check("kind = 'vllm'", 9000, &words, true);
        check("kind = 'vllm'", 9001, &words, false);
    }

    #[test]
    fn a_context_that_is_full_leaves_no_room_for_an_answer() {
        check("kind = 'vllm'\ncontext_tokens = 4096", 4096, "some words", true);
        check("kind = 'vllm'\ncontext_tokens = 4096", 4000, "some words", false);
    }
}
