//! The languages that claims can be read in, and which of them a text is in.
//!
//! A text is in the language of which it has the most words: small words count three times as much as those of
//! the lists for claims. The table also knows the small words of languages without lists, so that a Polish text is Polish
//! and not bad English. Words of one text are counted up to a bound; the work for a text does not grow beyond it. Why
//! this is a table and no model stands in `docs/design/languages.md`.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use super::super::super::text::WordMap;
use super::super::super::text::lists::{CLAIM_FILES, LANGUAGES, Listed, listed};
use super::Lexicon;
use super::read::{self, Entry};
use crate::spec_file::Problem;

/// What figures look like in every language.
const ANY: &str = include_str!("../../../../data/any/values.toml");

/// Small words of languages without lists, by their codes.
const OTHERS: &str = include_str!("../../../../data/any/languages.toml");

/// How many words of a text are counted, and how many bytes are looked at for them.
const WORDS_MAX: usize = 100;
const BYTES_MAX: usize = 1 << 16;

/// What a small word counts, and what a word of the lists for claims.
const POINTS: [u32; 2] = [3, 1];

/// How many points a text must have for every five words: one small word.
const POINTS_MIN_PER_FIVE: u32 = 3;

/// The most languages, one bit each.
const LANGUAGES_MAX: usize = 64;

/// The languages of a run.
#[derive(Debug, Clone)]
pub struct Languages {
    lexicons: Vec<Arc<Lexicon>>,
    /// For each word, the languages in which it is a small word and those in whose lists it is, one bit each.
    words: Arc<WordMap<[u64; 2]>>,
    /// The languages by their bits: those with lists, then the others.
    codes: Vec<String>,
}

impl Languages {
    /// Those that come with Probity.
    pub fn built_in() -> &'static Languages {
        static BUILT: LazyLock<Languages> = LazyLock::new(|| {
            let lexicons = LANGUAGES.iter().enumerate().map(|(at, code)| {
                let files = std::iter::once(ANY).chain(CLAIM_FILES.map(|files| files[at]));
                Arc::new(Lexicon::new(code, files.flat_map(read::built_in).collect()))
            });
            Languages::new(lexicons.collect())
        });
        &BUILT
    }

    fn new(lexicons: Vec<Arc<Lexicon>>) -> Languages {
        let (mut words, mut codes) = (WordMap::<[u64; 2]>::default(), Vec::<String>::new());
        let listed_words = lexicons.iter().flat_map(|lexicon| {
            let told = lexicon.entries.iter().filter(|entry| !entry.phrase.contains(' '));
            told.filter_map(|entry| Some((&*entry.phrase, lexicon.code(), entry.evidence()?)))
        });
        let is_other = |other: &Listed| lexicons.iter().all(|lexicon| lexicon.code() != other.key);
        let others = listed(OTHERS).filter(is_other).map(|other| (other.phrase, other.key, 0));
        for (word, code, kind) in listed_words.chain(others) {
            let bit = codes.iter().rposition(|known| known == code).unwrap_or(codes.len());
            if bit == codes.len() {
                codes.push(code.to_owned());
            }
            if bit < LANGUAGES_MAX {
                words.get_or_insert(word, [0; 2])[kind] |= 1 << bit;
            }
        }
        Languages { lexicons, words: Arc::new(words), codes }
    }

    /// These languages with the lists of `toml` in the language `code`: added to those that it has, or in their place
    /// where the file says so. A language that is not there yet is added.
    pub fn extended(&self, code: &str, toml: &str) -> Result<Languages, Vec<Problem>> {
        if !(2..=8).contains(&code.len())
            || !code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
        {
            let problem = Problem::at(1, format!("the folder {code:?} is not named by a language"));
            return Err(vec![problem.hint("such as `de`, its code in ISO 639-1")]);
        }
        let replaces = read::entries(toml, &[])?.iter().any(Entry::replaces);
        let mut lexicons = self.lexicons.clone();
        let place = lexicons.iter().position(|lexicon| lexicon.code() == code).unwrap_or_else(|| {
            lexicons.push(empty(code));
            lexicons.len() - 1
        });
        if replaces {
            lexicons[place] = empty(code);
        }
        lexicons[place] = Arc::new(lexicons[place].extended(toml)?);
        Ok(Languages::new(lexicons))
    }

    /// The lists of a language. `None` where there are none.
    pub fn get(&self, code: &str) -> Option<&Lexicon> {
        // "de-AT" is German.
        let code = code.split(['-', '_']).next().unwrap_or(code);
        self.lexicons().find(|lexicon| lexicon.code().eq_ignore_ascii_case(code))
    }

    /// All lists, English first unless it was replaced.
    pub fn lexicons(&self) -> impl Iterator<Item = &Lexicon> {
        self.lexicons.iter().map(|lexicon| &**lexicon)
    }

    /// The first of the lists, for texts in which the language does not matter.
    pub fn first(&self) -> &Lexicon {
        &self.lexicons[0]
    }

    /// The code of the language that a text is in. `None` where its words do not tell.
    ///
    /// ```
    /// use probity_gate::gate::claim::Languages;
    ///
    /// let languages = Languages::built_in();
    /// assert_eq!(languages.detect("Wir erstatten Ihnen den vollen Betrag."), Some("de"));
    /// assert_eq!(languages.detect("Nie możemy zwrócić tej kwoty, ale wymienimy produkt."), Some("pl"));
    /// assert_eq!(languages.detect("4711 :-)"), None);
    /// ```
    pub fn detect(&self, text: &str) -> Option<&str> {
        let mut points = [0_u32; LANGUAGES_MAX];
        let mut n_words = 0;
        let text = &text[..text.floor_char_boundary(BYTES_MAX)];
        let words = text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
        for word in words.take(WORDS_MAX) {
            n_words += 1;
            let [small, listed] = self.words.get(word.as_bytes()).unwrap_or_default();
            for (mut bits, worth) in [(small, POINTS[0]), (listed & !small, POINTS[1])] {
                while bits != 0 {
                    points[bits.trailing_zeros() as usize] += worth;
                    bits &= bits - 1;
                }
            }
        }
        let best = *points.iter().max()?;
        let mut at_best = points.iter().enumerate().filter(|(_, its)| **its == best).map(|(bit, _)| bit);
        let (bit, others) = (at_best.next()?, at_best.next());
        let is_enough = best > 0 && best * 5 >= POINTS_MIN_PER_FIVE * n_words;
        (is_enough && others.is_none()).then(|| self.codes[bit].as_str())
    }

    /// The lists of the language that a text is in, where there are some.
    pub fn of(&self, text: &str) -> Option<&Lexicon> {
        self.get(self.detect(text)?)
    }

    /// The ids of the remedies of all languages, sorted, each once.
    pub fn remedies(&self) -> Vec<&str> {
        self.ids(Entry::is_of_remedy)
    }

    /// The ids of the deeds of all languages, sorted, each once.
    pub fn deeds(&self) -> Vec<&str> {
        self.ids(Entry::is_of_deed)
    }

    fn ids(&self, is_wanted: fn(&Entry) -> bool) -> Vec<&str> {
        let entries = self.lexicons().flat_map(|lexicon| &lexicon.entries);
        let ids: BTreeSet<&str> = entries.filter(|entry| is_wanted(entry)).map(|entry| &*entry.id).collect();
        ids.into_iter().collect()
    }
}

/// The language of a text, and the others there are.
#[derive(Debug, Clone, Copy)]
pub struct Language<'l> {
    /// All of them.
    pub languages: &'l Languages,
    /// The lists of this one.
    pub lexicon: &'l Lexicon,
}

impl<'l> Language<'l> {
    /// That of a text. A text that does not tell has figures alone, which the first language reads as well as any.
    pub fn of(text: &str, languages: &'l Languages) -> Self {
        Language { languages, lexicon: languages.of(text).unwrap_or(languages.first()) }
    }

    /// The lists of the language of another text; those of this one where it does not tell.
    pub fn of_other(self, text: &str) -> &'l Lexicon {
        self.languages.of(text).unwrap_or(self.lexicon)
    }
}

/// What every language begins with.
fn empty(code: &str) -> Arc<Lexicon> {
    Arc::new(Lexicon::new(code, read::built_in(ANY).collect()))
}

#[cfg(test)]
mod tests {
    use super::super::super::super::text::lists::tests::assert_read_as_parsed;
    use super::*;

    #[track_caller]
    fn check(text: &str, want: Option<&str>) {
        assert_eq!(Languages::built_in().detect(text), want, "{text:?}");
    }

    #[test]
    fn files_are_read_as_a_parser_reads_them() {
        let files = CLAIM_FILES.iter().flatten().chain([&ANY, &OTHERS]);
        files.for_each(|file| assert_read_as_parsed(file));
    }

    #[test]
    fn the_built_in_lists_are_as_good_as_those_of_a_tenant() {
        for (at, code) in LANGUAGES.iter().enumerate() {
            let mut known: Vec<Entry> = Vec::new();
            for file in std::iter::once(ANY).chain(CLAIM_FILES.map(|files| files[at])) {
                let read =
                    read::entries(file, &known).unwrap_or_else(|problems| panic!("{code}: {problems:?}"));
                known.extend(read);
            }
        }
    }

    #[test]
    fn a_sentence_tells_its_language() {
        check("Your refund is on its way.", Some("en"));
        check("Ihre Bestellung wurde storniert.", Some("de"));
        check("Nous vous remboursons dans les 14 jours.", Some("fr"));
        check("Le reembolsaremos el importe en 14 días.", Some("es"));
        check("Vamos reembolsar o valor em 14 dias.", Some("pt"));
        check("Le rimborsiamo l'importo entro 14 giorni.", Some("it"));
        check("Wij betalen het bedrag binnen 14 dagen terug.", Some("nl"));
        check("Zwrócimy Panu pełną kwotę w ciągu 14 dni.", Some("pl"));
        check("Vi återbetalar hela beloppet till dig.", Some("sv"));
    }

    #[test]
    fn few_words_are_enough_and_none_are_not() {
        check("Refund approved.", Some("en"));
        check("", None);
        check("NQNU5R 4711", None);
        check("返金いたします。", None);
    }

    #[test]
    fn a_tenant_adds_a_language_and_replaces_one() {
        let polish =
            "[language]\nfunction_words = [\"w\", \"na\"]\n[remedy.refund]\ngranted = [\"zwrócimy\"]";
        let languages = Languages::built_in().extended("pl", polish).expect("good lists");
        assert!(languages.of("Zwrócimy w 14 dni na konto.").is_some());
        let lists = "[language]\ntraits = [\"replaces_built_in\"]\n[remedy.loaner]\nforms = [\"loaner\"]";
        let languages = Languages::built_in().extended("en", lists).expect("good lists");
        assert_eq!(languages.get("en").map(|lexicon| lexicon.table().remedies.len()), Some(1));
        assert!(Languages::built_in().extended("../en", lists).is_err());
    }
}
