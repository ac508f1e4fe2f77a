//! Writes objects to a file that `berth sim --import` and `kubectl` read: a list in JSON, with an object a line.

use std::io::{self, Write};

use serde_json::Value;

use super::excluded;

/// Writes a file of objects.
pub struct Writer<W: Write> {
    to: W,
    count: usize,
}

impl<W: Write> Writer<W> {
    /// Begins the file.
    ///
    /// # Errors
    /// Writing fails.
    pub fn new(mut to: W) -> io::Result<Self> {
        to.write_all(br#"{"apiVersion":"v1","kind":"List","items":["#)?;
        Ok(Self { to, count: 0 })
    }

    /// Writes an object with its `apiVersion` and `kind`, without its resource version. Leaves out the objects that an
    /// import leaves out ([`excluded`]).
    ///
    /// # Errors
    /// Writing fails.
    pub fn add(&mut self, mut object: Value) -> io::Result<()> {
        if excluded(&object).is_some() {
            return Ok(());
        }
        if let Some(metadata) = object["metadata"].as_object_mut() {
            // The resource version belongs to one API server. Clients refuse to create an object with a resource version.
            metadata.remove("resourceVersion");
        }
        self.to.write_all(if self.count == 0 { b"\n" } else { b",\n" })?;
        serde_json::to_writer(&mut self.to, &object)?;
        self.count += 1;
        Ok(())
    }

    /// Ends the file. Returns the number of objects.
    ///
    /// # Errors
    /// Writing fails.
    pub fn finish(mut self) -> io::Result<usize> {
        self.to.write_all(b"\n]}\n")?;
        self.to.flush()?;
        Ok(self.count)
    }
}
