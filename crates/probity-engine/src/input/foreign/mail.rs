//! From the HTML and plain text of mails and help desks to what a person wrote in this one message.
//!
//! Tags become line ends or nothing, references become characters; quoted mail and signatures are cut, by the marks
//! in `config/mail.toml`. Nothing here fails: what is no tag stays as it stands.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

const DATA: &str = include_str!("../../../config/mail.toml");

static MARKS: LazyLock<Marks> =
    LazyLock::new(|| toml::from_str(DATA).expect("the embedded table is read by every test"));

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Marks {
    blocks: Vec<String>,
    hidden: Vec<String>,
    quoted_elements: Vec<String>,
    quoted_from: Vec<String>,
    word_last: Vec<(String, String)>,
    word_inside: Vec<(String, String)>,
    dividers: Vec<String>,
    added: Vec<String>,
    header: HeaderNames,
    references: HashMap<String, String>,
}

/// The names of header lines, in lower case.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HeaderNames {
    from: Vec<String>,
    subject: Vec<String>,
    other: Vec<String>,
}

/// Over so many lines the line before quoted mail may run.
const QUOTE_LINES_MAX: usize = 3;

/// So many lines of a header block are looked at.
const HEADER_LINES_MAX: usize = 6;

/// What the writer of an HTML message wrote.
pub(super) fn written_html(html: &str) -> String {
    written(&unescaped(&plain(html)))
}

/// What the writer of a plain message wrote: without signature and quoted mail. What stands below quoted lines is theirs.
pub(super) fn written(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let (mut kept, mut rest) = (Vec::new(), &lines[..]);
    while let Some((line, after)) = rest.split_first() {
        if line.trim() == "--" || is_divider(line) || begins_headers(rest) {
            break;
        }
        if let Some(n_lines) = quotes(rest) {
            rest = &rest[n_lines..];
            while rest.first().is_some_and(|line| line.trim().is_empty()) {
                rest = &rest[1..];
            }
            if !rest.first().is_some_and(|line| is_quoted(line)) {
                break;
            }
            continue;
        }
        rest = after;
        if !is_quoted(line) && !is_added(line) {
            kept.push(*line);
        }
    }
    while kept.pop_if(|line| line.chars().all(|c| matches!(c, ' ' | '-' | '_' | '=' | '*'))).is_some() {}
    kept.join("\n").trim().to_owned()
}

fn is_quoted(line: &str) -> bool {
    line.trim_start().starts_with('>')
}

fn is_added(line: &str) -> bool {
    MARKS.added.iter().any(|begins| line.trim_start().starts_with(begins.as_str()))
}

/// Whether a line of dashes says that another message begins.
fn is_divider(line: &str) -> bool {
    let is_mark = |c: char| matches!(c, '-' | '_' | '=' | '*' | '#' | ' ');
    let words = line.trim_matches(is_mark);
    let is_drawn = line.trim_start().starts_with(is_mark) && words.len() + 2 < line.trim().len();
    is_drawn && MARKS.dividers.contains(&words.to_lowercase())
}

/// Over how many lines the line before quoted mail runs, where it begins here.
fn quotes(lines: &[&str]) -> Option<usize> {
    let mut line = String::new();
    for (n, next) in lines.iter().take(QUOTE_LINES_MAX).enumerate() {
        let next = next.trim();
        if next.is_empty() {
            return None;
        }
        line.push_str(if n == 0 { "" } else { " " });
        line.push_str(next);
        if line.ends_with([':', '：']) {
            return is_quote_line(&line, n > 0).then_some(n + 1);
        }
    }
    None
}

/// Whether a line that ends in a colon is one before quoted mail. Where that is not certain, it must have a date or an
/// address.
fn is_quote_line(line: &str, is_doubtful: bool) -> bool {
    let said = line.trim_end_matches([':', '：']).trim_end();
    let is_dated = line.contains(|c: char| c.is_ascii_digit() || c == '@');
    let is_last = |(begins, word): &(String, String)| {
        let is_sure = is_dated || !(is_doubtful || begins.is_empty());
        is_sure && said.starts_with(begins.as_str()) && said.ends_with(word.as_str())
    };
    let is_inside = |(begins, word): &(String, String)| {
        is_dated && said.starts_with(begins.as_str()) && said.contains(word.as_str())
    };
    MARKS.word_last.iter().any(is_last) || MARKS.word_inside.iter().any(is_inside)
}

/// Whether a header block begins here: who wrote, and at least two other lines, with a subject or an address in them.
fn begins_headers(lines: &[&str]) -> bool {
    let names = &MARKS.header;
    if !lines.first().and_then(|line| header_name(line)).is_some_and(|name| names.from.contains(&name)) {
        return false;
    }
    let block = lines.iter().filter(|line| !line.trim().is_empty()).take(HEADER_LINES_MAX);
    let block: Vec<(&&str, String)> = block.filter_map(|line| Some((line, header_name(line)?))).collect();
    let is_subject = |name: &String| names.subject.contains(name);
    let n_others =
        block[1..].iter().filter(|(_, name)| is_subject(name) || names.other.contains(name)).count();
    n_others >= 2 && block.iter().any(|(line, name)| is_subject(name) || line.contains('@'))
}

/// The name of a header line, in lower case and without the stars of bold text.
fn header_name(line: &str) -> Option<String> {
    let (name, _) = line.split_once([':', '：'])?;
    Some(name.trim_matches(['*', ' ', '\u{a0}', '|']).to_lowercase())
}

/// The text of HTML, without what it quotes.
fn plain(html: &str) -> String {
    let mut out = String::new();
    let mut rest = html;
    let end = html.rfind('>').map_or(0, |end| end + 1);
    while let Some(at) = rest.find('<').filter(|at| html.len() - rest.len() + at < end) {
        add(&mut out, &rest[..at]);
        let Some((tag, after)) = tag(&rest[at..]) else {
            out.push('<');
            rest = &rest[at + 1..];
            continue;
        };
        rest = after;
        let lower = name(tag).to_ascii_lowercase();
        let (is_open, is_any) = (!tag.starts_with("</"), |names: &[String]| names.contains(&lower));
        let is_marked = |marks: &[String]| is_open && marks.iter().any(|mark| tag.contains(mark.as_str()));
        if is_marked(&MARKS.quoted_from) {
            rest = "";
        } else if is_marked(&MARKS.quoted_elements) {
            out.push('\n');
            rest = after_element(rest, &lower);
        } else if is_any(&MARKS.hidden) && is_open {
            rest = rest
                .match_indices("</")
                .map(|(at, _)| &rest[at..])
                .find(|end| closes(end, &lower))
                .unwrap_or("");
        } else if is_any(&MARKS.blocks) {
            out.push('\n');
        } else if lower == "li" && is_open {
            out.push_str("\n- ");
        } else if matches!(&*lower, "td" | "th") {
            out.push(' ');
        }
    }
    add(&mut out, rest);
    while out.contains("\n\n\n") {
        out = out.replace("\n\n\n", "\n\n");
    }
    out
}

/// What follows the element called `element`, inside which `rest` begins; nothing where it is not closed.
fn after_element<'a>(mut rest: &'a str, element: &str) -> &'a str {
    let mut depth = 1;
    let n_after_tags = rest.len() - rest.rfind('>').map_or(0, |end| end + 1);
    while let Some(at) = rest.find('<').filter(|at| rest.len() - at > n_after_tags) {
        let Some((tag, after)) = tag(&rest[at..]) else {
            rest = &rest[at + 1..];
            continue;
        };
        rest = after;
        if name(tag).eq_ignore_ascii_case(element) {
            depth += if tag.starts_with("</") { -1 } else { 1 };
        }
        if depth == 0 {
            return rest;
        }
    }
    ""
}

/// Whether an end tag is that of the element called `name`.
fn closes(end: &str, name: &str) -> bool {
    end.as_bytes().get(2..2 + name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()))
}

/// Adds text between tags; space after a line end says nothing in HTML.
fn add(out: &mut String, text: &str) {
    let is_space = text.trim().is_empty();
    if !(is_space && (out.is_empty() || out.ends_with('\n'))) {
        out.push_str(text);
    }
}

/// Splits what begins with `<` into a tag or comment and the rest.
fn tag(text: &str) -> Option<(&str, &str)> {
    let begins = text[1..].trim_start_matches('/').chars().next()?;
    let end = match text.strip_prefix("<!--") {
        Some(comment) => comment.find("-->").map_or(text.len(), |end| end + "<!---->".len()),
        None if begins.is_ascii_alphabetic() || begins == '!' => text.find('>')? + 1,
        None => return None,
    };
    Some(text.split_at(end))
}

fn name(tag: &str) -> &str {
    let inside = tag.trim_start_matches(['<', '/']);
    &inside[..inside.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(inside.len())]
}

/// Text with its references replaced by characters, and no-break spaces by spaces.
pub(super) fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let found = rest.bytes().take(12).position(|byte| byte == b';').and_then(|end| {
            let meant = reference(&rest[1..end])?;
            Some((meant, end + 1))
        });
        let (meant, n_bytes) = found.unwrap_or_else(|| ("&".to_owned(), 1));
        out.push_str(&meant);
        rest = &rest[n_bytes..];
    }
    out.push_str(rest);
    out.replace('\u{a0}', " ")
}

fn reference(name: &str) -> Option<String> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code).filter(|c| *c != '\0').map(String::from);
    }
    MARKS.references.get(name).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(html: &str, want: &str) {
        assert_eq!(written_html(html), want, "{html}");
    }

    #[test]
    fn html_becomes_what_a_person_reads() {
        check(
            "<p>Hi,</p><p>it&#x27;s 5&nbsp;&lt; 6 &unknown; &euro;<br>Bye</p>",
            "Hi,\n\nit's 5 < 6 &unknown; €\nBye",
        );
        check("<div>a</div>\n  <div>b</div>", "a\n\nb");
        check("<ul><li>one</li><li>two</li></ul>", "- one\n- two");
        check("<style>p{color:red}</style><!-- x > y --><b>a</b>", "a");
        check("1 < 2 and 3 > 2 <", "1 < 2 and 3 > 2 <");
        check("<p", "<p");
        check("&#0;&#xd800;&#99999999999;&;&", "&#0;&#xd800;&#99999999999;&;&");
    }

    #[test]
    fn quoted_mail_and_signatures_are_cut() {
        check("<p>Yes.</p><p>-- <br>Sam, sam@example.com</p>", "Yes.");
        check("<p>Yes.</p><div class=\"gmail_quote\">On Monday you wrote: <div>no</div></div>", "Yes.");
        check("<div class=\"gmail_quote\"><div>no</div></div><p>Yes.</p>", "Yes.");
        check("<p>Yes.</p><div id=\"appendonsend\"></div><hr><p>no</p>", "Yes.");
        check("<p>Yes.</p><div class=\"gmail_quote\"><a<a<a no", "Yes.");
        assert_eq!(written("Yes.\r\n> no\r\n> no"), "Yes.");
        assert_eq!(written("Yes.\n\nSent from my iPhone\n\n----- Original Message -----\nno"), "Yes.");
        assert_eq!(
            written("On Monday I wrote: help\n-- not a signature"),
            "On Monday I wrote: help\n-- not a signature"
        );
    }

    #[test]
    fn the_line_before_quoted_mail_runs_over_several_lines_in_many_languages() {
        for quoted in [
            "On Mon, 2 Mar 2026 at 08:15, Ann <ann@example.com> wrote:",
            "On Mon, 2 Mar 2026 at 08:15, Ann Example\n<ann@example.com> wrote:",
            "On Mon, 2 Mar 2026 at 08:15,\nAnn Example <ann@example.com>\nwrote:",
            "Am 2. März schrieb Ann:",
            "Am Mo., 2. März 2026 um 08:15 Uhr schrieb Ann Example <\nann@example.com>:",
            "Ann <ann@example.com> schrieb am Mo., 2. März 2026, 08:15:",
            "Le lun. 2 mars 2026 à 08:15, Ann <ann@example.com>\na écrit :",
            "El lun, 2 mar 2026 a las 8:15, Ann (<ann@example.com>)\nescribió:",
            "Il giorno lun 2 mar 2026 alle ore 08:15 Ann\n<ann@example.com> ha scritto:",
            "Op ma 2 mrt 2026 om 08:15 schreef Ann\n<ann@example.com>:",
            "Em seg., 2 de mar. de 2026 às 08:15, Ann <ann@example.com> escreveu:",
        ] {
            assert_eq!(written(&format!("Yes.\n\n{quoted}\n> no\n> no")), "Yes.", "{quoted}");
            assert_eq!(written(&format!("Yes.\n\n{quoted}\n\nno")), "Yes.", "{quoted}");
            assert_eq!(written(&format!("{quoted}\n> no\n\nYes.")), "Yes.", "an answer below: {quoted}");
        }
        for own in
            ["On Friday it broke.\nMy friend wrote:\nhelp", "On Friday she wrote the following: 5 lamps"]
        {
            assert_eq!(written(own), own);
        }
    }

    #[test]
    fn header_blocks_are_cut_in_many_languages() {
        for block in [
            "From: Ann <ann@example.com>\nSent: Monday, 2 March 2026 08:15\nTo: Support\nSubject: Lamp",
            "Von: Ann <ann@example.com>\nGesendet: Montag, 2. März 2026 08:15\nAn: Support\nBetreff: Lampe",
            "*De :* Ann <ann@example.com>\n*Envoyé :* lundi 2 mars 2026\n*À :* Support\n*Objet :* Lampe",
            "De: Ann\nEnviado el: lunes, 2 de marzo de 2026\nPara: Support\nAsunto: Lámpara",
            "Da: Ann\n\nInviato: lunedì 2 marzo 2026\n\nA: Support\n\nOggetto: Lampada",
            "Van: Ann\nVerzonden: maandag 2 maart 2026\nAan: Support\nOnderwerp: Lamp",
        ] {
            assert_eq!(written(&format!("Yes.\n\n________________________________\n{block}\n\nno")), "Yes.");
        }
        let html = "<p>Yes.</p><hr><p><b>Von:</b> Ann &lt;ann@example.com&gt;<br><b>Gesendet:</b> Montag<br><b>An:</b> \
                    Support<br><b>Betreff:</b> Lampe</p><p>no</p>";
        check(html, "Yes.");
        let route = "From: Berlin\nTo: Munich\nDate: 3 March\nplease";
        assert_eq!(written(route), route, "a customer's own list");
    }
}
