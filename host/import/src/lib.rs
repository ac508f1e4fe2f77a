//! Reads the objects of a cluster from files of other programs, and writes objects to a file.
//!
//! In: the bytes of a file, whose format [`read`] recognizes:
//! - manifests and lists as `kubectl get -o yaml` and `kubectl get -o json` print them, and what [`Writer`] writes;
//! - the snapshot and the record of kube-scheduler-simulator;
//! - the trace of SimKube, at a time.
//!
//! Out: API objects as JSON, one after the other, because a tree of all objects of a large cluster takes gigabytes; and a
//! [`Report`] of what the file has and the import leaves out.
//!
//! This crate does no I/O. The size of a file is limited by its reader ([`MAX_BYTES`]), the number of objects and the
//! depth of their fields by this crate.

mod document;
mod error;
mod format;
mod history;
mod policy;
mod report;
mod simkube;
mod simulator;
mod text;
mod time;
mod writer;

pub use error::ImportError;
pub use format::Format;
pub use policy::excluded;
pub use report::Report;
pub use text::objects;
pub use time::At;
pub use writer::Writer;

use serde_json::Value;

/// The largest size of a file in bytes.
pub const MAX_BYTES: u64 = 2 << 30;

/// The annotation with the seconds that a simulated pod runs.
pub const RUN_SECONDS: &str = "sim.berth.dev/run-seconds";

/// The largest number of objects of a file.
const MAX_OBJECTS: usize = 2_000_000;

/// Reads a file. Passes each object, with its `apiVersion` and `kind`, to `each`. Objects that an import must not have
/// ([`excluded`]) are reported instead. A [`Report`] of a failed read is incomplete, and the caller must discard the
/// objects.
///
/// `at` is the time in a trace or a record; `None` is its end.
///
/// # Errors
/// The file has an unknown format, is damaged or truncated, has too many objects, or does not reach to `at`.
pub fn read(
    bytes: &[u8],
    at: Option<At>,
    report: &mut Report,
    each: &mut dyn FnMut(Value),
) -> Result<Format, ImportError> {
    let mut number = 0;
    let mut keep = |object: Value, report: &mut Report| {
        number += 1;
        if number > MAX_OBJECTS {
            return Err(ImportError::TooManyObjects(MAX_OBJECTS));
        }
        match excluded(&object) {
            Some(reason) => report.leave_out(&object, reason),
            None => each(object),
        }
        Ok(())
    };
    match Format::of(bytes)? {
        format::Encoding::MessagePack => {
            simkube::read(bytes, at, report, &mut keep)?;
            Ok(Format::SimKube)
        }
        format::Encoding::Text(text) => text::read(text, at, report, &mut keep),
    }
}

/// Receives the objects of a file, one after the other.
type Keep<'a> = dyn FnMut(Value, &mut Report) -> Result<(), ImportError> + 'a;
