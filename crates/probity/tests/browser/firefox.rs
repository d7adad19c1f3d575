//! A report in the other browser of the distribution: Firefox, by the protocol that it speaks itself.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::report::Scene;

/// How long something may take.
const WAIT_MAX: Duration = Duration::from_secs(40);

/// A Firefox without a screen and with a profile of its own, ended when it is dropped.
struct Firefox {
    process: Child,
    stream: TcpStream,
    _profile: TempDir,
}

impl Firefox {
    fn start() -> Option<Firefox> {
        let profile = tempfile::tempdir().unwrap();
        std::fs::write(profile.path().join("user.js"), "user_pref(\"marionette.port\", 0);\n").unwrap();
        let mut command = Command::new("firefox");
        command
            .args(["--headless", "--no-remote", "--marionette", "--remote-allow-system-access", "--profile"]);
        command.arg(profile.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let is_wanted = std::env::var_os("PROBITY_SKIP_BROWSER").is_none_or(|value| value.is_empty());
        let Some(process) = is_wanted.then(|| command.spawn().ok()).flatten() else {
            crate::support::skipped(
                "a page in Firefox",
                "firefox is not installed, or browsers are left out",
            );
            return None;
        };
        let port = || std::fs::read_to_string(profile.path().join("MarionetteActivePort")).ok()?.parse().ok();
        let port: u16 = waited(port);
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(WAIT_MAX)).unwrap();
        let mut firefox = Firefox { process, stream, _profile: profile };
        firefox.heard();
        firefox.ask("WebDriver:NewSession", &json!({}));
        Some(firefox)
    }

    /// A message: its length in digits, a colon, and JSON.
    fn heard(&mut self) -> Value {
        let (mut digits, mut byte) = (String::new(), [0]);
        while self.stream.read_exact(&mut byte).map(|()| byte[0] != b':').unwrap() {
            digits.push(char::from(byte[0]));
        }
        let mut body = vec![0; digits.parse().unwrap()];
        self.stream.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    #[track_caller]
    fn ask(&mut self, command: &str, parameters: &Value) -> Value {
        let message = json!([0, 1, command, parameters]).to_string();
        self.stream.write_all(format!("{}:{message}", message.len()).as_bytes()).unwrap();
        let answer = self.heard();
        assert_eq!(answer[2], Value::Null, "{command}");
        answer[3]["value"].clone()
    }

    #[track_caller]
    fn execute(&mut self, script: &str) -> Value {
        self.ask("WebDriver:ExecuteScript", &json!({ "script": script, "args": [] }))
    }

    #[track_caller]
    fn wait_until(&mut self, expression: &str) {
        let script = format!("return Boolean({expression})");
        waited(|| (self.execute(&script) == true).then_some(()));
    }
}

impl Drop for Firefox {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Tries until there is something.
#[track_caller]
fn waited<T>(mut found: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(started.elapsed() < WAIT_MAX, "it never came");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_report_works_from_disk_in_firefox_and_its_console_is_empty() {
    let Some(mut firefox) = Firefox::start() else { return };
    let scene = Scene::judged_by("noisy:0.15");
    let words = "run gold.jsonl --rubric support-gold --model mock-judge --report fox.html".split(' ');
    scene.probity.args([]).words(words).run().code(0);
    let address = format!("file://{}", scene.probity.path("fox.html").display());
    firefox.ask("WebDriver:Navigate", &json!({ "url": address }));
    firefox.wait_until("document.getElementById('count').textContent === '30 replies'");
    firefox.execute("document.querySelector('#slices tbody tr:nth-child(2) a.hit').dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))");
    firefox.wait_until("document.getElementById('count').textContent === '10 of 30 replies'");
    firefox.execute("document.querySelector('.row').click()");
    firefox.wait_until(
        "document.querySelector('#case .answer .words') && document.querySelector('#case .scale')",
    );
    firefox.ask("Marionette:SetContext", &json!({ "value": "chrome" }));
    let said = firefox.execute(
        "return Services.console.getMessageArray().filter((each) => each instanceof Ci.nsIScriptError && each.sourceName.startsWith('file:')) \
         .map((each) => each.errorMessage)",
    );
    assert_eq!(said, json!([]));
}
