//! The outcomes that drawn cases must cover.

/// The outcomes, as [`crate::coverage::Coverage`] counts them.
pub const OUTCOMES: [&str; 17] = [
    "a binding fails",
    "a wait times out",
    "a waiting pod is removed",
    "optimistic rejection in PostFilter",
    "permit: approve",
    "permit: deny",
    "permit: wait",
    "post-filter: rejects the group",
    "post-filter: small gap or enough members",
    "pre-enqueue: gated members",
    "pre-enqueue: too few members",
    "pre-filter: back-off",
    "pre-filter: resource gap",
    "rejection in Unreserve",
    "siblings are activated",
    "the order is compared",
    "waiting pods are approved",
];
