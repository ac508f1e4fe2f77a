//! Tests the in-memory API server through its clients: kube-rs, kubectl, and raw requests whose responses must match
//! those of a real kube-apiserver.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails with a panic")]
#![allow(clippy::disallowed_methods, reason = "the time limits of tests are real time")]

mod access;
mod cases;
mod clock;
mod definitions;
mod faults;
mod kube_rs;
mod kubectl;
mod kubectl_apply;
mod kubectl_unavailable;
mod load;
mod loading;
mod protobuf;
mod schema;
mod support;
mod watching;
