//! Berth: a Kubernetes scheduler whose every filter and score is a WebAssembly component.

pub mod controllers;
pub mod kube;
pub mod sim;
pub mod wasm;
