//! What goes wrong with batches, by case number.
//!
//! A fault happens the first so many times that it can: to a request, or to a batch when it is made. What it does stands
//! where it is asked for.

use std::collections::{BTreeMap, HashMap};

/// A fault of batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchFault {
    /// Its case number, such as `B04`.
    pub number: &'static str,
    /// What it does.
    pub sentence: &'static str,
}

/// Every fault, in order of its number.
const FAULTS: &[(&str, &str)] = &[
    ("B02", "the reply to an upload is lost"),
    ("B03", "a file cannot be found directly after its upload"),
    ("B04", "the reply to a create is lost"),
    ("B05", "a create is refused"),
    ("B06", "a create meets a rate limit"),
    ("B07", "a batch is missing from the next two lists"),
    ("B08", "another batch of as many requests is made beside it"),
    ("B11", "batches of more than 4 requests fail: too many tokens are enqueued"),
    ("B12", "a batch fails for one of its lines"),
    ("B13", "a batch fails and does not say why"),
    ("B15", "a third of the results is missing"),
    ("B16", "every line is an error of the server"),
    ("B17", "a file that there is none of has the name \"\""),
    ("B18", "a line stands in both files"),
    ("B19", "a batch expires half-way"),
    ("B20", "a batch is cancelled half-way"),
    ("B21", "the reply to a cancel is lost"),
    ("B22", "a batch is in finalizing for five polls"),
    ("B24", "a batch is in a state without a name for two polls"),
    ("B25", "a batch never ends unless it is cancelled"),
    ("B28", "a line comes twice"),
    ("B29", "a line comes twice, with another answer"),
    ("B30", "a line of a stranger is among the results"),
    ("B32", "a batch vanishes"),
    ("B33", "the results of a batch are gone"),
    ("B34", "a download is cut"),
    ("B35", "a line cannot be read"),
    ("B36", "a line is longer than any answer"),
    ("B37", "results are at another host"),
    ("B38", "the key is not accepted for a poll"),
    ("B39", "a poll meets a rate limit"),
    ("B41", "every line: the model is gone"),
    ("B42", "every line: a parameter is refused"),
    ("B43", "half of the lines: no money"),
    ("B44", "a third of the lines: errors of the server"),
    ("B49", "answers come from a dearer tier"),
    ("B51", "a batch counts more tokens than its lines"),
    ("B64", "batches of more than 4 requests are too large"),
    ("B66", "an id comes back without its last character"),
];

/// Every fault of batches.
pub fn batch_faults() -> impl Iterator<Item = BatchFault> {
    FAULTS.iter().map(|(number, sentence)| BatchFault { number, sentence })
}

/// Reads `B04`, or `B39=3` for three times.
pub fn batch_fault(text: &str) -> Result<(&'static str, u32), String> {
    let (number, times) = text.split_once('=').unwrap_or((text, "1"));
    let found = FAULTS.iter().find(|(known, _)| *known == number.trim());
    let found = found.map(|(number, _)| *number).zip(times.trim().parse().ok());
    found.ok_or_else(|| {
        format!("expected a fault that --list-faults prints, such as B04 or B39=3, found {text:?}")
    })
}

/// Which faults batches have, and how often each.
#[derive(Debug, Clone, Default)]
pub struct BatchFaults(BTreeMap<&'static str, u32>);

impl FromIterator<(&'static str, u32)> for BatchFaults {
    fn from_iter<I: IntoIterator<Item = (&'static str, u32)>>(faults: I) -> Self {
        BatchFaults(faults.into_iter().collect())
    }
}

impl BatchFaults {
    /// Whether batches have this fault, however often.
    pub(super) fn has(&self, number: &str) -> bool {
        self.0.contains_key(number)
    }

    /// Whether the fault happens once more, of which `happened` counts.
    pub(super) fn happens(&self, number: &'static str, happened: &mut HashMap<&'static str, u32>) -> bool {
        let Some(times) = self.0.get(number) else { return false };
        let count = happened.entry(number).or_default();
        let again = *count < *times;
        *count += u32::from(again);
        again
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_order_and_stand_once() {
        assert!(FAULTS.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }

    #[test]
    fn a_fault_happens_as_often_as_asked() {
        let faults: BatchFaults =
            [batch_fault("B39=2").unwrap(), batch_fault("B04").unwrap()].into_iter().collect();
        let mut happened = HashMap::new();
        let times = |number, happened: &mut _| (0..5).filter(|_| faults.happens(number, happened)).count();
        assert_eq!(times("B39", &mut happened), 2);
        assert_eq!(times("B04", &mut happened), 1);
        assert_eq!(times("B02", &mut happened), 0);
        assert!(batch_fault("B99").is_err() && batch_fault("B04=x").is_err());
    }
}
