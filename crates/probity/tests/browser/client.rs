//! A browser as a test uses it: go somewhere, read, type, look, and ask what happened meanwhile.
//!
//! Elements are named by CSS selectors and looked for until they are there, within a bound. Console messages
//! and requests are taken from the browser's own logs, so a page cannot hide them.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::driver::Driver;

/// How the web driver protocol names the reference to an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// How long something that a page does may take.
const WAIT_MAX: Duration = Duration::from_secs(20);

/// How often it is looked for meanwhile.
const POLL: Duration = Duration::from_millis(20);

/// The width of a desk, of a telephone and of a sheet of paper, in CSS pixels.
const WIDE: u32 = 1440;
const NARROW: u32 = 390;
const SHEET: u32 = 794;

/// The tallest picture that is taken of a page, in CSS pixels.
const HEIGHT_MAX: f64 = 5_000.0;

/// How a page is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// On a desk by day.
    Light,
    /// On a desk by night.
    Dark,
    /// On a telephone.
    Narrow,
    /// On a telephone by night.
    NarrowDark,
    /// On paper.
    Print,
}

impl Look {
    /// Every way a page is looked at.
    pub(crate) const ALL: [Look; 5] = [Look::Light, Look::Dark, Look::Narrow, Look::NarrowDark, Look::Print];

    fn name(self) -> &'static str {
        match self {
            Look::Light => "light",
            Look::Dark => "dark",
            Look::Narrow => "narrow",
            Look::NarrowDark => "narrow-dark",
            Look::Print => "print",
        }
    }
}

/// A browser with one window, ended when it is dropped.
pub(crate) struct Browser {
    driver: Driver,
}

#[allow(dead_code, reason = "pages differ in what they need")]
impl Browser {
    /// A browser of its own, or `None` where the machine has none, which is said on standard error.
    pub(crate) fn start() -> Option<Browser> {
        let browser = Driver::start().map(|driver| Browser { driver })?;
        // The page that a new window shows is not the test's, and neither is what it asks for.
        browser.goto("about:blank");
        Some(browser)
    }

    /// Opens an address and waits until it has loaded. Logs from before are forgotten.
    #[track_caller]
    pub(crate) fn goto(&self, url: &str) {
        self.logs("browser");
        self.logs("performance");
        self.driver.post("/url", &json!({ "url": url }));
    }

    /// Opens a file from disk.
    #[track_caller]
    pub(crate) fn open(&self, path: &Path) {
        self.goto(&format!("file://{}", path.display()));
    }

    /// The address of the page.
    pub(crate) fn url(&self) -> String {
        self.driver.get("/url").as_str().unwrap_or_default().to_owned()
    }

    /// Runs the body of a function in the page and gives back what it returns.
    #[track_caller]
    pub(crate) fn execute(&self, script: &str, arguments: &[Value]) -> Value {
        self.driver.post("/execute/sync", &json!({ "script": script, "args": arguments }))
    }

    /// Waits until the expression is true in the page.
    #[track_caller]
    pub(crate) fn wait_until(&self, expression: &str) {
        let started = Instant::now();
        while self.execute(&format!("return Boolean({expression})"), &[]) != true {
            assert!(started.elapsed() < WAIT_MAX, "never true: {expression} at {}", self.url());
            std::thread::sleep(POLL);
        }
    }

    /// How many elements there are now.
    #[track_caller]
    pub(crate) fn count(&self, css: &str) -> usize {
        self.elements(css).len()
    }

    /// The text of the first element as a person reads it.
    #[track_caller]
    pub(crate) fn text(&self, css: &str) -> String {
        let element = self.find(css);
        self.driver.get(&format!("/element/{element}/text")).as_str().unwrap_or_default().to_owned()
    }

    /// Clicks on the first element.
    #[track_caller]
    pub(crate) fn click(&self, css: &str) {
        let element = self.find(css);
        self.driver.post(&format!("/element/{element}/click"), &json!({}));
    }

    /// Types into the first element.
    #[track_caller]
    pub(crate) fn send_keys(&self, css: &str, keys: &str) {
        let element = self.find(css);
        self.driver.post(&format!("/element/{element}/value"), &json!({ "text": keys }));
    }

    /// Presses keys one after the other, wherever the focus is. The protocol's private-use characters are keys
    /// without a letter, such as `\u{E007}` for Enter.
    #[track_caller]
    pub(crate) fn press(&self, keys: &str) {
        let pressed: Vec<Value> = keys
            .chars()
            .flat_map(|key| ["keyDown", "keyUp"].map(|kind| json!({ "type": kind, "value": key })))
            .collect();
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": pressed });
        self.driver.post("/actions", &json!({ "actions": [keyboard] }));
    }

    /// The reference of the first element, waited for.
    #[track_caller]
    pub(crate) fn find(&self, css: &str) -> String {
        let started = Instant::now();
        loop {
            if let Some(element) = self.elements(css).into_iter().next() {
                return element;
            }
            assert!(started.elapsed() < WAIT_MAX, "no element {css} at {}", self.url());
            std::thread::sleep(POLL);
        }
    }

    #[track_caller]
    fn elements(&self, css: &str) -> Vec<String> {
        let found = self.driver.post("/elements", &json!({ "using": "css selector", "value": css }));
        let found = found.as_array().cloned().unwrap_or_default();
        found.iter().filter_map(|each| each[ELEMENT].as_str().map(str::to_owned)).collect()
    }

    /// The cookies of the page.
    pub(crate) fn cookies(&self) -> Vec<Value> {
        self.driver.get("/cookie").as_array().cloned().unwrap_or_default()
    }

    /// Forgets every cookie of the page.
    pub(crate) fn forget_cookies(&self) {
        self.driver.delete("/cookie");
    }

    /// What the console has to complain about since the page was opened: errors of scripts, refusals of the
    /// content security policy, failed loads.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let serious = |entry: &Value| matches!(entry["level"].as_str(), Some("SEVERE" | "WARNING"));
        let logs = self.logs("browser").into_iter().filter(serious);
        logs.map(|entry| entry["message"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// The addresses that were asked for since the page was opened, the page's own first.
    pub(crate) fn requests(&self) -> Vec<String> {
        let asked = |entry: Value| {
            let message: Value = serde_json::from_str(entry["message"].as_str()?).ok()?;
            let event = &message["message"];
            let url = event["params"]["request"]["url"].as_str()?.to_owned();
            (event["method"] == "Network.requestWillBeSent").then_some(url)
        };
        self.logs("performance").into_iter().filter_map(asked).collect()
    }

    /// The entries of a log since it was last read.
    pub(crate) fn logs(&self, kind: &str) -> Vec<Value> {
        self.driver.post("/se/log", &json!({ "type": kind })).as_array().cloned().unwrap_or_default()
    }

    /// A command of the browser's own protocol.
    #[track_caller]
    pub(crate) fn devtools(&self, command: &str, parameters: &Value) -> Value {
        self.driver.post("/goog/cdp/execute", &json!({ "cmd": command, "params": parameters }))
    }

    /// Shows the page from now on as it is looked at this way.
    #[track_caller]
    pub(crate) fn look(&self, look: Look) {
        let scheme = if matches!(look, Look::Dark | Look::NarrowDark) { "dark" } else { "light" };
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        let media = if look == Look::Print { "print" } else { "screen" };
        self.devtools("Emulation.setEmulatedMedia", &json!({ "media": media, "features": features }));
        let width = match look {
            Look::Light | Look::Dark => WIDE,
            Look::Narrow | Look::NarrowDark => NARROW,
            Look::Print => SHEET,
        };
        let mobile = matches!(look, Look::Narrow | Look::NarrowDark);
        let metrics = json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": mobile });
        self.devtools("Emulation.setDeviceMetricsOverride", &metrics);
    }

    /// Lets the page run scripts from now on, or none.
    pub(crate) fn scripts(&self, run: bool) {
        self.devtools("Emulation.setScriptExecutionDisabled", &json!({ "value": !run }));
    }

    /// A picture of the whole page as it is shown now, in `target/screenshots`; in the long form of the tests alone.
    #[track_caller]
    pub(crate) fn screenshot(&self, name: &str) {
        if std::env::var_os("PROBITY_LONG_TESTS").is_none() {
            return;
        }
        let size = &self.devtools("Page.getLayoutMetrics", &json!({}))["cssContentSize"];
        let width = size["width"].as_f64().expect("a page has a width");
        let height = size["height"].as_f64().expect("a page has a height").min(HEIGHT_MAX);
        self.captured(name, width, height);
    }

    /// A picture for the README of the upper part of the page, by day, in `target/screenshots/readme`.
    #[track_caller]
    pub(crate) fn picture(&self, name: &str, width: u32, height: u32) -> PathBuf {
        self.look(Look::Light);
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.devtools("Emulation.setDeviceMetricsOverride", &metrics);
        self.execute("scrollTo(0, 0)", &[]);
        let path = self.captured(&format!("readme/{name}"), f64::from(width), f64::from(height));
        self.look(Look::Light);
        path
    }

    #[track_caller]
    fn captured(&self, name: &str, width: f64, height: f64) -> PathBuf {
        let clip = json!({ "x": 0, "y": 0, "width": width, "height": height, "scale": 1 });
        let wanted = json!({ "format": "png", "captureBeyondViewport": true, "clip": clip });
        let taken = self.devtools("Page.captureScreenshot", &wanted);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("screenshots");
        let path = folder.join(format!("{name}.png"));
        std::fs::create_dir_all(path.parent().expect("a picture is in a folder")).expect("a folder");
        std::fs::write(&path, bytes(taken["data"].as_str().unwrap_or_default())).expect("a picture");
        path
    }

    /// Holds the page to every usual width: nothing is scrolled sideways, and a name that is cut off is whole in its
    /// title.
    #[track_caller]
    pub(crate) fn fits(&self, name: &str) {
        for width in [320, 768, 2560] {
            let metrics =
                json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 768 });
            self.devtools("Emulation.setDeviceMetricsOverride", &metrics);
            let over = "return document.documentElement.scrollWidth - document.documentElement.clientWidth";
            assert_eq!(self.execute(over, &[]), 0, "{name} is too wide at {width} px");
            let cut = "return [...document.querySelectorAll('code, small, button, h2, .bar .soft, #rail-head')].filter((each) => \
                getComputedStyle(each).textOverflow === 'ellipsis' && each.scrollWidth > each.clientWidth && !each.title) \
                .map((each) => each.textContent)";
            assert_eq!(self.execute(cut, &[]), json!([]), "{name} cuts names off at {width} px");
        }
        self.look(Look::Light);
    }

    /// Pictures of the page in every way it is looked at, each of which must fit its width.
    #[track_caller]
    pub(crate) fn screenshots(&self, name: &str) {
        for look in Look::ALL {
            self.look(look);
            self.screenshot(&format!("{name}-{}", look.name()));
            let over = "return document.documentElement.scrollWidth - document.documentElement.clientWidth";
            assert_eq!(self.execute(over, &[]), 0, "{name} is too wide when {look:?}");
        }
        self.look(Look::Light);
    }
}

/// The bytes of base 64, as the protocol sends pictures.
fn bytes(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut out, mut held, mut n_bits) = (Vec::with_capacity(text.len() / 4 * 3), 0_u32, 0);
    for letter in text.bytes().filter(|letter| *letter != b'=') {
        let value = ALPHABET.iter().position(|each| *each == letter).expect("base 64");
        held = held << 6 | u32::try_from(value).expect("an alphabet of 64");
        n_bits += 6;
        if n_bits >= 8 {
            n_bits -= 8;
            out.push(u8::try_from(held >> n_bits & 0xff).expect("eight bits"));
        }
    }
    out
}

#[test]
fn pictures_arrive_whole() {
    assert_eq!(bytes("iVBORw0KGgo="), b"\x89PNG\r\n\x1a\n");
}
