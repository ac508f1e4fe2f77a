//! Discovery: lists the API groups, versions and resources, in the aggregated form and in the older forms.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use axum::response::Response;
use serde_json::{Value, json};

use super::failure::Failure;
use super::http::{Call, answer};
use super::kinds::Sub;
use super::resource::{Resource, VERBS, api_version};
use super::reviews;
use super::state::State;

/// The Kubernetes version that the server reports.
pub const KUBERNETES: &str = "v1.36.3";

/// Returns the answer to `/version`.
pub fn version() -> Value {
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    json!({"major": "1", "minor": "36", "gitVersion": KUBERNETES, "gitCommit": "", "gitTreeState": "clean", "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "", "compiler": "", "platform": format!("{os}/{arch}"), "emulationMajor": "1", "emulationMinor": "36",
        "minCompatibilityMajor": "1", "minCompatibilityMinor": "35"})
}

/// Answers a discovery path. Returns `None` for any other path.
///
/// # Errors
/// 404 for an unknown group, 405 for another method than GET, 406 if the client does not accept JSON.
pub fn route(state: &State, path: &str, call: &Call) -> Result<Option<Response>, Failure> {
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    let found = match segments.as_slice() {
        ["api"] | ["apis"] if call.accept.wants("APIGroupDiscoveryList", "apidiscovery.k8s.io", "v2") => {
            let list = aggregated(state, segments == ["api"]);
            Some(answer::with_type(
                200,
                "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
                list.to_string(),
            ))
        }
        ["api"] => {
            Some(plain(call, &json!({"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []}))?)
        }
        ["apis"] => Some(plain(call, &group_list(state))?),
        ["api", version] => Some(plain(call, &resource_list(state, "", version)?)?),
        ["apis", group] => Some(plain(call, &one_group(state, group)?)?),
        ["apis", group, version] => Some(plain(call, &resource_list(state, group, version)?)?),
        _ => None,
    };
    match found {
        Some(_) if call.method != axum::http::Method::GET => Err(Failure::method_not_allowed()),
        found => Ok(found),
    }
}

fn plain(call: &Call, value: &Value) -> Result<Response, Failure> {
    match call.accept.takes_json() {
        true => Ok(answer::json(200, value)),
        false => Err(Failure::not_acceptable()),
    }
}

/// Returns the versions of each group, the preferred version first.
fn groups(state: &State) -> BTreeMap<String, Vec<String>> {
    let mut groups: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for resource in state.registry.all() {
        groups.entry(resource.group.clone()).or_default().insert(resource.version.clone());
    }
    for review in reviews::ALL {
        groups.entry(review.group.to_owned()).or_default().insert("v1".to_owned());
    }
    groups.into_iter().map(|(group, versions)| (group, in_order(versions))).collect()
}

/// Sorts versions by preference, as Kubernetes does: stable before beta before alpha, higher numbers first.
fn in_order(versions: BTreeSet<String>) -> Vec<String> {
    let rank = |version: &str| {
        let rest = version.strip_prefix('v').unwrap_or(version);
        let (major, stage, minor) = match rest
            .split_once("beta")
            .map(|parts| (parts, 1))
            .or(rest.split_once("alpha").map(|parts| (parts, 0)))
        {
            Some(((major, minor), stage)) => (major, stage, minor),
            None => (rest, 2, "0"),
        };
        (stage, major.parse::<u32>().unwrap_or_default(), minor.parse::<u32>().unwrap_or_default())
    };
    let mut versions: Vec<String> = versions.into_iter().collect();
    versions.sort_by_key(|version| std::cmp::Reverse(rank(version)));
    versions
}

fn group(name: &str, versions: &[String]) -> Value {
    let entry = |version: &String| json!({"groupVersion": api_version(name, version), "version": version});
    let list: Vec<Value> = versions.iter().map(entry).collect();
    json!({"name": name, "versions": list, "preferredVersion": list.first()})
}

fn group_list(state: &State) -> Value {
    let all: Vec<Value> = groups(state)
        .iter()
        .filter(|(name, _)| !name.is_empty())
        .map(|(name, versions)| group(name, versions))
        .collect();
    json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": all})
}

fn one_group(state: &State, name: &str) -> Result<Value, Failure> {
    let versions = groups(state).remove(name).filter(|_| !name.is_empty()).ok_or_else(Failure::no_such_path)?;
    let mut found = group(name, &versions);
    found["kind"] = "APIGroup".into();
    found["apiVersion"] = "v1".into();
    Ok(found)
}

fn of_version(state: &State, group: &str, version: &str) -> Vec<Arc<Resource>> {
    state.registry.all().into_iter().filter(|resource| resource.group == group && resource.version == version).collect()
}

/// Describes a subresource for discovery: its verbs, the kind of its bodies, and that kind's group and version if
/// they differ from the resource's.
fn subresource(resource: &Resource, sub: Sub) -> (Vec<&'static str>, String, &'static str, &'static str) {
    let own = || resource.kind.clone();
    match sub {
        Sub::Status | Sub::Resize | Sub::EphemeralContainers => (vec!["get", "patch", "update"], own(), "", ""),
        Sub::Scale => (vec!["get", "patch", "update"], "Scale".into(), "autoscaling", "v1"),
        Sub::Binding => (vec!["create"], "Binding".into(), "", ""),
        Sub::Eviction => (vec!["create"], "Eviction".into(), "policy", "v1"),
        Sub::Finalize => (vec!["update"], own(), "", ""),
    }
}

fn resource_list(state: &State, group: &str, version: &str) -> Result<Value, Failure> {
    let mut list = Vec::new();
    for review in reviews::ALL.iter().filter(|review| review.group == group && version == "v1") {
        list.push(json!({"name": review.plural, "singularName": review.kind.to_lowercase(), "namespaced": review.namespaced, "kind": review.kind, "verbs": ["create"]}));
    }
    for resource in of_version(state, group, version) {
        let mut entry = json!({"name": resource.plural, "singularName": resource.singular, "namespaced": resource.namespaced, "kind": resource.kind, "verbs": verbs(&resource)});
        if !resource.short.is_empty() {
            entry["shortNames"] = resource.short.clone().into();
        }
        if !resource.categories.is_empty() {
            entry["categories"] = resource.categories.clone().into();
        }
        list.push(entry);
        for sub in &resource.subs {
            let (verbs, kind, group, version) = subresource(&resource, *sub);
            let mut entry = json!({"name": format!("{}/{}", resource.plural, sub.name()), "singularName": "", "namespaced": resource.namespaced, "kind": kind, "verbs": verbs});
            if !group.is_empty() {
                entry["group"] = group.into();
                entry["version"] = version.into();
            }
            list.push(entry);
        }
    }
    match list.is_empty() {
        true => Err(Failure::no_such_path()),
        false => Ok(
            json!({"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": api_version(group, version), "resources": list}),
        ),
    }
}

/// The verbs of a resource whose definition is being deleted. Clients cannot create or change its objects.
const TERMINATING_VERBS: &[&str] = &["delete", "deletecollection", "get", "list", "watch"];

/// Returns the verbs of a resource. Namespaces have no `deletecollection`.
fn verbs(resource: &Resource) -> Vec<&'static str> {
    if resource.definition().is_some_and(|definition| definition.terminating) {
        return TERMINATING_VERBS.to_vec();
    }
    let limited = resource.kind == "Namespace" && resource.group.is_empty();
    VERBS.iter().copied().filter(|verb| !(limited && *verb == "deletecollection")).collect()
}

fn aggregated(state: &State, core: bool) -> Value {
    let mut list = Vec::new();
    for (name, versions) in groups(state).into_iter().filter(|(name, _)| name.is_empty() == core) {
        let versions: Vec<Value> = versions
            .iter()
            .map(|version| json!({"version": version, "freshness": "Current", "resources": aggregated_resources(state, &name, version)}))
            .collect();
        let metadata = if core { json!({}) } else { json!({"name": name}) };
        list.push(json!({"metadata": metadata, "versions": versions}));
    }
    json!({"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": list})
}

fn aggregated_resources(state: &State, group: &str, version: &str) -> Vec<Value> {
    let scope = |namespaced: bool| if namespaced { "Namespaced" } else { "Cluster" };
    let kind = |group: &str, version: &str, kind: &str| json!({"group": group, "version": version, "kind": kind});
    let mut list = Vec::new();
    for review in reviews::ALL.iter().filter(|review| review.group == group && version == "v1") {
        list.push(json!({"resource": review.plural, "responseKind": kind(group, version, review.kind), "scope": scope(review.namespaced),
            "singularResource": review.kind.to_lowercase(), "verbs": ["create"]}));
    }
    for resource in of_version(state, group, version) {
        let subs: Vec<Value> = resource
            .subs
            .iter()
            .map(|sub| {
                let (verbs, sub_kind, sub_group, sub_version) = subresource(&resource, *sub);
                let (g, v) = if sub_version.is_empty() { (group, version) } else { (sub_group, sub_version) };
                json!({"subresource": sub.name(), "responseKind": kind(g, v, &sub_kind), "verbs": verbs})
            })
            .collect();
        list.push(json!({"resource": resource.plural, "responseKind": kind(group, version, &resource.kind), "scope": scope(resource.namespaced),
            "singularResource": resource.singular, "verbs": verbs(&resource), "shortNames": resource.short, "categories": resource.categories,
            "subresources": subs}));
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stable_versions_come_first() {
        let versions = ["v1alpha1", "v2", "v1beta2", "v10", "v1beta1"].map(String::from);
        assert_eq!(in_order(versions.into_iter().collect()), ["v10", "v2", "v1beta2", "v1beta1", "v1alpha1"]);
    }
}
