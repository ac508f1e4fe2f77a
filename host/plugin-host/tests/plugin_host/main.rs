//! Tests the plugin host: components are loaded, refused, called, replaced and examined.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, missing_docs, reason = "tests")]

mod conformance;
mod disk_cache;
mod guests;
mod host;
mod loader;
mod post_filter;
mod refusals;
mod wasi;
mod what_if;
