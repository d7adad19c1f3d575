//! How a report is made again: the command as it was called, without what it wrote to and without secrets.
//!
//! Keys are never flags. What could hold one in an address, a user and a query, is left out.

/// Whether making a report again has to be kept from asking a judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Replay {
    /// A judge could be asked; the record must do.
    Offline,
    /// No judge is asked, so the command stays as it is.
    AsItIs,
}

/// Flags with a value that change no figure: where results go, and how fast and how far calls are made.
const VALUED: [&str; 7] =
    ["--report", "--output", "-o", "--concurrency", "-c", "--max-calls", "--budget-usd"];

/// Flags without a value that change no figure: what is printed, what is asked again, and what only the user can say.
const BARE: [&str; 5] = ["--json", "--quiet", "-q", "--retry-unscored", "--trust-settings"];

/// The command that this process was started with.
pub(crate) fn called(replay: Replay) -> String {
    command(std::env::args().skip(1), replay)
}

/// The command of a call on record.
pub(crate) fn recorded(words: &[String]) -> String {
    command(words.iter().cloned(), Replay::Offline)
}

/// Another command about the same files, with those of `kept` flags that this call has, and with `more`.
pub(crate) fn other_command(command: &str, kept: &[&str], more: &[&str]) -> String {
    let words: Vec<String> = std::env::args().skip(1).collect();
    other(&words, command, kept, more)
}

fn other(words: &[String], command: &str, kept: &[&str], more: &[&str]) -> String {
    let files = words.iter().skip(1).take_while(|word| !word.starts_with('-'));
    let mut out = vec!["probity".to_owned(), command.to_owned()];
    out.extend(files.map(|file| quoted(file)));
    for (at, word) in words.iter().enumerate() {
        let is_kept = kept
            .iter()
            .any(|flag| word == flag || word.strip_prefix(*flag).is_some_and(|rest| rest.starts_with('=')));
        if is_kept {
            out.push(quoted(&without_secrets(word)));
            out.extend(
                words
                    .get(at + 1)
                    .filter(|_| !word.contains('='))
                    .map(|value| quoted(&without_secrets(value))),
            );
        }
    }
    out.extend(more.iter().map(|word| quoted(word)));
    out.join(" ")
}

/// The command of these words that makes the report again.
fn command(words: impl Iterator<Item = String>, replay: Replay) -> String {
    let mut kept = vec!["probity".to_owned()];
    let mut words = words;
    while let Some(word) = words.next() {
        if VALUED.contains(&word.as_str()) {
            words.next();
        } else if !is_dropped(&word) {
            kept.push(quoted(&without_secrets(&word)));
        }
    }
    let is_report = kept.get(1).is_some_and(|command| command == "report");
    if replay == Replay::Offline && !is_report && !kept.iter().any(|word| word == "--offline") {
        kept.push("--offline".to_owned());
    }
    kept.extend(["--report", "report.html"].map(str::to_owned));
    kept.join(" ")
}

/// Whether a flag changes no figure, with its value in the same word where it takes one.
fn is_dropped(word: &str) -> bool {
    let has_value = |flag: &&str| {
        let rest = word.strip_prefix(*flag).unwrap_or_default();
        // A short flag takes its value without a sign between them, too.
        if flag.starts_with("--") { rest.starts_with('=') } else { !rest.is_empty() }
    };
    BARE.contains(&word) || VALUED.iter().any(has_value)
}

/// The word with no user and no query in an address.
fn without_secrets(word: &str) -> String {
    let Some((before, address)) = word.split_once("://") else { return word.to_owned() };
    let address = address.split(['?', '#']).next().unwrap_or_default();
    let (host, path) = address.split_at(address.find('/').unwrap_or(address.len()));
    let host = host.rsplit('@').next().unwrap_or_default();
    format!("{before}://{host}{path}")
}

/// The word as a shell reads it back.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,%+@".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(words: &str, replay: Replay, want: &str) {
        assert_eq!(command(words.split('|').map(str::to_owned), replay), want);
    }

    #[test]
    fn the_command_is_what_was_typed_but_for_where_it_wrote() {
        check(
            "run|a b.jsonl|--report|x.html|--json|--rubric|support-gold|--output=o.json",
            Replay::Offline,
            "probity run 'a b.jsonl' --rubric support-gold --offline --report report.html",
        );
        check(
            "calibrate|--labels|l.csv|--quiet|-o|o.json",
            Replay::AsItIs,
            "probity calibrate --labels l.csv --report report.html",
        );
        check(
            "run|c.json|-q|-c|8|--concurrency=9|-c7|--max-calls|5|--budget-usd=1|--retry-unscored|--seed|3",
            Replay::Offline,
            "probity run c.json --seed 3 --offline --report report.html",
        );
        check("report|3|--report|x.md", Replay::Offline, "probity report 3 --report report.html");
    }

    #[test]
    fn another_command_is_about_the_same_files_and_judge() {
        let words: Vec<String> =
            "promote|a b.jsonl|new.jsonl|--model|m-1|--contract|c.toml|--rubric=r.toml|--json"
                .split('|')
                .map(str::to_owned)
                .collect();
        assert_eq!(
            other(&words, "review", &["--model", "--rubric"], &["--from", "contract"]),
            "probity review 'a b.jsonl' new.jsonl --model m-1 --rubric=r.toml --from contract"
        );
    }

    #[test]
    fn an_address_is_shown_without_what_could_be_a_secret() {
        check(
            "run|c.json|--base-url=https://me:canary@host.example/v1?key=canary#canary|--offline",
            Replay::Offline,
            "probity run c.json --base-url=https://host.example/v1 --offline --report report.html",
        );
        check("run|it's", Replay::AsItIs, "probity run 'it'\\''s' --report report.html");
    }
}
