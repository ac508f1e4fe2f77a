//! Checks the exports and imports of a component against the contract.

use berth_core::plugins::ExtensionPoints;
use wasmtime::Engine;
use wasmtime::component::Component;
use wasmtime::component::types::{ComponentInstance, ComponentItem};

use super::error::LoadCause;
use crate::contract::{Exports, POINTS, Role, VERSION, names_of};
use crate::wasi;

const PACKAGE: &str = "berth:scheduler/";
/// The name of the export that every component has, without its version.
const PLUGIN: &str = "berth:scheduler/plugin@";

/// Checks the names of a component's exports and imports. The types of functions are checked with the first instance.
/// Returns the exports, and the version of the contract that the component was built for.
pub(super) fn check(component: &Component, engine: &Engine) -> Result<(Exports, Box<str>), LoadCause> {
    let ty = component.component_type();
    let exports = exports(ty.exports(engine).map(|(name, _)| name))?;
    let version = ty.exports(engine).find_map(|(name, _)| name.strip_prefix(PLUGIN)).unwrap_or(VERSION);
    for (name, import) in ty.imports(engine) {
        let types_only = matches!(&import.ty, ComponentItem::ComponentInstance(instance) if is_types(instance, engine));
        check_import(name, types_only || matches!(import.ty, ComponentItem::Type(_)), exports.points)?;
    }
    Ok((exports, version.into()))
}

fn exports<'a>(names: impl Iterator<Item = &'a str>) -> Result<Exports, LoadCause> {
    let mut plugin = false;
    let mut exports = Exports { points: ExtensionPoints::empty(), snapshot: false, objects: false };
    for name in names {
        match interface(name)? {
            Some("plugin") => plugin = true,
            Some("snapshot") => exports.snapshot = true,
            Some("objects") => exports.objects = true,
            Some(other) => {
                exports.points |= POINTS.iter().filter(|point| point.name == other).map(|point| point.flag).collect();
            }
            None => {}
        }
    }
    if !plugin {
        return Err(LoadCause::NotAPlugin);
    }
    let points = exports.points;
    if !POINTS.iter().any(|point| point.role == Role::Alone && points.contains(point.flag)) {
        return Err(LoadCause::NothingToCall(if points.is_empty() { "none".into() } else { names_of(points) }));
    }
    Ok(exports)
}

fn check_import(name: &str, types_only: bool, points: ExtensionPoints) -> Result<(), LoadCause> {
    match interface(name)? {
        _ if types_only => Ok(()),
        Some("log") => Ok(()),
        None if wasi::is_offered(name) => Ok(()),
        Some("what-if" | "extenders") if points.contains(ExtensionPoints::POST_FILTER) => Ok(()),
        _ => Err(LoadCause::Import(name.to_owned())),
    }
}

/// Returns the interface of the contract's package with this name, or `None` for a name of another package.
fn interface(name: &str) -> Result<Option<&str>, LoadCause> {
    let Some(rest) = name.strip_prefix(PACKAGE) else {
        return Ok(None);
    };
    let (interface, version) = rest.split_once('@').unwrap_or((rest, "none"));
    if minor(version) == minor(VERSION) {
        return Ok(Some(interface));
    }
    Err(LoadCause::OtherVersion { name: name.to_owned(), found: version.to_owned() })
}

/// Returns the first two parts of a version: `0` and `1` for `0.1.7`.
fn minor(version: &str) -> Option<(&str, &str)> {
    let mut parts = version.splitn(3, '.');
    Some((parts.next()?, parts.next()?))
}

fn is_types(instance: &ComponentInstance, engine: &Engine) -> bool {
    instance.exports(engine).all(|(_, export)| matches!(export.ty, ComponentItem::Type(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXPORT: &str = "berth:scheduler/plugin@0.1.0";

    #[test]
    fn the_version_equals_the_version_in_wit() {
        let wit = include_str!("../../../../wit/0.1/types.wit");
        assert!(wit.starts_with(&format!("package berth:scheduler@{VERSION};")));
    }

    #[test]
    fn exports_determine_the_extension_points() {
        let exported = exports(
            [EXPORT, "berth:scheduler/objects@0.1.0", "berth:scheduler/filter@0.1.3", "exports", "my:own/thing"]
                .into_iter(),
        );
        assert_eq!(exported, Ok(Exports { points: ExtensionPoints::FILTER, snapshot: false, objects: true }));
    }

    #[test]
    fn errors_name_missing_and_wrong_exports() {
        let cases = [
            (vec!["wasi:cli/run@0.2.0"], "exports no `berth:scheduler/plugin@0.1.0`"),
            (vec!["berth:scheduler/plugin@0.2.0"], "uses version 0.2.0 of the contract"),
            (vec![EXPORT], "it exports none"),
            (vec![EXPORT, "berth:scheduler/normalize@0.1.0"], "it exports normalize"),
        ];
        for (names, expected) in cases {
            let error = exports(names.iter().copied()).unwrap_err().to_string();
            assert!(error.contains(expected), "{names:?}: {error}");
        }
    }

    #[test]
    fn only_the_log_and_the_queries_of_post_filter_may_be_imported() {
        let post_filter = ExtensionPoints::POST_FILTER;
        assert_eq!(check_import("berth:scheduler/log@0.1.0", false, ExtensionPoints::FILTER), Ok(()));
        assert_eq!(check_import("berth:scheduler/what-if@0.1.0", false, post_filter), Ok(()));
        assert_eq!(check_import("berth:scheduler/extenders@0.1.0", false, post_filter), Ok(()));
        assert_eq!(check_import("berth:scheduler/intents@0.1.0", true, post_filter), Ok(()));
        assert_eq!(check_import("wasi:clocks/monotonic-clock@0.2.0", false, ExtensionPoints::FILTER), Ok(()));
        for refused in ["wasi:http/outgoing-handler@0.2.0", "berth:scheduler/what-if@0.1.0", "env"] {
            let error = check_import(refused, false, ExtensionPoints::FILTER).unwrap_err().to_string();
            assert!(error.contains(&format!("imports `{refused}`")), "{error}");
        }
    }
}
