//! The embedded API server, judged by its clients: raw requests whose answers a real kube-apiserver must give too,
//! kube-rs, and kubectl.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test says so by panicking")]

mod access;
mod cases;
mod definitions;
mod faults;
mod kube_rs;
mod kubectl;
mod load;
mod protobuf;
mod schema;
mod support;
mod watching;
