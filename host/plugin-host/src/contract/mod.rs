//! The versions of the contract that the host serves, and their extension points, one entry for each.
//!
//! [`points`] is the table of the entries. The modules below generate from the table what each extension point needs:
//!
//! - `v0_1`, `v0_2`: the lookup and the functions of a version's interfaces
//! - [`export`]: the enum [`Export`] of all functions, with their names in messages
//! - `guests/ask.rs`: the calls of the trait [`berth_core::Plugins`] to instances
//! - `guests/observed.rs`: the same calls with an observer, and the enum of their answers
//!
//! The rest of this crate works with the types of the newest version. [`exported`] converts arguments and answers for
//! an instance of an older version, by the conversions in [`older`].

mod export;
mod interfaces;
mod loaded;
pub(crate) mod older;
mod points;
mod v0_1;
mod v0_2;
mod version;

pub use self::export::Export;
pub(crate) use self::loaded::{Interfaces, LoadedInterfaces, exported};
pub(crate) use self::points::points;
pub use self::version::Version;

use berth_core::plugins::ExtensionPoints;

/// Generates the list of the extension points from the table.
macro_rules! list {
    ($($interface:literal $module:ident $flag:ident $role:ident {
        $($export:ident $name:literal $(= $method:ident($($parameter:ident: $type:ty),*) -> $answer:ty)?;)*
    })*) => {
        /// The extension points.
        pub(crate) const POINTS: [Point; [$($interface),*].len()] =
            [$(Point { name: $interface, flag: ExtensionPoints::$flag, role: Role::$role }),*];
    };
}

points!(list);

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
        // Version 0.1 lets a component export its own filter for hypothetical nodes. The host does without it.
        let others = ["plugin", "snapshot", "objects", "filter-what-if"];
        for wit in [include_str!("../../../../wit/0.1/worlds.wit"), include_str!("../../../../wit/0.2/worlds.wit")] {
            let (_, world) = wit.split_once("world everything {").expect("the world is there");
            let exports = world.lines().filter_map(|line| line.trim().strip_prefix("export ")?.strip_suffix(';'));
            let points: Vec<&str> = exports.filter(|name| !others.contains(name)).collect();
            assert_eq!(points, POINTS.map(|point| point.name));
        }
    }

    #[test]
    fn messages_name_the_points_that_can_stand_alone() {
        let alone = "pre-enqueue, queue-sort, pre-filter, filter, post-filter, pre-score, score, reserve, permit, \
                     pre-bind, bind, post-bind";
        assert_eq!(names_alone(), alone);
        assert_eq!(names_of(ExtensionPoints::FILTER | ExtensionPoints::SKIP), "skip, filter");
    }
}
