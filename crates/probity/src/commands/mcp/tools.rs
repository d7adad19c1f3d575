//! The tools: which command each calls, with which of its flags, and what of its document is passed on.
//!
//! What a flag means is said by the command line itself. An argument becomes one word, `--flag=value` or a file behind
//! `--`, so no argument is ever a flag. Files lie in the folder that the server was started in.

use std::path::Path;
use std::process::{Command, Stdio};

use clap::CommandFactory as _;
use serde_json::{Map, Value, json};

use crate::args::Cli;
use crate::exit::Exit;

/// The longest answer, in bytes: what a model can be expected to read.
const ANSWER_BYTES_MAX: usize = 200_000;

/// Rows of one answer, unless asked otherwise, and at most.
const ROWS: u64 = 20;
const ROWS_MAX: u64 = 200;

/// Flags of the tools that ask a judge, of which one at least says the most it may spend.
const ASKING: &[&str] = &["files", "rubric", "judge", "model", "slices", "limit", "max_calls", "budget_usd"];

/// The argument that a tool with it cannot do without.
const CASE: &str = "case";

/// The arguments of a call, by name.
type Given = Map<String, Value>;

/// A tool: the command it calls, which of its flags are arguments of the tool, and what is passed on.
pub(super) struct Tool {
    pub(super) name: &'static str,
    about: &'static str,
    command: &'static [&'static str],
    flags: &'static [&'static str],
    part: DocumentPart,
}

/// What is passed on of a document.
#[derive(Clone, Copy)]
enum DocumentPart {
    /// All of it.
    Whole,
    /// All but its rows.
    Figures,
    /// Some of its rows, in short.
    Rows,
    /// The rows of one case.
    OneCase,
}

use DocumentPart::{Figures, OneCase, Rows, Whole};

/// A row of the table.
const fn tool(
    name: &'static str,
    command: &'static [&'static str],
    flags: &'static [&'static str],
    part: DocumentPart,
    about: &'static str,
) -> Tool {
    Tool { name, about, command, flags, part }
}

/// Every tool. Those that ask a judge have a budget among their flags.
#[rustfmt::skip]
pub(super) const TOOLS: &[Tool] = &[
    tool("check", &["check"], &["files", "rubric", "judge", "model", "slices", "limit"], Whole,
        "Show how case files are read, how many calls a run would make and what it would cost. Sends nothing."),
    tool("gate", &["gate", "check"], &["files", "slices", "limit"], Whole,
        "Check replies against the gate's rules (personal data, unsupported claims, safety) without a judge."),
    tool("runs", &["report"], &[], Whole, "List the runs on record with their pass rates."),
    tool("summary", &["report"], &["run"], Figures,
        "The figures of a run on record: pass rate with its interval, targets, slices, failure patterns."),
    tool("cases", &["report"], &["run"], Rows,
        "Read the cases of a run, a few at a time: ticket, reply, outcome and what is wrong with it."),
    tool("explain", &["report"], &["run"], OneCase,
        "Explain the verdict on one case of a run: evidence, what the gate found, and for each criterion the level, the \
         points and the judge's reason."),
    tool("diff", &["diff"], &["before", "after"], Whole,
        "Show what changed between two runs, case by case, and whether the pass rate fell."),
    tool("run", &["run"], ASKING, Figures,
        "Score replies by a judge within a budget: max_calls or budget_usd. What is on record is not paid again."),
    tool("compare", &["compare"], ASKING, Figures,
        "Find out which of two or more variants answers better, within a budget: max_calls or budget_usd."),
];

impl Tool {
    /// Whether it asks a judge.
    pub(super) fn spends(&self) -> bool {
        self.flags.contains(&"budget_usd")
    }

    /// As clients list it.
    pub(super) fn listed(&self) -> Value {
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for arg in self.args() {
            let id = arg.get_id().to_string();
            let mut schema = json!({ "type": ["string", "number"] });
            if arg.get_num_args().is_some_and(|n| n.max_values() > 1) {
                schema = json!({ "type": "array", "items": { "type": "string" }, "minItems": 1 });
            }
            schema["description"] = json!(arg.get_help().map(ToString::to_string));
            required.extend(is_wanted(&arg).then(|| id.clone()));
            properties.insert(id, schema);
        }
        for (name, about) in self.part.filters() {
            properties
                .insert((*name).to_owned(), json!({ "type": ["string", "number"], "description": about }));
            required.extend((*name == CASE).then(|| CASE.to_owned()));
        }
        json!({
            "name": self.name,
            "description": self.about,
            "inputSchema": {
                "type": "object", "properties": properties, "required": required, "additionalProperties": false,
            },
            "annotations": { "readOnlyHint": !self.spends() },
        })
    }

    /// What the command says, or in words why it cannot be called like this.
    pub(super) fn call(&self, given: &Value) -> Result<Value, String> {
        let given = given.as_object().cloned().unwrap_or_default();
        let words = self.words(&given)?;
        let itself = |error| format!("cannot call itself: {error}");
        let mut command = Command::new(std::env::current_exe().map_err(itself)?);
        let ran = command.args(words).stdin(Stdio::null()).output().map_err(itself)?;
        let said = String::from_utf8_lossy(&ran.stderr).trim().to_owned();
        let document: Value = serde_json::from_slice(&ran.stdout).map_err(|_| said.clone())?;
        let answer = json!({
            "exit_code": ran.status.code().unwrap_or(Exit::Store as i32),
            "notices": said.lines().collect::<Vec<_>>(),
            "result": self.part.of(document, &given)?,
        });
        let n_bytes = answer.to_string().len();
        let too_long = || format!("the answer has {n_bytes} bytes: narrow it with limit, slices or count");
        (n_bytes <= ANSWER_BYTES_MAX).then_some(answer).ok_or_else(too_long)
    }

    /// The arguments of the command that the tool has.
    fn args(&self) -> Vec<clap::Arg> {
        let mut command = Cli::command();
        for word in self.command {
            command = command.find_subcommand(word).expect("tools call commands that exist").clone();
        }
        let of = |id: &&str| command.get_arguments().find(|arg| arg.get_id() == *id).cloned();
        self.flags.iter().map(|id| of(id).expect("tools have flags that exist")).collect()
    }

    /// The words of the call.
    fn words(&self, given: &Given) -> Result<Vec<String>, String> {
        let filters = self.part.filters().iter().map(|(name, _)| *name);
        let known: Vec<&str> = self.flags.iter().copied().chain(filters).collect();
        if let Some(name) = given.keys().find(|name| !known.contains(&name.as_str())) {
            return Err(format!("{} has no argument {name:?}, expected {}", self.name, known.join(", ")));
        }
        if known.contains(&CASE) && !given.contains_key(CASE) {
            return Err(format!("{} needs {CASE}", self.name));
        }
        if self.spends() && !given.contains_key("max_calls") && !given.contains_key("budget_usd") {
            return Err(format!("{} spends money: set max_calls or budget_usd", self.name));
        }
        let mut words: Vec<String> = self.command.iter().map(|&word| word.to_owned()).collect();
        words.push("--json".to_owned());
        let mut last = vec!["--".to_owned()];
        for arg in self.args() {
            let id = arg.get_id().as_str();
            let values = match given.get(id) {
                None if is_wanted(&arg) => return Err(format!("{} needs {id}", self.name)),
                None if id == "run" => vec!["last".to_owned()],
                None | Some(Value::Null) => Vec::new(),
                Some(Value::Array(values)) => {
                    values.iter().map(|value| word(id, value)).collect::<Result<_, _>>()?
                }
                Some(value) => vec![word(id, value)?],
            };
            match arg.get_long() {
                Some(long) => words.extend(values.iter().map(|value| format!("--{long}={value}"))),
                None => last.extend(values),
            }
        }
        words.append(&mut last);
        Ok(words)
    }
}

/// Whether a call has to name this: all that stands behind the flags, but for the run, which is the last one.
fn is_wanted(arg: &clap::Arg) -> bool {
    arg.is_positional() && arg.get_id() != "run"
}

/// One value of an argument, as a word.
fn word(id: &str, value: &Value) -> Result<String, String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        other => return Err(format!("{id}: expected a text or a number, found {other}")),
    };
    let is_run = text == "last" || (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()));
    match id {
        "run" if !is_run => Err(format!("run: expected a run's number or `last`, found {text:?}")),
        "before" | "after" if is_run => Ok(text),
        "files" | "before" | "after" => inside(text),
        "rubric" if text.contains(['/', '\\', '.']) => inside(text),
        _ => Ok(text),
    }
}

/// The file, which lies in the folder of the server.
fn inside(file: String) -> Result<String, String> {
    let real = |path: &str| Path::new(path).canonicalize().map_err(|error| format!("{path}: {error}"));
    let is_inside = real(&file)?.starts_with(real(".")?);
    if is_inside { Ok(file) } else { Err(format!("{file}: expected a file in the folder of the server")) }
}

impl DocumentPart {
    /// Arguments that choose what is passed on, and what they mean.
    fn filters(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Whole | Figures => &[],
            Rows => &[
                ("outcome", "Only replies with this outcome: pass, fail, scored, blocked or unscored"),
                ("slice", "Only replies of this slice"),
                ("offset", "Skip this many rows"),
                ("count", "How many rows to return [default: 20, at most 200]"),
            ],
            OneCase => &[(CASE, "The case's id")],
        }
    }

    fn of(self, mut document: Value, given: &Given) -> Result<Value, String> {
        match self {
            Whole => Ok(document),
            Figures => {
                document.as_object_mut().into_iter().for_each(|members| {
                    members.retain(|name, _| !["results", "failed", "comparisons"].contains(&name.as_str()));
                });
                Ok(document)
            }
            Rows => rows(&document, given),
            OneCase => one_case(&document, given),
        }
    }
}

/// Rows with their texts and what is wrong, a few at a time.
fn rows(document: &Value, given: &Given) -> Result<Value, String> {
    const KEYS: [&str; 9] =
        ["id", "slice", "variant", "outcome", "total", "ticket", "reply", "fail_reasons", "issues"];
    let wanted = |key: &str, row: &Value| given.get(key).is_none_or(|value| row[key] == *value);
    let number = |key: &str, default: u64| given.get(key).and_then(Value::as_u64).unwrap_or(default);
    let found = results(document)?.iter().filter(|row| wanted("outcome", row) && wanted("slice", row));
    let found: Vec<&Value> = found.collect();
    let (offset, count) = (number("offset", 0), number("count", ROWS).min(ROWS_MAX));
    let short = |row: &&Value| {
        KEYS.into_iter().filter_map(|key| Some((key.to_owned(), row.get(key)?.clone()))).collect::<Value>()
    };
    let [skip, take] = [offset, count].map(|n| usize::try_from(n).unwrap_or(usize::MAX));
    let shown: Vec<Value> = found.iter().skip(skip).take(take).map(short).collect();
    Ok(json!({ "n": found.len(), "offset": offset, "cases": shown }))
}

/// Everything about the replies to one case.
fn one_case(document: &Value, given: &Given) -> Result<Value, String> {
    let id = given.get(CASE).unwrap_or(&Value::Null);
    let replies: Vec<&Value> = results(document)?.iter().filter(|row| row["id"] == *id).collect();
    if replies.is_empty() {
        return Err(format!("the run has no case {id}"));
    }
    let unscored = document["failed"].as_array().into_iter().flatten().filter(|row| row["id"] == *id);
    let (unscored, summary) = (unscored.collect::<Vec<_>>(), &document["summary"]);
    Ok(json!({
        "replies": replies, "unscored": unscored, "judge": summary["judge"], "rubric": summary["rubric"],
    }))
}

fn results(document: &Value) -> Result<&Vec<Value>, String> {
    let rows = document["results"].as_array();
    rows.ok_or_else(|| "this run has no rows: expected one of `probity run`".to_owned())
}
