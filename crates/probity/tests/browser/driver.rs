//! The web driver process and one session in it, command by command.
//!
//! Every call waits for its answer and has a limit. A command that the driver refuses ends the test with the
//! driver's own words. Both processes end when the session is dropped, and their folder goes with them.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// Set to anything, this variable leaves the tests out.
const SKIP: &str = "PROBITY_SKIP_BROWSER";

/// The web driver of Debian's `chromium-driver`.
const DRIVER: &str = "chromedriver";

/// What the browser is called, by its packagers.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// What keeps a browser without a screen to itself.
const FLAGS: [&str; 10] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "about:blank",
];

/// A command that takes longer hangs.
const COMMAND_MAX: Duration = Duration::from_mins(1);

/// What the driver prints once it listens, before the port.
const LISTENS: &str = "started successfully on port ";

/// A session with a browser of its own.
pub(crate) struct Driver {
    process: Child,
    runtime: Runtime,
    client: reqwest::Client,
    base: String,
    session: String,
    profile: TempDir,
}

impl Driver {
    /// Starts a driver and a browser, or says on standard error why there is none.
    pub(crate) fn start() -> Option<Driver> {
        match Self::started() {
            Ok(driver) => Some(driver),
            Err(why) => {
                crate::support::skipped("a page in a browser", &why);
                None
            }
        }
    }

    fn started() -> Result<Driver, String> {
        if std::env::var_os(SKIP).is_some_and(|value| !value.is_empty()) {
            return Err(format!("{SKIP} is set"));
        }
        let browser = BROWSERS.iter().find_map(|name| on_path(name));
        let browser = browser.ok_or_else(|| format!("none of {} is installed", BROWSERS.join(", ")))?;
        let driver = on_path(DRIVER).ok_or_else(|| format!("{DRIVER} is not installed"))?;
        let profile = tempfile::tempdir().expect("a temporary folder");
        let (process, port) = listening(&driver);
        // The provider may be installed already by another test; nothing here is encrypted.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut driver = Driver {
            process,
            runtime: tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap(),
            client: reqwest::Client::builder().no_proxy().timeout(COMMAND_MAX).build().unwrap(),
            base: format!("http://127.0.0.1:{port}/session"),
            session: String::new(),
            profile,
        };
        let wanted = capabilities(&browser, driver.profile.path());
        let answer = driver.send(&reqwest::Method::POST, "", Some(&wanted));
        driver.session = format!("/{}", answer["sessionId"].as_str().expect("a session has an id"));
        Ok(driver)
    }

    /// A command of the session that changes or asks something with a body.
    #[track_caller]
    pub(crate) fn post(&self, command: &str, body: &Value) -> Value {
        self.send(&reqwest::Method::POST, command, Some(body))
    }

    /// A command of the session that only asks.
    #[track_caller]
    pub(crate) fn get(&self, command: &str) -> Value {
        self.send(&reqwest::Method::GET, command, None)
    }

    /// A command of the session that removes something.
    #[track_caller]
    pub(crate) fn delete(&self, command: &str) -> Value {
        self.send(&reqwest::Method::DELETE, command, None)
    }

    #[track_caller]
    fn send(&self, method: &reqwest::Method, command: &str, body: Option<&Value>) -> Value {
        self.try_send(method, command, body).unwrap_or_else(|why| panic!("{method} {command}: {why}"))
    }

    fn try_send(
        &self,
        method: &reqwest::Method,
        command: &str,
        body: Option<&Value>,
    ) -> Result<Value, String> {
        let url = format!("{}{}{command}", self.base, self.session);
        let mut request = self.client.request(method.clone(), url);
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        let bytes = self.runtime.block_on(async { request.send().await?.bytes().await });
        let bytes = bytes.map_err(|error| error.to_string())?;
        let mut answer: Value = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
        let value = answer["value"].take();
        match value["error"].as_str() {
            Some(error) => Err(format!("{error}: {}", value["message"].as_str().unwrap_or_default())),
            None => Ok(value),
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // A browser that is gone already leaves nothing to end.
        if !self.session.is_empty() {
            let _ = self.try_send(&reqwest::Method::DELETE, "", None);
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The first program of this name on the path.
fn on_path(name: &str) -> Option<String> {
    let folders = std::env::var_os("PATH")?;
    let found =
        std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())?;
    Some(found.to_string_lossy().into_owned())
}

/// A driver that listens on a port the system chose.
fn listening(driver: &str) -> (Child, u16) {
    let mut command = Command::new(driver);
    command.arg("--port=0").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut process = command.spawn().expect("the driver starts");
    let mut lines = BufReader::new(process.stdout.take().expect("its output is piped")).lines();
    let port = lines.by_ref().map_while(Result::ok).find_map(|line| {
        line.split_once(LISTENS).and_then(|(_, port)| port.trim_end_matches('.').parse().ok())
    });
    // The pipe stays open and read, or the driver would end at its next line.
    std::thread::spawn(move || lines.for_each(drop));
    (process, port.expect("the driver says where it listens"))
}

/// What the browser is to be: on no screen, with its own profile, and with a log of console and network.
fn capabilities(browser: &str, profile: &Path) -> Value {
    let mut flags: Vec<String> = FLAGS.iter().map(ToString::to_string).collect();
    flags.push(format!("--user-data-dir={}", profile.display()));
    json!({ "capabilities": { "alwaysMatch": {
        "browserName": "chrome",
        "unhandledPromptBehavior": "ignore",
        "goog:chromeOptions": { "binary": browser, "args": flags },
        "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
    } } })
}
