//! The test kit: the parts that tests of several crates share. It depends on no crate of Berth.
//!
//! - In: the binaries of etcd and kube-apiserver from `KUBEBUILDER_ASSETS`, for [`ApiServer`]; the contract in
//!   `wit/`, for [`component`].
//! - Out: a running API server with a client, the bytes of small components, valid or deliberately
//!   faulty, and waits for conditions.
//! - Never: a crate uses the kit outside its tests. The kit leaves no process behind, and needs no toolchain for
//!   plugins.

#![allow(clippy::expect_used, clippy::panic, reason = "tests end with a message if the kit fails")]

mod api_server;
pub mod component;
pub mod wait;

pub use self::api_server::Server as ApiServer;
