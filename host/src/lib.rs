//! Berth: a Kubernetes scheduler whose every filter and score is a WebAssembly component.

pub mod sim;
