//! A right to an object.

/// A right that a caller needs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Right {
    pub verb: &'static str,
    pub resource: &'static str,
    /// The namespace; `None` for all namespaces or for a resource without namespaces.
    pub namespace: Option<String>,
    /// The object's name; `None` for a list.
    pub name: Option<String>,
}

impl Right {
    /// The right to get this pod.
    pub fn get_pod(namespace: &str, name: &str) -> Self {
        let (namespace, name) = (Some(namespace.to_owned()), Some(name.to_owned()));
        Self { verb: "get", resource: "pods", namespace, name }
    }

    /// The right to list the pods of this namespace, or of all namespaces.
    pub fn list_pods(namespace: Option<&str>) -> Self {
        Self { verb: "list", resource: "pods", namespace: namespace.map(str::to_owned), name: None }
    }

    /// The right to list all nodes.
    pub fn list_nodes() -> Self {
        Self { verb: "list", resource: "nodes", namespace: None, name: None }
    }
}
