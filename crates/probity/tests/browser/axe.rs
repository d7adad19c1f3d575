//! What keeps people out of a page, as axe-core sees it: contrast, names, roles and landmarks, by day and by night.

use std::path::Path;

use serde_json::{Value, json};

use crate::client::{Browser, Look};

/// Where `cargo xtask ci` puts the script.
const SCRIPT: &str = "axe/node_modules/axe-core/axe.min.js";

/// Runs it over the page as it is shown now, by all rules or by those that are named.
const RUN: &str = "return axe.run(document, { resultTypes: ['violations'], ...(arguments[0] ? { runOnly: arguments[0] } : {}) }).then(({ violations }) => \
    violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 4).map((node) => `${node.target.join(' ')} ${node.any.map((each) => each.message).join(' ').slice(0, 160)}`).join(' | ')}`))";

/// The rules that another scheme can break.
const BY_SCHEME: [&str; 2] = ["color-contrast", "link-in-text-block"];

/// Holds the page to it in both schemes; without the script, that is skipped and said.
#[track_caller]
pub(crate) fn accessible(browser: &Browser, name: &str) {
    let script = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name(SCRIPT);
    let Ok(script) = std::fs::read_to_string(&script) else {
        crate::support::skipped(
            "accessibility of pages",
            "axe-core is not in target/axe; `cargo xtask ci` puts it there",
        );
        return;
    };
    if browser.execute("return Boolean(window.axe)", &[]) != true {
        browser.execute(&format!("{script}\nwindow.axe = axe"), &[]);
    }
    for (look, rules) in [(Look::Light, Value::Null), (Look::Dark, json!(BY_SCHEME))] {
        browser.look(look);
        let found = browser.execute(RUN, &[rules]);
        assert_eq!(found, json!([]), "{name} when {look:?}");
    }
    browser.look(Look::Light);
}
