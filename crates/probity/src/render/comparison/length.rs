//! How far the length of a reply goes with winning.

use probity_core::compare::{Candidate, Choice, Figures, Pair, Policies};
use probity_core::stats::proportion;

use super::super::report::chart::scatter;
use super::super::report::document::{Block, Cell, Cells, Section, Table};
use super::{JudgePlace, Sides};

/// Into so many groups the pairs are divided, from the shortest to the longest.
const GROUPS: usize = 5;

/// A pair by its lengths.
struct LengthPoint {
    /// How many characters longer the second reply is.
    longer_by: i64,
    /// 0 the second wins, 1 a tie, 2 the first wins.
    band: usize,
}

/// The section about lengths; `None` where no length is known.
pub(super) fn length(figures: &Figures, pairs: &[Pair], place: &JudgePlace<'_>) -> Option<Section> {
    let sides = Sides::of(pairs);
    let mut points: Vec<LengthPoint> =
        pairs.iter().filter_map(|pair| point(pair, sides.as_ref(), figures.policies)).collect();
    if points.is_empty() {
        return None;
    }
    points.sort_by_key(|point| point.longer_by);
    let [a, b] = match &sides {
        Some(sides) => [sides.a.to_string(), sides.b.to_string()],
        None => ["the first".to_owned(), "the second".to_owned()],
    };
    let bands = [format!("{b} wins"), "tie or unstable".to_owned(), format!("{a} wins")];
    let axis = format!("characters by which the reply of {b} is longer");
    let label = format!("Who wins, by how much longer the reply of {b} is; the table below has the counts");
    let values: Vec<(f64, usize)> = points.iter().map(|point| (point.longer_by as f64, point.band)).collect();
    let section = place
        .section("length", "Length")
        .legend(format!("A judge that likes length has its points on the diagonal: {b} wins on the right, {a} on the left."))
        .with(Block::Drawing(scatter(&label, &axis, &bands, &values)))
        .table(groups(&points, &a, &b));
    Some(section)
}

fn point(pair: &Pair, sides: Option<&Sides>, policies: Policies) -> Option<LengthPoint> {
    let [a, b] = pair.lengths?.map(|length| i64::try_from(length).unwrap_or(i64::MAX));
    let is_flipped = sides.is_some_and(|sides| pair.variants[0] != sides.a);
    let winner = match pair.result(policies)? {
        Choice::Wins(winner) => Some(if is_flipped { winner.other() } else { winner }),
        Choice::Tie | Choice::NeedsHumanReview => None,
    };
    let band = match winner {
        Some(Candidate::B) => 0,
        None => 1,
        Some(Candidate::A) => 2,
    };
    Some(LengthPoint { longer_by: if is_flipped { a - b } else { b - a }, band })
}

/// The pairs in groups of about the same size.
fn groups(points: &[LengthPoint], a: &str, b: &str) -> Table {
    let [b_wins, a_wins] = [format!("#{b} wins"), format!("#{a} wins")];
    let share = format!("%{b}, of pairs with a winner");
    let mut table = Table::new(&["#longer by", "#pairs", &b_wins, "#tie or unstable", &a_wins, &share]);
    for group in points.chunks(points.len().div_ceil(GROUPS).max(1)) {
        let count = |band: usize| group.iter().filter(|point| point.band == band).count() as u64;
        let [b_wins, neither, a_wins] = [0, 1, 2].map(count);
        let (from, to) = (group[0].longer_by, group[group.len() - 1].longer_by);
        let range = if from == to { format!("{from:+}") } else { format!("{from:+} to {to:+}") };
        let rate = proportion(b_wins, b_wins + a_wins);
        let rate = Cell::half_marked(rate.as_ref());
        let rate =
            rate.opening(&format!("{b} wins, {range} characters"), &[("total", &format!("{from}..{to}"))]);
        table.row(cells![range, group.len(), b_wins, neither, a_wins, rate]);
    }
    table
}
