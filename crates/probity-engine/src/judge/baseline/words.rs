//! The word lists of the baseline. They are short on purpose: it is a yardstick, not a language model.

/// Words that carry no topic.
pub(super) const STOP: &[&str] = &[
    "about", "after", "again", "all", "also", "and", "any", "are", "because", "been", "before", "being",
    "but", "can", "could", "did", "does", "doing", "don", "for", "from", "get", "got", "had", "has", "have",
    "her", "here", "him", "his", "how", "into", "its", "just", "let", "like", "may", "more", "most", "much",
    "need", "not", "now", "off", "one", "only", "other", "our", "out", "over", "please", "same", "she",
    "should", "some", "such", "than", "thank", "thanks", "that", "the", "their", "them", "then", "there",
    "these", "they", "this", "those", "too", "use", "very", "want", "was", "were", "what", "when", "where",
    "which", "while", "who", "why", "will", "with", "would", "you", "your",
];

/// Words that acknowledge or are polite.
pub(super) const POLITE: &[&str] = &[
    "apologies", "apologize", "apologise", "appreciate", "glad", "happy", "hello", "help", "hi", "please",
    "regret", "sorry", "thank", "thanks", "understand", "welcome",
];

/// Words that insult or swear.
pub(super) const RUDE: &[&str] = &[
    "crap", "damn", "dumb", "fool", "fuck", "fucking", "hell", "idiot", "idiotic", "idiots", "loser",
    "moron", "pathetic", "ridiculous", "shit", "stupid", "whine", "whining", "wtf",
];

/// Verbs that say what to do next.
pub(super) const STEPS: &[&str] = &[
    "add", "change", "check", "choose", "clear", "click", "confirm", "contact", "create", "delete",
    "disable", "download", "enable", "ensure", "enter", "follow", "go", "increase", "install", "log", "open",
    "press", "remove", "reply", "reset", "restart", "run", "select", "send", "set", "sign", "tap", "try",
    "update", "upgrade", "upload", "verify", "visit",
];
