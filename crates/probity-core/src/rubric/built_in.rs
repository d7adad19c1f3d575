//! The rubrics that come with Probity, as the files a person could have written.

use super::{Rubric, read};

/// Name and source of each built-in rubric.
pub const BUILT_IN: &[(&str, &str)] = &[
    ("relevance-tone", include_str!("../../rubrics/relevance-tone.toml")),
    ("support-gold", include_str!("../../rubrics/support-gold.toml")),
    ("pairwise-support", include_str!("../../rubrics/pairwise-support.toml")),
];

/// The built-in rubric called `name`.
pub fn built_in(name: &str) -> Option<Rubric> {
    let (_, source) = BUILT_IN.iter().find(|(known, _)| *known == name)?;
    Some(read(source).expect("built-in rubrics are tested to be good").rubric)
}
