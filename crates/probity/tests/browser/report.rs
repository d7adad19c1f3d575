//! Reports as people open them: from disk, without a request, in light and dark, narrow and on paper.

use std::path::Path;

use crate::binary::Probity;
use crate::client::Browser;

/// A file that ships with the program.
fn example(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)).unwrap()
}

/// Opens a page from disk. It must ask for nothing but itself and have nothing to complain about.
#[track_caller]
fn opened(browser: &Browser, probity: &Probity, page: &str) {
    let path = probity.path(page);
    browser.open(&path);
    assert_eq!(
        browser.requests(),
        [format!("file://{}", path.display())],
        "{page} asks for more than itself"
    );
    assert_eq!(browser.complaints(), Vec::<String>::new(), "{page} does not work");
}

#[test]
fn w19_a_run_opens_from_disk_and_asks_for_nothing() {
    let Some(browser) = Browser::start() else { return };
    let probity = Probity::new().file("gold.csv", example("gold.csv"));
    let call = ["run", "gold.csv", "--rubric", "support-gold", "--report", "run.html"];
    probity.args(call).run().code(0);
    opened(&browser, &probity, "run.html");
    assert!(browser.text("h1").contains("support-gold"));
    assert!(browser.count("#replies-body tr") > 0, "the list of replies is there");
    browser.screenshots("run");
}
