//! Real objects and files of this repository. Fuzz targets mutate these objects and files.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// Returns a path in the repository.
pub fn path(within: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(within)
}

/// Reads text files. Each path names a file or a folder, whose files are read without subfolders.
pub fn texts(paths: &[&str]) -> Result<Vec<String>> {
    let mut texts = Vec::new();
    for path in paths {
        let path = self::path(path);
        let files = if path.is_dir() { crate::files(&path)? } else { vec![path] };
        for file in files.into_iter().filter(|file| file.is_file()) {
            texts.push(fs::read_to_string(&file).with_context(|| file.display().to_string())?);
        }
    }
    ensure!(!texts.is_empty(), "the paths {paths:?} have no files");
    Ok(texts)
}

/// Reads the files at these paths (as [`texts`]) as JSON or YAML. Returns a tree for each document of a file.
pub fn trees(paths: &[&str]) -> Result<Vec<Value>> {
    let mut trees = Vec::new();
    for text in texts(paths)? {
        let options = serde_saphyr::options! { strict_booleans: true };
        trees.extend(serde_saphyr::from_multiple_with_options::<Value>(&text, options)?);
    }
    Ok(trees)
}

/// Returns Kubernetes objects from tests, from the demo and from the manifests.
pub fn objects() -> Result<Vec<Value>> {
    let mut trees = trees(&[
        "host/apimachinery/tests/objects/node.yaml",
        "host/apimachinery/tests/objects/pod.yaml",
        "host/sim/tests/api_server/objects.yaml",
        "host/demo/workload.yaml",
        "deploy/manifests",
        "deploy/tests/nodes.yaml",
    ])?;
    // A List is replaced by its items.
    let lists: Vec<Value> = trees.extract_if(.., |tree| tree["items"].is_array()).collect();
    trees.extend(lists.into_iter().flat_map(|list| list["items"].as_array().cloned().unwrap_or_default()));
    // In the file of the embedded server's tests, each object to create is stored beside its path.
    let created: Vec<Value> = trees.extract_if(.., |tree| tree.is_array()).collect();
    trees.retain(|tree| tree["kind"].is_string());
    let created = created.into_iter().flat_map(|list| list.as_array().cloned().unwrap_or_default());
    trees.extend(created.map(|mut item| item["object"].take()));
    ensure!(trees.iter().any(|tree| tree["kind"] == "Pod"), "the corpus has no pod");
    Ok(trees)
}

/// Strings that have a meaning somewhere in an object.
pub const DICTIONARY: &[&str] = &[
    "",
    " ",
    "0",
    "-1",
    "1",
    "100m",
    "1Gi",
    "8Ei",
    "9223372036854775807",
    "1e99",
    "-100m",
    "1e-99",
    "*",
    "/",
    "..",
    "a=b",
    "default",
    "default-scheduler",
    "kubernetes.io/hostname",
    "topology.kubernetes.io/zone",
    "metadata.name",
    "node.kubernetes.io/unschedulable",
    "In",
    "NotIn",
    "Exists",
    "DoesNotExist",
    "Gt",
    "Lt",
    "NoSchedule",
    "NoExecute",
    "PreferNoSchedule",
    "DoNotSchedule",
    "ScheduleAnyway",
    "Never",
    "Always",
    "Honor",
    "Ignore",
    "TCP",
    "UDP",
    "0.0.0.0",
    "True",
    "False",
    "Ready",
    "cpu",
    "memory",
    "pods",
    "ephemeral-storage",
    "hugepages-2Mi",
    "example.com/gpu",
    "2026-01-02T03:04:05Z",
    "9999-99-99T99:99:99Z",
    "spec",
    "metadata",
    "status",
    "nodeName",
    "kind",
    "namespace",
    "name",
    "labels",
    "uid",
];
