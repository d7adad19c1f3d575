//! Results that are written as text and have a form all the same: tables with a head, elements, and pairs of a name and a
//! value. They are turned into JSON, so that there is one way to read what a tool says.

use super::shown::loose_numbers;
use crate::json::{Json, Object, parse};

/// What can stand between the columns of a table.
const DELIMITERS: [char; 4] = [',', ';', '\t', '|'];

/// The most members of an object, and how deep elements nest.
const MEMBERS_MAX: usize = 64;
const DEPTH_MAX: usize = 32;

/// The most bytes of a name in front of a value.
const NAME_BYTES_MAX: usize = 32;

/// A result as JSON, where it has a form. A sentence has none.
pub(super) fn json(result: &str) -> Option<Json> {
    let text = result.trim();
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    parse(text).ok().or_else(|| elements(text)).or_else(|| {
        let is_table = |delimiter: &char| {
            let width = lines().next().map_or(0, |head| head.matches(*delimiter).count());
            (1..MEMBERS_MAX).contains(&width)
                && lines().count() > 1
                && lines().all(|line| line.matches(*delimiter).count() == width)
        };
        let delimiter = DELIMITERS.into_iter().find(is_table);
        delimiter.and_then(|delimiter| table(&lines().collect::<Vec<_>>(), delimiter)).or_else(|| pairs(text))
    })
}

/// The rows of a table whose first line names its columns.
fn table(lines: &[&str], delimiter: char) -> Option<Json> {
    let cells = |line: &str| -> Vec<String> {
        line.split(delimiter).map(|cell| cell.trim().trim_matches('"').to_owned()).collect()
    };
    let head = cells(lines[0]);
    let is_name = |name: &String| name.starts_with(char::is_alphabetic) && name.len() <= NAME_BYTES_MAX;
    let has_figures = || lines[1..].iter().any(|line| line.contains(|c: char| c.is_ascii_digit()));
    if !head.iter().all(is_name) || !has_figures() {
        return None;
    }
    let row = |line: &&str| object(head.iter().cloned().zip(cells(line).iter().map(|cell| value(cell))));
    Some(Json::Array(lines[1..].iter().map(row).collect()))
}

/// `ticket=0417;items=2`, `ready: 15:00`: every part has a name.
fn pairs(text: &str) -> Option<Json> {
    let pair = |part: &str| {
        let (name, said) = part.split_once('=').or_else(|| part.split_once(": "))?;
        let is_name =
            name.starts_with(char::is_alphabetic) && name.len() <= NAME_BYTES_MAX && !name.contains('.');
        is_name.then(|| (name.trim().to_owned(), value(said.trim())))
    };
    let parts = || text.split(['\n', ';', '|']).map(str::trim).filter(|part| !part.is_empty());
    let pairs: Option<Vec<_>> = parts().map(pair).collect();
    pairs.filter(|pairs| (2..=MEMBERS_MAX).contains(&pairs.len())).map(object)
}

/// `<fee currency="EUR">40.00</fee>`: attributes and elements inside are members, those of one name a list.
fn elements(text: &str) -> Option<Json> {
    if !(text.starts_with('<') && text.ends_with('>')) {
        return None;
    }
    let mut open: Vec<(String, Vec<(String, Json)>)> = vec![(String::new(), Vec::new())];
    for part in text.split('<').skip(1) {
        let (tag, said) = part.split_once('>')?;
        let (tag, is_whole) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        if tag.starts_with(['?', '!']) {
            continue;
        }
        if !tag.starts_with('/') {
            let (name, rest) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
            let mut attributes = rest.split('"');
            let pairs = std::iter::from_fn(|| Some((attributes.next()?, attributes.next()?)));
            let members =
                pairs.map(|(name, said)| (name.trim().trim_end_matches('=').to_owned(), value(said)));
            open.push((name.to_owned(), members.collect()));
        }
        if !is_whole && !tag.starts_with('/') && !said.trim().is_empty() {
            open.last_mut()?.1.push((String::new(), value(said.trim())));
        }
        if is_whole || tag.starts_with('/') {
            let (name, members) = open.pop()?;
            open.last_mut()?.1.push((name, element(members)));
        }
        if open.len() > DEPTH_MAX {
            return None;
        }
    }
    let (_, mut members) = open.pop().filter(|_| open.is_empty())?;
    members.pop().map(|(_, root)| root)
}

/// An element with a text alone is that text.
fn element(members: Vec<(String, Json)>) -> Json {
    match &members[..] {
        [(name, text)] if name.is_empty() => text.clone(),
        _ => object(members),
    }
}

/// An object of these members, those of one name as a list. A member is found by looking at those before it, so there are
/// few; what is behind them is left out.
fn object(members: impl IntoIterator<Item = (String, Json)>) -> Json {
    let mut all = Object::new();
    for (name, value) in members {
        let value = match all.take(&name) {
            Some(Json::Array(mut items)) => {
                items.push(value);
                Json::Array(items)
            }
            Some(first) => Json::Array(vec![first, value]),
            None if all.len() < MEMBERS_MAX => value,
            None => continue,
        };
        all.insert(name, value).expect("the member of this name was taken out");
    }
    Json::Object(all)
}

/// A number where a text can be only one, else the text: no date, and no number that begins with a zero.
fn value(text: &str) -> Json {
    let (whole, rest) = text.split_at(text.rfind([',', '.']).unwrap_or(text.len()));
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let mut groups = whole.split([',', '.']);
    let first = groups.next().unwrap_or_default();
    let is_number = is_digits(first)
        && (first == "0" || !first.starts_with('0'))
        && groups.all(|group| is_digits(group) && group.len() == 3)
        && (rest.is_empty() || is_digits(&rest[1..]));
    match &loose_numbers(text)[..] {
        [number] if is_number => Json::Number(number.to_string()),
        _ => Json::String(text.to_owned()),
    }
}
