//! How many pods came into which part of the queue, and why: counted for whoever measures.

/// A part of the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// To be tried now.
    Active,
    /// To be tried when its backoff is over.
    Backoff,
    /// To be tried when something helps.
    Unschedulable,
    /// Held back by pre-enqueue.
    Gated,
}

impl Part {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Active, Self::Backoff, Self::Unschedulable, Self::Gated];

    /// As kube-scheduler's metrics call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Backoff => "backoff",
            Self::Unschedulable => "unschedulable",
            Self::Gated => "gated",
        }
    }
}

/// Why a pod came into a part of the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// It was created, or came to this scheduler.
    PodAdded,
    /// It changed in what plugins may read.
    PodUpdated,
    /// It was tried, in vain.
    AttemptFailed,
    /// Its backoff is over.
    BackoffComplete,
    /// It is tried before its backoff is over, as there was nothing else to do.
    PopFromBackoff,
    /// It waited too long for something that helps.
    UnschedulableTimeout,
    /// Something changed in the cluster that may help.
    ClusterChanged,
    /// The plugins were exchanged, or one can answer again.
    PluginsChanged,
}

impl Cause {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::PodAdded,
        Self::PodUpdated,
        Self::AttemptFailed,
        Self::BackoffComplete,
        Self::PopFromBackoff,
        Self::UnschedulableTimeout,
        Self::ClusterChanged,
        Self::PluginsChanged,
    ];

    /// As kube-scheduler's metrics call it, as far as it knows it. Where it names the kind of object that changed, this
    /// queue only knows that something did.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::PodAdded => "UnschedulablePodAdd",
            Self::PodUpdated => "UnschedulablePodUpdate",
            Self::AttemptFailed => "ScheduleAttemptFailure",
            Self::BackoffComplete => "BackoffComplete",
            Self::PopFromBackoff => "PopFromBackoffQ",
            Self::UnschedulableTimeout => "UnschedulableTimeout",
            Self::ClusterChanged => "ClusterChange",
            Self::PluginsChanged => "PluginsChange",
        }
    }
}

/// The counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Incoming([[u64; Cause::ALL.len()]; Part::ALL.len()]);

impl Incoming {
    pub(super) fn count(&mut self, part: Part, cause: Cause) {
        self.0[part as usize][cause as usize] += 1;
    }

    /// How many pods came into this part for this cause.
    #[must_use]
    pub fn of(&self, part: Part, cause: Cause) -> u64 {
        self.0[part as usize][cause as usize]
    }
}
