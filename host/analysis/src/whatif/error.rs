//! The reasons why a question has no answer.

use berth_apimachinery::objects::ReadError;

use crate::copy::CopyError;
use crate::sandbox::SandboxError;

/// The reason why a question has no answer.
#[derive(Debug, thiserror::Error)]
pub enum WhatIfError {
    /// A manifest is invalid.
    #[error("manifest {0}: {1}")]
    Manifest(String, String),
    /// A pod of a manifest can't be read.
    #[error("pod {0} can't be read: {1}")]
    Pod(String, ReadError),
    /// An object of a manifest can't be read.
    #[error(transparent)]
    Object(#[from] CopyError),
    /// The node does not exist.
    #[error("there is no node {0:?} in the cluster{1}")]
    NoSuchNode(String, String),
    /// The question has parts that exclude each other.
    #[error("a compaction can't be combined with other changes; ask about them one after the other")]
    Combined,
    /// There are too many pods to schedule.
    #[error("the question is about more than {0} pods; ask about fewer pods, or raise the limit")]
    TooManyPods(usize),
    /// There are too many nodes to add.
    #[error("the question adds more than {0} nodes")]
    TooManyNodes(usize),
    /// The caller ended the work.
    #[error(
        "there is no answer within the time limit, after {attempts} scheduling attempts; raise the limit, or ask about fewer pods or nodes"
    )]
    Stopped {
        /// The number of attempts.
        attempts: usize,
    },
    /// There is no sandbox.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
}
