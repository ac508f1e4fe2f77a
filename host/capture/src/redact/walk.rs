//! The walk through the JSON of a line: decides what each string is.

use std::fmt;

use serde::Deserialize;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

use super::names::{EXTENDED, Fact, GENERATED, Table};
use super::{text, words};

/// The deepest nesting of JSON that is walked.
const DEEPEST: usize = 200;

/// The part of the capture that a value belongs to. The names of its fields mean different things in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Area {
    /// The types of [`crate::record`] and of the core.
    Core,
    /// The BerthConfiguration.
    Configuration,
    /// An object of the API, a part of one, or arguments of a plugin.
    Api {
        /// The object is about devices (`resource.k8s.io`).
        devices: bool,
    },
}

/// The position of a value.
#[derive(Clone, Copy, Debug)]
struct At<'a> {
    area: Area,
    /// The name of the nearest field.
    field: &'a str,
    /// The name of the field around it.
    parent: &'a str,
    /// The nearest object is, or names, a plugin.
    is_plugin: bool,
    /// The value is an element of an array.
    in_list: bool,
    depth: usize,
}

impl<'a> At<'a> {
    /// Returns the position of the value of a field.
    fn field(self, field: &'a str) -> Self {
        Self { field, parent: self.field, in_list: false, depth: self.depth + 1, ..self }
    }
}

/// The fields of an object, in order.
struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit;

        impl<'de> Visitor<'de> for Visit {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    fields.push(entry);
                }
                Ok(fields)
            }
        }

        deserializer.deserialize_map(Visit).map(Fields)
    }
}

impl<'a> Fields<'a> {
    fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.0.iter().find(|(field, _)| field == name).map(|(_, value)| *value)
    }

    /// Returns the text of a field that is a string.
    fn text(&self, name: &str) -> Option<String> {
        self.get(name).and_then(as_text)
    }

    fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }
}

fn as_text(raw: &RawValue) -> Option<String> {
    raw.get().starts_with('"').then(|| serde_json::from_str(raw.get()).ok()).flatten()
}

/// Replaces the strings of a line.
pub(super) struct Walker<'t> {
    names: &'t mut dyn Table,
}

impl<'t> Walker<'t> {
    pub fn new(names: &'t mut dyn Table) -> Self {
        Self { names }
    }

    /// Returns the redacted line.
    pub fn line(&mut self, line: &str) -> serde_json::Result<String> {
        let at = At { area: Area::Core, field: "", parent: "", is_plugin: false, in_list: false, depth: 0 };
        self.json(line, at)
    }

    fn json(&mut self, json: &str, at: At<'_>) -> serde_json::Result<String> {
        let mut out = String::with_capacity(json.len());
        self.value(serde_json::from_str(json)?, at, &mut out)?;
        Ok(out)
    }

    fn value(&mut self, raw: &RawValue, at: At<'_>, out: &mut String) -> serde_json::Result<()> {
        let json = raw.get();
        if at.depth > DEEPEST {
            return Err(<serde_json::Error as serde::de::Error>::custom("the JSON is nested too deeply"));
        }
        match json.as_bytes().first() {
            Some(b'{') => self.object(&serde_json::from_str(json)?, at, out),
            Some(b'[') => self.list(&serde_json::from_str::<Vec<&RawValue>>(json)?, at, out),
            Some(b'"') => {
                let text = self.string(&serde_json::from_str::<String>(json)?, at);
                put(&text, out)
            }
            // Numbers, true, false and null.
            _ => {
                out.push_str(json);
                Ok(())
            }
        }
    }

    fn object(&mut self, fields: &Fields<'_>, at: At<'_>, out: &mut String) -> serde_json::Result<()> {
        self.learn(fields, at);
        let map = map_of(fields, at);
        let expression = fields.text("key").filter(|_| map.is_none());
        let is_plugin = ["namedBy", "digest", "points"].iter().any(|field| fields.has(field))
            || at.field == "serving"
            || (at.area == Area::Configuration && at.field == "plugins");
        let area = match fields.get("key").filter(|_| at.area == Area::Core && fields.has("fields")) {
            Some(key) => Area::Api { devices: key.get().contains("\"apiVersion\":\"resource.k8s.io/") },
            None => at.area,
        };
        out.push('{');
        for (number, (field, raw)) in fields.0.iter().enumerate() {
            if number > 0 {
                out.push(',');
            }
            let at = At { is_plugin, in_list: false, ..at };
            let key = match &map {
                Some(map) => self.key(map, field),
                None => self.field_name(field, at),
            };
            put(&key, out)?;
            out.push(':');
            match (&map, &expression, as_text(raw)) {
                (Some(Map::Labels), _, Some(value)) => put(&text::label_value(self.names, field, &value), out)?,
                (Some(Map::Messages), _, Some(value)) => put(&text::message(self.names, &value), out)?,
                (Some(Map::Quantities), _, Some(value)) if text::is_quantity(&value) => put(&value, out)?,
                (_, Some(key), Some(value)) if field == "value" => {
                    put(&text::label_value(self.names, key, &value), out)?;
                }
                (_, Some(key), None) if field == "values" => {
                    let values: Vec<Option<String>> = serde_json::from_str(raw.get())?;
                    let value = |value: Option<String>| text::label_value(self.names, key, &value.unwrap_or_default());
                    out.push_str(&serde_json::to_string(&values.into_iter().map(value).collect::<Vec<_>>())?);
                }
                (_, _, Some(json)) if field == "fields" && at.area == Area::Core => {
                    let inner = At { area, ..at }.field(field);
                    put(&self.json(&json, inner)?, out)?;
                }
                _ if field == "arguments" && at.area == Area::Core => {
                    self.value(raw, At { area: Area::Api { devices: false }, ..at }.field(""), out)?;
                }
                _ if field == "configuration" && at.area == Area::Core => {
                    self.value(raw, At { area: Area::Configuration, ..at }.field(field), out)?;
                }
                _ if stays(field, at) => out.push_str(raw.get()),
                _ => self.value(raw, at.field(field), out)?,
            }
        }
        out.push('}');
        Ok(())
    }

    /// Learns what must be known before the first string is replaced.
    fn learn(&mut self, fields: &Fields<'_>, at: At<'_>) {
        if let (Some(key), Some(operator)) = (fields.text("key"), fields.text("operator")) {
            text::learn_operator(self.names, &key, &operator);
        }
        if at.area == (Area::Api { devices: true })
            && let Some(driver) = fields.text("driver")
        {
            self.names.learn(Fact::Driver(&driver));
        }
        if let (Some(name), true) = (fields.text("name"), fields.has("uid") && fields.has("namespace"))
            && name.len() + EXTENDED.len() > GENERATED
        {
            self.names.learn(Fact::LongPodName(&name));
        }
        let source = fields.get("source").and_then(|source| serde_json::from_str::<Ephemeral>(source.get()).ok());
        if let (Some(volume), Some(Ephemeral { ephemeral: (claim, _) })) = (fields.text("name"), source)
            && let Some(pod) = claim.strip_suffix(&format!("-{volume}"))
        {
            self.names.learn(Fact::EphemeralClaim(&claim, pod, &volume));
            let _ = (text::name(self.names, pod), text::name(self.names, &volume));
        }
    }

    fn list(&mut self, values: &[&RawValue], at: At<'_>, out: &mut String) -> serde_json::Result<()> {
        if at.field == "reserved" && at.area == Area::Core && !at.in_list {
            return self.reserved(values, out);
        }
        let mut parts = Vec::with_capacity(values.len());
        for raw in values {
            let mut part = String::new();
            self.value(raw, At { in_list: true, depth: at.depth + 1, ..at }, &mut part)?;
            parts.push(part);
        }
        // The core searches these lists, so they must be sorted.
        if at.area == Area::Core
            && !at.in_list
            && ["scalars", "named", "labelKeys", "annotationKeys"].contains(&at.field)
        {
            parts.sort();
        }
        out.push('[');
        out.push_str(&parts.join(","));
        out.push(']');
        Ok(())
    }

    /// Replaces the states of plugins from reserve to pre-bind: `[["VolumeBinding", [bytes]], …]`.
    fn reserved(&mut self, values: &[&RawValue], out: &mut String) -> serde_json::Result<()> {
        let mut states = Vec::new();
        for raw in values {
            let (plugin, state): (String, Vec<u8>) = serde_json::from_str(raw.get())?;
            let at = At {
                area: Area::Api { devices: true },
                field: "",
                parent: "",
                is_plugin: false,
                in_list: false,
                depth: 0,
            };
            // A state that is no text could contain anything, so it is left out.
            let state = match String::from_utf8(state) {
                Ok(state) if is_json(&state) => self.json(&state, at)?,
                Ok(state) => text::fields(self.names, &state),
                Err(_) => String::new(),
            };
            states.push((plugin, state.into_bytes()));
        }
        out.push_str(&serde_json::to_string(&states)?);
        Ok(())
    }

    /// Returns the replacement of a key of a map.
    fn key(&mut self, map: &Map, key: &str) -> String {
        match map {
            Map::Quantities => text::resource(self.names, key),
            Map::Labels | Map::Messages | Map::Named => text::name(self.names, key),
        }
    }

    /// Returns the name of a field: as it is, or replaced if it can't be the name of a field of the API.
    fn field_name(&mut self, field: &str, at: At<'_>) -> String {
        let is_field = field.starts_with(|first: char| first.is_ascii_lowercase())
            && field.bytes().all(|byte| byte.is_ascii_alphanumeric());
        // The arguments of plugins are by the name of the plugin.
        match at.area {
            Area::Api { .. } if !is_field && at.parent != "spec" => text::name(self.names, field),
            _ => field.to_owned(),
        }
    }

    fn string(&mut self, text: &str, at: At<'_>) -> String {
        let At { area, field, parent, is_plugin, in_list, .. } = at;
        let names = &mut *self.names;
        if is_json(text) {
            let devices = matches!(area, Area::Api { devices: true });
            let inner = At { area: Area::Api { devices }, ..at };
            if let Ok(json) = self.json(text, At { in_list: false, depth: at.depth + 1, ..inner }) {
                return json;
            }
            return text::name(self.names, text);
        }
        match field {
            "apiVersion" => text.to_owned(),
            "kind" if parent == "conditions" => text::one_of(&[words::CONDITIONS], text, names),
            "kind" => text.to_owned(),
            "name" if is_plugin => text.to_owned(),
            "name" if parent_is_resources(parent) && matches!(area, Area::Api { .. }) => text::resource(names, text),
            "digest" | "version" | "berth" | "function" | "plugin" | "failedPlugin" | "gatedBy" | "skipping"
            | "preBound" | "path" | "left" | "pluginRecovered" | "subresource"
                if area == Area::Core =>
            {
                text.to_owned()
            }
            // Paths of fields and the names of cluster events, which plugins declare.
            "fields" | "labels" | "wanted" | "listed" if area == Area::Core && in_list => text.to_owned(),
            "declaredFeatures" if text.bytes().all(|byte| byte.is_ascii_alphanumeric()) => text.to_owned(),
            "scalars" | "named" | "managedResources" | "ignoredResources" | "ignoredResourceGroups" => {
                text::resource(names, text)
            }
            "resourceVersion" if text::is_number(text) => text.to_owned(),
            "architecture" | "operatingSystem" => text::one_of(&[words::PLATFORMS], text, names),
            "kubeletVersion" if words::is_version(text) => text.to_owned(),
            "shareID" => text.to_owned(),
            "message" | "reported" | "refused" | "what" | "note" | "reason" | "until" | "Err" | "objectsRefused"
            | "bindFailed" | "intentsFailed" => match area {
                Area::Core => {
                    text::one_of_or(&[words::VARIANTS, words::CONSTANTS], text, || text::message(names, text))
                }
                _ => text::message(names, text),
            },
            field if words::QUANTITIES.contains(&field) && text::is_quantity(text) => text.to_owned(),
            field if words::ENUMS.contains(&field) => text::one_of(&[words::CONSTANTS, words::VARIANTS], text, names),
            _ if parent == "failurePolicies" => text::one_of(&[words::VARIANTS], text, names),
            _ if area == Area::Core && words::CORE_ENUMS.contains(&field) => {
                text::one_of(&[words::VARIANTS], text, names)
            }
            _ => text::name(names, text),
        }
    }
}

/// The source of an ephemeral volume: the name of its claim, and the uid of its pod.
#[derive(Deserialize)]
struct Ephemeral {
    ephemeral: (String, String),
}

/// A map whose keys are data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Map {
    /// Keys and values of labels or annotations.
    Labels,
    /// Names with messages.
    Messages,
    /// Resources with quantities.
    Quantities,
    /// Names with anything else.
    Named,
}

/// Returns what the keys of an object mean, or `None` if they are names of fields.
fn map_of(fields: &Fields<'_>, at: At<'_>) -> Option<Map> {
    let all_texts = fields.0.iter().all(|(_, raw)| raw.get().starts_with('"'));
    let is_api = matches!(at.area, Area::Api { .. });
    match at.field {
        "labels" | "matchLabels" | "nodeSelector" | "annotations" | "selector" if all_texts => Some(Map::Labels),
        "value" if at.parent == "labels" && at.area == Area::Core => Some(Map::Labels),
        "failed" | "unresolvable" if all_texts => Some(Map::Messages),
        "requests" | "limits" | "capacity" | "allocatable" if is_api && !at.in_list => Some(Map::Quantities),
        "scalars" => Some(Map::Quantities),
        "evictions" if at.area == Area::Core => Some(Map::Named),
        "disruptedPods" | "volumeAttributes" | "parameters" | "data" | "stringData" if is_api => Some(Map::Named),
        _ => None,
    }
}

/// Returns whether a field stays with everything below it.
fn stays(field: &str, at: At<'_>) -> bool {
    match at.area {
        Area::Configuration => {
            ["limits", "decisionRecords", "failurePolicy", "fields", "subresources"].contains(&field)
        }
        // Expressions compute with the attributes and capacities of devices.
        Area::Api { devices: true } => {
            let about_devices =
                ["attributes", "capacity", "counters", "cel", "driver", "matchAttribute", "distinctAttribute"];
            about_devices.contains(&field)
        }
        Area::Api { .. } | Area::Core => false,
    }
}

/// Returns whether the objects in this list name a resource: in the arguments of plugins.
fn parent_is_resources(parent: &str) -> bool {
    parent == "resources"
}

fn is_json(text: &str) -> bool {
    text.starts_with(['{', '['])
}

fn put(text: &str, out: &mut String) -> serde_json::Result<()> {
    out.push_str(&serde_json::to_string(text)?);
    Ok(())
}
