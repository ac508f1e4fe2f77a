//! Finds a value inside JSON by its path.

use serde::de::{Deserialize, DeserializeOwned, Error};

use super::error::ArgumentError;
use super::reader::Reader;
use super::text::Text;

/// Reads the value at a path such as `spec.priority` or `metadata.annotations["example.com/pool"]`. Returns `None` if
/// the value is absent or null. If the path goes through a list, the list is the value. Fields that a struct does not
/// have are skipped, because other paths of the plugin may share an object.
pub(super) fn read<T: DeserializeOwned>(json: &str, path: &str) -> Result<Option<T>, ArgumentError> {
    let mut text = Text::lenient(json);
    let mut rest = path;
    if text.peek().is_none() {
        return Ok(None);
    }
    while !rest.is_empty() && text.peek() != Some(b'[') {
        let (key, behind) = first_key(rest).ok_or_else(|| {
            ArgumentError::custom("malformed path: expected keys as in `spec.priority` or `metadata.labels[\"a.b/c\"]`")
        })?;
        if text.peek() != Some(b'{') || !find(&mut text, key)? {
            return Ok(None);
        }
        rest = behind;
    }
    Option::deserialize(Reader::within(&mut text))
}

/// Splits off the first key of a path: a key before a dot, or a quoted key in brackets. Returns the key and the rest of
/// the path.
fn first_key(path: &str) -> Option<(&str, &str)> {
    if let Some(quoted) = path.strip_prefix("[\"") {
        let (key, rest) = quoted.split_once("\"]")?;
        return Some((key, rest.strip_prefix('.').unwrap_or(rest)));
    }
    let end = path.find(['.', '[']).unwrap_or(path.len());
    let (key, rest) = path.split_at_checked(end)?;
    (!key.is_empty()).then_some((key, rest.strip_prefix('.').unwrap_or(rest)))
}

/// Moves to the value of a key of the object that is next in `text`. Returns false if the object lacks the key.
fn find(text: &mut Text<'_>, key: &str) -> Result<bool, ArgumentError> {
    text.open(b'{')?;
    let mut first = true;
    while text.has_next(first, b'}')? {
        if text.key()? == key {
            return Ok(true);
        }
        text.skip()?;
        first = false;
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    const POD: &str = r#"{
        "metadata": {"annotations": {"a.b/c": "x", "d": null}},
        "spec": {"priority": 7, "containers": [{"image": "web", "name": "w"}, {"name": "v"}]}
    }"#;

    #[derive(Debug, serde::Deserialize, PartialEq)]
    struct Container {
        image: Option<String>,
    }

    fn found<T: DeserializeOwned>(path: &str) -> Result<Option<T>, String> {
        read(POD, path).map_err(|error| error.to_string())
    }

    #[test]
    fn values_are_found_by_path() {
        assert_eq!(found("spec.priority"), Ok(Some(7)));
        assert_eq!(found(r#"metadata.annotations["a.b/c"]"#), Ok(Some("x".to_owned())));
        let annotations = BTreeMap::from([("a.b/c".to_owned(), Some("x".to_owned())), ("d".to_owned(), None)]);
        assert_eq!(found("metadata.annotations"), Ok(Some(annotations)));
        let images = ["web"].map(|image| Container { image: Some(image.to_owned()) }).into_iter();
        let images = images.chain([Container { image: None }]).collect::<Vec<_>>();
        assert_eq!(found("spec.containers.image"), Ok(Some(images)));
    }

    #[test]
    fn absent_values_are_none() {
        for path in ["spec.nodeName", "status.phase", "spec.priority.value", "metadata.annotations.d"] {
            assert_eq!(found::<String>(path), Ok(None), "{path}");
        }
        assert_eq!(read::<String>("", "spec").ok(), Some(None));
        assert_eq!(read::<String>("{}", "spec").ok(), Some(None));
    }

    #[test]
    fn malformed_paths_and_values_are_refused() {
        let path = "malformed path: expected keys as in `spec.priority` or `metadata.labels[\"a.b/c\"]`";
        assert_eq!(found::<String>("spec..priority"), Err(path.to_owned()));
        assert_eq!(found::<String>("metadata.annotations[a]"), Err(path.to_owned()));
        assert_eq!(found::<bool>("spec.priority"), Err("invalid type: number `7`, expected a boolean".to_owned()));
        let wrong = found::<Vec<Container>>("spec.priority").unwrap_err();
        assert_eq!(wrong, "invalid type: number `7`, expected a sequence");
        assert!(read::<i64>(r#"{"spec" 1}"#, "spec").is_err());
    }
}
