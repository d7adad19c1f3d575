//! Where settings come from: the user's own file, the file of the working folder, the environment and the flags; and
//! which files the user has trusted.
//!
//! A file is trusted as it is and where it is: the record holds a hash of its path and its content, so that neither a
//! change nor a copy beside other programs is trusted with it.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};

use probity_engine::config::layer::Layer;
use probity_engine::config::{FileTrust, SettingsFile, Sources};
use probity_engine::platform::{SETTINGS_HOME, private_folder};

use super::variable;
use crate::args::{SETTINGS_FILE, SettingsArgs};
use crate::exit::Failure;

/// The name of the user's own settings, below their folder.
const OWN: &str = "config.toml";

/// The name of the record of trusted files, beside them.
const RECORD: &str = "trusted";

/// All sources of settings.
pub(super) fn sources(args: &SettingsArgs, flags: Layer) -> Result<Sources, Failure> {
    let environment = Layer::from_env(&variable)?;
    let user = own_file().map_or(Ok(None), |path| read(&path))?;
    let named = args.config.as_deref();
    let path = named.unwrap_or(Path::new(SETTINGS_FILE));
    let folder = match read(path)? {
        None if named.is_some() => {
            return Err(Failure::usage(format!("{}: there is no such file", path.display())));
        }
        None => None,
        Some((file, text)) => {
            let is_trusted = args.trust_settings || is_trusted(path, &text);
            Some((file, if is_trusted { FileTrust::Trusted } else { FileTrust::Untrusted }))
        }
    };
    Ok(Sources { user: user.map(|(file, _)| file), folder, environment, flags })
}

/// A settings file with its text, where there is one.
pub(crate) fn read(path: &Path) -> Result<Option<(SettingsFile, String)>, Failure> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Failure::unreadable(&path.display().to_string(), &error)),
    };
    let file = SettingsFile::read(&path.display().to_string(), &text)?;
    Ok(Some((file, text)))
}

/// The file of the user's own settings, unless the environment names no folder for it.
pub(super) fn own_file() -> Option<PathBuf> {
    Some(own_folder()?.join(OWN))
}

/// The folder of the user's own settings, unless the environment names none.
fn own_folder() -> Option<PathBuf> {
    let folder = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let (home, below) = SETTINGS_HOME;
    let settings = folder("XDG_CONFIG_HOME").or_else(|| Some(folder(home)?.join(below)))?;
    Some(settings.join("probity"))
}

/// Whether the user has trusted the file at `path` with this text.
fn is_trusted(path: &Path, text: &str) -> bool {
    let record = own_folder().and_then(|folder| fs::read_to_string(folder.join(RECORD)).ok());
    let (Some(record), Ok(path)) = (record, path.canonicalize()) else { return false };
    let digest = digest(&path, text);
    record.lines().any(|line| line.split(' ').next() == Some(&digest))
}

/// Records that the user trusts the file at `path` with this text and no other, and says where.
pub(crate) fn trust(path: &Path, text: &str) -> Result<PathBuf, Failure> {
    let folder = own_folder().ok_or_else(|| {
        let (home, _) = SETTINGS_HOME;
        Failure::usage(format!(
            "neither XDG_CONFIG_HOME nor {home} names a folder for the record of trusted files"
        ))
    })?;
    let record = folder.join(RECORD);
    let write = || {
        let path = path.canonicalize()?;
        private_folder(&folder)?;
        // One line for each path, whatever its name holds.
        let shown = path.display().to_string().escape_debug().to_string();
        let before = fs::read_to_string(&record).unwrap_or_default();
        let others = before.lines().filter(|line| line.split_once(' ').is_none_or(|(_, path)| path != shown));
        let own = format!("{} {shown}", digest(&path, text));
        let lines: Vec<&str> = others.chain([own.as_str()]).collect();
        let mut file = tempfile::NamedTempFile::new_in(&folder)?;
        file.write_all((lines.join("\n") + "\n").as_bytes())?;
        file.persist(&record).map(drop).map_err(|error| error.error)
    };
    write().map_err(|error| Failure::unwritable(Some(&record), &error))?;
    Ok(record)
}

fn digest(path: &Path, text: &str) -> String {
    let path = path.as_os_str().as_encoded_bytes();
    let mut hasher = blake3::Hasher::new_derive_key("probity trusted settings v1");
    hasher.update(&(path.len() as u64).to_le_bytes()).update(path).update(text.as_bytes());
    hasher.finalize().to_hex().to_string()
}

/// Whether a path, as settings write it, leads out of the working folder through its parts or through links, or to
/// another machine.
pub(crate) fn is_outside(written: &str) -> bool {
    let folder = std::env::current_dir().and_then(|folder| folder.canonicalize());
    let Ok(folder) = folder.as_deref() else { return true };
    let path = folder.join(written);
    let Some(there) = path.ancestors().find(|part| part.symlink_metadata().is_ok()) else { return true };
    let is_inside = there.canonicalize().is_ok_and(|there| there.starts_with(folder));
    let mut rest = path.strip_prefix(there).unwrap_or(&path).components();
    written.contains("://") || !is_inside || rest.any(|part| part == Component::ParentDir)
}
