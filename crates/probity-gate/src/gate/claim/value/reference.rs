//! Codes, and numbers of orders, tickets, invoices and parcels.
//!
//! A number needs its label or a `#`. A code needs letters in upper case and digits, or a label. Words that
//! happen to have both, such as "MP3" and "COVID-19", are on a list.

use super::super::Value;
use super::super::lexicon::Cues;
use super::super::term::Figure;
use super::super::token::Shape;
use super::Page;

/// How many words and marks can stand between a label and what it labels.
const FILLERS_MAX: usize = 4;

/// The most pieces, joined by hyphens or spaces, that a number or code can have.
const PIECES_MAX: usize = 10;

/// Labels whose code can be a plain word in upper case or a plain number.
const CODE_WORDS: &[&str] = &["code", "codes", "coupon", "voucher", "promo", "error"];

/// A run of letters and digits, with what joins its pieces.
struct Run {
    behind: usize,
    n_letters: usize,
    n_digits: usize,
    n_pieces: usize,
    /// Whether no letter is in lower case.
    upper: bool,
    text: String,
}

/// Reads pieces joined by hyphens, slashes or underscores.
fn run(page: &Page<'_>, at: usize) -> Option<Run> {
    let mut run =
        Run { behind: at, n_letters: 0, n_digits: 0, n_pieces: 0, upper: true, text: String::new() };
    loop {
        let raw = page.raw(run.behind);
        if raw.is_empty() || matches!(page.shape(run.behind)?, Shape::Mark(_)) || !raw.is_ascii() {
            return None;
        }
        run.add(raw);
        let joined = matches!(page.mark(run.behind), Some('-' | '_' | '/'))
            && page.is_tight(run.behind)
            && page.is_tight(run.behind + 1)
            && !matches!(page.shape(run.behind + 1), None | Some(Shape::Mark(_)));
        if !joined || run.n_pieces == PIECES_MAX {
            return Some(run);
        }
        run.text.push_str(page.raw(run.behind));
        run.behind += 1;
    }
}

impl Run {
    fn add(&mut self, raw: &str) {
        self.n_letters += raw.bytes().filter(u8::is_ascii_alphabetic).count();
        self.n_digits += raw.bytes().filter(u8::is_ascii_digit).count();
        self.upper &= !raw.bytes().any(|byte| byte.is_ascii_lowercase());
        self.text.push_str(raw);
        self.n_pieces += 1;
        self.behind += 1;
    }

    fn len(&self) -> usize {
        self.n_letters + self.n_digits
    }

    fn upper_text(&self) -> String {
        self.text.to_ascii_uppercase()
    }

    /// Letters and digits only.
    fn bare(&self) -> String {
        self.text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_uppercase()
    }
}

/// A code without a label.
pub(super) fn code(page: &Page<'_>, at: usize) -> Option<Figure> {
    let first = page.raw(at).as_bytes().first()?;
    let starts = first.is_ascii_uppercase() || (first.is_ascii_digit() && page.shape(at)? == Shape::Mixed);
    let joined = page.shape(at)? == Shape::Mixed || matches!(page.mark(at + 1), Some('-' | '_'));
    if !starts || !joined || (page.is_tight(at) && matches!(page.mark(at - 1), Some('-' | '_' | '/' | '\'')))
    {
        return None;
    }
    let run = run(page, at)?;
    let long = run.len() >= 5 || (run.n_pieces > 1 && run.len() >= 4 && run.n_digits > 1);
    let known = page.table.info(page.table.lookup(run.text.as_bytes())).cues;
    // "100GB" and "10AM" are amounts.
    let amount =
        run.text.trim_start_matches(|c: char| c.is_ascii_digit()).bytes().all(|b| b.is_ascii_alphabetic());
    let amount = amount && first.is_ascii_digit();
    let fits = run.upper && run.n_letters > 1 && run.n_digits > 0 && long;
    if !fits || amount || known.any(Cues::NOT_CODE) || run.text.contains('/') {
        return None;
    }
    Some(Page::figure(at, run.behind, Value::Code(run.upper_text())))
}

/// A number behind `#`.
pub(super) fn hash(page: &Page<'_>, at: usize) -> Option<Figure> {
    let run = run(page, at + 1).filter(|_| page.is_tight(at + 1))?;
    (run.n_digits >= 3 || (run.n_digits >= 2 && run.len() >= 4))
        .then(|| Page::figure(at, run.behind, Value::Number(run.bare())))
}

/// A number or code behind its label. The label itself is no part of it.
pub(super) fn labelled(page: &Page<'_>, at: usize) -> Option<Figure> {
    // The label is found from what it labels, so that it stays free for what else it says.
    let before = at.checked_sub(1)?;
    let leads = page.mark(before).is_some() || {
        page.is(before, Cues::NUMBER_LABEL | Cues::CODE_LABEL | Cues::FILLER)
    };
    if !leads {
        return None;
    }
    let joined = || page.mark(at + 1) == Some('-') && page.shape(at + 2) == Some(Shape::Digits);
    let upper = || page.text.as_bytes()[page.tokens[at].start].is_ascii_uppercase();
    if page.shape(at)? == Shape::Word && !upper() && !joined() {
        return None;
    }
    let label = label_before(page, at)?;
    labelled_run(page, at, &label)
}

/// What stands before a possible number.
struct Label {
    cues: Cues,
    /// Whether a word such as "number" or a `#` stands between.
    filled: bool,
    code_word: bool,
    parcel: bool,
}

/// The label before the token `at`.
fn label_before(page: &Page<'_>, at: usize) -> Option<Label> {
    let mut filled = false;
    for index in (at.saturating_sub(FILLERS_MAX)..at).rev() {
        let cues = page.table.cues(page.tokens[index].word);
        if cues.any(Cues::NUMBER_LABEL | Cues::CODE_LABEL) && !(filled_only(page, index)) {
            let raw = page.raw(index);
            let code_word = CODE_WORDS.iter().any(|word| raw.eq_ignore_ascii_case(word));
            return Some(Label { cues, filled, code_word, parcel: page.is_word(index, "tracking") });
        }
        let mark = match page.mark(index) {
            Some('#' | ':' | '.' | '-' | '"' | '\'' | '*' | '(') => true,
            Some(',') => page.is(index.saturating_sub(1), Cues::FILLER),
            _ => false,
        };
        if cues.any(Cues::FILLER) || page.mark(index) == Some('#') {
            filled = true;
        } else if !mark {
            return None;
        }
    }
    None
}

/// Whether a label that is also a filler has another label before it, as in "order reference".
fn filled_only(page: &Page<'_>, index: usize) -> bool {
    page.is(index, Cues::FILLER) && index > 0 && page.is(index - 1, Cues::NUMBER_LABEL)
}

fn labelled_run(page: &Page<'_>, at: usize, label: &Label) -> Option<Figure> {
    let mut run = run(page, at)?;
    if label.parcel {
        add_spaced(page, &mut run);
    }
    let next = page.info(run.behind);
    let counted = next.unit.is_some() || next.currency.is_some() || page.mark(run.behind) == Some('%');
    if label.cues.any(Cues::NUMBER_LABEL) {
        let long = run.len() >= if label.filled { 3 } else { 4 };
        if run.n_digits >= 2 && long && !counted {
            return Some(Page::figure(at, run.behind, Value::Number(run.bare())));
        }
    }
    let mixed = run.n_digits > 0 && run.n_letters > 0 && run.len() >= 2;
    let digits = run.n_letters == 0 && run.n_digits >= 3 && label.code_word;
    let word = run.n_digits == 0 && run.n_letters >= 4 && run.upper && label.code_word && !is_shouted(page);
    let known = page.table.info(page.table.lookup(run.text.as_bytes())).cues;
    let fits = label.cues.any(Cues::CODE_LABEL) && (mixed || digits || word) && !counted;
    (fits && !known.any(Cues::NOT_CODE) && !is_ordinal(&run.text))
        .then(|| Page::figure(at, run.behind, Value::Code(run.upper_text())))
}

/// Adds the groups of a parcel number, which are often written apart.
fn add_spaced(page: &Page<'_>, run: &mut Run) {
    while run.n_pieces < PIECES_MAX {
        let raw = page.raw(run.behind);
        let group = match page.shape(run.behind) {
            Some(Shape::Digits) => raw.len() > 1,
            Some(Shape::Mixed) => !raw.bytes().any(|byte| byte.is_ascii_lowercase()),
            _ => false,
        };
        if !group || page.info(run.behind + 1).unit.is_some() {
            return;
        }
        run.add(raw);
    }
}

/// Whether the sentence is in upper case throughout, where upper case says nothing.
fn is_shouted(page: &Page<'_>) -> bool {
    let words = page.tokens.iter().take(40).filter(|token| token.shape == Shape::Word);
    let lower =
        |token: &super::Token| page.text[token.start..token.end].bytes().any(|b| b.is_ascii_lowercase());
    !words.clone().any(lower)
}

fn is_ordinal(text: &str) -> bool {
    let ending = text.trim_start_matches(|c: char| c.is_ascii_digit()).to_ascii_lowercase();
    ending.len() < text.len() && ["st", "nd", "rd", "th"].contains(&ending.as_str())
}
