//! Checks the help of every command and every flag.

use clap::{Arg, Command, CommandFactory};

use super::*;

/// The maximum length of the first line of a help text, in characters.
const LONGEST: usize = 80;

/// Verbs with which the help of a command begins.
const VERBS: [&str; 11] =
    ["Check", "Compare", "Convert", "Create", "Explain", "List", "Play", "Print", "Run", "Schedule", "Write"];

/// Returns each command with its path, as in `berth plugin new`.
fn commands() -> Vec<(String, Command)> {
    fn add(path: &str, command: &Command, to: &mut Vec<(String, Command)>) {
        let path = format!("{path} {}", command.get_name()).trim().to_owned();
        to.push((path.clone(), command.clone()));
        command.get_subcommands().for_each(|command| add(&path, command, to));
    }
    let mut all = Vec::new();
    add("", &Cli::command(), &mut all);
    all
}

fn first_line(help: Option<&clap::builder::StyledStr>) -> String {
    help.map(ToString::to_string).unwrap_or_default().lines().next().unwrap_or_default().to_owned()
}

fn check_line(what: &str, line: &str, problems: &mut Vec<String>) {
    if line.is_empty() {
        problems.push(format!("{what}: no help"));
    }
    if line.chars().count() > LONGEST {
        problems.push(format!("{what}: {} characters: {line}", line.chars().count()));
    }
    if !line.starts_with(|first: char| first.is_uppercase()) {
        problems.push(format!("{what}: begins with a small letter: {line}"));
    }
    if line.ends_with([',', ':', ';']) || line.matches('(').count() != line.matches(')').count() {
        problems.push(format!("{what}: the first line is not a phrase of its own: {line}"));
    }
}

fn name(arg: &Arg) -> String {
    arg.get_long().map_or_else(|| arg.get_id().to_string(), |long| format!("--{long}"))
}

#[test]
fn every_command_and_argument_has_a_short_help() {
    let mut problems = Vec::new();
    for (path, command) in commands() {
        let line = first_line(command.get_about());
        check_line(&path, &line, &mut problems);
        if path != "berth" && !VERBS.iter().any(|verb| line.split([' ', ',']).next() == Some(verb)) {
            problems.push(format!("{path}: the help does not begin with a verb of the list: {line}"));
        }
        for arg in command.get_arguments() {
            check_line(&format!("{path} {}", name(arg)), &first_line(arg.get_help()), &mut problems);
        }
    }
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn the_command_line_is_consistent() {
    Cli::command().debug_assert();
}

/// The last line of `docs/command-line.md` that is not generated.
#[cfg(feature = "simulator")]
const GENERATED: &str = "<!-- The rest is generated from the program: UPDATE_DOCS=1 cargo test -p berth --lib -->\n";

/// Returns the help of every command as Markdown.
#[cfg(feature = "simulator")]
fn reference() -> String {
    fn add(command: &mut Command, to: &mut String) {
        let name = command.get_bin_name().unwrap_or("berth").to_owned();
        if name != "berth" {
            // The help of `berth` has the global flags.
            let hidden = |arg: Arg| if arg.is_global_set() { arg.hide(true) } else { arg };
            *command = command.clone().mut_args(hidden);
        }
        let help = command.render_long_help().to_string();
        let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
        to.push_str(&format!("\n### {name}\n\n```text\n{}\n```\n", lines.join("\n").trim_end()));
        command
            .get_subcommands_mut()
            .filter(|command| command.get_name() != "help")
            .for_each(|command| add(command, to));
    }
    let mut command = Cli::command().term_width(100);
    command.build();
    let mut text = "\n## Commands\n".to_owned();
    add(&mut command, &mut text);
    text
}

#[test]
#[cfg(feature = "simulator")]
fn the_page_has_the_help_of_every_command() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/command-line.md");
    let page = std::fs::read_to_string(path).expect("the page");
    let (head, _) = page.split_once(GENERATED).expect("a generated part");
    check_document(path.as_ref(), &format!("{head}{GENERATED}{}", reference()));
}

/// Commands that report a finding in their exit status list the statuses in their help.
#[test]
fn exit_statuses_are_in_the_help() {
    for (path, command) in commands() {
        let lists = [
            "berth",
            "berth run",
            "berth demo",
            "berth config check",
            "berth plugin list",
            "berth plugin check",
            "berth whatif",
        ];
        if lists.contains(&path.as_str()) || path == "berth plugin test" {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.starts_with("Exit status:\n  0  ") && help.contains("\n  1  "), "{path}: {help}");
        }
    }
}
