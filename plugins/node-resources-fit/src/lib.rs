//! NodeResourcesFit: pods go where what they ask for is free.
//!
//! Reads what the pod requests, the node's allocatable resources and what its pods ask for already, as kube-scheduler v1.36
//! does.

mod filter;

use filter::{Wanted, filter, prepare};

berth_guest::plugin!(name: "NodeResourcesFit", prepare: prepare => Wanted, filter: filter);
