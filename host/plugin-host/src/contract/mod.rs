//! The extension points of the contract, one entry for each.
//!
//! [`v0_1`] is the table of the entries. The modules below generate from the table what each extension point needs:
//!
//! - `v0_1`: the lookup and the functions of the component's interfaces
//! - [`export`]: the enum [`Export`] of all functions, with their names in messages
//! - `guests/ask.rs`: the calls of the trait [`berth_core::Plugins`] to instances
//! - `guests/observed.rs`: the same calls with an observer, and the enum of their answers
//!
//! Another version of the contract is another table. The host's own types (`Export`, the answers) are generated from
//! the newest version's table; the interfaces from each version's table.

mod export;
mod interfaces;
mod v0_1;

pub use self::export::Export;
pub(crate) use self::v0_1::{Interfaces, LoadedInterfaces, POINTS, VERSION, exported, v0_1};

use berth_core::plugins::ExtensionPoints;

/// An interface of the contract that is an extension point.
pub(crate) struct Point {
    /// The name of the interface in the contract.
    pub name: &'static str,
    pub flag: ExtensionPoints,
    pub role: Role,
}

/// Whether a component may export an extension point without others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The host calls a component that exports only this extension point.
    Alone,
    /// The extension point has an effect only together with others.
    Beside,
}

/// The exports of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exports {
    /// The extension points.
    pub points: ExtensionPoints,
    /// Whether the component exports `snapshot`, which receives the facts of nodes.
    pub snapshot: bool,
    /// Whether the component exports `objects`, which receives objects of kinds other than nodes and pods.
    pub objects: bool,
}

/// Returns the names of extension points for display.
pub fn names_of(points: ExtensionPoints) -> String {
    names(|point| points.contains(point.flag))
}

/// Returns the names of all extension points that a component may export alone.
pub(crate) fn names_alone() -> String {
    names(|point| point.role == Role::Alone)
}

fn names(filter: impl Fn(&Point) -> bool) -> String {
    let names: Vec<&str> = POINTS.iter().filter(|point| filter(point)).map(|point| point.name).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_each_extension_point_once() {
        let flags: ExtensionPoints = POINTS.iter().map(|point| point.flag).collect();
        // Unreserve is a function of the interface `reserve`.
        assert_eq!(flags, ExtensionPoints::all() - ExtensionPoints::UNRESERVE);
        assert_eq!(flags.iter().count(), POINTS.len());
    }

    #[test]
    fn the_table_has_the_interfaces_of_the_world_everything() {
        let wit = include_str!("../../../../wit/0.1/worlds.wit");
        let (_, world) = wit.split_once("world everything {").expect("the world is there");
        let exports = world.lines().filter_map(|line| line.trim().strip_prefix("export ")?.strip_suffix(';'));
        let points: Vec<&str> = exports.filter(|name| !["plugin", "snapshot", "objects"].contains(name)).collect();
        assert_eq!(points, POINTS.map(|point| point.name));
    }

    #[test]
    fn messages_name_the_points_that_can_stand_alone() {
        let alone = "pre-enqueue, queue-sort, pre-filter, filter, post-filter, pre-score, score, reserve, permit, \
                     pre-bind, bind, post-bind";
        assert_eq!(names_alone(), alone);
        assert_eq!(names_of(ExtensionPoints::FILTER | ExtensionPoints::SKIP), "skip, filter");
    }
}
