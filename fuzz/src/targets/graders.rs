//! Files that set up graders: any text has some or none, and each has the name of a foreign judge.

use probity_engine::input::graders;

use super::seeds as cases;

/// Panics where a grader is no foreign judge, or is asked nothing in words.
pub fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let found = graders(&text);
    for (judge, asked) in &found {
        assert!(judge.contains(':'), "a foreign judge is named after its tool");
        assert!(judge.starts_with("openai-evals:") || asked.iter().all(|asked| !asked.trim().is_empty()));
    }
    assert_eq!(graders(&text), found, "a second look differs");
}

/// Inputs to start from.
pub fn seeds() -> Vec<Vec<u8>> {
    let own = cases::literals(&cases::file("crates/probity-engine/src/input/foreign/graders.rs"));
    let files = cases::literals(&cases::file("crates/probity-engine/tests/input/foreign.rs"));
    own.into_iter().chain(files).filter(|text| text.len() > 20).map(String::into_bytes).collect()
}
