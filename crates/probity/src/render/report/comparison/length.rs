//! How far the length of a reply goes with winning.

use probity_core::compare::{Candidate, Choice, Figures, Pair, Policies};
use probity_core::stats::proportion;

use super::super::chart::{Scatter, Shape, Whisker};
use super::super::page::{Block, Cell, Section, Table};
use super::{Place, Sides};

/// Into so many groups the pairs are divided, from the shortest to the longest.
const GROUPS: usize = 5;

/// A pair by its lengths.
struct Point {
    /// How many characters longer the second reply is.
    longer_by: i64,
    /// 0 the second wins, 1 nobody, 2 the first wins.
    band: usize,
}

/// The section about lengths; `None` where no length is known.
pub(super) fn length(figures: &Figures, pairs: &[Pair], place: &Place) -> Option<Section> {
    let sides = Sides::of(pairs);
    let mut points: Vec<Point> =
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
        .with(Block::Scatter(Scatter::new(&label, &axis, &bands, &values)))
        .table(groups(&points, &a, &b));
    let mut rates = Table::new(&["figure", "~0 to 100 %", "#value", "#95 % interval", "#n"]);
    for (name, rate) in [
        ("the longer reply wins, of winning passes", &figures.rates.longer_by_pass),
        ("the longer reply wins, of pairs with a winner", &figures.rates.longer_by_result),
    ] {
        if rate.is_some() {
            let mut row = vec![Cell::text(name)];
            row.extend(Cell::share(rate.as_ref()));
            rates.row(row);
        }
    }
    Some(section.table(rates))
}

fn point(pair: &Pair, sides: Option<&Sides>, policies: Policies) -> Option<Point> {
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
    Some(Point { longer_by: if is_flipped { a - b } else { b - a }, band })
}

/// The pairs in groups of about the same size.
fn groups(points: &[Point], a: &str, b: &str) -> Table {
    let [b_wins, a_wins] = [format!("#{b} wins"), format!("#{a} wins")];
    let share = format!("~{b}, of pairs with a winner, 0 to 100 %");
    let titles = [
        "#longer by", "#pairs", &b_wins, "#tie or unstable", &a_wins, &share, "#share", "#95 % interval",
        "#n",
    ];
    let mut table = Table::new(&titles);
    for group in points.chunks(points.len().div_ceil(GROUPS).max(1)) {
        let count = |band: usize| group.iter().filter(|point| point.band == band).count() as u64;
        let counts = [0, 1, 2].map(count);
        let (from, to) = (group[0].longer_by, group[group.len() - 1].longer_by);
        let range = if from == to { format!("{from:+}") } else { format!("{from:+} to {to:+}") };
        let mut row = vec![Cell::text(range), Cell::text(group.len().to_string())];
        row.extend(counts.map(|n| Cell::text(n.to_string())));
        let rate = proportion(counts[0], counts[0] + counts[2]);
        let mut share = Cell::share(rate.as_ref());
        if let Some(rate) = &rate {
            share[0] = Cell::Plot(Whisker::share(rate).mark(Shape::Line, Some(0.5)));
        }
        row.extend(share);
        table.row(row);
    }
    table
}
