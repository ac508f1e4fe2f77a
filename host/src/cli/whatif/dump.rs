//! Reads objects from files: YAML documents or JSON, as `kubectl get -o yaml` and `kubectl get -o json` print them.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use berth_analysis::ClusterCopy;
use serde_json::Value;

/// The largest size of a file in bytes: about 100,000 pods.
const MOST_BYTES: u64 = 1 << 30;

/// The largest number of nodes of a YAML file. JSON has no such limit.
const MOST_YAML_NODES: usize = 20_000_000;

/// Reads all objects of a file, or of standard input if the path is `-`. Lists are taken apart.
///
/// # Errors
/// The file can't be read, is too large, or is no YAML and no JSON.
pub(super) fn read(path: &Path) -> Result<Vec<Value>> {
    let mut text = String::new();
    let mut add = |reader: &mut dyn Read| reader.take(MOST_BYTES + 1).read_to_string(&mut text);
    match path.as_os_str() == "-" {
        true => add(&mut std::io::stdin().lock()).context("reading standard input as text")?,
        false => {
            add(&mut std::fs::File::open(path).context("opening the file")?).context("reading the file as text")?
        }
    };
    ensure!(text.len() as u64 <= MOST_BYTES, "the file has more than {MOST_BYTES} bytes; split it into several files");
    parse(&text)
}

fn parse(text: &str) -> Result<Vec<Value>> {
    let is_json = text.trim_start().starts_with('{');
    let documents: Vec<Value> = match is_json {
        true => {
            let documents = serde_json::Deserializer::from_str(text).into_iter();
            documents.collect::<Result<_, _>>().context("the file is no valid JSON")?
        }
        false => {
            let budget = serde_saphyr::budget! {
                max_events: MOST_YAML_NODES,
                max_nodes: MOST_YAML_NODES,
                max_documents: 100_000,
                max_total_scalar_bytes: 1 << 30,
            };
            serde_saphyr::from_multiple_with_options(text, serde_saphyr::options! { budget: budget })
                .map_err(|error| anyhow::anyhow!("{}", error.to_string().lines().next().unwrap_or_default()))
                .context("the file is no valid YAML, or too large; -o json has no limit of its own")?
        }
    };
    let mut objects = Vec::new();
    // An empty document is no object.
    for document in documents.into_iter().filter(|document| !document.is_null()) {
        take_apart(document, &mut objects)?;
    }
    Ok(objects)
}

fn take_apart(mut object: Value, to: &mut Vec<Value>) -> Result<()> {
    let Some(kind) = object["kind"].as_str().map(str::to_owned) else { bail!("a document has no kind") };
    let Some(of) = kind.strip_suffix("List").filter(|_| object["items"].is_array()) else {
        to.push(object);
        return Ok(());
    };
    let Value::Array(items) = object["items"].take() else { return Ok(()) };
    for mut item in items {
        if item["kind"].is_null() {
            // The items of a typed list have no type of their own.
            item["kind"] = of.into();
            item["apiVersion"] = object["apiVersion"].clone();
        }
        take_apart(item, to)?;
    }
    Ok(())
}

/// Returns a sentence about the kinds that plugins read and the dump has no object of.
pub(super) fn absent_kinds(copy: &ClusterCopy) -> Option<String> {
    let has = |kind: &str| match kind {
        "Node" | "Pod" => true,
        _ => copy.objects.iter().any(|object| *object.key.kind.kind == *kind),
    };
    let absent: BTreeSet<&str> = copy.kinds.iter().map(|reads| &*reads.kind.kind).filter(|kind| !has(kind)).collect();
    let names: Vec<&str> = absent.into_iter().collect();
    (!names.is_empty())
        .then(|| format!("The dump has no objects of these kinds, as if there were none: {}.", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_documents_and_json_are_read() {
        let names = |text: &str| -> Vec<String> {
            let objects = parse(text).expect("valid objects");
            objects.iter().map(|object| format!("{} {}", object["kind"], object["metadata"]["name"])).collect()
        };
        let list = "apiVersion: v1\nkind: List\nitems:\n- {kind: Pod, metadata: {name: a}}\n- {kind: Node, metadata: {name: b}}\n";
        assert_eq!(names(list), ["\"Pod\" \"a\"", "\"Node\" \"b\""]);
        assert_eq!(names("kind: Pod\nmetadata: {name: a}\n---\n---\nkind: Pod\nmetadata: {name: b}\n").len(), 2);
        let typed = json!({"apiVersion": "apps/v1", "kind": "DeploymentList", "items": [{"metadata": {"name": "d"}}]});
        assert_eq!(names(&typed.to_string()), ["\"Deployment\" \"d\""]);
        assert_eq!(parse(&typed.to_string()).expect("valid")[0]["apiVersion"], "apps/v1");
        assert_eq!(names(&format!("{typed}\n{typed}")).len(), 2);
    }

    #[test]
    fn other_files_are_errors() {
        for (text, message) in [("{", "no valid JSON"), ("a: [", "no valid YAML"), ("a: 1", "has no kind")] {
            let error = format!("{:#}", parse(text).expect_err("invalid"));
            assert!(error.contains(message), "{text}: {error}");
        }
        assert!(parse("").expect("no objects").is_empty());
    }
}
