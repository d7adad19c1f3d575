//! Whether the model that answered is the one that was asked for.
//!
//! Whether a stranger's answer counts is a policy and decided elsewhere.

/// How the model that answered compares with the one that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelMatch {
    /// The same name.
    Same,
    /// Another name of it: one that the settings list, or the same name with a release date behind it.
    Alias,
    /// Another model.
    Other,
    /// The server does not say who answered.
    Unknown,
}

/// Compares the model that answered with `requested`; `aliases` lists other names it may answer under.
pub fn model_match(requested: &str, aliases: &[String], answered: Option<&str>) -> ModelMatch {
    match answered {
        None => ModelMatch::Unknown,
        Some(model) if model == requested => ModelMatch::Same,
        Some(model) if aliases.iter().any(|alias| alias == model) => ModelMatch::Alias,
        Some(model) if is_release_of(model, requested) => ModelMatch::Alias,
        Some(_) => ModelMatch::Other,
    }
}

/// `name-2024-07-18` and `name-20240718` are releases of `name`; `name-mini` is another model.
fn is_release_of(model: &str, requested: &str) -> bool {
    let rest = model.strip_prefix(requested).and_then(|rest| rest.strip_prefix('-'));
    rest.is_some_and(|date| date.len() >= 8 && date.bytes().all(|b| b.is_ascii_digit() || b == b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f57_another_model_answered() {
        let matches = |model| model_match("judge-1", &["local".to_owned()], model);
        assert_eq!(matches(Some("judge-1")), ModelMatch::Same);
        assert_eq!(matches(Some("local")), ModelMatch::Alias);
        assert_eq!(matches(Some("judge-1-2024-07-18")), ModelMatch::Alias);
        assert_eq!(matches(Some("judge-1-mini")), ModelMatch::Other);
        assert_eq!(matches(Some("judge-1-16")), ModelMatch::Other);
        assert_eq!(matches(None), ModelMatch::Unknown);
    }
}
