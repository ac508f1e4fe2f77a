//! Berth: a Kubernetes scheduler whose every filter and score is a WebAssembly component.

pub mod admin;
pub mod cli;
pub mod config;
pub mod extender;
pub mod kube;
pub mod scheduler;
pub mod wasm;
