//! Codes, and numbers of orders, tickets, invoices and parcels.
//!
//! A number needs its label or a `#`. A code needs letters in upper case and digits, or a label. Words that
//! happen to have both, such as "MP3" and "COVID-19", are on a list.

use super::super::super::text::Shape;
use super::super::Value;
use super::super::lexicon::Cues;
use super::super::term::Figure;
use super::Page;

/// How many words and marks can stand between a label and what it labels.
const FILLERS_MAX: usize = 4;

/// The most pieces, joined by hyphens or spaces, that a number or code can have.
const PIECES_MAX: usize = 10;

/// The fewest digits of a code with one letter: "K-1071".
const LONE_LETTER_DIGITS_MIN: usize = 4;

/// A run of letters and digits, with what joins its pieces.
#[derive(Default)]
struct Run {
    behind: usize,
    text: String,
    n_pieces: usize,
    n_letters: usize,
    n_digits: usize,
}

/// Reads pieces joined by hyphens, slashes or underscores.
fn run(page: &Page<'_>, at: usize) -> Option<Run> {
    let is_piece = |at: usize| !matches!(page.shape(at), None | Some(Shape::Mark(_)));
    let mut run = Run { behind: at, ..Run::default() };
    loop {
        let raw = page.raw(run.behind);
        if !is_piece(run.behind) || !raw.is_ascii() {
            return None;
        }
        run.add(raw);
        let is_joined = page.has_mark(run.behind, "-_/")
            && page.is_tight(run.behind)
            && page.is_tight(run.behind + 1)
            && is_piece(run.behind + 1);
        if !is_joined || run.n_pieces == PIECES_MAX {
            return Some(run);
        }
        run.text.push_str(page.raw(run.behind));
        run.behind += 1;
    }
}

impl Run {
    fn add(&mut self, raw: &str) {
        self.text.push_str(raw);
        self.n_pieces += 1;
        self.behind += 1;
        let n_digits = raw.bytes().filter(u8::is_ascii_digit).count();
        self.n_digits += n_digits;
        self.n_letters += raw.len() - n_digits;
    }

    /// Whether no letter is in lower case.
    fn is_upper(&self) -> bool {
        !self.text.bytes().any(|byte| byte.is_ascii_lowercase())
    }

    fn code(&self) -> Value {
        Value::Code(self.text.to_ascii_uppercase())
    }

    /// Letters and digits only.
    fn number(&self) -> Value {
        let bare = self.text.chars().filter(char::is_ascii_alphanumeric);
        Value::Number(bare.collect::<String>().to_ascii_uppercase())
    }

    /// Whether it names no code although it looks like one.
    fn is_no_code(&self, page: &Page<'_>) -> bool {
        page.table.cues_of(&self.text).any(Cues::NOT_CODE)
    }
}

/// A code without a label.
pub(super) fn code(page: &Page<'_>, at: usize) -> Option<Figure> {
    let mixed = page.shape(at)? == Shape::Mixed;
    let digit_first = page.raw(at).starts_with(|c: char| c.is_ascii_digit());
    let starts = page.raw(at).starts_with(|c: char| c.is_ascii_uppercase()) || (digit_first && mixed);
    let joined = mixed || page.has_mark(at + 1, "-_");
    if !starts || !joined || page.follows_mark(at, "-_/'") {
        return None;
    }
    let run = run(page, at)?;
    let is_long = run.n_letters + run.n_digits >= if run.n_pieces > 1 { 4 } else { 5 };
    // "100GB" and "10AM" are amounts.
    let letters = run.text.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_amount = digit_first && letters.bytes().all(|byte| byte.is_ascii_alphabetic());
    let has_many_digits = run.n_digits >= LONE_LETTER_DIGITS_MIN;
    let is_mixed = run.n_digits > 0 && (run.n_letters > 1 || has_many_digits);
    let is_code = is_long && !is_amount && is_mixed && run.is_upper() && !run.text.contains('/');
    (is_code && !run.is_no_code(page)).then(|| Page::figure(at, run.behind, run.code()))
}

/// A number behind `#`.
pub(super) fn hash(page: &Page<'_>, at: usize) -> Option<Figure> {
    let run = run(page, at + 1).filter(|_| page.is_tight(at + 1))?;
    let is_number = run.n_digits >= 2 && run.n_digits + run.n_letters >= 3;
    is_number.then(|| Page::figure(at, run.behind, run.number()))
}

/// A number or code behind its label. The label itself is no part of it.
pub(super) fn labelled(page: &Page<'_>, at: usize) -> Option<Figure> {
    // The label is found from what it labels, so that it stays free for what else it says.
    let joined = || page.has_mark(at + 1, "-") && page.is_digits(at + 2);
    let upper = page.raw(at).starts_with(|c: char| c.is_ascii_uppercase());
    if page.shape(at)? == Shape::Word && !upper && !joined() {
        return None;
    }
    let label = label_before(page, at)?;
    let mut run = run(page, at)?;
    // The groups of a parcel number are often written apart.
    let is_group = |at: usize| {
        let is_long = page.len(at) > 1 && !page.raw(at).bytes().any(|byte| byte.is_ascii_lowercase());
        is_long && matches!(page.shape(at), Some(Shape::Digits | Shape::Mixed)) && !page.is_unit(at + 1)
    };
    while label.cues.any(Cues::PARCEL) && run.n_pieces < PIECES_MAX && is_group(run.behind) {
        run.add(page.raw(run.behind));
    }
    if page.is_unit(run.behind) || page.has_mark(run.behind, "%") {
        return None;
    }
    let is_long = run.n_letters + run.n_digits >= if label.filled { 3 } else { 4 };
    if label.cues.any(Cues::NUMBER_LABEL) && run.n_digits >= 2 && is_long {
        return Some(Page::figure(at, run.behind, run.number()));
    }
    let fits = label.cues.any(Cues::CODE_LABEL)
        && match (run.n_letters, run.n_digits) {
            (1.., 1..) => true,
            (0, 3..) => label.cues.any(Cues::CODE_WORD),
            (4.., 0) => label.cues.any(Cues::CODE_WORD) && run.is_upper(),
            _ => false,
        };
    (fits && !run.is_no_code(page)).then(|| Page::figure(at, run.behind, run.code()))
}

/// What stands before a possible number.
struct Label {
    cues: Cues,
    /// Whether a word such as "number" or a `#` stands between.
    filled: bool,
}

/// The label before the token `at`.
fn label_before(page: &Page<'_>, at: usize) -> Option<Label> {
    let mut filled = false;
    for index in (at.saturating_sub(FILLERS_MAX)..at).rev() {
        let cues = page.table.cues(page.word(index));
        if cues.any(Cues::NUMBER_LABEL | Cues::CODE_LABEL) {
            return Some(Label { cues, filled });
        }
        if cues.any(Cues::FILLER) || page.has_mark(index, "#") {
            filled = true;
        } else if !page.has_mark(index, ":.,-\"'*(") {
            return None;
        }
    }
    None
}
