//! Reads a CustomResourceDefinition into the data that the server needs to serve its objects.

use serde_json::{Value, json};

use crate::failure::Problems;
use crate::names::{is_dns_label, is_dns_subdomain};
use crate::selectors::Selectable;
use crate::value::{items, text};

/// The names of a custom resource, from `spec.names`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    /// The kind.
    pub kind: String,
    /// The kind of a list of the resource.
    pub list_kind: String,
    /// The path segment, such as `widgets`.
    pub plural: String,
    /// The singular name.
    pub singular: String,
    /// kubectl's abbreviations.
    pub short: Vec<String>,
    /// The groups that kubectl accepts instead of a resource, such as `all`.
    pub categories: Vec<String>,
}

/// The JSON pointers to a custom resource's replica counts and selector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScalePaths {
    /// `specReplicasPath`.
    pub spec: String,
    /// `statusReplicasPath`.
    pub status: String,
    /// `labelSelectorPath`.
    pub selector: Option<String>,
}

/// A column that kubectl prints for a custom resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrinterColumn {
    /// The column's heading.
    pub name: String,
    /// `string`, `integer`, `number`, `boolean` or `date`.
    pub kind: String,
    /// The JSON path of the value, such as `.spec.size`.
    pub path: String,
    /// A column with a priority above 0 appears only with `-o wide`.
    pub priority: i64,
}

/// One served version of a custom resource.
#[derive(Debug, Clone, PartialEq)]
pub struct Custom {
    /// The API group.
    pub group: String,
    /// The names in all versions.
    pub names: Names,
    /// True if the resource is namespaced.
    pub namespaced: bool,
    /// True if the definition is being deleted. Clients cannot create objects of such a definition.
    pub terminating: bool,
    /// True if the version has a status subresource.
    pub status: bool,
    /// The scale subresource, if the version has one.
    pub scale: Option<ScalePaths>,
    /// `openAPIV3Schema`; absent if `preserveUnknownFields` is set.
    pub schema: Option<Value>,
    /// `selectableFields`.
    pub fields: Vec<Selectable>,
    /// `additionalPrinterColumns`.
    pub columns: Vec<PrinterColumn>,
}

/// Returns the served versions of a stored definition, each with its name.
pub fn versions(definition: &Value) -> Vec<(String, Custom)> {
    let spec = &definition["spec"];
    let names = names(&spec["names"]);
    let served = items(spec, "versions").filter(|version| version["served"] == json!(true));
    served.map(|version| (text(version, "name").to_owned(), custom(definition, names.clone(), version))).collect()
}

fn custom(definition: &Value, names: Names, version: &Value) -> Custom {
    let spec = &definition["spec"];
    let subresources = &version["subresources"];
    let keeps_all = spec["preserveUnknownFields"] == json!(true);
    let schema = version.pointer("/schema/openAPIV3Schema").filter(|_| !keeps_all).cloned();
    Custom {
        group: text(spec, "group").to_owned(),
        names,
        namespaced: text(spec, "scope") == "Namespaced",
        terminating: definition["metadata"].get("deletionTimestamp").is_some(),
        status: subresources.get("status").is_some(),
        scale: subresources.get("scale").map(scale),
        schema,
        fields: items(version, "selectableFields").map(selectable).collect(),
        columns: items(version, "additionalPrinterColumns").map(column).collect(),
    }
}

fn names(spec: &Value) -> Names {
    let list = |name| items(spec, name).filter_map(Value::as_str).map(str::to_owned).collect();
    let kind = text(spec, "kind").to_owned();
    let or = |value: &str, default: String| if value.is_empty() { default } else { value.to_owned() };
    Names {
        list_kind: or(text(spec, "listKind"), format!("{kind}List")),
        plural: text(spec, "plural").to_owned(),
        singular: or(text(spec, "singular"), kind.to_lowercase()),
        short: list("shortNames"),
        categories: list("categories"),
        kind,
    }
}

fn scale(scale: &Value) -> ScalePaths {
    let pointer = |name| text(scale, name).replace('.', "/");
    ScalePaths {
        spec: pointer("specReplicasPath"),
        status: pointer("statusReplicasPath"),
        selector: scale.get("labelSelectorPath").map(|_| pointer("labelSelectorPath")),
    }
}

fn selectable(field: &Value) -> Selectable {
    let path = text(field, "jsonPath").trim_start_matches('.').to_owned();
    Selectable { label: path.clone().into(), path: path.into(), absent: "" }
}

fn column(column: &Value) -> PrinterColumn {
    PrinterColumn {
        name: text(column, "name").to_owned(),
        kind: text(column, "type").to_owned(),
        path: text(column, "jsonPath").to_owned(),
        priority: column["priority"].as_i64().unwrap_or_default(),
    }
}

/// Sets a definition's defaults, its accepted names and its stored versions. A definition without status conditions
/// gets the conditions that mark it as established, so a new definition is established immediately.
pub fn accept(definition: &mut Value) {
    let created = definition["metadata"]["creationTimestamp"].clone();
    let names = names(&definition["spec"]["names"]);
    let spec = &mut definition["spec"];
    spec["names"]["listKind"] = names.list_kind.clone().into();
    spec["names"]["singular"] = names.singular.clone().into();
    if spec.get("conversion").is_none() {
        spec["conversion"] = json!({"strategy": "None"});
    }
    let accepted = spec["names"].clone();
    let stored: Vec<Value> =
        items(spec, "versions").filter(|v| v["storage"] == json!(true)).map(|v| v["name"].clone()).collect();
    let condition = |kind: &str, reason: &str, message: &str| json!({"type": kind, "status": "True", "lastTransitionTime": created, "reason": reason, "message": message});
    if definition.pointer("/status/conditions").is_none() {
        definition["status"]["conditions"] = json!([
            condition("NamesAccepted", "NoConflicts", "no conflicts found"),
            condition("Established", "InitialNamesAccepted", "the initial names have been accepted"),
        ]);
    }
    definition["status"]["acceptedNames"] = accepted;
    definition["status"]["storedVersions"] = stored.into();
}

/// Validates a definition's spec.
pub fn check(definition: &Value, problems: &mut Problems) {
    let spec = &definition["spec"];
    let (group, plural) = (text(spec, "group"), text(&spec["names"], "plural"));
    if group.is_empty() {
        problems.required("spec.group", "");
    } else if !is_dns_subdomain(group) || !group.contains('.') {
        problems.invalid("spec.group", &spec["group"], "should be a domain with at least one dot");
    }
    if !is_dns_label(plural) {
        problems.invalid(
            "spec.names.plural",
            &plural.into(),
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-'",
        );
    }
    if text(&spec["names"], "kind").is_empty() {
        problems.required("spec.names.kind", "");
    }
    let name = &definition["metadata"]["name"];
    if name != &json!(format!("{plural}.{group}")) {
        problems.invalid("metadata.name", name, "must be spec.names.plural+\".\"+spec.group");
    }
    if !matches!(text(spec, "scope"), "Namespaced" | "Cluster") {
        problems.unsupported("spec.scope", text(spec, "scope"), &["Cluster", "Namespaced"]);
    }
    let stored = items(spec, "versions").filter(|version| version["storage"] == json!(true)).count();
    if stored != 1 {
        problems.invalid("spec.versions", &spec["versions"], "must have exactly one version marked as storage version");
    }
    for (index, version) in items(spec, "versions").enumerate() {
        if !is_dns_label(text(version, "name")) {
            problems.invalid(format!("spec.versions[{index}].name"), &version["name"], "must be a DNS label");
        }
        if version.pointer("/schema/openAPIV3Schema").is_none() {
            problems.required(format!("spec.versions[{index}].schema.openAPIV3Schema"), "schemas are required");
        }
    }
}
