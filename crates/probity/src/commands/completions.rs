//! `probity completions`: what shells complete, and man pages, both made from the flags themselves.

use crate::args::{CompletionsArgs, plain_command_line};
use crate::exit::{Exit, Failure};
use crate::terminal;

/// Runs the command.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<Exit, Failure> {
    let mut command = plain_command_line();
    if let Some(shell) = args.shell {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut command, "probity", &mut script);
        terminal::deliver(&String::from_utf8_lossy(&script))?;
    }
    if let Some(folder) = &args.man {
        let made = std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(command, folder));
        made.map_err(|error| Failure::unwritable(Some(folder), &error))?;
    }
    Ok(Exit::Done)
}
