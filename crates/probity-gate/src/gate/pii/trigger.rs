//! The words that make the check look closer, and the one pass that finds them.
//!
//! They are found whatever the case of their letters, and not behind a letter; what a word opens is for the modules
//! that it is handed to.

use std::sync::LazyLock;

use super::super::word_set::{WordSet, starts};
use super::labelled::Announced;
use super::secret::Token;
use super::spelled::Spelling;

/// What a word opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trigger {
    /// A value behind a label.
    Label(Announced),
    /// A key or a token.
    Secret(Token),
    /// A digit in words.
    Number(Spelling),
    /// A word for `@`.
    At,
    /// A word for a dot with the spaces around it, behind which a word for `@` may stand.
    Dot,
    /// An address without a street: a box, a military post.
    PostBox,
    /// A unit within a building.
    Unit,
    /// The words before the end of a card number.
    LastFour,
}

use Announced::{BankAccount, Birth, Code, Document, Key, NationalId, Password};

/// Every word, by what it opens. A bar stands between two words.
const TRIGGERS: &[(Trigger, &str)] = &[
    (
        Trigger::Label(Birth),
        "date of birth|dob|d.o.b.|birth date|birthdate|birthday|date_of_birth|born on|born|geburtsdatum",
    ),
    (
        Trigger::Label(Document),
        "passport|driver's license|drivers license|driver license|driver's licence|driving licence|\
         driving license|drivers licence|identity card|id card number|residence permit|green card number",
    ),
    (
        Trigger::Label(NationalId),
        "national insurance|nino|social insurance|aadhaar|aadhar|cpf|curp|pesel|bsn|tax id|itin|tfn|\
         tax file number|codice fiscale|dni|personnummer|national id|nhs number|tin|taxpayer id|\
         sin number|medicare number|steuer-id|insee",
    ),
    (Trigger::Label(BankAccount), "bank account|sort code|routing number|routing|bsb|bank acct"),
    (Trigger::Label(Password), "password|passcode|passphrase|pwd|passwort"),
    (
        Trigger::Label(Code),
        "one-time code|one time code|one-time password|one-time passcode|one time password|otp|\
         verification code|security code|authentication code|2fa code|login code|sign-in code|pin|\
         pin code|cvv|cvv2|cvc|access code|passcode",
    ),
    (
        Trigger::Label(Key),
        "api key|api_key|apikey|api-key|api token|access token|access_token|secret key|secret_key|\
         client secret|client_secret|auth token|secret access key|aws_secret_access_key",
    ),
    (
        Trigger::Secret(Token::Random(16)),
        "sk-|sk_live_|sk_test_|rk_live_|rk_test_|ghp_|gho_|ghs_|ghu_|ghr_|github_pat_|glpat-|xoxb-|\
         xoxp-|xoxa-|xoxs-|xapp-|akia|asia|aiza|ya29.|sg.|npm_|pypi-|hf_|whsec_|shpat_|shpss_|sq0atp-|\
         sq0csp-|dop_v1_",
    ),
    (Trigger::Secret(Token::Segments), "eyj"),
    (Trigger::Secret(Token::PrivateKey), "-----begin"),
    (Trigger::Secret(Token::Bearer), "bearer "),
    (Trigger::Number(Spelling::Digit(0)), "zero|oh"),
    (Trigger::Number(Spelling::Digit(1)), "one"),
    (Trigger::Number(Spelling::Digit(2)), "two"),
    (Trigger::Number(Spelling::Digit(3)), "three"),
    (Trigger::Number(Spelling::Digit(4)), "four"),
    (Trigger::Number(Spelling::Digit(5)), "five"),
    (Trigger::Number(Spelling::Digit(6)), "six"),
    (Trigger::Number(Spelling::Digit(7)), "seven"),
    (Trigger::Number(Spelling::Digit(8)), "eight"),
    (Trigger::Number(Spelling::Digit(9)), "nine"),
    (Trigger::Number(Spelling::Times(2)), "double"),
    (Trigger::Number(Spelling::Times(3)), "triple"),
    (
        Trigger::At,
        "[at]|(at)|{at}|<at>|[ at ]|( at )|at gmail|at googlemail|at yahoo|at hotmail|at outlook|\
         at icloud|at aol|at proton|at gmx|at live",
    ),
    (Trigger::Dot, "dot "),
    (Trigger::PostBox, "p.o. box|po box|p.o.box|post office box|postbox|psc |apo a|fpo a|dpo a"),
    (Trigger::Unit, "suite|apt.|apt |apartment"),
    (
        Trigger::LastFour,
        "ending in|ends in|ending with|ends with|ending|last four|last 4|last four digits|last 4 digits",
    ),
];

/// A trigger and where it stands.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) trigger: Trigger,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The words, and what each of them opens.
static WORDS: LazyLock<(WordSet, Vec<Trigger>)> = LazyLock::new(|| {
    let opens = |(trigger, words): &(Trigger, &'static str)| {
        let trigger = *trigger;
        words.split('|').map(move |word| (word.as_bytes(), trigger))
    };
    let (words, triggers): (Vec<&[u8]>, _) = TRIGGERS.iter().flat_map(opens).unzip();
    (WordSet::of(words.into_iter()), triggers)
});

/// The triggers of `text` in order.
pub(super) fn find(text: &str) -> impl Iterator<Item = Found> {
    let (words, triggers) = &*WORDS;
    let (bytes, mut from) = (text.as_bytes(), 0);
    starts(bytes).filter_map(move |at| {
        // What is part of one trigger opens no other.
        let (number, len) = words.longest_at(bytes, at).filter(|_| at >= from)?;
        let trigger = triggers[number];
        let is_dot = trigger == Trigger::Dot;
        if is_dot && bytes[from..at].last() != Some(&b' ') {
            return None;
        }
        from = at + len;
        Some(Found { trigger, start: at - usize::from(is_dot), end: from })
    })
}
