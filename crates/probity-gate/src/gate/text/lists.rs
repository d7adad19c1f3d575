//! The phrases of the data files that come with Probity.
//!
//! Every run reads them before its first reply, so this knows no more of TOML than they use: headers, and keys with
//! lists of texts in double quotes. A test holds it against a parser.

macro_rules! files {
    ($file:literal of $($language:literal)+) => {
        [$(include_str!(concat!("../../../data/", $language, "/", $file))),+]
    };
    ($file:literal) => { files!($file of "en" "de" "fr" "es" "pt" "it" "nl") };
}
pub(super) use files;

/// The languages that claims are read in, by their codes in ISO 639-1.
pub(in crate::gate) const LANGUAGES: [&str; 7] = ["en", "de", "fr", "es", "pt", "it", "nl"];

/// Their words for figures.
pub(in crate::gate) const VALUES: [&str; 7] = files!("values.toml");

/// Their files, in the order in which they are read.
pub(in crate::gate) const CLAIM_FILES: [[&str; 7]; 4] =
    [files!("language.toml"), files!("remedies.toml"), files!("cues.toml"), VALUES];

/// A phrase and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::gate) struct Listed {
    /// The first word of the header above it.
    pub(in crate::gate) section: &'static str,
    /// The rest of the header: `refund` of `[remedy.refund]`.
    pub(in crate::gate) id: &'static str,
    pub(in crate::gate) key: &'static str,
    pub(in crate::gate) phrase: &'static str,
}

/// The phrases of a file, in its order.
pub(in crate::gate) fn listed(file: &'static str) -> impl Iterator<Item = Listed> {
    let mut place = Listed { section: "", id: "", key: "", phrase: "" };
    file.lines().filter(|line| !line.starts_with('#')).flat_map(move |line| {
        let head = line.split('"').next().unwrap_or_default();
        if let Some(header) = head.strip_prefix('[') {
            let header = header.trim_end_matches(']');
            (place.section, place.id) = header.split_once('.').unwrap_or((header, ""));
        } else if let Some((key, _)) = head.split_once(" =") {
            place.key = key;
        }
        let place = place;
        line.split('"').skip(1).step_by(2).map(move |phrase| Listed { phrase, ..place })
    })
}

#[cfg(test)]
pub(in crate::gate) mod tests {
    use super::super::words::FILES;
    use super::*;

    /// The phrases of a file as a parser of TOML reads them.
    fn parsed(value: &toml::Value, path: &[&str], phrases: &mut Vec<[String; 4]>) {
        match (value, path) {
            (toml::Value::Table(table), _) => {
                table.iter().for_each(|(key, value)| parsed(value, &[path, &[key]].concat(), phrases));
            }
            (toml::Value::Array(items), _) => items.iter().for_each(|item| parsed(item, path, phrases)),
            (toml::Value::String(phrase), [places @ .., key]) => {
                let at = |n: usize| places.get(n).copied().unwrap_or_default().to_owned();
                phrases.push([at(0), at(1), (*key).to_owned(), phrase.clone()]);
            }
            _ => panic!("{path:?} is no list of texts"),
        }
    }

    /// Holds the phrases that are read from a file against those of a parser.
    #[track_caller]
    pub(in crate::gate) fn assert_read_as_parsed(file: &'static str) {
        let mut want = Vec::new();
        parsed(&toml::from_str(file).unwrap(), &[], &mut want);
        let mut read: Vec<_> =
            listed(file).map(|at| [at.section, at.id, at.key, at.phrase].map(str::to_owned)).collect();
        want.sort();
        read.sort();
        assert_eq!(read, want);
    }

    #[test]
    fn files_are_read_as_a_parser_reads_them() {
        FILES.iter().chain(&VALUES).for_each(|file| assert_read_as_parsed(file));
    }
}
