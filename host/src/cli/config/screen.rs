//! The output of `berth config check` for people.

use std::fmt::Write as _;
use std::time::Duration;

use comfy_table::Table;

use super::differences::DEFAULT_BINDER;
use super::report::{ConfigReport, PluginAtPoint, PluginLimits, ProfileReport, Remark, Settings};
use crate::cli::grants;
use crate::cli::output::{Listing, new_fitted_table};
use berth_config::v1::Extender;

impl Listing for ConfigReport {
    fn table(&self, wide: bool) -> String {
        let Some(settings) = &self.settings else { return self.lines(&self.errors).join("\n") + "\n" };
        let mut text = String::new();
        for report in &self.profiles {
            section(&mut text, &format!("Profile {}", report.scheduler_name), &profile(report, wide));
        }
        if !self.extenders.is_empty() {
            section(&mut text, "Extenders, called after the plugins", &extenders(&self.extenders));
        }
        section(&mut text, "Settings", &settings_table(settings));
        list(&mut text, "Intended differences from kube-scheduler (docs/differences.md)", &self.differences);
        list(&mut text, "Notes", &self.lines(&self.notes));
        if !self.errors.is_empty() {
            let _ = writeln!(text, "\nErrors\n{}", self.lines(&self.errors).join("\n"));
        }
        text
    }
}

impl ConfigReport {
    /// Returns a line for each remark.
    fn lines(&self, remarks: &[Remark]) -> Vec<String> {
        let line = |Remark { line, column, path, message }: &Remark| {
            let place = line.zip(*column).map_or_else(String::new, |(line, column)| format!(":{line}:{column}"));
            let path = if path.is_empty() { String::new() } else { format!("{path}: ") };
            format!("{}{place}: {path}{message}", self.file)
        };
        remarks.iter().map(line).collect()
    }
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

/// Returns the table of a profile. Leaves out extension points without plugins, unless the core itself implements
/// them.
fn profile(profile: &ProfileReport, wide: bool) -> Table {
    let mut table = new_fitted_table();
    for point in &profile.extension_points {
        let mut plugins: Vec<String> = point.plugins.iter().map(|plugin| plugin_text(plugin, wide)).collect();
        if point.name == "bind" && profile.default_binder {
            plugins.push(format!("{DEFAULT_BINDER} [the core]"));
        }
        if point.name == "queueSort" && plugins.is_empty() {
            plugins.push("by priority, then by time [the core]".to_owned());
        }
        if !plugins.is_empty() {
            table.add_row([point.name.clone(), plugins.join(", ")]);
        }
    }
    for (name, arguments) in &profile.arguments {
        table.add_row([format!("args of {name}"), arguments.to_string()]);
    }
    table
}

/// Returns `name ×weight [file]`. The narrow table leaves out the weight 1 and the files of built-in plugins.
fn plugin_text(plugin: &PluginAtPoint, wide: bool) -> String {
    let weight = if plugin.weight == 1 && !wide { String::new() } else { format!(" ×{}", plugin.weight) };
    let from = match plugin.built_in {
        true if wide => format!(" [{}, built in]", plugin.file),
        true => String::new(),
        false => format!(" [{}]", plugin.file),
    };
    format!("{}{weight}{from}", plugin.name)
}

fn extenders(extenders: &[Extender]) -> Table {
    let mut table = new_fitted_table();
    for extender in extenders {
        let score =
            if extender.prioritize_verb.is_empty() { String::new() } else { format!("score ×{}", extender.weight) };
        let verbs = [
            ("filter", &extender.filter_verb),
            ("preempt", &extender.preempt_verb),
            (&score, &extender.prioritize_verb),
            ("bind", &extender.bind_verb),
        ];
        let mut details: Vec<String> =
            verbs.iter().filter(|(_, verb)| !verb.is_empty()).map(|(name, _)| (*name).to_owned()).collect();
        details.push(format!("timeout {}", extender.http_timeout));
        if extender.ignorable {
            details.push("ignored after a failure".to_owned());
        }
        let managed: Vec<&str> = extender.managed_resources.iter().map(|resource| resource.name.as_str()).collect();
        if !managed.is_empty() {
            details.push(format!("for pods that request {}", managed.join(", ")));
        }
        table.add_row([extender.url_prefix.clone(), details.join(", ")]);
    }
    table
}

fn settings_table(settings: &Settings) -> Table {
    let mut table = new_fitted_table();
    let mut row = |name: &str, value: String| {
        table.add_row([name.to_owned(), value]);
    };
    let lease = settings.lease.as_ref();
    row(
        "schedules pods",
        lease.map_or_else(
            || "always, without leader election".into(),
            |lease| format!("while it holds the Lease {lease}"),
        ),
    );
    let (first, most) = (settings.initial_backoff_seconds, settings.max_backoff_seconds);
    row("backoff of a pod", format!("{first}s, doubled after each attempt up to {most}s"));
    let rate = match settings.requests_per_second {
        Some(rate) => format!("{rate} per second, {} in a burst", settings.burst.unwrap_or_default()),
        None => "no limit".to_owned(),
    };
    row("API requests", rate);
    row("limits of a plugin", limits(&settings.limits));
    for (name, own) in &settings.limits_of_plugins {
        row(&format!("limits of {name}"), limits(own));
    }
    for (name, granted) in &settings.grants_of_plugins {
        let reads = grants::reads(granted).into_iter().map(|kind| format!("read {kind}"));
        row(&format!("grants of {name}"), reads.chain(grants::changes(granted)).collect::<Vec<_>>().join(", "));
    }
    table
}

fn limits(limits: &PluginLimits) -> String {
    let call = Duration::from_millis(limits.call_milliseconds);
    format!("{call:?} of CPU time for a call, {} MiB of memory", limits.memory_bytes >> 20)
}
