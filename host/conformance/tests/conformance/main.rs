//! Tests the promises of the contract: every built component keeps them, and faulty components are detected.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, missing_docs, reason = "tests")]

mod arguments;
mod components;
mod open_facts;
mod pod_actions;
mod wrong_guests;
