//! A plugin's arguments: JSON into the author's struct, or a sentence that says what is wrong where.

use serde::de::DeserializeOwned;

/// Fields that every kind of arguments may carry in a KubeSchedulerConfiguration.
const TYPE_META: [&str; 2] = ["apiVersion", "kind"];

/// Reads the arguments. Fields that the struct doesn't know are errors.
pub(crate) fn parse<A: DeserializeOwned>(plugin: &str, json: &str) -> Result<A, String> {
    if !json.trim_start().starts_with('{') {
        return Err(format!("{plugin}: arguments: an object is wanted, as in {{\"key\": 1}}"));
    }
    let mut unknown = Vec::new();
    let mut track = serde_path_to_error::Track::new();
    let mut text = serde_json::Deserializer::from_str(json);
    let tracked = serde_path_to_error::Deserializer::new(&mut text, &mut track);
    let parsed = serde_ignored::deserialize(tracked, |path| {
        let path = ignored_path(&path);
        if !TYPE_META.contains(&path.as_str()) {
            unknown.push(path);
        }
    });
    let complete = parsed.and_then(|args| text.end().map(|()| args));
    match (complete, unknown.first()) {
        // First, as a misspelt field is often the cause of what else is wrong.
        (_, Some(field)) => Err(format!("{plugin}: arguments: unknown field `{field}`")),
        (Ok(args), None) => Ok(args),
        (Err(error), None) => Err(match failed_path(&track.path()).as_str() {
            "" => format!("{plugin}: arguments: {error}"),
            field => format!("{plugin}: arguments: {field}: {error}"),
        }),
    }
}

/// The path of a field that nothing reads, as an author writes it: `weights.a[0].wait`. An optional value or a wrapper
/// on the way is no step.
fn ignored_path(path: &serde_ignored::Path<'_>) -> String {
    use serde_ignored::Path;
    match path {
        Path::Root => String::new(),
        Path::Seq { parent, index } => format!("{}[{index}]", ignored_path(parent)),
        Path::Map { parent, key } => match ignored_path(parent).as_str() {
            "" => key.clone(),
            parent => format!("{parent}.{key}"),
        },
        Path::Some { parent } | Path::NewtypeStruct { parent } | Path::NewtypeVariant { parent } => {
            ignored_path(parent)
        }
    }
}

/// The path to what could not be read, empty for the whole. Where the text breaks off, its last step has no name.
fn failed_path(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    let mut text = String::new();
    for segment in path.iter() {
        match segment {
            Segment::Seq { index } => text += &format!("[{index}]"),
            Segment::Map { key } | Segment::Enum { variant: key } => {
                text += if text.is_empty() { "" } else { "." };
                text += key;
            }
            Segment::Unknown => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "camelCase")]
    struct Args {
        #[serde(default)]
        max_pods: u32,
        #[serde(default)]
        weights: BTreeMap<String, Weight>,
        #[serde(default)]
        shape: Option<Vec<Weight>>,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    struct Weight {
        weight: i64,
    }

    #[test]
    fn arguments_are_read() {
        let args = parse::<Args>("Demo", r#"{"apiVersion": "v1", "kind": "DemoArgs", "maxPods": 3}"#);
        assert_eq!(args, Ok(Args { max_pods: 3, weights: BTreeMap::new(), shape: None }));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (json, message) in [
            ("", "Demo: arguments: an object is wanted, as in {\"key\": 1}"),
            ("[]", "Demo: arguments: an object is wanted, as in {\"key\": 1}"),
            ("{", "Demo: arguments: EOF while parsing an object at line 1 column 1"),
            ("{} {}", "Demo: arguments: trailing characters at line 1 column 4"),
            (r#"{"maxpods": 3}"#, "Demo: arguments: unknown field `maxpods`"),
            (r#"{"weights": {"a": {"weight": 1, "wait": 2}}}"#, "Demo: arguments: unknown field `weights.a.wait`"),
            (r#"{"shape": [{"weight": 1, "wait": 2}]}"#, "Demo: arguments: unknown field `shape[0].wait`"),
            (
                r#"{"maxPods": "three"}"#,
                "Demo: arguments: maxPods: invalid type: string \"three\", expected u32 at line 1 column 19",
            ),
            (r#"{"weights": {"a": {}}}"#, "Demo: arguments: weights.a: missing field `weight` at line 1 column 20"),
        ] {
            assert_eq!(parse::<Args>("Demo", json), Err(message.to_owned()), "{json}");
        }
    }
}
