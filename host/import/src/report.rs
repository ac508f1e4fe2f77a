//! The report of an import: what came in, and what was left out.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

/// What an import contains, and what it leaves out.
#[derive(Debug, Default)]
pub struct Report {
    /// The number of objects that came in, by kind.
    came_in: BTreeMap<String, usize>,
    /// By kind and reason.
    left_out: BTreeMap<(String, String), LeftOut>,
    notes: Vec<String>,
}

#[derive(Debug)]
struct LeftOut {
    count: usize,
    /// The first of the objects. Empty if the kind was left out as a whole.
    example: String,
}

impl Report {
    /// Counts objects of a kind that came in.
    pub fn came_in(&mut self, kind: &str, count: usize) {
        *self.came_in.entry(kind.to_owned()).or_default() += count;
    }

    /// Counts an object that is left out.
    pub fn leave_out(&mut self, object: &Value, reason: &str) {
        let metadata = &object["metadata"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let name = match metadata["namespace"].as_str() {
            Some(namespace) => format!("{namespace}/{}", text(&metadata["name"])),
            None => text(&metadata["name"]),
        };
        self.leave_out_named(&text(&object["kind"]), &name, reason);
    }

    /// Counts an object that is left out, by its kind and its `NAMESPACE/NAME`. An empty name stands for all objects of
    /// the kind.
    pub fn leave_out_named(&mut self, kind: &str, name: &str, reason: &str) {
        let new = || LeftOut { count: 0, example: name.to_owned() };
        self.left_out.entry((kind.to_owned(), reason.to_owned())).or_insert_with(new).count += 1;
    }

    /// Adds a sentence about the import.
    pub fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Returns the number of objects of a kind that came in.
    #[must_use]
    pub fn count(&self, kind: &str) -> usize {
        self.came_in.get(kind).copied().unwrap_or_default()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total: usize = self.came_in.values().sum();
        write!(f, "Imported {total} objects")?;
        for (index, (kind, count)) in self.came_in.iter().enumerate() {
            write!(f, "{}{count} {kind}", if index == 0 { ": " } else { ", " })?;
        }
        writeln!(f, ".")?;
        if !self.left_out.is_empty() {
            writeln!(f, "Left out:")?;
        }
        for ((kind, reason), LeftOut { count, example }) in &self.left_out {
            match (count, example.as_str()) {
                (_, "") => writeln!(f, "  {kind}: {reason}.")?,
                (1, example) => writeln!(f, "  {kind} {example}: {reason}.")?,
                (count, example) => writeln!(f, "  {count} {kind}, such as {example}: {reason}.")?,
            }
        }
        for note in &self.notes {
            writeln!(f, "{note}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_report_counts_by_kind_and_reason() {
        let mut report = Report::default();
        report.came_in("Pod", 2);
        report.came_in("Node", 1);
        for name in ["a", "b"] {
            let object = json!({"kind": "Lease", "metadata": {"name": name, "namespace": "n"}});
            report.leave_out(&object, "the reason");
        }
        report.leave_out_named("Thing", "", "forbidden");
        report.note("A note.");
        report.note("A note.");
        let expected = "Imported 3 objects: 1 Node, 2 Pod.\nLeft out:\n  2 Lease, such as n/a: the reason.\n  Thing: \
                        forbidden.\nA note.\n";
        assert_eq!(report.to_string(), expected);
        assert_eq!((report.count("Pod"), report.count("Lease")), (2, 0));
    }
}
