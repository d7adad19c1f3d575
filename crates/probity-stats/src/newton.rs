//! The peak of a smooth concave function, by Newton's method with step halving.
//!
//! For penalised likelihoods with few parameters. It starts at zero, draws no number and looks at no clock,
//! so the same function gives the same peak. A function without a peak (a likelihood that keeps rising) is an
//! error; a caller that needs an answer nevertheless adds a penalty and says so.

/// Steps before a climb is given up. A well-posed fit takes about ten; the tail of a nearly separated one
/// takes one step for each unit of log-odds.
const STEPS_MAX: usize = 200;

/// How often one step is halved before the climb is given up.
const HALVINGS_MAX: usize = 60;

/// A step shorter than this, relative to the largest coordinate, ends the climb.
const STEP_MIN: f64 = 1e-11;

/// Coordinates beyond this are no estimate but a function that rises without end.
const COORDINATE_MAX: f64 = 1e4;

/// What is left of a diagonal cell after the rows before it are taken out, relative to the cell; below this
/// it is rounding, and the row a combination of those before it.
const PIVOT_MIN: f64 = 1e-14;

/// A symmetric matrix, kept whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Symmetric {
    n: usize,
    cells: Vec<f64>,
}

impl Symmetric {
    /// The matrix of zeros with `n` rows.
    pub fn zeros(n: usize) -> Self {
        Symmetric { n, cells: vec![0.0; n * n] }
    }

    /// Adds `amount` at (`row`, `column`) only; the caller adds the mirrored cell.
    pub fn add(&mut self, row: usize, column: usize, amount: f64) {
        self.cells[row * self.n + column] += amount;
    }

    /// The value of the quadratic form at `vector`.
    pub fn form(&self, vector: &[f64]) -> f64 {
        let rows = self.cells.chunks_exact(self.n).zip(vector);
        rows.map(|(row, factor)| factor * dot(row, vector)).sum()
    }

    /// The lower triangle L with L·Lᵀ equal to this matrix, or `None` where it is not positive definite.
    ///
    /// Zeros are skipped, so a matrix whose dense columns come last (one row per group, then the shared
    /// terms) takes time in proportion to its size.
    fn factor(mut self) -> Option<Factor> {
        let n = self.n;
        let diagonal: Vec<f64> = (0..n).map(|row| self.cells[row * n + row]).collect();
        for (pivot, whole) in diagonal.iter().enumerate() {
            let square = self.cells[pivot * n + pivot];
            if square.is_nan() || square <= PIVOT_MIN * whole.abs() {
                return None;
            }
            let root = square.sqrt();
            self.cells[pivot * n + pivot] = root;
            let mut below: Vec<(usize, f64)> = Vec::new();
            for row in pivot + 1..n {
                let cell = self.cells[row * n + pivot] / root;
                self.cells[row * n + pivot] = cell;
                if cell != 0.0 {
                    below.push((row, cell));
                }
            }
            for (at, &(row, cell)) in below.iter().enumerate() {
                for &(column, other) in &below[..=at] {
                    self.cells[row * n + column] -= cell * other;
                }
            }
        }
        Some(Factor { n, cells: self.cells })
    }
}

/// A positive definite matrix, ready to be divided by.
#[derive(Debug, Clone, PartialEq)]
pub struct Factor {
    n: usize,
    /// The lower triangle, row by row; what stands above the diagonal is not read.
    cells: Vec<f64>,
}

impl Factor {
    /// The matrix's inverse times `vector`.
    pub fn solve(&self, vector: &[f64]) -> Vec<f64> {
        let n = self.n;
        let mut solution = vector.to_vec();
        for row in 0..n {
            let known = dot(&self.cells[row * n..row * n + row], &solution[..row]);
            solution[row] = (solution[row] - known) / self.cells[row * n + row];
        }
        for row in (0..n).rev() {
            let known: f64 = (row + 1..n).map(|below| self.cells[below * n + row] * solution[below]).sum();
            solution[row] = (solution[row] - known) / self.cells[row * n + row];
        }
        solution
    }
}

/// A concave function seen at one point.
#[derive(Debug, Clone, PartialEq)]
pub struct Local {
    /// Its value.
    pub value: f64,
    /// Its first derivatives.
    pub gradient: Vec<f64>,
    /// Its second derivatives, negated.
    pub curvature: Symmetric,
}

/// Where a function is largest.
#[derive(Debug, Clone, PartialEq)]
pub struct Peak {
    /// The coordinates.
    pub at: Vec<f64>,
    /// The curvature there: the observed information, where the function is a log-likelihood.
    pub curvature: Factor,
}

/// The function has no peak that could be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoPeak {
    /// A direction in which nothing changes: two terms say the same thing.
    #[error("the fit has no single answer: a term is a combination of the others")]
    Flat,
    /// The function rises without end, or too slowly to be followed.
    #[error("the fit does not settle within {STEPS_MAX} steps: a term separates the outcomes completely")]
    Endless,
}

/// The peak of the concave function `local` of `n` coordinates.
pub fn peak(n: usize, local: impl Fn(&[f64]) -> Local) -> Result<Peak, NoPeak> {
    let mut at = vec![0.0; n];
    let mut here = local(&at);
    for _ in 0..STEPS_MAX {
        let curvature = here.curvature.clone().factor().ok_or(NoPeak::Flat)?;
        let mut step = curvature.solve(&here.gradient);
        let reach = at.iter().fold(1.0_f64, |most, coordinate| most.max(coordinate.abs()));
        if step.iter().all(|part| part.abs() <= STEP_MIN * reach) {
            return Ok(Peak { at, curvature });
        }
        let (there, seen) = climb(&at, &mut step, &here, &local).ok_or(NoPeak::Endless)?;
        if there.iter().any(|coordinate| coordinate.abs() > COORDINATE_MAX) {
            return Err(NoPeak::Endless);
        }
        (at, here) = (there, seen);
    }
    Err(NoPeak::Endless)
}

/// The first point along `step`, halved as often as needed, that does not lie lower.
fn climb(
    at: &[f64],
    step: &mut [f64],
    here: &Local,
    local: &impl Fn(&[f64]) -> Local,
) -> Option<(Vec<f64>, Local)> {
    // Next to the peak the value's own rounding may hide the last gain.
    let floor = here.value - 1e-13 * (1.0 + here.value.abs());
    for _ in 0..HALVINGS_MAX {
        let there: Vec<f64> = at.iter().zip(&*step).map(|(from, by)| from + by).collect();
        let seen = local(&there);
        if seen.value >= floor {
            return Some((there, seen));
        }
        for part in &mut *step {
            *part /= 2.0;
        }
    }
    None
}

/// The sum of products.
pub fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// `cells` as a symmetric matrix made positive definite: its square plus one on the diagonal.
    fn positive(n: usize, cells: &[f64]) -> Symmetric {
        let mut matrix = Symmetric::zeros(n);
        for row in 0..n {
            for column in 0..n {
                let product = dot(&cells[row * n..(row + 1) * n], &cells[column * n..(column + 1) * n]);
                matrix.add(row, column, product + f64::from(u8::from(row == column)));
            }
        }
        matrix
    }

    fn systems() -> impl Strategy<Value = (usize, Vec<f64>, Vec<f64>)> {
        (1_usize..7).prop_flat_map(|n| {
            (Just(n), prop::collection::vec(-3.0..3.0, n * n), prop::collection::vec(-5.0..5.0, n))
        })
    }

    proptest! {
        /// Dividing by a matrix undoes multiplying by it.
        #[test]
        fn a_solution_solves((n, cells, wanted) in systems()) {
            let matrix = positive(n, &cells);
            let product: Vec<f64> =
                (0..n).map(|row| dot(&matrix.cells[row * n..(row + 1) * n], &wanted)).collect();
            let got = matrix.factor().expect("a square plus one is positive definite").solve(&product);
            for (got, wanted) in got.iter().zip(&wanted) {
                prop_assert!((got - wanted).abs() < 1e-7, "{got} {wanted}");
            }
        }

        /// The peak of a parabola is where its gradient vanishes, and one step finds it.
        #[test]
        fn a_parabola_has_its_peak((n, cells, slope) in systems()) {
            let matrix = positive(n, &cells);
            let found = peak(n, |at| {
                let pull: Vec<f64> = (0..n).map(|row| dot(&matrix.cells[row * n..(row + 1) * n], at)).collect();
                Local {
                    value: dot(&slope, at) - matrix.form(at) / 2.0,
                    gradient: slope.iter().zip(&pull).map(|(up, down)| up - down).collect(),
                    curvature: matrix.clone(),
                }
            });
            let found = found.expect("a parabola has a peak");
            let wanted = matrix.factor().expect("a square plus one is positive definite").solve(&slope);
            for (got, wanted) in found.at.iter().zip(&wanted) {
                prop_assert!((got - wanted).abs() < 1e-8, "{got} {wanted}");
            }
        }
    }

    /// A function of one coordinate.
    fn line(value: impl Fn(f64) -> (f64, f64, f64)) -> Result<Peak, NoPeak> {
        peak(1, |at| {
            let (value, slope, bend) = value(at[0]);
            let mut curvature = Symmetric::zeros(1);
            curvature.add(0, 0, bend);
            Local { value, gradient: vec![slope], curvature }
        })
    }

    #[test]
    fn a_rising_function_has_no_peak() {
        let endless = line(|x| (-(-x).exp(), (-x).exp(), (-x).exp()));
        assert!(endless.is_err(), "{endless:?}");
        assert_eq!(line(|x| (x, 1.0, 0.0)), Err(NoPeak::Flat));
    }

    #[test]
    fn a_step_too_far_is_halved() {
        // Newton's first step from zero lands at 99, where this function is far lower.
        let found = line(|x| (100.0 * x - x.exp(), 100.0 - x.exp(), x.exp())).expect("it has a peak");
        assert!((found.at[0] - 100_f64.ln()).abs() < 1e-10, "{found:?}");
    }
}
