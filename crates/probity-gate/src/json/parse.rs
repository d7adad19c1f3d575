//! The parser: one pass over the bytes, offsets kept, every repair listed.

use std::collections::HashSet;

use super::{DEPTH_MAX, Json, JsonError, JsonProblem, JsonRepair, Object, Tolerance};

/// Reads `text` as exactly one strict JSON value.
pub fn parse(text: &str) -> Result<Json, JsonError> {
    parse_with(text, Tolerance::Strict).map(|(value, _)| value)
}

/// Reads `text` as exactly one value under `tolerance`, and lists the repairs that were needed.
pub fn parse_with(text: &str, tolerance: Tolerance) -> Result<(Json, Vec<JsonRepair>), JsonError> {
    let (value, end, repairs) = parse_prefix(text, 0, tolerance)?;
    let mut parser = Parser { text, at: end, tolerance, repairs };
    parser.skip_space()?;
    if parser.at < text.len() {
        return Err(parser.error(JsonProblem::TrailingText));
    }
    Ok((value, parser.repairs()))
}

/// Reads one value that starts at byte `from` (after white space) and says where it ends.
pub fn parse_prefix(
    text: &str,
    from: usize,
    tolerance: Tolerance,
) -> Result<(Json, usize, Vec<JsonRepair>), JsonError> {
    let mut parser = Parser { text, at: from, tolerance, repairs: Vec::new() };
    parser.skip_space()?;
    let value = parser.value(0)?;
    Ok((value, parser.at, parser.repairs()))
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    tolerance: Tolerance,
    repairs: Vec<JsonRepair>,
}

impl Parser<'_> {
    /// The repairs that were needed, each once.
    fn repairs(mut self) -> Vec<JsonRepair> {
        self.repairs.sort_unstable();
        self.repairs.dedup();
        self.repairs
    }

    fn error(&self, problem: JsonProblem) -> JsonError {
        JsonError { problem, offset: self.at }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Passes over `byte` where it stands next, and tells whether it does.
    fn passes(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// The error for "not what was expected here": the end of the text is a different problem.
    fn unexpected(&self) -> JsonError {
        match self.rest().chars().next() {
            Some(c) => self.error(JsonProblem::Unexpected(c)),
            None => self.error(JsonProblem::UnexpectedEnd),
        }
    }

    fn json5(&self) -> bool {
        self.tolerance == Tolerance::Json5
    }

    fn skip_space(&mut self) -> Result<(), JsonError> {
        loop {
            while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
                self.at += 1;
            }
            if !self.json5() || self.peek() != Some(b'/') {
                return Ok(());
            }
            self.skip_comment()?;
        }
    }

    fn skip_comment(&mut self) -> Result<(), JsonError> {
        let rest = self.rest();
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map(|end| end + 2).ok_or_else(|| self.error(JsonProblem::UnexpectedEnd))?
        } else {
            return Err(self.unexpected());
        };
        self.at += length;
        self.repairs.push(JsonRepair::Comment);
        Ok(())
    }

    fn value(&mut self, depth: usize) -> Result<Json, JsonError> {
        match self.peek() {
            Some(b'{' | b'[') if depth >= DEPTH_MAX => Err(self.error(JsonProblem::TooDeep)),
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            Some(b'N' | b'I') if ["NaN", "Infinity"].iter().any(|word| self.rest().starts_with(word)) => {
                Err(self.error(JsonProblem::NotFinite))
            }
            _ => match self.opening_quote() {
                Some(close) => self.string(close).map(Json::String),
                None => Err(self.unexpected()),
            },
        }
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json, JsonError> {
        if self.rest().starts_with(word) {
            self.at += word.len();
            return Ok(value);
        }
        if word.starts_with(self.rest()) {
            self.at = self.text.len();
        }
        Err(self.unexpected())
    }

    fn object(&mut self, depth: usize) -> Result<Json, JsonError> {
        let (mut members, mut keys) = (Vec::new(), HashSet::new());
        self.items(b'}', |parser| {
            let offset = parser.at;
            let Some(close) = parser.opening_quote() else { return Err(parser.unexpected()) };
            let key = parser.string(close)?;
            parser.skip_space()?;
            if !parser.passes(b':') {
                return Err(parser.unexpected());
            }
            parser.skip_space()?;
            let value = parser.value(depth + 1)?;
            if !keys.insert(key.clone()) {
                return Err(JsonError { problem: JsonProblem::DuplicateKey(key), offset });
            }
            members.push((key, value));
            Ok(())
        })?;
        Ok(Json::Object(Object(members)))
    }

    fn array(&mut self, depth: usize) -> Result<Json, JsonError> {
        let mut items = Vec::new();
        self.items(b']', |parser| {
            items.push(parser.value(depth + 1)?);
            Ok(())
        })?;
        Ok(Json::Array(items))
    }

    /// Reads what stands in brackets, up to and with the one that closes them.
    fn items(
        &mut self,
        close: u8,
        mut item: impl FnMut(&mut Self) -> Result<(), JsonError>,
    ) -> Result<(), JsonError> {
        self.at += 1;
        self.skip_space()?;
        let mut is_closed = self.passes(close);
        while !is_closed {
            item(self)?;
            self.skip_space()?;
            if self.passes(b',') {
                self.skip_space()?;
                is_closed = self.json5() && self.passes(close);
                self.repairs.extend(is_closed.then_some(JsonRepair::TrailingComma));
            } else if self.passes(close) {
                is_closed = true;
            } else {
                return Err(self.unexpected());
            }
        }
        Ok(())
    }

    fn number(&mut self) -> Result<Json, JsonError> {
        let start = self.at;
        if self.passes(b'-') && self.rest().starts_with("Infinity") {
            return Err(self.error(JsonProblem::NotFinite));
        }
        let integer = self.digits()?;
        if integer > 1 && self.text.as_bytes()[self.at - integer] == b'0' {
            return Err(self.error(JsonProblem::BadNumber));
        }
        if self.passes(b'.') {
            self.digits()?;
        }
        if self.passes(b'e') || self.passes(b'E') {
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            self.digits()?;
        }
        let text = &self.text[start..self.at];
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Json::Number(text.to_owned())),
            _ => Err(JsonError { problem: JsonProblem::NotFinite, offset: start }),
        }
    }

    /// Passes over digits, at least one, and says how many.
    fn digits(&mut self) -> Result<usize, JsonError> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        match self.at - start {
            0 if self.at >= self.text.len() => Err(self.error(JsonProblem::UnexpectedEnd)),
            0 => Err(self.error(JsonProblem::BadNumber)),
            n => Ok(n),
        }
    }

    /// Passes over an opening quote and returns the character that closes the string.
    fn opening_quote(&mut self) -> Option<char> {
        let open = self.rest().chars().next()?;
        let (close, repair) = match open {
            '"' => ('"', None),
            '\'' if self.json5() => ('\'', Some(JsonRepair::SingleQuotes)),
            '\u{201c}' | '\u{201d}' if self.json5() => ('\u{201d}', Some(JsonRepair::SmartQuotes)),
            _ => return None,
        };
        self.repairs.extend(repair);
        self.at += open.len_utf8();
        Some(close)
    }

    fn string(&mut self, close: char) -> Result<String, JsonError> {
        let mut out = String::new();
        loop {
            let plain = self
                .rest()
                .find(|c: char| c == close || c == '\\' || c < ' ')
                .ok_or(JsonError { problem: JsonProblem::UnexpectedEnd, offset: self.text.len() })?;
            out.push_str(&self.text[self.at..self.at + plain]);
            self.at += plain;
            let c = self.rest().chars().next().expect("find returned the place of a character");
            if c == close {
                self.at += c.len_utf8();
                return Ok(out);
            }
            if c == '\\' {
                out.push(self.escape()?);
            } else if self.json5() {
                self.repairs.push(JsonRepair::RawControl);
                self.at += 1;
                out.push(c);
            } else {
                return Err(self.error(JsonProblem::RawControl));
            }
        }
    }

    fn escape(&mut self) -> Result<char, JsonError> {
        self.at += 1;
        let Some(c) = self.peek() else { return Err(self.error(JsonProblem::UnexpectedEnd)) };
        let plain = match c {
            b'"' | b'\\' | b'/' => char::from(c),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'\'' if self.json5() => {
                self.repairs.push(JsonRepair::SingleQuotes);
                '\''
            }
            b'u' => return self.unicode_escape(),
            _ => return Err(self.error(JsonProblem::BadEscape)),
        };
        self.at += 1;
        Ok(plain)
    }

    /// Reads `uXXXX` and, for a high surrogate, the low one that must follow.
    fn unicode_escape(&mut self) -> Result<char, JsonError> {
        let high = self.four_hex()?;
        if let Some(c) = char::from_u32(high.into()) {
            return Ok(c);
        }
        if (0xd800..0xdc00).contains(&high) && self.rest().starts_with("\\u") {
            let before = self.at;
            self.at += 1;
            let low = self.four_hex()?;
            if let Some(Ok(c)) = char::decode_utf16([high, low]).next() {
                return Ok(c);
            }
            self.at = before;
        }
        if self.tolerance == Tolerance::Strict {
            return Err(self.error(JsonProblem::LoneSurrogate));
        }
        self.repairs.push(JsonRepair::LoneSurrogate);
        Ok('\u{fffd}')
    }

    fn four_hex(&mut self) -> Result<u16, JsonError> {
        self.at += 1;
        let bytes = &self.text.as_bytes()[self.at..];
        let mut code = 0;
        for byte in bytes.iter().take(4) {
            let digit = char::from(*byte).to_digit(16).ok_or_else(|| self.error(JsonProblem::BadEscape))?;
            code = code << 4 | u16::try_from(digit).unwrap_or_default();
        }
        if bytes.len() < 4 {
            self.at = self.text.len();
            return Err(self.error(JsonProblem::UnexpectedEnd));
        }
        self.at += 4;
        Ok(code)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, tolerance: Tolerance, want: &str) {
        let got = match parse_with(text, tolerance) {
            Ok((value, repairs)) => {
                let names: Vec<&str> = repairs.into_iter().map(JsonRepair::name).collect();
                format!("{} {}", value.canonical(), names.join(",")).trim_end().to_owned()
            }
            Err(error) => error.to_string(),
        };
        assert_eq!(got, want, "for {text}");
    }

    #[test]
    fn a_duplicate_key_is_an_error_at_any_depth() {
        check(r#"{"a":{"b":1,"b":2}}"#, Tolerance::Strict, "duplicate key \"b\" at byte 12");
    }

    #[test]
    fn a_duplicate_key_is_found_among_few_members_and_among_many() {
        for n in [2, 100] {
            let object = |last: usize| {
                let members: Vec<String> = (1..n).chain([last]).map(|i| format!("\"{i}\":0")).collect();
                format!("{{{}}}", members.join(","))
            };
            assert_eq!(parse(&object(n)).expect("keys differ").as_object().expect("an object").len(), n);
            for last in [1, n - 1] {
                let problem = parse(&object(last)).expect_err("a key stands twice").problem;
                assert_eq!(problem, JsonProblem::DuplicateKey(last.to_string()), "{n} members");
            }
        }
    }

    #[test]
    fn cut_text_is_told_from_wrong_text() {
        for cut in [r#"{"a":"#, r#"{"a":"x"#, r#"{"a":1,"#, "[1,", "tru", "-", r#""\u12"#, "1."] {
            let error = parse(cut).expect_err(cut);
            assert_eq!(error.problem, JsonProblem::UnexpectedEnd, "{cut}");
        }
        check("{1}", Tolerance::Strict, "unexpected character '1' at byte 1");
        check("1 2", Tolerance::Strict, "text after the value at byte 2");
    }

    #[test]
    fn numbers_keep_their_text_and_stay_finite() {
        check("[18446744073709551616,1.0,-0]", Tolerance::Strict, "[18446744073709551616,1.0,-0]");
        for bad in ["NaN", "Infinity", "-Infinity", "1e999"] {
            assert_eq!(parse(bad).expect_err(bad).problem, JsonProblem::NotFinite);
        }
        let digits = |n: usize| "9".repeat(n);
        check(&digits(308), Tolerance::Strict, &digits(308));
        assert_eq!(parse(&digits(310)).expect_err("too large").problem, JsonProblem::NotFinite);
        check("01", Tolerance::Strict, "a malformed number at byte 2");
    }

    #[test]
    fn words_numbers_and_escapes_are_read_as_written() {
        for text in ["[true,false,null]", "[1e+2,-1E-2,0.5,10]", r#""\b\f\n\r\t\"\\""#] {
            check(text, Tolerance::Strict, text);
        }
        check("Nil", Tolerance::Strict, "unexpected character 'N' at byte 0");
    }

    #[test]
    fn json5_is_read_only_where_it_is_tolerated() {
        for text in [
            "'a'", "\u{201c}a\u{201d}", r#""\'""#, "[1,]", "/**/ 1", "1 // x", "\"\n\"", "{'a':1}",
            "{\"a\":1,}",
        ] {
            assert!(parse_with(text, Tolerance::Json5).is_ok(), "{text}");
            assert!(parse_with(text, Tolerance::LoneSurrogates).is_err(), "{text}");
            assert!(parse_with(text, Tolerance::Strict).is_err(), "{text}");
        }
    }

    #[test]
    fn json5_repairs_are_listed() {
        check(
            "{'a': [1,2,], /* x */}",
            Tolerance::Json5,
            r#"{"a":[1,2]} trailing_comma,single_quotes,comment"#,
        );
        check("{\u{201c}a\u{201d}:\"x\ny\"}", Tolerance::Json5, "{\"a\":\"x\\ny\"} smart_quotes,raw_control");
        check(r#""it\'s""#, Tolerance::Json5, "\"it's\" single_quotes");
        check("/* a */ 1 // b", Tolerance::Json5, "1 comment");
        check(r#"["\ud800x"]"#, Tolerance::LoneSurrogates, "[\"\u{fffd}x\"] lone_surrogate");
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |open: &str, close: &str, n: usize| open.repeat(n) + "1" + &close.repeat(n);
        for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")] {
            let n_max = DEPTH_MAX / open.matches(['[', '{']).count();
            assert!(parse(&nested(open, close, n_max)).is_ok(), "{open}");
            let error = parse(&nested(open, close, n_max + 1)).expect_err("too deep");
            assert_eq!(error.problem, JsonProblem::TooDeep, "{open}");
        }
        let empty = |n: usize| "[".repeat(n) + &"]".repeat(n);
        assert!(parse(&empty(DEPTH_MAX)).is_ok());
        assert_eq!(parse(&empty(DEPTH_MAX + 1)).expect_err("too deep").problem, JsonProblem::TooDeep);
        assert_eq!(parse(&empty(1_000_000)).expect_err("too deep").problem, JsonProblem::TooDeep);
    }

    proptest! {
        /// Strict reading accepts what a general parser accepts, unless a key repeats.
        #[test]
        fn agrees_with_a_general_parser(text in r#"[\[\]{}:,"\\a0-9eE.+\-u ntrf]{0,24}"#) {
            let ours = parse(&text);
            let theirs = serde_json::from_str::<serde_json::Value>(&text);
            match &ours {
                Ok(value) => {
                    let theirs = theirs.expect("accepted here");
                    let again: serde_json::Value = serde_json::from_str(&value.canonical()).expect("canonical");
                    prop_assert_eq!(again, theirs);
                }
                Err(error) => prop_assert!(
                    theirs.is_err() || matches!(error.problem, JsonProblem::DuplicateKey(_)), "{}", error),
            }
        }

        /// What is written can be read, and reads as the same value.
        #[test]
        fn strings_survive(text in any::<String>()) {
            let value = Json::object([(text.clone(), Json::String(text))]);
            prop_assert_eq!(parse(&value.canonical()).expect("canonical is JSON"), value);
        }
    }
}
