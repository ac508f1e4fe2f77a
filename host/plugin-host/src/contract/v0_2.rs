//! Version 0.2 of the contract: the interfaces of its bindings.

use super::interfaces::interfaces;
use super::points::points;
use crate::bindings::v0_2::exports::berth::scheduler as wit;

points!(interfaces);
