//! From an answer to a reply: the text a customer would read, and the bot's own confidence in it.
//!
//! What always holds: a reply is complete. A truncated, filtered, refused or empty answer is not a reply.

use probity_core::case::{Confidence, Reply, Variant};
use probity_core::json::{self, Json};
use probity_core::verdict::{Completion, Finish};
use serde::{Deserialize, Serialize};

use crate::config::Pointer;
use crate::judge::respondent::{Remedy, Unusable};

/// A reply as the store keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplyRecord {
    /// The text.
    pub reply: String,
    /// The bot's own confidence, 0 to 1, where it gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// What was given as the confidence, if it is not a valid one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence_fault: Option<String>,
}

impl ReplyRecord {
    /// The reply, written by `variant`; or what is wrong with the record.
    pub fn reply(self, variant: &Variant) -> Result<Reply, String> {
        let confidence = self.confidence.map(Confidence::new).transpose();
        let confidence = confidence.map_err(|error| error.to_string())?;
        Ok(Reply { text: self.reply.into(), variant: Some(variant.clone()), confidence })
    }
}

/// The reply of a chat model.
pub(super) fn of_chat(completion: &Completion) -> Result<ReplyRecord, Unusable> {
    let cut = |reason, detail: &str| Err(unusable(reason, detail.to_owned(), Remedy::Nothing));
    if let Some(refusal) = &completion.refusal {
        return cut("refused", &refusal.chars().take(400).collect::<String>());
    }
    match &completion.finish {
        Finish::Length => return cut("length", "the token limit cut the reply"),
        Finish::ContentFilter => return cut("content_filter", "a filter cut the reply"),
        Finish::Refusal => return cut("refused", ""),
        Finish::Other(reason) => {
            let detail = format!("expected a finish reason that means a complete reply, found {reason}");
            return Err(unusable("unfinished", detail, Remedy::AskAgain));
        }
        Finish::Stop | Finish::ToolCalls | Finish::Missing => {}
    }
    let reply = whole(completion.text.as_deref().unwrap_or_default())?;
    Ok(ReplyRecord { reply, confidence: None, confidence_fault: None })
}

/// The reply that stands at `reply` in an answer, and the confidence that stands at `confidence`.
pub(super) fn of_document(
    completion: &Completion,
    reply: &Pointer,
    confidence: Option<&Pointer>,
) -> Result<ReplyRecord, Unusable> {
    let text = completion.text.as_deref().unwrap_or_default();
    let document = json::parse(text)
        .map_err(|error| unusable("malformed", format!("expected JSON: {error}"), Remedy::AskAgain))?;
    let found = reply.find(&document).unwrap_or(&Json::Null);
    let Some(text) = found.as_str() else {
        let detail = format!("expected a text at {reply}, found {}", found.kind());
        return Err(unusable("no_text", detail, Remedy::AskAgain));
    };
    let reply = whole(text)?;
    let read = confidence.and_then(|pointer| pointer.find(&document)).map_or(Ok(None), self::confidence);
    let (confidence, confidence_fault) = match read {
        Ok(confidence) => (confidence.map(Confidence::value), None),
        Err(fault) => (None, Some(fault)),
    };
    Ok(ReplyRecord { reply, confidence, confidence_fault })
}

/// A valid confidence, none, or what was given instead.
fn confidence(found: &Json) -> Result<Option<Confidence>, String> {
    let refused = |shown: &str| Err(format!("expected a number from 0 to 1, found {shown}"));
    match found {
        Json::Null => Ok(None),
        Json::Number(digits) => match digits.parse().map(Confidence::new) {
            Ok(Ok(confidence)) => Ok(Some(confidence)),
            _ => refused(&digits.chars().take(40).collect::<String>()),
        },
        other => refused(other.kind()),
    }
}

/// `text` as a reply, unless a customer would read nothing or something that no file of cases may hold.
fn whole(text: &str) -> Result<String, Unusable> {
    if text.trim().is_empty() {
        return Err(unusable("empty", "the reply is empty".to_owned(), Remedy::AskAgain));
    }
    if text.contains('\0') {
        return Err(unusable("nul", "the reply contains a NUL character".to_owned(), Remedy::AskAgain));
    }
    Ok(text.to_owned())
}

fn unusable(reason: &'static str, detail: String, remedy: Remedy) -> Unusable {
    Unusable { reason, detail, remedy }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(body: &str, want: &str) {
        let pointer = |text: &str| Pointer::parse(text).expect("a pointer");
        let completion = Completion { text: Some(body.to_owned()), ..Completion::default() };
        let read = of_document(&completion, &pointer("/a/reply"), Some(&pointer("/p")));
        let shown = match read {
            Ok(record) => serde_json::to_string(&record).expect("plain data"),
            Err(error) => format!("{} {}", error.reason, error.detail),
        };
        assert_eq!(shown, want, "{body}");
    }

    #[test]
    fn replies_and_confidences() {
        check(r#"{"a":{"reply":"Sure."},"p":0.25}"#, r#"{"reply":"Sure.","confidence":0.25}"#);
        check(r#"{"a":{"reply":"Sure."},"p":1}"#, r#"{"reply":"Sure.","confidence":1.0}"#);
        check(r#"{"a":{"reply":"Sure."},"p":null}"#, r#"{"reply":"Sure."}"#);
        check(r#"{"a":{"reply":"Sure."}}"#, r#"{"reply":"Sure."}"#);
    }

    #[test]
    fn what_is_no_confidence_is_said_and_never_a_number() {
        for (found, shown) in [
            ("1.01", "1.01"),
            ("-0.1", "-0.1"),
            ("1e300", "1e300"),
            ("85", "85"),
            ("\"0.8\"", "a string"),
            ("true", "a boolean"),
            ("[0.8]", "an array"),
            ("{}", "an object"),
        ] {
            let want = format!(
                r#"{{"reply":"Sure.","confidence_fault":"expected a number from 0 to 1, found {shown}"}}"#
            );
            check(&format!(r#"{{"a":{{"reply":"Sure."}},"p":{found}}}"#), &want);
        }
    }

    #[test]
    fn what_is_no_reply() {
        check("Sure.", "malformed expected JSON: unexpected character 'S' at byte 0");
        check(r#"{"a":"Sure."}"#, "no_text expected a text at /a/reply, found null");
        check(r#"{"a":{"reply":7}}"#, "no_text expected a text at /a/reply, found a number");
        check(r#"{"a":{"reply":" \n"}}"#, "empty the reply is empty");
        check(r#"{"a":{"reply":"a\u0000b"}}"#, "nul the reply contains a NUL character");
    }

    #[track_caller]
    fn check_chat(completion: &Completion, want: &str) {
        let read = of_chat(completion);
        assert_eq!(read.map_or_else(|error| error.reason.to_owned(), |record| record.reply), want);
    }

    #[test]
    fn a_chat_reply_is_whole_or_none() {
        let said = |finish| Completion { text: Some("Sure.".to_owned()), finish, ..Completion::default() };
        check_chat(&said(Finish::Stop), "Sure.");
        check_chat(&said(Finish::Missing), "Sure.");
        check_chat(&said(Finish::Length), "length");
        check_chat(&said(Finish::ContentFilter), "content_filter");
        check_chat(&said(Finish::Refusal), "refused");
        check_chat(&said(Finish::Other("abort".to_owned())), "unfinished");
        check_chat(&Completion { refusal: Some("No.".to_owned()), ..said(Finish::Stop) }, "refused");
        check_chat(&Completion::default(), "empty");
    }
}
