//! Reads the objects of files and captures into a simulated cluster.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result};
use berth_import::{At, Format, Report};
use berth_sim::{Loaded, Loader};
use serde_json::Value;

use crate::cli::recorded::Moment;
use crate::cli::source;

/// The first bytes of a file that zstd has compressed, such as that of a capture.
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// An import that is under way.
pub struct Import {
    loader: Loader,
    report: Report,
}

impl Import {
    /// Begins an import with this loader.
    pub fn new(loader: Loader) -> Self {
        Self { loader, report: Report::default() }
    }

    /// Reads a file or a capture. Stores nothing.
    ///
    /// # Errors
    /// The file can't be read. The import is then incomplete, and must be discarded.
    pub fn file(&mut self, path: &Path, at: Option<At>) -> Result<()> {
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

    /// Adds an object, or reports it if an import must not have it.
    pub fn add(&mut self, object: Value) {
        match berth_import::excluded(&object) {
            Some(reason) => self.report.leave_out(&object, reason),
            None => self.loader.add(object),
        }
    }

    /// Returns the report, to add to it.
    pub fn report(&mut self) -> &mut Report {
        &mut self.report
    }

    /// Stores the objects. Returns what came in, and what was left out.
    pub fn finish(self) -> Report {
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
    Ok(magic == ZSTD)
}
