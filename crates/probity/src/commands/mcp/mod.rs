//! `probity mcp`: the commands as tools of the Model Context Protocol, JSON-RPC over standard input and output.
//!
//! A call of a tool is a call of this program with `--json`, so a tool says exactly what its command says, and what goes
//! wrong in one call stays in it. Calls are answered one after the other. Without `--allow-spend` no tool asks a judge
//! or writes to the store.

mod tools;

use std::io::{self, BufRead, Read as _, Write};

use serde_json::{Value, json};

use self::tools::{TOOLS, Tool};
use crate::args::McpArgs;
use crate::exit::{Exit, Failure};
use crate::terminal::Pipe;

/// The version of the protocol that is spoken where a client names none that is known.
const PROTOCOL: &str = "2025-06-18";

/// Versions that differ in nothing that is used here.
const KNOWN_PROTOCOLS: [&str; 3] = ["2024-11-05", "2025-03-26", PROTOCOL];

/// The longest message that is read.
const MESSAGE_BYTES_MAX: u64 = 1 << 20;

/// What the model on the other side is told first.
const INSTRUCTIONS: &str = "Probity scores customer-support replies and says whether the judge that scored them can be \
trusted. Files are named relative to the folder of this server. `unscored` is never a failure: it has a reason. Scores by \
an `advisory` judge inform and must not gate a release.";

/// A request that is answered with an error of the protocol: its code and what is wrong.
struct RpcError(i32, String);

/// Answers messages until standard input ends.
pub(crate) fn serve(args: &McpArgs) -> Result<Exit, Failure> {
    let mut input = io::stdin().lock();
    let mut output = Pipe(io::stdout().lock());
    loop {
        let mut line = Vec::new();
        let read = (&mut input).take(MESSAGE_BYTES_MAX).read_until(b'\n', &mut line);
        let n_read = read.map_err(|error| Failure::store(format!("cannot read standard input: {error}")))?;
        if n_read == 0 {
            return Ok(Exit::Done);
        }
        if line.last() != Some(&b'\n') && n_read as u64 == MESSAGE_BYTES_MAX {
            return Err(Failure::usage(format!("a message is longer than {MESSAGE_BYTES_MAX} bytes")));
        }
        if let Some(answer) = answer(&line, args) {
            let written = writeln!(output, "{answer}").and_then(|()| output.flush());
            written.map_err(|error| Failure::unwritable(None, &error))?;
        }
    }
}

/// The answer to a message; notifications and answers have none.
fn answer(line: &[u8], args: &McpArgs) -> Option<Value> {
    if line.trim_ascii().is_empty() {
        return None;
    }
    let (id, result) = match serde_json::from_slice::<Value>(line) {
        Err(error) => (Value::Null, Err(RpcError(-32700, format!("not JSON: {error}")))),
        Ok(message) if message["method"].is_string() => {
            let id = message.get("id")?.clone();
            (id, result(message["method"].as_str().unwrap_or_default(), &message["params"], args))
        }
        Ok(message) if message.get("result").is_some() || message.get("error").is_some() => return None,
        Ok(message) => (message["id"].clone(), Err(RpcError(-32600, "a request has a method".to_owned()))),
    };
    Some(match result {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(RpcError(code, message)) => {
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
        }
    })
}

fn result(method: &str, params: &Value, args: &McpArgs) -> Result<Value, RpcError> {
    let is_offered = |tool: &Tool| args.allow_spend || !tool.spends();
    match method {
        "initialize" => {
            let asked = params["protocolVersion"].as_str().unwrap_or_default();
            let spoken = KNOWN_PROTOCOLS.into_iter().find(|known| *known == asked).unwrap_or(PROTOCOL);
            Ok(json!({
                "protocolVersion": spoken,
                "capabilities": { "tools": {} },
                "serverInfo": { "name": "probity", "version": env!("CARGO_PKG_VERSION") },
                "instructions": INSTRUCTIONS,
            }))
        }
        "ping" => Ok(json!({})),
        "tools/list" => {
            let offered = TOOLS.iter().filter(|tool| is_offered(tool));
            Ok(json!({ "tools": offered.map(Tool::listed).collect::<Vec<_>>() }))
        }
        "tools/call" => {
            let name = params["name"].as_str().unwrap_or_default();
            let tool = TOOLS.iter().find(|tool| tool.name == name);
            let tool = tool.ok_or_else(|| RpcError(-32602, format!("there is no tool {name:?}")))?;
            let called = if is_offered(tool) {
                tool.call(&params["arguments"])
            } else {
                Err(format!(
                    "{name} asks a judge, and this server only reads: start it as `probity mcp --allow-spend`"
                ))
            };
            // What is wrong with a call is told to the model, which can put it right.
            let (text, is_error) = match called {
                Ok(result) => (result.to_string(), false),
                Err(message) => (message, true),
            };
            Ok(json!({ "content": [{ "type": "text", "text": text }], "isError": is_error }))
        }
        other => Err(RpcError(-32601, format!("there is no method {other:?}"))),
    }
}
