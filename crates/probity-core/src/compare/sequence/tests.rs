//! The bets are fair, exactly, and what follows from that is seen over all orders of small sets.

use proptest::prelude::*;

use super::*;

/// Calls `see` with every order of `outcomes`, each as often as any other.
fn every_order(outcomes: &mut Vec<f64>, from: usize, see: &mut impl FnMut(&[f64])) {
    if from == outcomes.len() {
        see(outcomes);
    }
    for at in from..outcomes.len() {
        outcomes.swap(from, at);
        every_order(outcomes, from + 1, see);
        outcomes.swap(from, at);
    }
}

/// Every order of `wins` ones and `losses` zeros.
fn every_order_of(wins: usize, losses: usize, drawn: &mut Vec<f64>, see: &mut impl FnMut(&[f64])) {
    if wins + losses == 0 {
        see(drawn);
    }
    for (outcome, is_left) in [(1.0, wins > 0), (0.0, losses > 0)] {
        if is_left {
            let (wins, losses) = if outcome > 0.5 { (wins - 1, losses) } else { (wins, losses - 1) };
            drawn.push(outcome);
            every_order_of(wins, losses, drawn, see);
            drawn.pop();
        }
    }
}

/// The capitals against `mean` after the first `n` of `outcomes`, with no bar to stop at.
fn capitals(outcomes: &[f64], n: usize, mean: f64) -> [f64; SHARES.len()] {
    let mut bet = Bet::against(mean);
    let mut urn = Urn::full(outcomes.len());
    for outcome in &outcomes[..n] {
        bet.settle(*outcome, &urn, f64::INFINITY);
        urn.draw(*outcome);
    }
    bet.capitals
}

/// Over all orders, each gambler's capital against the true mean is 1 on average, at every time.
#[test]
fn every_bet_is_fair() {
    for set in
        [[1.0, 1.0, 0.0, 0.5, 0.0, 0.0], [0.9, 0.1, 0.3, 1.0, 1.0, 0.5], [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]]
    {
        let mean = set.iter().sum::<f64>() / 6.0;
        for n in 1..=6 {
            let (mut sums, mut n_orders) = ([0.0; SHARES.len()], 0.0);
            every_order(&mut set.to_vec(), 0, &mut |outcomes| {
                n_orders += 1.0;
                for (sum, capital) in sums.iter_mut().zip(capitals(outcomes, n, mean)) {
                    *sum += capital;
                }
            });
            assert!(sums.iter().all(|sum| (sum / n_orders - 1.0).abs() < 1e-9), "{n}: {sums:?}");
        }
    }
}

/// The share of all orders in which something wrong is claimed at some time.
fn wrong(wins: usize, losses: usize, alpha: f64, margin: f64) -> f64 {
    let n = wins + losses;
    let (lead, edge) = (wins as f64 - losses as f64, 2.0 * margin * n as f64);
    let truth = if lead > edge {
        SequenceDecision::BetterA
    } else if lead < -edge {
        SequenceDecision::BetterB
    } else {
        SequenceDecision::WithinMargin
    };
    let (mut n_orders, mut n_wrong) = (0.0, 0.0);
    every_order_of(wins, losses, &mut Vec::new(), &mut |outcomes| {
        let mut sequence = Sequence::new(alpha, margin, n).expect("the settings are right");
        let is_wrong = outcomes.iter().any(|outcome| {
            sequence.push(*outcome);
            sequence.decision() != SequenceDecision::Undecided && sequence.decision() != truth
        });
        n_orders += 1.0;
        n_wrong += f64::from(u8::from(is_wrong));
    });
    n_wrong / n_orders
}

/// No simulation: all orders of small sets, at error rates so loose that mistakes do happen.
#[test]
fn the_error_rate_holds_over_all_orders() {
    let mut most = 0.0_f64;
    for alpha in [0.2, 0.5, 0.9] {
        for (wins, losses, margin) in
            [(6, 6, 0.0), (7, 5, 0.0625), (5, 7, 0.0625), (10, 6, 0.125), (9, 2, 0.25), (1, 9, 0.375)]
        {
            let got = wrong(wins, losses, alpha, margin);
            assert!(got <= alpha, "{got} of the orders of {wins} and {losses} are wrong at {alpha}");
            most = most.max(got / alpha);
        }
    }
    assert!(most > 0.1, "nothing went wrong anywhere, so nothing was tested: {most}");
}

/// In a set without end, a run of wins is decided when the mean capital, by its closed form, reaches 2/α.
#[test]
fn a_run_of_wins_is_decided_at_the_bar() {
    for (alpha, margin) in [(0.05, 0.05), (0.01, 0.0), (0.2, 0.2)] {
        let gain = 1.0 / (0.5 + margin) - 1.0;
        let capital = |n: i32| SHARES.iter().map(|share| (1.0 + share * gain).powi(n)).sum::<f64>() / 10.0;
        let want = (1..1000).find(|n| capital(*n) >= 2.0 / alpha).expect("the capital grows");
        let mut sequence = Sequence::new(alpha, margin, 1 << 50).expect("the settings are right");
        let mut n = 0;
        while sequence.decision() == SequenceDecision::Undecided {
            sequence.push(1.0);
            n += 1;
        }
        assert_eq!((n, sequence.decision()), (want, SequenceDecision::BetterA));
    }
}

proptest! {
    /// Against a larger mean the capital is never larger: what is excluded is everything below a bound.
    #[test]
    fn capital_falls_with_the_mean(
        outcomes in prop::collection::vec(prop_oneof![Just(0.0), Just(0.5), Just(1.0), 0.0..=1.0], 1..40),
        means in (0.0..1.0, 0.0..1.0),
    ) {
        let (small, large) = if means.0 < means.1 { means } else { (means.1, means.0) };
        let n = outcomes.len();
        // Where the smaller mean is impossible already, no bet is needed against it.
        let possible = (0..n).take_while(|drawn| outcomes[..=*drawn].iter().sum::<f64>() <= n as f64 * small).count();
        let (more, less) = (capitals(&outcomes, possible, small), capitals(&outcomes, possible, large));
        for (more, less) in more.iter().zip(less) {
            prop_assert!(*more >= less * (1.0 - 1e-9), "{more} {less}");
        }
    }
}
