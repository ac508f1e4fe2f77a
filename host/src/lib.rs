//! Berth: a Kubernetes scheduler whose every filter and score is a WebAssembly component.

pub mod admin;
pub mod cli;
pub mod config;
pub mod controllers;
pub mod extender;
mod fields;
pub mod kube;
mod nearest;
pub mod protobuf;
pub mod scheduler;
mod schema;
pub mod sim;
pub mod supervisor;
pub mod wasm;
