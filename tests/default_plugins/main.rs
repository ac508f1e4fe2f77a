//! Tests the core with the default plugins as components, without an API server.

#![allow(clippy::expect_used, clippy::panic, reason = "tests")]

mod cached_results;
mod costs;
