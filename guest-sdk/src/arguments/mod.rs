//! A plugin's arguments: JSON into the author's struct, or an error message with the path of the field.

mod error;
mod keys;
mod path;
mod reader;
mod text;

use serde::de::{DeserializeOwned, Error};

use crate::plugin::NoArgs;
use error::ArgumentError;
use reader::Reader;
use text::Text;

/// Fields that every kind of arguments may have in a KubeSchedulerConfiguration.
const TYPE_META: [&str; 2] = ["apiVersion", "kind"];

const AN_OBJECT: &str = "expected an object, as in {\"key\": 1}";

/// Reads the arguments. A field that the struct does not have is an error, except `apiVersion` and `kind`.
pub fn parse<A: DeserializeOwned>(plugin: &str, json: &str) -> Result<A, String> {
    read(json).map_err(|error| format!("{plugin}: arguments: {error}"))
}

/// Reads the fields of an object. A field that the struct does not have is an error, except `apiVersion` and `kind`.
pub(crate) fn fields<T: DeserializeOwned>(json: &str) -> Result<T, String> {
    read(json).map_err(|error| error.to_string())
}

/// Reads the field at a path. Returns `None` if the field is absent or null.
pub(crate) fn field<T: DeserializeOwned>(json: &str, path: &str) -> Result<Option<T>, String> {
    path::read(json, path).map_err(|error| error.to_string())
}

fn read<A: DeserializeOwned>(json: &str) -> Result<A, ArgumentError> {
    let mut text = Text::new(json);
    let read = match text.peek() {
        Some(b'{') => A::deserialize(Reader::of_arguments(&mut text)),
        _ => Err(ArgumentError::custom(AN_OBJECT)),
    };
    read.and_then(|args| text.end().map(|()| args))
}

/// Checks the arguments of a plugin that takes none. Any field other than `apiVersion` and `kind` is an error.
pub fn none(plugin: &str, json: &str) -> Result<NoArgs, String> {
    match keys::unknown(json, &TYPE_META) {
        Ok(None) => Ok(NoArgs),
        Ok(Some(field)) => Err(format!("{plugin}: arguments: unknown field `{field}`")),
        Err(keys::NoObject) => Err(format!("{plugin}: arguments: {AN_OBJECT}")),
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
    fn errors_name_the_field() {
        for (json, message) in [
            ("", "Demo: arguments: expected an object, as in {\"key\": 1}"),
            ("[]", "Demo: arguments: expected an object, as in {\"key\": 1}"),
            ("{", "Demo: arguments: malformed JSON: expected a quote at byte 1"),
            ("{} {}", "Demo: arguments: malformed JSON: expected the end at byte 3"),
            (r#"{"maxpods": 3}"#, "Demo: arguments: unknown field `maxpods`"),
            (r#"{"weights": {"a": {"weight": 1, "wait": 2}}}"#, "Demo: arguments: unknown field `weights.a.wait`"),
            (r#"{"shape": [{"weight": 1, "wait": 2}]}"#, "Demo: arguments: unknown field `shape[0].wait`"),
            (r#"{"maxPods": "three"}"#, "Demo: arguments: maxPods: invalid type: string \"three\", expected u32"),
            (r#"{"weights": {"a": {}}}"#, "Demo: arguments: weights.a: missing field `weight`"),
        ] {
            assert_eq!(parse::<Args>("Demo", json), Err(message.to_owned()), "{json}");
        }
    }

    #[test]
    fn a_plugin_without_arguments_refuses_arguments() {
        for (json, message) in [
            ("{}", None),
            (r#"{"apiVersion": "v1", "kind": "DemoArgs"}"#, None),
            (r#"{"kind": "DemoArgs", "depth": {"kind": 1}}"#, Some("Demo: arguments: unknown field `depth`")),
            ("[]", Some("Demo: arguments: expected an object, as in {\"key\": 1}")),
        ] {
            assert_eq!(none("Demo", json).err().as_deref(), message, "{json}");
        }
    }

    #[derive(Debug, Deserialize, PartialEq)]
    struct One<T> {
        value: T,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    enum Mode {
        Off,
        Level(u8),
        Pair(u8, i8),
        Range { low: f64 },
    }

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(untagged)]
    enum Either {
        Number(i64),
        Text(String),
    }

    fn one<T: DeserializeOwned>(json: &str) -> Result<T, String> {
        parse::<One<T>>("Demo", &format!("{{\"value\": {json}}}")).map(|one| one.value)
    }

    #[test]
    fn every_json_type_is_read() {
        assert_eq!(one(r#""Off""#), Ok(Mode::Off));
        assert_eq!(one(r#"{"Level": 3}"#), Ok(Mode::Level(3)));
        assert_eq!(one(r#"{"Pair": [3, -4]}"#), Ok(Mode::Pair(3, -4)));
        assert_eq!(one(r#"{"Range": {"low": -1.5}}"#), Ok(Mode::Range { low: -1.5 }));
        assert_eq!(one(r#"[7, "x", null]"#), Ok((Either::Number(7), Either::Text("x".into()), None::<bool>)));
        assert_eq!(one(r#"{"80": true}"#), Ok(BTreeMap::from([(80_u16, true)])));
        assert_eq!(one(r#"[["a"], []]"#), Ok([vec!['a'], vec![]]));
        assert_eq!(one("18446744073709551615"), Ok(u64::MAX));
        let any = serde_json::json!({"any": [1, -2, 3.5, "x", null, {"deep": true}]});
        assert_eq!(one(&any.to_string()), Ok(any));
    }

    #[test]
    fn every_json_type_is_checked() {
        fn error_of<T: DeserializeOwned + std::fmt::Debug>(json: &str) -> String {
            one::<T>(json).unwrap_err().replace("Demo: arguments: ", "")
        }
        for (message, expected) in [
            (
                error_of::<Mode>("3"),
                "value: invalid type: number `3`, expected a string or an object with a single key",
            ),
            (
                error_of::<Mode>(r#""On""#),
                "value: unknown variant `On`, expected one of `Off`, `Level`, `Pair`, `Range`",
            ),
            (error_of::<Mode>(r#"{"Level": 300}"#), "value.Level: invalid value: integer `300`, expected u8"),
            (error_of::<Mode>(r#"{"Range": {"low": 1, "hi": 2}}"#), "unknown field `value.Range.hi`"),
            (error_of::<u32>("1.5"), "value: invalid type: number `1.5`, expected u32"),
            (error_of::<u32>("-1"), "value: invalid value: integer `-1`, expected u32"),
            (error_of::<bool>("null"), "value: invalid type: null, expected a boolean"),
            (error_of::<String>("true"), "value: invalid type: boolean `true`, expected a string"),
            (error_of::<Vec<u8>>(r#"[1, "x"]"#), "value[1]: invalid type: string \"x\", expected u8"),
            (error_of::<(u8, u8)>("[1, 2, 3]"), "value: too many elements"),
            (error_of::<BTreeMap<u8, u8>>(r#"{"x": 1}"#), "value.x: invalid type: string \"x\", expected u8"),
            (error_of::<BTreeMap<u8, u8>>("[]"), "value: invalid type: a list, expected a map"),
            (error_of::<Either>("[]"), "value: data did not match any variant of untagged enum Either"),
        ] {
            assert_eq!(message, expected);
        }
    }
}
