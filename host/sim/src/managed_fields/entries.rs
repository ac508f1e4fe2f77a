//! The entries of `metadata.managedFields`: who owns which fields.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Map, Value, json};

use super::set::FieldSet;
use crate::value::text;

/// The largest number of managers that update. Older ones are joined, as in kube-apiserver.
const MAX_UPDATERS: usize = 10;

/// The manager that owns the fields of joined managers.
const ANCIENT: &str = "ancient-changes";

/// The way in which a manager got its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// By server-side apply.
    Apply,
    /// By any other write.
    Update,
}

impl Operation {
    fn name(self) -> &'static str {
        match self {
            Self::Apply => "Apply",
            Self::Update => "Update",
        }
    }
}

/// The identity of an entry. The order is that of the managers in messages about conflicts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Manager {
    /// The name that the client gives.
    pub name: String,
    /// The operation.
    pub operation: Operation,
    /// The API version of an update. Empty for an apply, because a manager has one entry for all versions.
    pub api_version: String,
    /// The subresource; empty for the main resource.
    pub subresource: String,
}

/// Formats the manager as in messages about conflicts: `"kubectl" with subresource "scale" using apps/v1`.
impl fmt::Display for Manager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.name)?;
        if !self.subresource.is_empty() {
            write!(f, " with subresource {:?}", self.subresource)?;
        }
        match self.operation {
            Operation::Apply => Ok(()),
            Operation::Update => write!(f, " using {}", self.api_version),
        }
    }
}

/// The fields of a manager.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The API version in which the fields are named.
    pub api_version: String,
    /// The time of the manager's last change.
    pub time: Option<String>,
    /// The fields.
    pub fields: FieldSet,
}

/// All entries of an object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Managers(pub BTreeMap<Manager, Entry>);

impl Managers {
    /// Reads `metadata.managedFields`. Returns `None` if an entry is malformed.
    pub fn parse(list: &Value) -> Option<Self> {
        let mut managers = Self::default();
        for entry in list.as_array()? {
            let operation = match text(entry, "operation") {
                "Apply" => Operation::Apply,
                "Update" => Operation::Update,
                _ => return None,
            };
            let api_version = text(entry, "apiVersion").to_owned();
            if api_version.is_empty() || text(entry, "fieldsType") != "FieldsV1" {
                return None;
            }
            let manager = Manager {
                name: text(entry, "manager").to_owned(),
                operation,
                api_version: if operation == Operation::Update { api_version.clone() } else { String::new() },
                subresource: text(entry, "subresource").to_owned(),
            };
            let fields = match entry.get("fieldsV1") {
                None | Some(Value::Null) => FieldSet::default(),
                Some(fields) => FieldSet::parse(fields)?,
            };
            let time = entry.get("time").and_then(Value::as_str).map(str::to_owned);
            managers.0.insert(manager, Entry { api_version, time, fields });
        }
        Some(managers)
    }

    /// Reads the entries of an object. Malformed entries count as none.
    pub fn of(object: &Value) -> Self {
        object["metadata"].get("managedFields").and_then(Self::parse).unwrap_or_default()
    }

    /// Writes the entries into an object, or removes its `metadata.managedFields` if there are none.
    pub fn store(&self, object: &mut Value) {
        if self.0.is_empty() {
            crate::value::remove(&mut object["metadata"], "managedFields");
        } else {
            object["metadata"]["managedFields"] = self.encode();
        }
    }

    /// Returns the entries in the order of kube-apiserver: by operation, time, manager, version and subresource.
    fn encode(&self) -> Value {
        let mut entries: Vec<(&Manager, &Entry)> = self.0.iter().collect();
        entries.sort_by_key(|(manager, entry)| {
            (manager.operation, &entry.time, &manager.name, &entry.api_version, &manager.subresource)
        });
        entries.into_iter().map(|(manager, entry)| encode(manager, entry)).collect()
    }

    /// Returns true if the entries differ from `other` at most in their times.
    pub fn same_but_time(&self, other: &Self) -> bool {
        let fields = |entries: &Self| -> Vec<(Manager, String, FieldSet)> {
            let entries = entries.0.iter();
            entries.map(|(manager, entry)| (manager.clone(), entry.api_version.clone(), entry.fields.clone())).collect()
        };
        fields(self) == fields(other)
    }

    /// Removes `fields` from every entry except that of `owner`, and drops entries without fields.
    pub fn take(&mut self, fields: &FieldSet, owner: Option<&Manager>) {
        for (_, entry) in self.0.iter_mut().filter(|(manager, _)| Some(*manager) != owner) {
            entry.fields = entry.fields.difference(fields);
        }
        self.0.retain(|_, entry| !entry.fields.is_empty());
    }

    /// Adds fields to the entry of `manager`, and sets the time of the change.
    pub fn give(&mut self, manager: Manager, api_version: &str, time: Option<String>, fields: &FieldSet) {
        if fields.is_empty() {
            return;
        }
        let empty = || Entry { api_version: api_version.to_owned(), time: None, fields: FieldSet::default() };
        let entry = self.0.entry(manager).or_insert_with(empty);
        entry.fields = entry.fields.union(fields);
        entry.time = time.or_else(|| entry.time.take());
        self.join_old();
    }

    /// Joins the oldest managers that update, if there are too many.
    fn join_old(&mut self) {
        let is_updater = |(manager, _): &(&Manager, &Entry)| manager.operation == Operation::Update;
        let mut updaters: Vec<(&Manager, &Entry)> = self.0.iter().filter(is_updater).collect();
        if updaters.len() <= MAX_UPDATERS {
            return;
        }
        updaters.sort_by_key(|(_, entry)| &entry.time);
        let excess = updaters.len() - MAX_UPDATERS;
        let Some((first, _)) = updaters.first() else { return };
        let joined = updaters.iter().filter(|(manager, _)| manager.api_version == first.api_version);
        let joined: Vec<Manager> = joined.take(excess + 1).map(|(manager, _)| (*manager).clone()).collect();
        let bucket = Manager { name: ANCIENT.into(), subresource: String::new(), ..(*first).clone() };
        let mut entries = joined.iter().filter_map(|manager| self.0.remove(manager));
        let Some(oldest) = entries.next() else { return };
        let entry = entries.fold(oldest, |old, new| Entry { fields: old.fields.union(&new.fields), ..new });
        self.0.insert(bucket, entry);
    }

    /// Returns the fields of all entries.
    pub fn all_fields(&self) -> FieldSet {
        self.0.values().fold(FieldSet::default(), |all, entry| all.union(&entry.fields))
    }
}

fn encode(manager: &Manager, entry: &Entry) -> Value {
    let mut members = Map::new();
    let mut set = |name: &str, value: Value| drop(members.insert(name.to_owned(), value));
    set("manager", manager.name.as_str().into());
    set("operation", manager.operation.name().into());
    set("apiVersion", entry.api_version.as_str().into());
    if let Some(time) = &entry.time {
        set("time", time.as_str().into());
    }
    set("fieldsType", json!("FieldsV1"));
    set("fieldsV1", entry.fields.encode());
    if !manager.subresource.is_empty() {
        set("subresource", manager.subresource.as_str().into());
    }
    Value::Object(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manager(name: &str, operation: Operation) -> Manager {
        let api_version = if operation == Operation::Update { "v1" } else { "" };
        Manager { name: name.into(), operation, api_version: api_version.into(), subresource: String::new() }
    }

    #[test]
    fn entries_are_sorted_and_read_again() {
        let mut managers = Managers::default();
        let fields = FieldSet::of_fields(&[&["data"]]);
        managers.give(manager("b", Operation::Update), "v1", Some("2026-01-01T00:00:02Z".into()), &fields);
        managers.give(manager("a", Operation::Update), "v1", Some("2026-01-01T00:00:02Z".into()), &fields);
        managers.give(manager("c", Operation::Update), "v1", Some("2026-01-01T00:00:01Z".into()), &fields);
        managers.give(manager("z", Operation::Apply), "v1", Some("2026-01-01T00:00:03Z".into()), &fields);
        let mut object = json!({"metadata": {}});
        managers.store(&mut object);
        let names: Vec<&str> = object["metadata"]["managedFields"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| text(entry, "manager"))
            .collect();
        assert_eq!(names, ["z", "c", "a", "b"]);
        assert_eq!(Managers::of(&object), managers);
        for malformed in [json!([{}]), json!([{"operation": "Apply", "apiVersion": "v1"}]), json!({})] {
            assert_eq!(Managers::parse(&malformed), None, "{malformed}");
        }
    }

    #[test]
    fn old_managers_are_joined() {
        let mut managers = Managers::default();
        for index in 0..15 {
            let fields = FieldSet::of_fields(&[&["data", &format!("k{index}")]]);
            managers.give(
                manager(&format!("m{index}"), Operation::Update),
                "v1",
                Some(format!("2026-01-01T00:00:{index:02}Z")),
                &fields,
            );
        }
        assert_eq!(managers.0.len(), MAX_UPDATERS);
        let ancient = &managers.0[&manager(ANCIENT, Operation::Update)];
        assert_eq!(ancient.fields.paths().len(), 6);
        assert!(!managers.0.contains_key(&manager("m5", Operation::Update)));
        assert_eq!(managers.all_fields().paths().len(), 15);
    }

    #[test]
    fn managers_are_named_in_conflicts() {
        let scale = Manager { subresource: "scale".into(), ..manager("kubectl", Operation::Update) };
        assert_eq!(scale.to_string(), "\"kubectl\" with subresource \"scale\" using v1");
        assert_eq!(manager("x", Operation::Apply).to_string(), "\"x\"");
    }
}
