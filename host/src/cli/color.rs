//! Colors of help, errors and log lines. `--color`, `NO_COLOR` and `CLICOLOR_FORCE` decide whether there are colors.

use std::ffi::OsString;
use std::io;

use anstream::AutoStream;
use clap::builder::Styles;
use clap::builder::styling::AnsiColor;
use clap::{ColorChoice, ValueEnum};

/// The styles of help and errors.
pub(super) const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Returns the value of the last valid `--color`. Call this before clap parses the command line, because clap's own
/// help and errors have colors.
pub(super) fn choice(arguments: &[OsString]) -> ColorChoice {
    let mut given = arguments.iter().filter_map(|argument| argument.to_str()).take_while(|argument| *argument != "--");
    let mut choice = ColorChoice::Auto;
    while let Some(argument) = given.next() {
        let value = match argument.strip_prefix("--color") {
            Some("") => given.next(),
            Some(rest) => rest.strip_prefix('='),
            None => None,
        };
        // clap reports an invalid value.
        choice = value.and_then(|value| ColorChoice::from_str(value, false).ok()).unwrap_or(choice);
    }
    choice
}

/// Applies the choice to everything that is written with `anstream`.
pub(super) fn apply(choice: ColorChoice) {
    match choice {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    }
    .write_global();
}

/// Returns whether standard error gets colors.
pub(super) fn on_stderr() -> bool {
    AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_color_flag_counts() {
        for (given, expected) in [
            ("berth plugin list", ColorChoice::Auto),
            ("berth --color=never plugin list", ColorChoice::Never),
            ("berth plugin list --color always", ColorChoice::Always),
            ("berth --color=never plugin list --color=always", ColorChoice::Always),
            ("berth --color=blue", ColorChoice::Auto),
            ("berth --colors=never", ColorChoice::Auto),
            ("berth -- --color=never", ColorChoice::Auto),
        ] {
            let arguments: Vec<OsString> = given.split(' ').map(Into::into).collect();
            assert_eq!(choice(&arguments), expected, "{given}");
        }
    }
}
