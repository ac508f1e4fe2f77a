//! Checks the keys of a JSON object, for plugins without arguments. The component of such a plugin then needs no JSON
//! reader.

/// The error for a value that is not an object.
#[derive(Debug, PartialEq)]
pub(super) struct NoObject;

/// Returns the first key of the outermost object that is not in `known`, as written, with escapes. The host sends
/// well-formed JSON, so the function only looks at brackets, quotes and commas to skip values.
pub(super) fn unknown<'a>(json: &'a str, known: &[&str]) -> Result<Option<&'a str>, NoObject> {
    let json = json.trim_ascii();
    let (mut unknown, mut depth, mut key_expected) = (None, 0_usize, true);
    let mut bytes = json.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' => {
                let end = end_of_text(&mut bytes).ok_or(NoObject)?;
                if depth == 1 && std::mem::take(&mut key_expected) {
                    unknown = unknown.or_else(|| json.get(at + 1..end).filter(|key| !known.contains(key)));
                }
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1).ok_or(NoObject)?,
            b',' => key_expected = depth == 1,
            _ => (),
        }
    }
    if json.starts_with('{') && depth == 0 { Ok(unknown) } else { Err(NoObject) }
}

/// Returns the position of the closing quote. `bytes` starts inside the string.
fn end_of_text(bytes: &mut impl Iterator<Item = (usize, u8)>) -> Option<usize> {
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' => return Some(at),
            b'\\' => drop(bytes.next()),
            _ => (),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_top_level_keys_are_checked() {
        for (json, unknown_key) in [
            ("{}", Ok(None)),
            (" { } ", Ok(None)),
            (r#"{"a": 1}"#, Ok(Some("a"))),
            (r#"{"kind": {"b": [1, {"c": 2}, 3]}, "d": "e", "f": 1}"#, Ok(Some("d"))),
            (r#"{"kind": "}, \"b\": \\", "é": null}"#, Ok(Some("é"))),
            (r#"{"kind": {"b": 1}}"#, Ok(None)),
            ("", Err(NoObject)),
            ("null", Err(NoObject)),
            ("[]", Err(NoObject)),
            (r#"{"a": ]}"#, Err(NoObject)),
            (r#"{"a}"#, Err(NoObject)),
            ("{", Err(NoObject)),
        ] {
            assert_eq!(unknown(json, &["kind"]), unknown_key, "{json}");
        }
    }
}
