//! From the HTML and plain text of mails and help desks to what a person wrote in this one message.
//!
//! Tags become line ends or nothing, references become characters; quoted mail and signatures are cut. Nothing here
//! fails: what is no tag stays as it stands.

/// Tags that end a line.
const BLOCKS: &[&str] = &[
    "p", "div", "blockquote", "br", "tr", "table", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "pre",
    "section", "article", "header", "footer", "hr",
];

/// Elements whose content nobody reads.
const HIDDEN: &[&str] = &["style", "script", "head", "title"];

/// What is in the tag before quoted mail, as mail programs write it.
const QUOTES: &[&str] = &[
    "gmail_quote", "yahoo_quoted", "moz-cite-prefix", "protonmail_quote", "zd_quote", "freshdesk_quote",
    "divRplyFwdMsg", "appendonsend", "type=\"cite\"", "type='cite'",
];

/// How the line before quoted mail begins and ends.
const QUOTE_LINES: &[(&str, &str)] = &[
    ("On ", "wrote:"),
    ("Am ", "schrieb:"),
    ("Le ", "a écrit :"),
    ("El ", "escribió:"),
    ("Il ", "ha scritto:"),
    ("-----Original Message", "-----"),
    ("-----Ursprüngliche Nachricht", "-----"),
];

/// References by name; those by number need no table.
const NAMED: &[(&str, &str)] = &[
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", " "),
    ("shy", ""),
    ("ndash", "–"),
    ("mdash", "—"),
    ("hellip", "…"),
    ("lsquo", "‘"),
    ("rsquo", "’"),
    ("ldquo", "“"),
    ("rdquo", "”"),
    ("bdquo", "„"),
    ("laquo", "«"),
    ("raquo", "»"),
    ("euro", "€"),
    ("pound", "£"),
    ("yen", "¥"),
    ("cent", "¢"),
    ("copy", "©"),
    ("reg", "®"),
    ("trade", "™"),
    ("bull", "•"),
    ("middot", "·"),
    ("deg", "°"),
    ("times", "×"),
    ("auml", "ä"),
    ("ouml", "ö"),
    ("uuml", "ü"),
    ("Auml", "Ä"),
    ("Ouml", "Ö"),
    ("Uuml", "Ü"),
    ("szlig", "ß"),
    ("agrave", "à"),
    ("aacute", "á"),
    ("acirc", "â"),
    ("ccedil", "ç"),
    ("egrave", "è"),
    ("eacute", "é"),
    ("ecirc", "ê"),
    ("euml", "ë"),
    ("iacute", "í"),
    ("ntilde", "ñ"),
    ("oacute", "ó"),
    ("ocirc", "ô"),
    ("uacute", "ú"),
    ("ugrave", "ù"),
    ("Eacute", "É"),
];

/// What the writer of an HTML message wrote.
pub(super) fn written_html(html: &str) -> String {
    written(&unescaped(&plain(html)))
}

/// What the writer of a plain message wrote: without signature and quoted mail.
pub(super) fn written(text: &str) -> String {
    let lines = text.lines().take_while(|line| !is_end(line.trim_end_matches('\r')));
    let mut lines: Vec<&str> = lines.collect();
    while lines.pop_if(|line| line.trim().is_empty() || line.trim_start().starts_with('>')).is_some() {}
    lines.join("\n").trim().to_owned()
}

/// Whether a line begins a signature or quoted mail.
fn is_end(line: &str) -> bool {
    let quotes = |(start, end): &(&str, &str)| line.starts_with(start) && line.trim_end().ends_with(end);
    // German programs put the name behind the verb.
    let german = line.starts_with("Am ") && line.contains(" schrieb ") && line.ends_with(':');
    matches!(line, "--" | "-- ") || german || QUOTE_LINES.iter().any(quotes)
}

/// The text of HTML, up to where it quotes another mail.
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
        let name = name(tag);
        let lower = name.to_ascii_lowercase();
        if !tag.starts_with("</") && QUOTES.iter().any(|mark| tag.contains(mark)) {
            return out;
        }
        if HIDDEN.contains(&&*lower) && !tag.starts_with("</") {
            rest = rest
                .match_indices("</")
                .map(|(at, _)| &rest[at..])
                .find(|end| closes(end, &lower))
                .unwrap_or("");
        } else if BLOCKS.contains(&&*lower) {
            out.push('\n');
        } else if lower == "li" && !tag.starts_with("</") {
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
    NAMED.iter().find(|(known, _)| *known == name).map(|(_, meant)| (*meant).to_owned())
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
        check("<p>Yes.</p><div class=\"gmail_quote\">On Monday you wrote: no</div>", "Yes.");
        for quoted in ["On Mon, 2 Mar 2026, Ann <ann@example.com> wrote:", "Am 2. März schrieb Ann:"] {
            assert_eq!(written(&format!("Yes.\n\n{quoted}\n> no")), "Yes.");
        }
        assert_eq!(written("Yes.\r\n> no\r\n> no"), "Yes.");
        assert_eq!(
            written("On Monday I wrote: help\n-- not a signature"),
            "On Monday I wrote: help\n-- not a signature"
        );
    }
}
