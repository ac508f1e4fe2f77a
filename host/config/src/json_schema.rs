//! Follows references in a JSON Schema.

use serde_json::Value as Json;

/// Follows each `$ref`, and replaces each `anyOf` by its first alternative that is not null.
pub(super) fn resolved<'a>(root: &'a Json, mut schema: &'a Json) -> &'a Json {
    loop {
        let alternative = schema["anyOf"].as_array().and_then(|any| any.iter().find(|one| one["type"] != "null"));
        schema = match (schema["$ref"].as_str().and_then(|to| to.strip_prefix('#')), alternative) {
            (Some(pointer), _) => match root.pointer(pointer) {
                Some(schema) => schema,
                None => return schema,
            },
            (None, Some(alternative)) => alternative,
            (None, None) => return schema,
        };
    }
}
