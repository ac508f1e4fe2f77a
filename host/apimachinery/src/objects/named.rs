//! Reads the fields of pods and nodes that plugins name by their paths.

use std::collections::BTreeSet;
use std::sync::Arc;

use berth_core::model::NamedFields;
use berth_core::model::named_fields::NamedField;

use super::raw::without_managed_fields;
use crate::fields::{FieldPath, pruned, pruned_text};

/// Reads the named fields of the objects of one kind.
#[derive(Clone, Debug, Default)]
pub struct NamedFieldsReader {
    paths: Vec<(Arc<str>, FieldPath)>,
}

impl NamedFieldsReader {
    /// Creates a reader for the fields of these paths. Ignores invalid paths, because the declaration of a plugin with an
    /// invalid path is rejected earlier.
    #[must_use]
    pub fn new(paths: &BTreeSet<Box<str>>) -> Self {
        let parse = |path: &str| Some((Arc::from(path), FieldPath::parse(path).ok()?));
        Self { paths: paths.iter().filter_map(|path| parse(path)).collect() }
    }

    /// Returns the fields of the object with this JSON.
    #[must_use]
    pub fn read(&self, json: &str) -> NamedFields {
        if self.paths.is_empty() {
            return NamedFields::default();
        }
        let all: Vec<&FieldPath> = self.paths.iter().map(|(_, path)| path).collect();
        // The text is valid JSON, because the object was read from it. So this call cannot fail.
        let object = without_managed_fields(pruned_text(json, &all).unwrap_or_default());
        let fields = self.paths.iter().filter_map(|(path, parsed)| {
            let value = pruned(&object, &[parsed]);
            let has_field = value.as_object().is_some_and(|fields| !fields.is_empty());
            has_field.then(|| NamedField { path: Arc::clone(path), json: value.to_string().into() })
        });
        NamedFields::new(fields.collect())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn named_fields_together_are_the_pruned_object() {
        let object = json!({
            "metadata": {"name": "p", "managedFields": [{"manager": "m"}], "finalizers": ["a", "b"]},
            "spec": {
                "activeDeadlineSeconds": 60,
                "containers": [{"image": "i", "tty": true}, {"env": [{"name": "x"}, {"value": "y"}]}],
                "none": null,
            },
        });
        let paths = [
            "spec.activeDeadlineSeconds",
            "spec.containers.image",
            "spec.containers.env.name",
            "spec.containers.env.value",
            "spec.none",
            "metadata.finalizers.x",
            "metadata.finalizers",
            "status",
        ];
        let reader = NamedFieldsReader::new(&paths.iter().map(|path| Box::from(*path)).collect());
        let fields = reader.read(&object.to_string());
        assert_eq!(fields.get("spec.activeDeadlineSeconds"), Some(r#"{"spec":{"activeDeadlineSeconds":60}}"#));
        assert_eq!((fields.get("spec.none"), fields.get("status")), (None, None));
        // All subsets of the paths.
        for subset in 0..1_u32 << paths.len() {
            let some: Vec<&str> =
                paths.iter().enumerate().filter(|(at, _)| subset & 1 << at != 0).map(|(_, path)| *path).collect();
            let parsed: Vec<FieldPath> = some.iter().map(|path| FieldPath::parse(path).unwrap()).collect();
            let expected = pruned(&object, &parsed);
            let text = fields.json(&some);
            let found: Value = if some.is_empty() { json!({}) } else { serde_json::from_str(&text).unwrap() };
            assert_eq!(found, expected, "{some:?}");
        }
    }

    #[test]
    fn managed_fields_are_left_out_and_no_path_gives_no_field() {
        let object = json!({"metadata": {"name": "p", "managedFields": [{"manager": "m"}]}}).to_string();
        let reader = NamedFieldsReader::new(&["metadata", "spec..bad"].map(Box::from).into());
        assert_eq!(reader.read(&object).get("metadata"), Some(r#"{"metadata":{"name":"p"}}"#));
        assert_eq!(NamedFieldsReader::default().read(&object), NamedFields::default());
    }
}
