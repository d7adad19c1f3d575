//! Paths into a foreign record: `vars.ticket`, `choices[0].message`, `custom_fields[id=360001].value`.
//!
//! What is null is not there. A name may have dots itself: the whole rest of a path is tried as a name first.

use probity_core::json::Json;

/// The value at `path`.
pub(in crate::input) fn at<'a>(json: &'a Json, path: &str) -> Option<&'a Json> {
    let (mut found, mut rest) = (json, path);
    while !rest.is_empty() {
        if let Some(whole) = found.get(rest) {
            found = whole;
            break;
        }
        let index = rest.strip_prefix('[').and_then(|inside| inside.split_once(']'));
        (found, rest) = if let Some((index, after)) = index {
            (element(found, index)?, after)
        } else {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            (found.get(&rest[..end])?, &rest[end..])
        };
        rest = rest.strip_prefix('.').unwrap_or(rest);
    }
    (*found != Json::Null).then_some(found)
}

/// The element of an array with a number, which counts from the end if it is negative, or with a member of a value.
fn element<'a>(json: &'a Json, index: &str) -> Option<&'a Json> {
    let items = json.as_array()?;
    if let Some((name, value)) = index.split_once('=') {
        return items.iter().find(|item| item.get(name).and_then(text).is_some_and(|text| text == value));
    }
    let index: isize = index.parse().ok()?;
    match usize::try_from(index) {
        Ok(index) => items.get(index),
        Err(_) => items.get(items.len().checked_sub(index.unsigned_abs())?),
    }
}

/// The first of `paths` that leads somewhere.
pub(super) fn first_at<'a>(json: &'a Json, paths: &[&str]) -> Option<&'a Json> {
    paths.iter().find_map(|path| at(json, path))
}

/// The first of `paths` that leads to a text with a visible character, or to a number.
pub(in crate::input) fn text_at(json: &Json, paths: &[&str]) -> Option<String> {
    paths.iter().find_map(|path| at(json, path).and_then(text))
}

/// The items of the list at `path`; none where there is no list.
pub(in crate::input) fn list_at<'a>(json: &'a Json, path: &str) -> &'a [Json] {
    at(json, path).and_then(Json::as_array).unwrap_or_default()
}

/// A name: a text with a visible character, or a number by its digits.
pub(in crate::input) fn text(json: &Json) -> Option<String> {
    match json {
        Json::String(text) | Json::Number(text) => Some(text).filter(|text| !text.trim().is_empty()).cloned(),
        _ => None,
    }
}

/// Any value as a text: a string as it is, the rest as JSON.
pub(in crate::input) fn as_text(json: &Json) -> String {
    json.as_str().map_or_else(|| json.canonical(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use probity_core::json::parse;

    use super::*;

    #[track_caller]
    fn check(path: &str, want: Option<&str>) {
        let json = r#"{"a":{"b":[1,{"id":7,"v":"x"},{"id":"k","v":null}]},"c.d":"e","f":{"g.h":2}}"#;
        let json = parse(json).expect("JSON");
        assert_eq!(at(&json, path).map(Json::canonical).as_deref(), want, "{path}");
    }

    #[test]
    fn a_path_leads_to_members_and_elements() {
        check("a.b[0]", Some("1"));
        check("a.b[-2].v", Some(r#""x""#));
        check("a.b[id=7].v", Some(r#""x""#));
        check("a.b[id=k].v", None);
        check("c.d", Some(r#""e""#));
        check("f.g.h", Some("2"));
        for nowhere in ["a.b[3]", "a.b[-4]", "a.b[x]", "a.b[", "a.c", "a..b", "z"] {
            check(nowhere, None);
        }
    }
}
