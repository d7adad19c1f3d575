//! What a tenant forbids by name: competitors, and advice that its replies must not give.

use super::finding::Sighting;
use super::rules::Rule;
use super::text::{List, Phrases, Text, run_before};

const COMPETITOR: Rule = Rule::block("safety.competitor", "the reply names a competitor");
const FORBIDDEN_ADVICE: Rule =
    Rule::block("safety.forbidden_advice", "the reply gives advice that the settings forbid");

/// Names and phrases that the tenant's settings forbid.
pub(super) const RULES: &[Rule] = &[COMPETITOR, FORBIDDEN_ADVICE];

/// How many words before the advice are looked at.
const WORDS_BEFORE: usize = 4;

/// How far back the start of a clause is looked for, in bytes.
const CLAUSE_BYTES_MAX: usize = 64;

/// The forbidden names and phrases of a tenant, each with its rule and what is said of a reply that has it.
#[derive(Debug, Clone)]
pub(super) struct Forbidden(Phrases<(&'static str, String)>);

impl Forbidden {
    /// What may not stand in a reply.
    pub(super) fn new<'p>(competitors: &'p [String], advice: &'p [String]) -> Self {
        let named = |rule: Rule, said: &'static str| {
            move |phrase: &'p String| (phrase.trim(), (rule.id, format!("{said} {:?}", phrase.trim())))
        };
        let competitors = competitors.iter().map(named(COMPETITOR, "the reply names the competitor"));
        let advice = advice.iter().map(named(FORBIDDEN_ADVICE, "the reply gives forbidden advice:"));
        Forbidden(Phrases::new(competitors.chain(advice)))
    }

    /// The forbidden things in a reply. Advice against something is not that advice.
    pub(super) fn check(&self, text: &Text) -> Vec<Sighting> {
        let whole = self.0.find(text).filter(|found| found.is_whole);
        let sightings = whole.filter_map(|found| {
            let (rule, message) = found.meaning;
            let is_meant = *rule != FORBIDDEN_ADVICE.id || !is_warning(text, found.span.start);
            is_meant.then(|| Sighting::at(rule, text.original(&found.span), message))
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
            &[" Acme Parcel ".to_owned()],
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
