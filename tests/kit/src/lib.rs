//! The test kit: what the tests of several crates start and wait for. It depends on no crate of Berth.

#![allow(clippy::expect_used, clippy::panic, reason = "tests end with a message if the kit fails")]

mod api_server;
pub mod component;

pub use self::api_server::Server as ApiServer;
