//! Shared code of plugins that read devices: the objects of resource.k8s.io/v1, CEL selectors of devices, the
//! allocation of devices, and the number of devices of an extended resource on a node.
//!
//! A plugin that scores nodes by extended resources uses [`Inventory`] as its [index](berth_guest::index). Its
//! arguments implement [`ReadsDevices`] to say whether devices are needed.
//!
//! ```
//! use berth_guest::Resource;
//! use berth_guest::prelude::*;
//! use berth_guest_devices::{Extent, Inventory, ReadsDevices};
//! use serde::Deserialize;
//!
//! #[derive(Deserialize)]
//! pub struct Args {
//!     resource: String,
//! }
//!
//! impl ReadsDevices for Args {
//!     fn extent(&self) -> Extent {
//!         Extent::of_scores([&Resource::new(&self.resource)])
//!     }
//! }
//!
//! /// Returns the free amount of the resource, or of the devices that a DeviceClass maps to it.
//! fn score(args: &Args, node: node::Id, has: &node::Allocatable, usage: &node::Usage, devices: &Inventory) -> i64 {
//!     let resource = Resource::new(&args.resource);
//!     let (capacity, used) = devices.amounts(&resource, has, usage.get(&resource), node);
//!     capacity - used
//! }
//!
//! berth_guest::plugin!(name: "MostLeft", args: Args, index: Inventory, score: score, normalization: Default, scope: Node);
//! # fn main() {}
//! ```

pub mod api;
pub mod cel;
pub mod classes;
pub mod devices;
mod inventory;

pub use berth_quantity::Quantity;
pub use inventory::{Extent, Inventory, ReadsDevices};
