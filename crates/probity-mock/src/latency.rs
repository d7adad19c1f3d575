//! How long the mock judge takes to answer: fixed, even between two bounds, or with a long tail.

use std::f64::consts::TAU;
use std::str::FromStr;
use std::time::Duration;

use jiff::SignedDuration;

use super::draw::CallDraw;

/// No answer takes longer than this, however long the tail.
const LATENCY_MAX: Duration = Duration::from_mins(10);

/// The distribution of latencies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Latency {
    /// Always the same.
    Fixed(Duration),
    /// Even between two bounds.
    Uniform {
        /// The shortest.
        from: Duration,
        /// The longest.
        to: Duration,
    },
    /// Log-normal, as services are.
    LogNormal {
        /// Half of the answers come sooner.
        median: Duration,
        /// The standard deviation of the logarithm.
        sigma: f64,
    },
}

impl Latency {
    /// The latency of the call that `draw` belongs to.
    pub(crate) fn sample(self, draw: &CallDraw) -> Duration {
        let drawn = match self {
            Latency::Fixed(latency) => latency,
            Latency::Uniform { from, to } => from + to.saturating_sub(from).mul_f64(draw.share("latency")),
            Latency::LogNormal { median, sigma } => {
                // Box and Muller's transform; the first share is turned so that its logarithm exists.
                let radius = (-2.0 * (1.0 - draw.share("latency")).ln()).sqrt();
                let normal = radius * (TAU * draw.share("latency angle")).cos();
                let seconds = median.as_secs_f64() * (sigma * normal).exp();
                Duration::try_from_secs_f64(seconds).unwrap_or(LATENCY_MAX)
            }
        };
        drawn.min(LATENCY_MAX)
    }
}

impl FromStr for Latency {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || {
            format!(
                "expected a time such as 50ms, uniform:20ms..80ms or lognormal:50ms,0.5 of at most 10m, found {text:?}"
            )
        };
        let latency = match text.split_once(':') {
            None => Latency::Fixed(duration(text).ok_or_else(expected)?),
            Some(("uniform", bounds)) => {
                let (from, to) = bounds.split_once("..").ok_or_else(expected)?;
                let (from, to) = duration(from).zip(duration(to)).ok_or_else(expected)?;
                Latency::Uniform { from, to }
            }
            Some(("lognormal", parts)) => {
                let (median, sigma) = parts.split_once(',').ok_or_else(expected)?;
                let sigma = sigma.trim().parse().ok().filter(|sigma| (0.0..=3.0).contains(sigma));
                let (median, sigma) = duration(median).zip(sigma).ok_or_else(expected)?;
                Latency::LogNormal { median, sigma }
            }
            Some(_) => return Err(expected()),
        };
        match latency {
            Latency::Uniform { from, to } if from > to => Err(expected()),
            latency => Ok(latency),
        }
    }
}

/// A time with its unit, such as `250us`, `50ms`, `1.5s` or `2m`, at most ten minutes.
pub fn duration(text: &str) -> Option<Duration> {
    let text = text.trim();
    let time = if text == "0" { SignedDuration::ZERO } else { text.parse().ok()? };
    Duration::try_from(time).ok().filter(|time| *time <= LATENCY_MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{CallDraw, Latency};

    #[track_caller]
    fn check(text: &str, want: Option<Latency>) {
        assert_eq!(text.parse().ok(), want, "{text}");
    }

    #[test]
    fn spellings() {
        let ms = Duration::from_millis;
        check("0", Some(Latency::Fixed(ms(0))));
        check("50ms", Some(Latency::Fixed(ms(50))));
        check("1.5s", Some(Latency::Fixed(ms(1500))));
        check("uniform:20ms..80ms", Some(Latency::Uniform { from: ms(20), to: ms(80) }));
        check("lognormal:50ms,0.5", Some(Latency::LogNormal { median: ms(50), sigma: 0.5 }));
        for wrong in ["", "50", "ms", "-1s", "NaNs", "1h", "11m", "uniform:2s..1s", "lognormal:1s,-1", "x:1s"]
        {
            check(wrong, None);
        }
    }

    #[test]
    fn samples_follow_their_distribution() {
        let samples = |text: &str| {
            let latency: Latency = text.parse().unwrap();
            let mut all: Vec<Duration> = (0..2001_u32)
                .map(|n| latency.sample(&CallDraw::of_call(3, &blake3::hash(&n.to_le_bytes()), 1)))
                .collect();
            all.sort_unstable();
            all
        };
        let uniform = samples("uniform:20ms..80ms");
        assert!(uniform[0] >= Duration::from_millis(20) && uniform[2000] <= Duration::from_millis(80));
        assert!(uniform[1000].abs_diff(Duration::from_millis(50)) < Duration::from_millis(3));
        let tail = samples("lognormal:50ms,0.5");
        assert!(tail[1000].abs_diff(Duration::from_millis(50)) < Duration::from_millis(4));
        // The 84th percentile of a log-normal is its median times e to the sigma.
        assert!(tail[1683].abs_diff(Duration::from_millis(82)) < Duration::from_millis(8));
    }
}
