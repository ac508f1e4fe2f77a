//! The objects that a scheduler knows, read from its dump at SIGUSR2.

use anyhow::Result;
use berth_test_kit::wait::{Look, eventually};
use berth_tests::Process;
use serde_json::Value;

/// Returns the objects that the scheduler does not know.
pub async fn missing_objects(scheduler: &Process, objects: &[Value]) -> Result<Vec<String>> {
    let dump = Dump::request(scheduler).await?;
    Ok(objects.iter().filter(|object| !dump.names(object)).map(label).collect())
}

/// The messages of a dump.
struct Dump(Vec<String>);

impl Dump {
    /// Requests a dump, and reads it up to the beginning of the queue.
    async fn request(scheduler: &Process) -> Result<Self> {
        let lines_before = scheduler.log().lines().count();
        scheduler.signal("USR2").await?;
        let log = eventually("the log has the dump of the cache and the objects", || async {
            let log = scheduler.log();
            let is_complete = log.lines().skip(lines_before).any(|line| line.contains("dump of the queue"));
            Ok(if is_complete { Look::Yes(log) } else { Look::NotYet("the dump is not complete".to_owned()) })
        })
        .await?;
        let messages = log.lines().skip(lines_before).filter_map(|line| {
            let line: Value = serde_json::from_str(line).ok()?;
            Some(line["message"].as_str()?.trim().trim_end_matches(" (assumed)").to_owned())
        });
        Ok(Self(messages.collect()))
    }

    fn names(&self, object: &Value) -> bool {
        let label = label(object);
        let (_, key) = label.rsplit_once(' ').unwrap_or_default();
        match object["kind"].as_str() {
            Some("Node") => self.0.iter().any(|line| line.starts_with(&format!("node {key}: "))),
            Some("Pod") => self.pods_by_node().any(|pods| pods.split(", ").any(|pod| pod == key)),
            _ => self.0.contains(&label),
        }
    }

    /// Returns the list of pods from each line about a node: names with namespaces, separated by commas.
    fn pods_by_node(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|line| line.starts_with("node ")).filter_map(|line| Some(line.rsplit_once(": ")?.1))
    }
}

/// Returns the object's label in a dump: `apps/v1 ReplicaSet default/web`.
fn label(object: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let metadata = &object["metadata"];
    let namespace = metadata["namespace"].as_str().map(|namespace| format!("{namespace}/")).unwrap_or_default();
    format!("{} {} {namespace}{}", text(&object["apiVersion"]), text(&object["kind"]), text(&metadata["name"]))
}
