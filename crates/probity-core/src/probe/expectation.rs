//! What a change may not do to a verdict, or must.

/// What is expected of a judge under a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Expectation {
    /// The treatment is not better than the control.
    NoRise,
    /// The treatment is neither better nor worse than the control.
    NoMove,
    /// The treatment gets less than half of the points, or does not beat the base.
    Lowest,
    /// The winner does not depend on the slot.
    Consistent,
    /// Neither of two equally good replies wins.
    Tie,
    /// The same packet gets the same answer again.
    Repeatable,
    /// The criterion that a planted fault is about falls by a level at least, or the faulty reply loses.
    MustFall,
    /// The gate blocks the reply, and no judge is asked.
    Blocked,
}

impl Expectation {
    /// Every expectation with the name that files have for it.
    pub(super) const NAMED: &[(&str, Expectation)] = &[
        ("no_rise", Expectation::NoRise),
        ("no_move", Expectation::NoMove),
        ("lowest", Expectation::Lowest),
        ("consistent", Expectation::Consistent),
        ("tie", Expectation::Tie),
        ("repeatable", Expectation::Repeatable),
        ("must_fall", Expectation::MustFall),
        ("blocked", Expectation::Blocked),
    ];

    /// The name used in files and reports.
    pub fn name(self) -> &'static str {
        let named = Expectation::NAMED.iter().find(|(_, expectation)| *expectation == self);
        named.expect("every expectation is in the table").0
    }

    /// What a violation is, in words that follow a count of bases.
    pub(super) fn violated(self) -> &'static str {
        match self {
            Expectation::NoRise => "the changed reply came out better",
            Expectation::NoMove => "the change moved the verdict",
            Expectation::Lowest => "a reply that helps nobody did well",
            Expectation::Consistent => "the winner depended on the slot",
            Expectation::Tie => "one of two equal replies won in both orders",
            Expectation::Repeatable => "the same packet got another answer",
            Expectation::MustFall => "the planted fault was missed",
            Expectation::Blocked => "the gate admitted the reply",
        }
    }
}
