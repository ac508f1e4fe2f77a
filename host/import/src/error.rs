//! The errors of reading a file.

use berth_core::Timestamp;

/// The reason why a file can't be read. The caller adds the name of the file.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file has no content.
    #[error("the file is empty")]
    Empty,
    /// The file is compressed, which this crate does not read.
    #[error("the file is compressed with {0}; decompress it first")]
    Compressed(&'static str),
    /// The file is neither text nor MessagePack.
    #[error(
        "byte {0} is not part of a text in UTF-8; use the output of kubectl get -o yaml or -o json, a file of berth sim \
         --export, a snapshot or record of kube-scheduler-simulator, a trace of SimKube, or a capture"
    )]
    Binary(usize),
    /// The text is no JSON.
    #[error("the file is not valid JSON, or it is truncated: {0}")]
    Json(serde_json::Error),
    /// The text is no YAML, or YAML above the limits.
    #[error("the file is not valid YAML, or too large for YAML: {0}; kubectl get -o json has no such limit")]
    Yaml(String),
    /// A document is no API object and no known file.
    #[error(
        "{place} has no kind and no apiVersion, so it is no Kubernetes object; use the output of kubectl get -o yaml or \
         -o json, a file of berth sim --export, a snapshot or record of kube-scheduler-simulator, a trace of SimKube, or a \
         capture"
    )]
    NoObject {
        /// The document or the item.
        place: String,
    },
    /// A record of kube-scheduler-simulator has an unknown event, or no time.
    #[error("record {number}: {why}")]
    Record {
        /// The number of the record, from 1.
        number: usize,
        /// What is wrong.
        why: String,
    },
    /// The MessagePack is no trace of SimKube.
    #[error("the file is not a trace of SimKube, or it is truncated: {0}")]
    Trace(rmp_serde::decode::Error),
    /// The trace has another version.
    #[error("the file is a trace of SimKube in version {0}; Berth reads version 2, which SimKube 2 writes")]
    TraceVersion(u64),
    /// The file has more objects than an import may have.
    #[error("the file has more than {0} objects; split it into several files")]
    TooManyObjects(usize),
    /// The time is outside the recording.
    #[error("--at: {at} is outside the recording, which starts at {start} and ends at {end}")]
    Outside {
        /// The time.
        at: Timestamp,
        /// The first time of the recording.
        start: Timestamp,
        /// The last time of the recording.
        end: Timestamp,
    },
    /// The file is no recording.
    #[error(
        "--at: {0} has no times; use --at with a capture, a record of kube-scheduler-simulator, or a trace of SimKube"
    )]
    NoTimes(String),
}
