//! `berth sim --import`: loads the objects of files, captures and live clusters.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use berth_core::model::ObjectKind;
use berth_import::{At, Format, Report};
use berth_kube::UserConnection;
use berth_sim::kinds::{Form, KINDS};
use berth_sim::{Loaded, Loader};
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use crate::cli::hint::Hint;
use crate::cli::progress::Progress;
use crate::cli::recorded::{self, Moment};
use crate::cli::{live, source};

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
        let mut import = Import { loader, report: Report::default() };
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
            import.cluster(&user).await.context("--import-cluster")?;
        }
        spawn_blocking(move || import.finish()).await.context("storing the imported objects")
    }
}

/// An import that is under way.
struct Import {
    loader: Loader,
    report: Report,
}

impl Import {
    fn file(&mut self, path: &Path, at: Option<At>) -> Result<()> {
        if is_capture(path)? {
            return self.capture(path, at);
        }
        let bytes = source::read(path)?;
        let loader = &mut self.loader;
        let format = berth_import::read(&bytes, at, &mut self.report, &mut |object| loader.add(object))?;
        if format == Format::SimKube {
            self.report.note("A trace of SimKube has no nodes: import a file with nodes, too, or create nodes.");
        }
        Ok(())
    }

    fn capture(&mut self, path: &Path, at: Option<At>) -> Result<()> {
        let moment = Moment::open(path, at)?;
        self.report.note(format!(
            "The cluster is that of the capture at {}. A capture has nodes, pods, and the kinds that the scheduler's plugins \
             read, with the fields that the scheduler reads; it has no workloads.",
            moment.at()
        ));
        moment.objects().for_each(|object| self.add(object));
        Ok(())
    }

    fn add(&mut self, object: Value) {
        match berth_import::excluded(&object) {
            Some(reason) => self.report.leave_out(&object, reason),
            None => self.loader.add(object),
        }
    }

    async fn cluster(&mut self, user: &UserConnection) -> Result<()> {
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
            self.loader.add(object);
        };
        let mut refused = live::list(user.api_server(), kinds, &mut add).await?;
        let loader = &mut self.loader;
        refused.extend(live::list(user.api_server(), custom, &mut |object| loader.add(object)).await?);
        for (kind, why) in refused {
            self.report.leave_out_named(&kind.kind, "", why.trim_end_matches('.'));
        }
        self.report.note("Secrets, Leases and Events were not read.");
        Ok(())
    }

    fn finish(self) -> Report {
        let Self { loader, mut report } = self;
        let Loaded { counts, refused, namespaces, without_owner, unknown_fields, repeated } = loader.finish();
        for (kind, count) in counts {
            report.came_in(&kind, count);
        }
        for object in refused {
            report.leave_out_named(&object.kind, &object.name, object.reason.trim_end_matches('.'));
        }
        if !namespaces.is_empty() {
            let names: Vec<&str> = namespaces.iter().map(String::as_str).take(10).collect();
            report.note(format!(
                "Created {} namespaces, in which objects are: {}.",
                namespaces.len(),
                names.join(", ")
            ));
        }
        if without_owner > 0 {
            report.note(format!(
                "Removed the references of {without_owner} objects to owners that were not imported, because the garbage \
                 collector would delete the objects."
            ));
        }
        if let Some((count, first)) = unknown_fields {
            report.note(format!("Removed fields that are not known from {count} objects, such as {first}."));
        }
        if repeated > 0 {
            report.note(format!("{repeated} objects were there twice; the last one counts."));
        }
        if report.count("Node") == 0 {
            report.note("There are no nodes, so pods stay pending.");
        }
        report
    }
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

/// Returns whether a path is a capture: a directory, or a file that zstd has compressed.
fn is_capture(path: &Path) -> Result<bool> {
    if path.as_os_str() == "-" {
        return Ok(false);
    }
    if path.is_dir() {
        return Ok(true);
    }
    let mut magic = Vec::new();
    File::open(path).context("opening the file")?.take(4).read_to_end(&mut magic).context("reading the file")?;
    Ok(magic == [0x28, 0xb5, 0x2f, 0xfd])
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
