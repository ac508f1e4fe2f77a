//! Tests configuration files: accepted files, error messages, effective configurations.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, missing_docs, reason = "tests")]

mod cases;
mod files;
mod in_force;
mod messages;
mod page;
mod policy;
