//! `berth sim --import`: loads the objects of files, captures and live clusters.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use berth_core::model::ObjectKind;
use berth_import::{At, Report};
use berth_kube::UserConnection;
use berth_sim::Loader;
use berth_sim::kinds::{Form, KINDS};
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use crate::cli::cluster::Import;
use crate::cli::hint::Hint;
use crate::cli::progress::Progress;
use crate::cli::{live, recorded};

/// Flags that name the cluster to start with.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Import and export")]
pub struct ImportFlags {
    /// Start with the objects of a file or a capture; - reads stdin.
    ///
    /// The content tells the format: output of kubectl get -o yaml or -o json, a file of --export, a snapshot or a record
    /// of kube-scheduler-simulator, a trace of SimKube, a capture or the directory of --capture. JSON is read several
    /// times faster than YAML. With several files, the last object of a name counts.
    #[arg(long, value_name = "PATH")]
    import: Vec<PathBuf>,
    /// Start with the objects of a live cluster, which is only read.
    ///
    /// The kubeconfig is that of kubectl, unless one is given. Lists every kind that the simulated cluster serves, and
    /// custom resources, but no Secrets, Leases and Events.
    #[arg(long, value_name = "KUBECONFIG", num_args = 0..=1, require_equals = true)]
    import_cluster: Option<Option<PathBuf>>,
    /// Context of the kubeconfig [default: the current context].
    #[arg(long, value_name = "NAME", requires = "import_cluster")]
    import_context: Option<String>,
    /// Time in the recording, RFC 3339 or +DURATION from its start [default: its end].
    ///
    /// For a capture, a record of kube-scheduler-simulator, and a trace of SimKube. Examples: 2026-11-26T21:43:19Z, +10m.
    #[arg(long, value_name = "TIME", requires = "import", value_parser = recorded::time)]
    at: Option<At>,
}

impl ImportFlags {
    /// Returns whether a flag names a source.
    pub fn is_given(&self) -> bool {
        !self.import.is_empty() || self.import_cluster.is_some()
    }

    /// Loads the objects of all sources. Stores nothing if a source can't be read.
    ///
    /// # Errors
    /// A source can't be read.
    pub async fn load(&self, loader: Loader) -> Result<Report> {
        let _progress = Progress::timed("importing");
        let mut import = Import::new(loader);
        for path in &self.import {
            let (path, at) = (path.clone(), self.at);
            let read = move || -> Result<Import> {
                import.file(&path, at).with_context(|| format!("--import {}", path.display()))?;
                Ok(import)
            };
            import = spawn_blocking(read).await.context("reading an import")??;
        }
        if let Some(kubeconfig) = &self.import_cluster {
            let context = self.import_context.as_deref();
            let hint = || "kubectl config view --minify".to_owned();
            let user = UserConnection::from_context(kubeconfig.as_deref(), context).await.or_hint(hint)?;
            read_cluster(&mut import, &user).await.context("--import-cluster")?;
        }
        spawn_blocking(move || import.finish()).await.context("storing the imported objects")
    }
}

/// Reads the objects of a live cluster.
async fn read_cluster(import: &mut Import, user: &UserConnection) -> Result<()> {
    let kinds = KINDS.iter().filter(|kind| kind.form == Form::Stored);
    let kinds = kinds.map(|kind| object_kind(kind.group, kind.version, kind.kind));
    let is_copied = |kind: &ObjectKind| {
        berth_import::excluded(&json!({"apiVersion": kind.api_version, "kind": kind.kind})).is_none()
    };
    let kinds: Vec<Arc<ObjectKind>> = kinds.filter(|kind| is_copied(kind)).map(Arc::new).collect();
    let mut custom = Vec::new();
    let mut add = |object: Value| {
        if object["kind"] == "CustomResourceDefinition" {
            custom.extend(custom_kind(&object));
        }
        import.add(object);
    };
    let mut refused = live::list(user.api_server(), kinds, &mut add).await?;
    refused.extend(live::list(user.api_server(), custom, &mut |object| import.add(object)).await?);
    for (kind, why) in refused {
        import.report().leave_out_named(&kind.kind, "", why.trim_end_matches('.'));
    }
    import.report().note("Secrets, Leases and Events were not read.");
    Ok(())
}

fn object_kind(group: &str, version: &str, kind: &str) -> ObjectKind {
    let api_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    ObjectKind { api_version: api_version.into(), kind: kind.into() }
}

/// Returns the kind of a definition, in the version that is stored.
fn custom_kind(definition: &Value) -> Option<Arc<ObjectKind>> {
    let spec = &definition["spec"];
    let version = spec["versions"].as_array()?.iter().find(|version| version["storage"] == true)?;
    let kind = object_kind(spec["group"].as_str()?, version["name"].as_str()?, spec["names"]["kind"].as_str()?);
    (version["served"] == true).then(|| Arc::new(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_annotation_is_that_of_the_simulated_kubelets() {
        assert_eq!(berth_import::RUN_SECONDS, berth_controllers::RUN_SECONDS);
    }

    #[test]
    fn custom_resources_are_listed_in_the_stored_version() {
        let definition = |served: bool| {
            let versions = json!([{"name": "v1", "served": true}, {"name": "v2", "storage": true, "served": served}]);
            json!({"spec": {"group": "example.com", "names": {"kind": "Thing"}, "versions": versions}})
        };
        let kind = custom_kind(&definition(true)).expect("a kind");
        assert_eq!(kind.to_string(), "example.com/v2 Thing");
        assert!(custom_kind(&definition(false)).is_none());
        assert!(custom_kind(&json!({})).is_none());
    }
}
