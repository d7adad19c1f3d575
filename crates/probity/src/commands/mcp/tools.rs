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

/// A tool.
pub(super) struct Tool {
    pub(super) name: &'static str,
    about: &'static str,
    /// The command it calls.
    command: &'static [&'static str],
    /// The flags of that command that are arguments of the tool, by their ids.
    flags: &'static [&'static str],
    /// Arguments that choose what is passed on, and what they mean.
    filters: &'static [(&'static str, &'static str)],
    /// What is passed on of the document.
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

/// A tool that passes on all that its command says, and one that leaves out the rows.
const WHOLE: Tool =
    Tool { name: "", about: "", command: &[], flags: &[], filters: &[], part: DocumentPart::Whole };
const FIGURES: Tool = Tool { part: DocumentPart::Figures, ..WHOLE };

/// Every tool. Those that ask a judge have a budget among their flags.
pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "check",
        about: "Say how case files are read, how many calls a run would make and what it would cost. Sends nothing.",
        command: &["check"],
        flags: &["files", "rubric", "judge", "model", "slices", "limit"],
        ..WHOLE
    },
    Tool {
        name: "gate",
        about: "Check replies against the gate's rules (personal data, unsupported claims, safety) without a judge.",
        command: &["gate", "check"],
        flags: &["files", "slices", "limit"],
        ..WHOLE
    },
    Tool {
        name: "runs",
        about: "List the runs on record with their pass rates.",
        command: &["report"],
        ..WHOLE
    },
    Tool {
        name: "summary",
        about: "The figures of a run on record: pass rate with its interval, targets, slices, failure patterns.",
        command: &["report"],
        flags: &["run"],
        ..FIGURES
    },
    Tool {
        name: "cases",
        about: "Read the cases of a run: ticket, reply, outcome and what is wrong with it, a few at a time.",
        command: &["report"],
        flags: &["run"],
        filters: &[
            ("outcome", "Only replies with this outcome: pass, fail, scored, blocked or unscored"),
            ("slice", "Only replies of this slice"),
            ("offset", "Leave out so many rows first"),
            ("count", "Rows of the answer: 20 unless said, at most 200"),
        ],
        part: DocumentPart::Rows,
    },
    Tool {
        name: "explain",
        about: "Explain the verdict on one case of a run: evidence, what the gate found, and for each criterion the \
                level, the points and the judge's reason.",
        command: &["report"],
        flags: &["run"],
        filters: &[(CASE, "The case's id")],
        part: DocumentPart::OneCase,
    },
    Tool {
        name: "diff",
        about: "Say what changed between two runs, case by case, and whether the pass rate fell.",
        command: &["diff"],
        flags: &["before", "after"],
        ..WHOLE
    },
    Tool {
        name: "run",
        about: "Score replies by a judge within a budget: max_calls or budget_usd. What is on record is not paid again.",
        command: &["run"],
        flags: ASKING,
        ..FIGURES
    },
    Tool {
        name: "compare",
        about: "Say which of two or more variants answers better, within a budget: max_calls or budget_usd.",
        command: &["compare"],
        flags: ASKING,
        ..FIGURES
    },
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
            let is_list = arg.get_num_args().is_some_and(|n| n.max_values() > 1);
            let mut schema = if is_list {
                json!({ "type": "array", "items": { "type": "string" }, "minItems": 1 })
            } else {
                json!({ "type": ["string", "number"] })
            };
            schema["description"] = json!(arg.get_help().map(ToString::to_string));
            required.extend(is_wanted(&arg).then(|| id.clone()));
            properties.insert(id, schema);
        }
        for (name, about) in self.filters {
            let schema = json!({ "type": ["string", "number"], "description": about });
            properties.insert((*name).to_owned(), schema);
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
        match answer.to_string().len() {
            n if n > ANSWER_BYTES_MAX => {
                Err(format!("the answer has {n} bytes: narrow it with limit, slices or count"))
            }
            _ => Ok(answer),
        }
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
        let known: Vec<&str> =
            self.flags.iter().copied().chain(self.filters.iter().map(|(name, _)| *name)).collect();
        if let Some(name) = given.keys().find(|name| !known.contains(&name.as_str())) {
            return Err(format!("{} has no argument {name:?}, expected {}", self.name, known.join(", ")));
        }
        if known.contains(&CASE) && !given.contains_key(CASE) {
            return Err(format!("{} needs {CASE}", self.name));
        }
        if self.spends() && !given.contains_key("max_calls") && !given.contains_key("budget_usd") {
            return Err(format!(
                "{} spends money: say the most it may, as max_calls or budget_usd",
                self.name
            ));
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
    let real = Path::new(&file).canonicalize().map_err(|error| format!("{file}: {error}"))?;
    let folder =
        Path::new(".").canonicalize().map_err(|error| format!("the folder of the server: {error}"))?;
    if real.starts_with(folder) {
        Ok(file)
    } else {
        Err(format!("{file}: expected a file in the folder of the server"))
    }
}

impl DocumentPart {
    fn of(self, document: Value, given: &Given) -> Result<Value, String> {
        match self {
            DocumentPart::Whole => Ok(document),
            DocumentPart::Figures => Ok(figures(document)),
            DocumentPart::Rows => rows(&document, given),
            DocumentPart::OneCase => one_case(&document, given),
        }
    }
}

/// The document without its rows.
fn figures(mut document: Value) -> Value {
    if let Some(members) = document.as_object_mut() {
        members.retain(|name, _| !["results", "failed", "comparisons"].contains(&name.as_str()));
    }
    document
}

/// Rows with their texts and what is wrong, a few at a time.
fn rows(document: &Value, given: &Given) -> Result<Value, String> {
    let wanted = |key: &str, row: &Value| given.get(key).is_none_or(|value| row[key] == *value);
    let number = |key: &str, default: u64| given.get(key).and_then(Value::as_u64).unwrap_or(default);
    let found = results(document)?.filter(|row| wanted("outcome", row) && wanted("slice", row));
    let found: Vec<&Value> = found.collect();
    let (offset, count) = (number("offset", 0), number("count", ROWS).min(ROWS_MAX));
    let short = |row: &&Value| {
        let keys =
            ["id", "slice", "variant", "outcome", "total", "ticket", "reply", "fail_reasons", "issues"];
        keys.into_iter().filter_map(|key| Some((key.to_owned(), row.get(key)?.clone()))).collect::<Value>()
    };
    let [skip, take] = [offset, count].map(|n| usize::try_from(n).unwrap_or(usize::MAX));
    let shown: Vec<Value> = found.iter().skip(skip).take(take).map(short).collect();
    Ok(json!({ "n": found.len(), "offset": offset, "cases": shown }))
}

/// Everything about the replies to one case.
fn one_case(document: &Value, given: &Given) -> Result<Value, String> {
    let id = given.get(CASE).unwrap_or(&Value::Null);
    let replies: Vec<&Value> = results(document)?.filter(|row| row["id"] == *id).collect();
    if replies.is_empty() {
        return Err(format!("the run has no case {id}"));
    }
    let unscored = document["failed"].as_array().into_iter().flatten().filter(|row| row["id"] == *id);
    let unscored: Vec<&Value> = unscored.collect();
    let summary = &document["summary"];
    Ok(json!({
        "replies": replies, "unscored": unscored, "judge": summary["judge"], "rubric": summary["rubric"],
    }))
}

fn results(document: &Value) -> Result<impl Iterator<Item = &Value>, String> {
    let rows = document["results"].as_array();
    rows.map(|rows| rows.iter())
        .ok_or_else(|| "this run has no rows: expected one of `probity run`".to_owned())
}
