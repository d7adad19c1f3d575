//! Opening the machine's browser.
//!
//! Arguments of a process can be read by every user of the machine, so the browser is given a file that only this
//! user can read, and the file sends it on.

use std::io::Write;
use std::process::{Command, Stdio};

use probity_engine::platform::BROWSERS;
use tempfile::NamedTempFile;

/// Opens a link. The file that was handed over lasts as long as what is returned; where there is no browser, there
/// is nothing.
pub(super) fn open(link: &str) -> Option<NamedTempFile> {
    let mut file = tempfile::Builder::new().prefix("probity-review-").suffix(".html").tempfile().ok()?;
    file.write_all(page(link).as_bytes()).ok()?;
    let start = |opener: &&&str| {
        let mut command = Command::new(opener);
        command.arg(file.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().is_ok()
    };
    BROWSERS.iter().find(start).is_some().then_some(file)
}

/// A link has letters, digits and `:/.#-_` alone, none of which means anything in an attribute.
fn page(link: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"refresh\" content=\"0; url={link}\">\n\
         <title>Probity</title>\n<a href=\"{link}\">Open the review room</a>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w10_the_link_is_in_a_file_for_this_user_only() {
        use std::os::unix::fs::PermissionsExt;
        let file = tempfile::Builder::new().suffix(".html").tempfile().unwrap();
        assert_eq!(file.as_file().metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert!(page("http://127.0.0.1:1/enter#abc").contains("url=http://127.0.0.1:1/enter#abc\""));
    }
}
