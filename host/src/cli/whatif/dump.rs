//! Reads objects from files: YAML documents or JSON, as `kubectl get -o yaml` and `kubectl get -o json` print them.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;
use berth_analysis::ClusterCopy;
use serde_json::Value;

use crate::cli::source;

/// Reads all objects of a file, or of standard input if the path is `-`. Lists are taken apart.
///
/// # Errors
/// The file can't be read, is too large, or is no YAML and no JSON.
pub(super) fn read(path: &Path) -> Result<Vec<Value>> {
    Ok(berth_import::objects(&source::read_text(path)?)?)
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
