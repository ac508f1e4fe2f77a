//! Hints for unknown fields: the field that the author probably meant.

use serde_json::Value as Json;

use super::json_schema::resolved;
use berth_apimachinery::nearest;

/// Fields that v1 does not have or has only in plugin arguments, each with the advice what to use instead.
const REMOVED: [(&str, &str); 6] = [
    ("healthzBindAddress", "use the flags --bind-address and --secure-port"),
    ("metricsBindAddress", "use the flags --bind-address and --secure-port"),
    ("algorithmSource", "name plugins in profiles[].plugins, or pass an old Policy with --policy-config-file"),
    ("hardPodAffinitySymmetricWeight", "set hardPodAffinityWeight of InterPodAffinityArgs, in pluginConfig"),
    ("disablePreemption", "disable DefaultPreemption at postFilter"),
    ("bindTimeoutSeconds", "set it in VolumeBindingArgs, in pluginConfig"),
];

/// Returns a hint with the nearest accepted text, as in `; did you mean "List"?`, or an empty text.
pub(super) fn did_you_mean<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> String {
    nearest(wrong, names).map_or_else(String::new, |name| format!("; did you mean {name:?}?"))
}

/// Returns the hint for a field that is not one of `names`, the known fields of its object. `root` is the schema of the
/// whole document.
pub(super) fn unknown_field(wrong: &str, names: &[&str], root: &Json) -> String {
    if let Some((_, instead)) = REMOVED.iter().find(|(name, _)| *name == wrong) {
        return format!("Kubernetes has removed it: {instead}");
    }
    if let Some(name) = nearest(wrong, names.iter().copied()) {
        return format!("did you mean {name}?");
    }
    let elsewhere = places_of(wrong, root);
    match &elsewhere[..] {
        [] => format!("known fields: {}", names.join(", ")),
        [first, ..] => format!("it belongs at {first}"),
    }
}

/// Returns the paths at which the schema knows a field of this name, such as `profiles[].plugins`. The paths with
/// the fewest steps come first.
fn places_of(name: &str, root: &Json) -> Vec<String> {
    let mut found = Vec::new();
    let mut seen: Vec<*const Json> = Vec::new();
    let mut layer = vec![(String::new(), root)];
    while !layer.is_empty() {
        let mut next = Vec::new();
        for (path, schema) in layer {
            let schema = resolved(root, schema);
            if seen.contains(&std::ptr::from_ref(schema)) {
                continue;
            }
            seen.push(std::ptr::from_ref(schema));
            let decided = schema["allOf"].as_array().into_iter().flatten().map(|condition| &condition["then"]);
            let objects = decided.chain([schema]).filter_map(|schema| schema["properties"].as_object());
            for (field, property) in objects.flatten() {
                let at = if path.is_empty() { field.clone() } else { format!("{path}.{field}") };
                if field == name {
                    found.push(at.clone());
                }
                let property = resolved(root, property);
                match property.get("items") {
                    Some(items) => next.push((format!("{at}[]"), items)),
                    None => next.push((at, property)),
                }
            }
        }
        layer = next;
    }
    found
}
