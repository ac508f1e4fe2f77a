//! Checks and converts the declared kinds beyond nodes and pods.

use std::collections::BTreeSet;
use std::sync::Arc;

use berth_core::model::{ObjectKind, ObjectReads};

use crate::bindings::v0_2::exports::berth::scheduler::objects as wit;
use berth_apimachinery::fields::{BadPath, FieldPath};

/// The largest number of kinds that a plugin may read, and the largest number of fields of each kind.
const MOST: usize = 64;

/// The reason why the declared kinds are invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadKinds {
    /// The apiVersion or the name is not valid.
    #[error(
        "{api_version:?} {name:?} is not a kind: use an apiVersion such as `v1` or `apps/v1`, and a name such as \
         `Service`"
    )]
    NoKind {
        /// The declared apiVersion.
        api_version: String,
        /// The declared name.
        name: String,
    },
    /// The kind is declared twice.
    #[error("{0} is declared twice; name all its fields in one place")]
    Twice(ObjectKind),
    /// Nodes and pods are not declared as objects; they come through `snapshot`.
    #[error("{0} can't be declared as an object: the declaration of `configure` has fields for nodes and pods")]
    Facts(ObjectKind),
    /// A path of a field is invalid.
    #[error("{0}: {1}")]
    Path(ObjectKind, BadPath),
    /// There are too many kinds or fields.
    #[error("declares too many {0}; the maximum is {MOST}")]
    TooMany(&'static str),
}

/// Checks and converts the declared kinds.
pub(crate) fn kinds(declared: Vec<wit::Kind>) -> Result<Vec<ObjectReads>, BadKinds> {
    if declared.len() > MOST {
        return Err(BadKinds::TooMany("kinds"));
    }
    let mut all: Vec<ObjectReads> = Vec::new();
    for wit::Kind { api_version, name, fields } in declared {
        if !is_api_version(&api_version) || !is_kind(&name) {
            return Err(BadKinds::NoKind { api_version, name });
        }
        let kind = ObjectKind { api_version: api_version.into(), kind: name.into() };
        if is_fact(&kind) {
            return Err(BadKinds::Facts(kind));
        }
        if fields.len() > MOST {
            return Err(BadKinds::TooMany("fields of a kind"));
        }
        if let Some(bad) = fields.iter().find_map(|path| FieldPath::parse(path).err()) {
            return Err(BadKinds::Path(kind, bad));
        }
        if all.iter().any(|known| *known.kind == kind) {
            return Err(BadKinds::Twice(kind));
        }
        let fields: BTreeSet<Box<str>> = fields.into_iter().map(Into::into).collect();
        all.push(ObjectReads { kind: Arc::new(kind), fields });
    }
    Ok(all)
}

/// Returns whether plugins read objects of the kind as facts: nodes and pods.
pub(crate) fn is_fact(kind: &ObjectKind) -> bool {
    *kind.api_version == *"v1" && matches!(&*kind.kind, "Node" | "Pod")
}

/// Returns whether the text can be an apiVersion: a version such as `v1`, or a group and a version such as `apps/v1`.
fn is_api_version(text: &str) -> bool {
    let (group, version) = text.split_once('/').unwrap_or(("core", text));
    let plain = |part: &str| {
        (1..=253).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.' || b == b'-')
    };
    plain(group) && plain(version)
}

fn is_kind(text: &str) -> bool {
    (1..=63).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(api_version: &str, name: &str, fields: &[&str]) -> wit::Kind {
        let fields = fields.iter().map(|field| (*field).to_owned()).collect();
        wit::Kind { api_version: api_version.into(), name: name.into(), fields }
    }

    #[test]
    fn valid_kinds_are_converted() {
        let declared = vec![kind("v1", "Service", &["spec.selector"]), kind("apps/v1", "ReplicaSet", &[])];
        let read = kinds(declared).unwrap();
        assert_eq!(
            read.iter().map(|reads| reads.kind.to_string()).collect::<Vec<_>>(),
            ["v1 Service", "apps/v1 ReplicaSet"]
        );
        assert_eq!(read[0].fields.iter().map(|field| &**field).collect::<Vec<_>>(), ["spec.selector"]);
    }

    #[test]
    fn errors_name_the_invalid_declaration() {
        let service = || kind("v1", "Service", &[]);
        let cases = [
            (vec![kind("", "Service", &[])], "is not a kind"),
            (vec![kind("a/b/c", "Service", &[])], "is not a kind"),
            (vec![kind("v1", "services/status", &[])], "is not a kind"),
            (vec![service(), service()], "v1 Service is declared twice"),
            (vec![kind("v1", "Pod", &[])], "v1 Pod can't be declared as an object"),
            (vec![kind("v1", "Service", &["spec..selector"])], "v1 Service: \"spec..selector\" is not a field path"),
            (vec![kind("v1", "Service", &["a"; 65])], "declares too many fields of a kind; the maximum is 64"),
            (
                (0..65).map(|n| kind("v1", &format!("K{n}"), &[])).collect(),
                "declares too many kinds; the maximum is 64",
            ),
        ];
        for (declared, expected) in cases {
            let error = kinds(declared.clone()).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
