//! Reads a file for a test.

use berth_import::{At, Format, ImportError, Report};
use serde_json::Value;

/// What a file contains.
#[derive(Debug)]
pub struct Read {
    pub format: Format,
    pub objects: Vec<Value>,
    pub report: String,
}

impl Read {
    /// Returns `KIND NAMESPACE/NAME` of each object.
    pub fn names(&self) -> Vec<String> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let name = |object: &Value| match object["metadata"]["namespace"].as_str() {
            Some(namespace) => format!("{} {namespace}/{}", text(&object["kind"]), text(&object["metadata"]["name"])),
            None => format!("{} {}", text(&object["kind"]), text(&object["metadata"]["name"])),
        };
        self.objects.iter().map(name).collect()
    }
}

pub fn read(bytes: impl AsRef<[u8]>, at: Option<At>) -> Result<Read, ImportError> {
    let (mut objects, mut report) = (Vec::new(), Report::default());
    let format = berth_import::read(bytes.as_ref(), at, &mut report, &mut |object| objects.push(object))?;
    Ok(Read { format, objects, report: report.to_string() })
}

/// Returns the message of the error.
pub fn error(bytes: impl AsRef<[u8]>, at: Option<At>) -> String {
    read(bytes, at).expect_err("an invalid file").to_string()
}
