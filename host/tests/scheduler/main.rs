//! Tests the running scheduler against the in-memory API server: leader election, and what it serves to administrators.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, missing_docs, reason = "tests")]

mod admin;
mod cluster;
mod leader_election;
