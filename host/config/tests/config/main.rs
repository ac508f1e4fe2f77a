//! Configuration files: what is read, what is refused with which message, what is in force.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, missing_docs, reason = "tests")]

mod files;
mod in_force;
mod messages;
mod policy;
