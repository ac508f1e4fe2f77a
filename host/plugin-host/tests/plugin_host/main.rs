//! Tests the plugin host: components are loaded, refused, called and replaced.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, missing_docs, reason = "tests")]

mod disk_cache;
mod grants;
mod guests;
mod host;
mod loader;
mod post_filter;
mod refusals;
mod versions;
mod wasi;
mod what_if;
