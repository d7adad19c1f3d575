//! The body of OpenAI's Decisions: questions with answers to choose from, and a probability for each answer.
//!
//! The endpoint gives no reasons. What stands in their place says so, and how probable the answer is.

use super::super::{Completion, Confidence, Finish};
use super::{EnvelopeFault, body_json, body_text, error_in, names, not_json, text_member, usage_of};
use crate::json::Json;

/// Reads the answers to the questions of a packet as the verdict that a model would have written.
pub fn decisions(body: &[u8]) -> Result<Completion, EnvelopeFault> {
    let (value, repairs) = body_json(body_text(body)?).map_err(|error| not_json(&error))?;
    if let Some(fault) = error_in(&value) {
        return Err(fault);
    }
    let answers = value.get("answers").and_then(Json::as_array).unwrap_or_default();
    let is_refused = |answer: &&Json| answer.get("type").and_then(Json::as_str) == Some("refusal");
    let mut completion = Completion {
        finish: Finish::Stop,
        model: text_member(&value, "model"),
        response_id: text_member(&value, "id"),
        usage: usage_of(value.get("usage")),
        repairs: names(&repairs),
        ..Completion::default()
    };
    if let Some(refused) = answers.iter().find(is_refused) {
        let words = text_member(refused, "refusal").or_else(|| text_member(refused, "reason"));
        completion.refusal = Some(words.unwrap_or_else(|| "the question was declined".to_owned()));
        return Ok(completion);
    }
    let mut decided = answers.iter().map(|answer| decided(answer).ok_or(EnvelopeFault::NoChoice));
    completion.text = Some(match answers {
        [] => return Err(EnvelopeFault::NoChoice),
        [_] => {
            let (_, verdict, confidence) = decided.next().expect("there is one answer")?;
            completion.confidence = Some(confidence);
            verdict.canonical()
        }
        _ => {
            let members: Result<Vec<_>, _> =
                decided.map(|each| each.map(|(name, verdict, _)| (name, verdict))).collect();
            Json::object(members?).canonical()
        }
    });
    Ok(completion)
}

/// What the most probable answer to a question says: the question's name, the verdict and the probability.
fn decided(answer: &Json) -> Option<(String, Json, Confidence)> {
    let probability = |each: &Json| match each.get("probability") {
        Some(Json::Number(share)) => Confidence::of_share(share.parse().ok()?),
        _ => None,
    };
    let all = answer.get("probabilities")?.as_array()?;
    // Of equally probable ones the first counts.
    let mut best: Option<(&Json, Confidence)> = None;
    for each in all {
        let probability = probability(each)?;
        if best.is_none_or(|(_, most)| probability > most) {
            best = Some((each, probability));
        }
    }
    let (best, confidence) = best?;
    let reason = format!("{:.0} % probable; this endpoint gives no reasons", 100.0 * confidence.share());
    let verdict = match answer.get("type")?.as_str()? {
        "score" => {
            let level: i64 = label(answer, best)?.parse().ok()?;
            let members = [("reasoning", Json::text(reason)), ("score", Json::Number(level.to_string()))];
            Json::object(members.map(|(name, value)| (name.to_owned(), value)))
        }
        "choice" => {
            let evidence = Json::Array(vec![Json::text(reason)]);
            let members = [("evidence", evidence), ("verdict", Json::text(best.get("value")?.as_str()?))];
            Json::object(members.map(|(name, value)| (name.to_owned(), value)))
        }
        _ => return None,
    };
    Some((text_member(answer, "name").unwrap_or_default(), verdict, confidence))
}

/// The label of a level: beside its probability, or in the list of levels at its place.
fn label<'j>(answer: &'j Json, level: &'j Json) -> Option<&'j str> {
    let listed = || {
        let place = usize::try_from(level.get("value")?.as_u64()?).ok()?;
        let level = answer.get("levels")?.as_array()?.get(place)?;
        level.as_str().or_else(|| level.get("label")?.as_str())
    };
    level.get("label").and_then(Json::as_str).or_else(listed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(answers: &str, want: &str) {
        let body =
            format!(r#"{{"model":"m","answers":{answers},"usage":{{"input_tokens":7,"output_tokens":0}}}}"#);
        let got = match decisions(body.as_bytes()) {
            Ok(completion) => {
                assert_eq!(completion.usage.map(|usage| (usage.input, usage.output)), Some((7, 0)));
                let sure = completion.confidence.map(|sure| format!(" {}", sure.ppm())).unwrap_or_default();
                format!("{}{sure}", completion.text.or(completion.refusal).expect("something is said"))
            }
            Err(fault) => fault.name().to_owned(),
        };
        assert_eq!(got, want);
    }

    #[test]
    fn the_most_probable_answer_is_the_verdict() {
        let score = |name: &str| {
            format!(
                r#"{{"type":"score","name":"{name}","score":1.9,"probabilities":[{{"value":0,"label":"1","probability":0.07}},{{"value":1,"label":"2","probability":0.93}}],"confidence":0.8}}"#
            )
        };
        check(
            &format!("[{}]", score("tone")),
            r#"{"reasoning":"93 % probable; this endpoint gives no reasons","score":2} 930000"#,
        );
        check(
            &format!("[{},{}]", score("tone"), score("clarity")),
            r#"{"clarity":{"reasoning":"93 % probable; this endpoint gives no reasons","score":2},"tone":{"reasoning":"93 % probable; this endpoint gives no reasons","score":2}}"#,
        );
        check(
            r#"[{"type":"score","levels":[{"label":"1"},{"label":"2"}],"probabilities":[{"value":0,"probability":0.9},{"value":1,"probability":0.1}]}]"#,
            r#"{"reasoning":"90 % probable; this endpoint gives no reasons","score":1} 900000"#,
        );
        check(
            r#"[{"type":"choice","name":"verdict","choice":"B","probabilities":[{"value":"A","probability":0.4},{"value":"B","probability":0.6}]}]"#,
            r#"{"evidence":["60 % probable; this endpoint gives no reasons"],"verdict":"B"} 600000"#,
        );
    }

    #[test]
    fn what_is_declined_or_no_answer_is_no_verdict() {
        check(r#"[{"type":"refusal","name":"tone","refusal":"no"}]"#, "no");
        for answers in [
            "[]",
            r#"[{"type":"predicate","probability":0.9}]"#,
            r#"[{"type":"score","probabilities":[{"value":0,"label":"good","probability":0.9}]}]"#,
            r#"[{"type":"score","probabilities":[{"value":0,"label":"1","probability":1.9}]}]"#,
        ] {
            check(answers, "no_choice");
        }
    }
}
