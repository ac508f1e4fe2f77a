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
        let path = path.to_string();
        if !TYPE_META.contains(&path.as_str()) {
            unknown.push(path);
        }
    });
    let complete = parsed.and_then(|args| text.end().map(|()| args));
    match (complete, unknown.first()) {
        // First, as a misspelt field is often the cause of what else is wrong.
        (_, Some(field)) => Err(format!("{plugin}: arguments: unknown field `{field}`")),
        (Ok(args), None) => Ok(args),
        (Err(error), None) => Err(match track.path().to_string().as_str() {
            "." => format!("{plugin}: arguments: {error}"),
            field => format!("{plugin}: arguments: {field}: {error}"),
        }),
    }
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
    }

    #[derive(Debug, Deserialize, PartialEq)]
    struct Weight {
        weight: i64,
    }

    #[test]
    fn arguments_are_read() {
        let args = parse::<Args>("Demo", r#"{"apiVersion": "v1", "kind": "DemoArgs", "maxPods": 3}"#);
        assert_eq!(args, Ok(Args { max_pods: 3, weights: BTreeMap::new() }));
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
