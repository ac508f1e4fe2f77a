//! The test kit: the parts that tests of several crates share. The kit depends on no other crate of Berth.
//!
//! - In: the binaries of etcd and kube-apiserver from `KUBEBUILDER_ASSETS`, for [`ControlPlane`]; the
//!   contract in `wit/`, for [`component`]; the archives in `tests/released`, for [`released`].
//! - Out: a running control plane with a client, the bytes of small components, valid or deliberately
//!   faulty, and waits for conditions.
//! - Never: a crate uses the kit outside its tests. The kit leaves no process behind, and needs no toolchain for
//!   plugins.

#![allow(clippy::expect_used, clippy::panic, reason = "tests end with a message if the kit fails")]

pub mod component;
pub mod control_plane;
pub mod released;
pub mod wait;

pub use self::control_plane::ControlPlane;
