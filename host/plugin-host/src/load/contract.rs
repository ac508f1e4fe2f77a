//! Checks the exports and imports of a component against the contract.

use berth_core::plugins::ExtensionPoints;
use wasmtime::Engine;
use wasmtime::component::Component;
use wasmtime::component::types::{ComponentInstance, ComponentItem};

use super::error::LoadCause;
use crate::contract::{Exports, POINTS, Role, Version, names_of};
use crate::wasi;

const PACKAGE: &str = "berth:scheduler/";
/// Checks the names of a component's exports and imports. The types of functions are checked with the first instance.
/// Returns the exports, and the version of the contract that the component was built for.
pub(super) fn check(component: &Component, engine: &Engine) -> Result<(Exports, Version), LoadCause> {
    let ty = component.component_type();
    let (exports, version) = exports(ty.exports(engine).map(|(name, _)| name))?;
    for (name, import) in ty.imports(engine) {
        let types_only = matches!(&import.ty, ComponentItem::ComponentInstance(instance) if is_types(instance, engine));
        check_import(name, version, types_only || matches!(import.ty, ComponentItem::Type(_)), exports.points)?;
    }
    Ok((exports, version))
}

/// Returns the exports, and the version of the contract, which is the same for all of them.
fn exports<'a>(names: impl Iterator<Item = &'a str>) -> Result<(Exports, Version), LoadCause> {
    let mut plugin = None;
    let mut found: Option<(&str, Version)> = None;
    let mut exports = Exports { points: ExtensionPoints::empty(), snapshot: false, objects: false };
    for name in names {
        let Some((interface, version)) = interface(name)? else { continue };
        match found {
            Some((other, of_other)) if of_other != version => return Err(mixed(other, name)),
            _ => found = Some((name, version)),
        }
        match interface {
            "plugin" => plugin = Some(version),
            "snapshot" => exports.snapshot = true,
            "objects" => exports.objects = true,
            other => {
                exports.points |= POINTS.iter().filter(|point| point.name == other).map(|point| point.flag).collect();
            }
        }
    }
    let Some(version) = plugin else { return Err(LoadCause::NotAPlugin) };
    let points = exports.points;
    if !POINTS.iter().any(|point| point.role == Role::Alone && points.contains(point.flag)) {
        return Err(LoadCause::NothingToCall(if points.is_empty() { "none".into() } else { names_of(points) }));
    }
    Ok((exports, version))
}

fn mixed(one: &str, other: &str) -> LoadCause {
    LoadCause::MixedVersions { one: one.to_owned(), other: other.to_owned() }
}

fn check_import(name: &str, of_plugin: Version, types_only: bool, points: ExtensionPoints) -> Result<(), LoadCause> {
    let Some((interface, version)) = interface(name)? else {
        let offered = types_only || wasi::is_offered(name);
        return if offered { Ok(()) } else { Err(LoadCause::Import(name.to_owned())) };
    };
    if version != of_plugin {
        return Err(mixed(&format!("{PACKAGE}plugin@{of_plugin}"), name));
    }
    match interface {
        _ if types_only => Ok(()),
        "log" => Ok(()),
        "what-if" | "extenders" if points.contains(ExtensionPoints::POST_FILTER) => Ok(()),
        _ => Err(LoadCause::Import(name.to_owned())),
    }
}

/// Returns the interface of the contract's package with this name, and the version of the contract that serves it, or
/// `None` for a name of another package.
fn interface(name: &str) -> Result<Option<(&str, Version)>, LoadCause> {
    let Some(rest) = name.strip_prefix(PACKAGE) else {
        return Ok(None);
    };
    let (interface, version) = rest.split_once('@').unwrap_or((rest, "none"));
    match Version::serving(version) {
        Some(version) => Ok(Some((interface, version))),
        None => Err(LoadCause::OtherVersion { name: name.to_owned(), found: version.to_owned() }),
    }
}

fn is_types(instance: &ComponentInstance, engine: &Engine) -> bool {
    instance.exports(engine).all(|(_, export)| matches!(export.ty, ComponentItem::Type(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXPORT: &str = "berth:scheduler/plugin@0.2.0";

    #[test]
    fn exports_determine_the_extension_points() {
        for (version, names) in [
            (Version::V0_1, ["plugin@0.1.0", "objects@0.1.0", "filter@0.1.3", "filter-what-if@0.1.0"]),
            (Version::V0_2, ["plugin@0.2.0", "objects@0.2.0", "filter@0.2.3", "new@0.2.9"]),
        ] {
            let names = names.map(|name| format!("{PACKAGE}{name}"));
            let exported = exports(names.iter().map(String::as_str).chain(["exports", "my:own/thing"]));
            let expected = Exports { points: ExtensionPoints::FILTER, snapshot: false, objects: true };
            assert_eq!(exported, Ok((expected, version)));
        }
    }

    #[test]
    fn errors_name_missing_and_wrong_exports() {
        let cases = [
            (vec!["wasi:cli/run@0.2.0"], "exports no `berth:scheduler/plugin@0.2.0`"),
            (vec!["berth:scheduler/plugin@0.3.0"], "uses version 0.3.0 of the contract"),
            (vec![EXPORT], "it exports none"),
            (vec![EXPORT, "berth:scheduler/normalize@0.2.0"], "it exports normalize"),
            (vec![EXPORT, "berth:scheduler/filter@0.1.0"], "mixes versions of the contract"),
        ];
        for (names, expected) in cases {
            let error = exports(names.iter().copied()).unwrap_err().to_string();
            assert!(error.contains(expected), "{names:?}: {error}");
        }
    }

    #[test]
    fn only_the_log_and_the_queries_of_post_filter_may_be_imported() {
        let (post_filter, filter) = (ExtensionPoints::POST_FILTER, ExtensionPoints::FILTER);
        let check = |name, types_only, points| check_import(name, Version::V0_2, types_only, points);
        assert_eq!(check("berth:scheduler/log@0.2.0", false, filter), Ok(()));
        assert_eq!(check("berth:scheduler/what-if@0.2.0", false, post_filter), Ok(()));
        assert_eq!(check("berth:scheduler/extenders@0.2.0", false, post_filter), Ok(()));
        assert_eq!(check("berth:scheduler/intents@0.2.0", true, post_filter), Ok(()));
        assert_eq!(check("wasi:clocks/monotonic-clock@0.2.0", false, filter), Ok(()));
        for refused in ["wasi:http/outgoing-handler@0.2.0", "berth:scheduler/what-if@0.2.0", "env"] {
            let error = check(refused, false, filter).unwrap_err().to_string();
            assert!(error.contains(&format!("imports `{refused}`")), "{error}");
        }
        let error = check("berth:scheduler/log@0.1.0", false, filter).unwrap_err().to_string();
        assert!(error.contains("mixes versions of the contract"), "{error}");
    }
}
