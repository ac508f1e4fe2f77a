//! Tests the API client against scripted answers, the in-memory API server and a real kube-apiserver.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, missing_docs, reason = "tests")]

mod cases;
mod embedded;
mod informers;
mod protobuf;
mod real;
mod support;
mod writes;
