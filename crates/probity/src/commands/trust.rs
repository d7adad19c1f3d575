//! `probity trust`: the user's word that a settings file may decide where keys go and what is executed.

use probity_engine::config::{DecidingSetting, SettingClass};

use crate::args::TrustArgs;
use crate::exit::{Exit, Failure};
use crate::plain::plain;
use crate::settings::sources;
use crate::terminal;

/// Runs the command.
pub(crate) fn trust(args: &TrustArgs) -> Result<Exit, Failure> {
    let shown = args.file.display();
    let Some((file, text)) = sources::read(&args.file)? else {
        return Err(Failure::usage(format!("{shown}: there is no such file")));
    };
    let deciding: Vec<&DecidingSetting> = file.deciding.iter().filter(|setting| decides(setting)).collect();
    if deciding.is_empty() {
        terminal::print(&format!("{shown} decides nothing that needs your trust\n"));
        return Ok(Exit::Done);
    }
    let record = sources::trust(&args.file, &text)?;
    for setting in &deciding {
        terminal::print(&format!(
            "{shown}:{}: {}: {}\n",
            setting.line,
            plain(&setting.path.join(".")),
            plain(&value(setting))
        ));
    }
    let n = deciding.len();
    terminal::print(&format!(
        "{shown} is trusted with the {n} settings above until it changes (recorded in {})\n",
        record.display()
    ));
    Ok(Exit::Done)
}

fn decides(setting: &DecidingSetting) -> bool {
    let is_outside = || setting.words.iter().any(|word| sources::is_outside(word));
    setting.class != SettingClass::Path || is_outside()
}

/// The value on one line, without what may be a password in an address of a store.
fn value(setting: &DecidingSetting) -> String {
    match setting.class {
        SettingClass::Path => {
            let place = |word: &String| {
                word.split_once("://").map_or(word.clone(), |(scheme, _)| format!("{scheme}://…"))
            };
            setting.words.iter().map(place).collect::<Vec<_>>().join(" ")
        }
        _ => setting.words.join(" "),
    }
}
