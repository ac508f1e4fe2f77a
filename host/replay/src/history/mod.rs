//! The part of a capture that does not depend on who schedules: nodes, objects, and when pods appear.
//!
//! A replay with another policy applies these changes and decides itself about the rest. What the capture says about the
//! recorded decisions serves to take them out: the run time of a pod, the pods that replaced preempted pods, and the
//! objects that the recorded scheduler changed.

mod build;
mod decisions;
mod lifetime;
mod pod;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use berth_capture::record::Source;
use berth_capture::{CaptureError, CaptureReader, Header, PolicyRecord};
use berth_core::Timestamp;
use berth_core::model::{Node, Object, ObjectKey, ObjectKind, Pod};

use self::build::Builder;
pub(crate) use self::lifetime::Lifetime;
pub(crate) use self::pod::{RecordedPod, has_controller, neutral, starts_over};
use crate::error::ReplayError;
use crate::reads::Known;
use crate::steps::Steps;

/// The index of a pod in [`History::pods`].
pub(crate) type PodIndex = usize;

/// A change of the cluster.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    NodeSet(Arc<Node>),
    NodeRemoved(Box<str>),
    /// The pod was created.
    PodCreated(PodIndex),
    /// The pod has this version now. Node, nomination and start time are left out.
    PodChanged(PodIndex, Arc<Pod>),
    /// The recorded scheduler bound the pod.
    PodBound(PodIndex),
    /// The recorded scheduler preempted the pod.
    PodPreempted(PodIndex),
    /// The pod finished or was deleted.
    PodEnded(PodIndex),
    /// An object appeared or changed. `decided` is true if the recorded scheduler changed the object before.
    ObjectSet {
        object: Arc<Object>,
        decided: bool,
    },
    ObjectRemoved(ObjectKey),
    /// These profiles and plugins served from now on.
    Policy(PolicyRecord),
}

/// The cluster before the first change.
#[derive(Clone, Debug, Default)]
pub(crate) struct Beginning {
    pub nodes: Vec<Arc<Node>>,
    /// The pods, with their nodes if they run.
    pub pods: Vec<PodIndex>,
    pub objects: Vec<Arc<Object>>,
}

/// A capture, without what depends on the recorded decisions.
pub struct History {
    pub(crate) header: Header,
    pub(crate) begin: Timestamp,
    pub(crate) end: Timestamp,
    pub(crate) beginning: Beginning,
    /// The changes with their times, in order.
    pub(crate) changes: Vec<(Timestamp, Change)>,
    pub(crate) pods: Vec<RecordedPod>,
    pub(crate) kinds: BTreeMap<Arc<ObjectKind>, Known>,
    /// The profiles and plugins that served first; `None` if the scheduler had none.
    pub(crate) policy: Option<PolicyRecord>,
    lost_steps: u64,
    truncated: Vec<String>,
}

impl History {
    /// Reads the files of a capture, oldest first. A file that ends early counts as far as it goes.
    ///
    /// # Errors
    /// A file can't be read or is damaged, or the capture has no events.
    pub fn read<R: std::io::Read>(files: impl IntoIterator<Item = (PathBuf, R)>) -> Result<Self, ReplayError> {
        let mut builder = Builder::default();
        for (path, file) in files {
            let about = |error| ReplayError::File { file: path.display().to_string(), error };
            let mut reader = Steps::new(CaptureReader::new(file).map_err(about)?);
            builder.file_begins(reader.header());
            if let Some(checkpoint) = reader.checkpoint().map_err(about)? {
                builder.checkpoint(&checkpoint)?;
            }
            loop {
                match reader.next_step() {
                    Ok(Some(step)) => builder.step(step),
                    Ok(None) => break,
                    // The capture of a scheduler that crashed or still runs has no last line.
                    Err(error @ CaptureError::Truncated(_)) => {
                        builder.truncated.push(format!("{}: {error}", path.display()));
                        break;
                    }
                    Err(error) => return Err(about(error)),
                }
            }
            builder.lost_steps += reader.end().map_or(0, |end| end.lost);
        }
        builder.finish()
    }

    /// Returns who decided about the pods of the capture.
    #[must_use]
    pub fn source(&self) -> Source {
        self.header.source
    }

    /// Returns the header of the first file.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the time of the first and of the last event.
    #[must_use]
    pub fn interval(&self) -> (Timestamp, Timestamp) {
        (self.begin, self.end)
    }

    /// Returns the number of changes, which a replay with a policy applies.
    #[must_use]
    pub fn len(&self) -> usize {
        self.changes.len()
    }

    /// Returns whether nothing changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Returns the profiles and plugins that served first; `None` if the scheduler had none.
    #[must_use]
    pub fn policy(&self) -> Option<&PolicyRecord> {
        self.policy.as_ref()
    }

    /// Returns the number of steps that could not be recorded.
    #[must_use]
    pub fn lost_steps(&self) -> u64 {
        self.lost_steps
    }

    /// Returns the files that could not be read to their ends, with the reasons.
    #[must_use]
    pub fn truncated(&self) -> &[String] {
        &self.truncated
    }
}
