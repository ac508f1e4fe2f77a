//! The output of `berth config check`.

use std::fmt::Write as _;

use comfy_table::{ContentArrangement, Table, presets::NOTHING};

use berth_config::v1::{Extender, Profile};
use berth_config::{Configuration, Loaded, Problem};
use berth_core::profile_spec::ProfileSpec;
use berth_plugin_host::{LineUp, Source, Standing};

/// The table width if the terminal's width is unknown: enough for three plugin names in a row.
const WIDTH: u16 = 110;

/// kube-scheduler's name for the binding that the core does itself.
const DEFAULT_BINDER: &str = "DefaultBinder";

/// Returns the whole output.
pub(super) fn render(file: &str, loaded: &Loaded, lines: &[LineUp]) -> String {
    let configuration = &loaded.configuration;
    let mut text = String::new();
    for (spec, line) in configuration.profiles.iter().zip(lines) {
        section(&mut text, &format!("Profile {}", spec.scheduler_name), &profile(spec, line));
    }
    if !configuration.extenders.is_empty() {
        section(&mut text, "Extenders, asked after the plugins", &extenders(&configuration.extenders));
    }
    section(&mut text, "Around them", &around(configuration));
    list(
        &mut text,
        "Otherwise than kube-scheduler, on purpose (docs/differences.md)",
        &differences(configuration, lines),
    );
    let notes: Vec<String> = loaded.notes.iter().map(|note| noted(file, note)).collect();
    list(&mut text, "To be known of this file", &notes);
    text
}

fn section(text: &mut String, title: &str, table: &Table) {
    let gap = if text.is_empty() { "" } else { "\n" };
    // Writing to a `String` does not fail.
    let _ = writeln!(
        text,
        "{gap}{title}\n{}",
        table.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
    );
}

fn list(text: &mut String, title: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{title}");
    for line in lines {
        let _ = writeln!(text, " - {line}");
    }
}

fn table() -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    if table.width().is_none() {
        table.set_width(WIDTH);
    }
    table
}

/// Returns the table of a profile. Extension points without plugins are left out.
fn profile(spec: &ProfileSpec, line: &LineUp) -> Table {
    let mut table = table();
    for (point, standing) in &line.points {
        let mut plugins: Vec<String> = standing.iter().map(shown).collect();
        if *point == "bind" && !spec.without_default_binder {
            plugins.push(format!("{DEFAULT_BINDER} [the core]"));
        }
        if *point == "queueSort" && plugins.is_empty() {
            plugins.push("by priority, then by time [the core]".to_owned());
        }
        if !plugins.is_empty() {
            table.add_row([(*point).to_owned(), plugins.join(", ")]);
        }
    }
    for (name, arguments) in &spec.arguments {
        table.add_row([format!("args of {name}"), arguments.to_string()]);
    }
    table
}

/// Returns `name ×weight [file]`. Built-in plugins have no file.
fn shown(plugin: &Standing) -> String {
    let weight = if plugin.weight == 1 { String::new() } else { format!(" ×{}", plugin.weight) };
    let from = match &plugin.source {
        Source::BuiltIn(_) => String::new(),
        Source::File(path) => format!(" [{}]", path.display()),
    };
    format!("{}{weight}{from}", plugin.name)
}

fn extenders(extenders: &[Extender]) -> Table {
    let mut table = table();
    for extender in extenders {
        let score =
            if extender.prioritize_verb.is_empty() { String::new() } else { format!("score ×{}", extender.weight) };
        let verbs = [
            ("filter", &extender.filter_verb),
            ("preempt", &extender.preempt_verb),
            (&score, &extender.prioritize_verb),
            ("bind", &extender.bind_verb),
        ];
        let mut does: Vec<String> =
            verbs.iter().filter(|(_, verb)| !verb.is_empty()).map(|(what, _)| (*what).to_owned()).collect();
        does.push(format!("within {}", extender.http_timeout));
        if extender.ignorable {
            does.push("ignored where it fails".to_owned());
        }
        let managed: Vec<&str> = extender.managed_resources.iter().map(|resource| resource.name.as_str()).collect();
        if !managed.is_empty() {
            does.push(format!("for pods with {}", managed.join(", ")));
        }
        table.add_row([extender.url_prefix.clone(), does.join(", ")]);
    }
    table
}

fn around(configuration: &Configuration) -> Table {
    let mut table = table();
    let election = &configuration.leader_election;
    let whole = configuration.in_force();
    let leads = if election.enabled {
        format!("while holding the Lease {}/{}", election.namespace, election.name)
    } else {
        "always, without an election".to_owned()
    };
    table.add_row(["places pods".to_owned(), leads]);
    let (first, most) = (configuration.pod_initial_backoff.as_secs(), configuration.pod_max_backoff.as_secs());
    table.add_row(["a pod that fits nowhere".to_owned(), format!("waits {first}s, then twice as long, up to {most}s")]);
    let connection = &whole.client_connection;
    let rate = match connection.qps.filter(|qps| *qps > 0.0) {
        Some(qps) => format!("{qps} requests a second, {} at once", connection.burst.unwrap_or_default()),
        None => "as many requests as it takes".to_owned(),
    };
    table.add_row(["API server".to_owned(), rate]);
    let limits = configuration.berth.limits();
    let plugins = format!("{:?} of CPU time a call, {} MiB of memory", limits.call, limits.memory >> 20);
    table.add_row(["a plugin may take".to_owned(), plugins]);
    for (name, own) in &limits.of_plugins {
        let own = format!("{:?} of CPU time a call, {} MiB of memory", own.call, own.memory >> 20);
        table.add_row([format!("{name} may take"), own]);
    }
    table
}

/// Returns the differences from kube-scheduler that apply to this configuration.
fn differences(configuration: &Configuration, profiles: &[LineUp]) -> Vec<String> {
    let mut lines = refused_there(configuration, profiles);
    let all = |spec: &ProfileSpec| matches!(spec.percentage_of_nodes_to_score, None | Some(0));
    let everywhere: Vec<&str> =
        configuration.profiles.iter().filter(|spec| all(spec)).map(|spec| &*spec.scheduler_name).collect();
    if !everywhere.is_empty() {
        lines.push(format!(
            "{}: all nodes are looked at; kube-scheduler stops at a part of them (percentageOfNodesToScore)",
            everywhere.join(", ")
        ));
    }
    if configuration.client_connection.qps.is_none_or(|qps| qps == 0.0) {
        lines.push("no limit of requests; kube-scheduler's is 50 a second (clientConnection.qps)".to_owned());
    }
    if configuration.leader_election.enabled && configuration.leader_election.name != "kube-scheduler" {
        lines.push(format!(
            "the Lease is {}; kube-scheduler's is kube-scheduler (leaderElection.resourceName)",
            configuration.leader_election.name
        ));
    }
    lines
}

/// Returns the parts of the configuration that kube-scheduler would refuse.
fn refused_there(configuration: &Configuration, profiles: &[LineUp]) -> Vec<String> {
    let nobody =
        |point: &str, line: &LineUp| line.points.iter().any(|(name, standing)| *name == point && standing.is_empty());
    let unsorted = profiles
        .iter()
        .filter(|line| nobody("queueSort", line))
        .map(|line| format!("{}: nothing is enabled at queueSort, which kube-scheduler refuses", line.scheduler_name));
    let whole = configuration.in_force();
    let binds = |profile: &Profile| {
        let plugins = profile.plugins.as_ref();
        plugins.is_some_and(|plugins| !plugins.bind.enabled.is_empty() || plugins.multi_point.enables(DEFAULT_BINDER))
    };
    let unbound = whole.profiles.iter().zip(profiles).filter(|(profile, line)| !binds(profile) && nobody("bind", line));
    let unbound = unbound
        .map(|(_, line)| format!("{}: nothing is enabled at bind, which kube-scheduler refuses", line.scheduler_name));
    unsorted.chain(unbound).collect()
}

fn noted(file: &str, Problem { place, path, message }: &Problem) -> String {
    format!("{file}:{}:{}: {path}: {message}", place.line, place.column)
}
