//! The exit statuses in the help of commands.

use std::fmt::Write as _;

use clap::builder::StyledStr;

use super::color::STYLES;

/// The exit statuses of the program.
pub(super) const BERTH: &[(u8, &str)] = &[
    (0, "success, also after SIGTERM or Ctrl-C has stopped `run` or `sim`"),
    (1, "the command failed or found a problem; standard error ends with the cause"),
    (2, "the command line is invalid"),
];

/// Returns the section of the help that lists these exit statuses.
pub(super) fn section(statuses: &[(u8, &str)]) -> StyledStr {
    let (mut text, header) = (StyledStr::new(), STYLES.get_header());
    // Writing to a string does not fail.
    let _ = write!(text, "{header}Exit status:{header:#}");
    for (status, meaning) in statuses {
        let _ = write!(text, "\n  {status}  {meaning}");
    }
    text
}
