//! What a setting lets a file decide.
//!
//! A settings file may have come with a clone. What it says about how replies are scored is the project's own business;
//! where a key goes, what is executed and what is read or written elsewhere is the user's. So each setting has a class
//! in the table that declares it ([`super::layer`]), and all classes but [`SettingClass::Plain`] need the user's word.

/// What a setting decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingClass {
    /// How replies are scored, and how fast. Any file may decide it.
    Plain,
    /// An address that cases and keys are sent to.
    Address,
    /// A program that is executed.
    Program,
    /// A variable of the environment that is sent, or handed to a program.
    Variable,
    /// Headers of requests.
    Header,
    /// A file that is read or written. Any file may name one inside the working folder.
    Path,
}
