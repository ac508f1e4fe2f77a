//! Compatibility with kube-scheduler: called by its name and with its flags, the binary acts as `berth run`.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// The name of kube-scheduler's binary.
const NAME: &str = "kube-scheduler";

/// Translates kube-scheduler's command line to `berth`'s own. Under another program name, the command line stays as it
/// is. It also stays if the first argument is no flag: an image may have a link named kube-scheduler as its entry
/// point and pass one of `berth`'s commands.
pub fn arguments(given: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut given = given.peekable();
    let program = given.next().unwrap_or_default();
    let name = Path::new(&program).file_name();
    let is_command = given.peek().is_some_and(|first| !first.as_encoded_bytes().starts_with(b"-"));
    if name != Some(OsStr::new(NAME)) || is_command {
        return std::iter::once(program).chain(given).collect();
    }
    let given: Vec<OsString> = given.map(|flag| translate_flag(&flag)).collect();
    if given.iter().any(|flag| flag == "--version") {
        return vec![program, "--version".into()];
    }
    [program, "run".into(), "--as-kube-scheduler".into()].into_iter().chain(given).collect()
}

/// Translates a flag: kube-scheduler accepts `_` for `-` in names, and `--version` with a value.
fn translate_flag(flag: &OsStr) -> OsString {
    let Some(text) = flag.to_str().filter(|text| text.starts_with("--")) else { return flag.to_owned() };
    match text.split_once('=') {
        Some(("--version", "false")) | None if text != "--version" => text.replace('_', "-").into(),
        Some(("--version", _)) | None => "--version".into(),
        Some((name, value)) => format!("{}={value}", name.replace('_', "-")).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn under_the_name_kube_scheduler_flags_are_passed_to_run() {
        for (given, expected) in [
            (
                "kube-scheduler --v=2 --leader_elect=a_b",
                "kube-scheduler run --as-kube-scheduler --v=2 --leader-elect=a_b",
            ),
            ("/usr/local/bin/kube-scheduler", "/usr/local/bin/kube-scheduler run --as-kube-scheduler"),
            ("kube-scheduler --config f_g -v 2", "kube-scheduler run --as-kube-scheduler --config f_g -v 2"),
            ("kube-scheduler --version=raw", "kube-scheduler --version"),
            ("kube-scheduler run --config=f", "kube-scheduler run --config=f"),
            ("berth run --config=f", "berth run --config=f"),
            ("berth --version", "berth --version"),
        ] {
            let words = given.split(' ').map(OsString::from);
            let made: Vec<String> = arguments(words).into_iter().filter_map(|word| word.into_string().ok()).collect();
            assert_eq!(made.join(" "), expected);
        }
    }
}
