//! The JSON Schema of a plugin's arguments, and the check of arguments against it.

use std::fmt::{self, Write as _};
use std::sync::Arc;

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

use crate::guest::shorten;

/// The largest size of a schema in bytes.
const MOST: usize = 256 << 10;
/// The largest number of errors in a message.
const ERRORS: usize = 5;

/// The schema that a plugin describes its arguments with.
#[derive(Clone)]
pub struct ArgumentSchema {
    text: Arc<str>,
    validator: Arc<Validator>,
}

impl ArgumentSchema {
    /// Compiles a schema.
    ///
    /// # Errors
    /// The text is too large, not JSON, not a schema, or refers to another document.
    pub(super) fn new(text: String) -> Result<Self, String> {
        if text.len() > MOST {
            return Err(format!("it has {} bytes; the maximum is {MOST}", text.len()));
        }
        let schema: Value = serde_json::from_str(&text).map_err(|error| format!("it is not JSON: {error}"))?;
        // The regex crate takes linear time, whatever the pattern. Without a retriever, references to other documents
        // are errors.
        let options = jsonschema::options().with_pattern_options(PatternOptions::regex());
        let validator = options.build(&schema).map_err(|error| shorten(error.to_string()))?;
        Ok(Self { text: text.into(), validator: Arc::new(validator) })
    }

    /// Returns the schema as JSON.
    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// Checks arguments, without `apiVersion` and `kind`. The error has a sentence for each of the first wrong values, with its path.
    ///
    /// # Errors
    /// The arguments do not match.
    pub fn check(&self, arguments: &str) -> Result<(), String> {
        let mut arguments: Value = serde_json::from_str(arguments).map_err(|error| format!("not JSON: {error}"))?;
        // kube-scheduler's configuration files name the type of the arguments by these keys.
        if let Some(fields) = arguments.as_object_mut() {
            fields.remove("apiVersion");
            fields.remove("kind");
        }
        let mut message = String::new();
        let mut errors = self.validator.iter_errors(&arguments);
        for error in errors.by_ref().take(ERRORS) {
            let path = error.instance_path().to_string();
            let path = if path.is_empty() { String::from("/") } else { path };
            let gap = if message.is_empty() { "" } else { "; " };
            let _ = write!(message, "{gap}{path}: {error}");
        }
        if errors.next().is_some() {
            message.push_str("; and more");
        }
        if message.is_empty() { Ok(()) } else { Err(shorten(message)) }
    }
}

impl fmt::Debug for ArgumentSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArgumentSchema").field("text", &self.text).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(text: &str) -> Result<ArgumentSchema, String> {
        ArgumentSchema::new(text.to_owned())
    }

    #[test]
    fn errors_name_the_path() {
        let schema = schema(
            r#"{"type":"object","required":["label"],"additionalProperties":false,
                "properties":{"label":{"type":"string","minLength":1},"weights":{"type":"array","items":{"type":"integer"}}}}"#,
        );
        let schema = schema.unwrap();
        assert_eq!(schema.check(r#"{"label":"zone","weights":[1]}"#), Ok(()));
        assert_eq!(schema.check(r#"{"kind":"ZoneArgs","apiVersion":"example.com/v1","label":"zone"}"#), Ok(()));
        for (arguments, expected) in [
            (r#"{"label":""}"#, "/label: "),
            (r#"{"label":"a","weights":[1,"x"]}"#, "/weights/1: "),
            ("{}", "\"label\" is a required property"),
            (r#"{"label":"a","lable":"b"}"#, "'lable'"),
            ("[]", "/: "),
        ] {
            let error = schema.check(arguments).unwrap_err();
            assert!(error.contains(expected), "{arguments}: {error}");
        }
    }

    #[test]
    fn a_schema_must_be_complete_and_small() {
        for (text, expected) in [
            ("{", "it is not JSON"),
            (r#"{"type":"text"}"#, "text"),
            (r##"{"$ref":"https://example.com/schema.json"}"##, "example.com"),
            (r##"{"$ref":"file:///etc/passwd"}"##, "passwd"),
        ] {
            let error = schema(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
        assert!(schema(&format!("{{\"title\":\"{}\"}}", "x".repeat(MOST))).unwrap_err().contains("maximum"));
        assert!(schema(r##"{"$defs":{"n":{"type":"integer"}},"$ref":"#/$defs/n"}"##).unwrap().check("1").is_ok());
    }
}
