//! What a tenant forbids by name: competitors, and advice that its replies must not give.

use super::finding::Sighting;
use super::rules::Rule;
use super::text::words::{List, run_before};
use super::text::{Phrases, Text};

const COMPETITOR: Rule = Rule::block("safety.competitor", "the reply names a competitor");
const FORBIDDEN_ADVICE: Rule =
    Rule::block("safety.forbidden_advice", "the reply gives advice that the settings forbid");

/// Names and phrases that the tenant's settings forbid.
pub(super) const RULES: &[Rule] = &[COMPETITOR, FORBIDDEN_ADVICE];

/// How many words before the advice are looked at.
const WORDS_BEFORE: usize = 4;

/// How far back the start of a clause is looked for, in bytes.
const CLAUSE_BYTES_MAX: usize = 64;

/// The forbidden names and phrases of a tenant.
#[derive(Debug, Clone)]
pub(super) struct Forbidden {
    phrases: Phrases<(Kind, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Competitor,
    Advice,
}

impl Forbidden {
    /// What may not stand in a reply.
    pub(super) fn new(competitors: &[String], advice: &[String]) -> Self {
        let named = |kind| move |phrase: &String| (kind, phrase.trim().to_owned());
        let competitors = competitors.iter().map(named(Kind::Competitor));
        let all: Vec<_> = competitors.chain(advice.iter().map(named(Kind::Advice))).collect();
        let phrases = all.iter().map(|named| (named.1.as_str(), named.clone()));
        Forbidden { phrases: Phrases::new(phrases) }
    }

    /// The forbidden things in a reply. Advice against something is not that advice.
    pub(super) fn check(&self, text: &Text) -> Vec<Sighting> {
        let whole = self.phrases.find(text).filter(|found| found.is_whole);
        let sightings = whole.filter_map(|found| {
            let (kind, name) = found.meaning;
            let (rule, message) = match kind {
                Kind::Competitor => (COMPETITOR, format!("the reply names the competitor {name:?}")),
                Kind::Advice if is_warning(text, found.span.start) => return None,
                Kind::Advice => (FORBIDDEN_ADVICE, format!("the reply gives forbidden advice: {name:?}")),
            };
            Some(Sighting::at(rule.id, text.original(&found.span), message))
        });
        sightings.collect()
    }
}

/// Whether the words before the phrase at `at`, in its clause, turn it round.
fn is_warning(text: &Text, at: usize) -> bool {
    let clause = at - run_before(text, at, CLAUSE_BYTES_MAX, |byte| !b";:,".contains(&byte));
    let near = || text.before(at).take_while(|word| word.start >= clause).take(WORDS_BEFORE);
    let has = |list: List| near().any(|word| word.is_in(list));
    has(List::Against) && !has(List::Encouraging)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(forbidden: &Forbidden, reply: &str) -> Vec<Sighting> {
        forbidden.check(&Text::new(reply))
    }

    #[track_caller]
    fn check(reply: &str, want: &[(&str, &str)]) {
        let forbidden = Forbidden::new(
            &["Acme Parcel".to_owned()],
            &["dispute the charge with your bank".to_owned(), "share your password".to_owned()],
        );
        let seen = seen(&forbidden, reply);
        let seen: Vec<_> = seen.iter().map(|seen| (seen.rule, &reply[seen.start..seen.end])).collect();
        assert_eq!(seen, want, "{reply:?}");
    }

    #[test]
    fn competitors_are_found_by_name() {
        check("Try ACME  parcel instead.", &[("safety.competitor", "ACME  parcel")]);
        check("Our acmes are fine.", &[]);
    }

    #[test]
    fn advice_is_found_and_warnings_are_not() {
        let advice = "dispute the charge with your bank";
        check(&format!("You can {advice}."), &[("safety.forbidden_advice", advice)]);
        check("Please never share your password with anyone.", &[]);
        check("Do not under any pressure share your password.", &[]);
        check(&format!("Do not hesitate to {advice}."), &[("safety.forbidden_advice", advice)]);
        check(&format!("If it is not fixed, {advice}."), &[("safety.forbidden_advice", advice)]);
        check(&format!("Why not {advice}?"), &[("safety.forbidden_advice", advice)]);
        check("Not sure? Share your password.", &[("safety.forbidden_advice", "Share your password")]);
    }

    #[test]
    fn nothing_forbidden_nothing_found() {
        assert_eq!(seen(&Forbidden::new(&[], &[" ".to_owned()]), "  "), Vec::new());
    }
}
