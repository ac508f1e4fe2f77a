//! The rules of roles, split into single permissions.

use std::fmt;

use anyhow::{Context, Result, ensure};
use berth_tests::api;
use kube::Client;
use serde_json::{Value, json};

/// A single permission of a rule: a verb on a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The index of the role in the list of the manifest's objects.
    role: usize,
    /// The namespace of the role; `None` for a ClusterRole.
    namespace: Option<String>,
    group: String,
    /// The resource with its subresource: `pods/status`.
    pub resource: String,
    /// `list`, `create` …
    pub verb: String,
    /// `resourceNames`; empty for all names.
    names: Vec<String>,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.verb, self.resource)
    }
}

impl Rule {
    /// Returns the permissions of the roles among the objects that a binding among the objects grants. The other roles
    /// are for people.
    pub fn all_of(objects: &[Value]) -> Vec<Self> {
        let is_granted = |role: &Value| {
            let (kind, name) = (&role["kind"], &role["metadata"]["name"]);
            objects.iter().any(|binding| binding["roleRef"]["kind"] == *kind && binding["roleRef"]["name"] == *name)
        };
        let roles = objects.iter().enumerate().filter(|(_, object)| is_granted(object));
        roles.flat_map(|(role, object)| Self::of(role, object)).collect()
    }

    fn of(role: usize, object: &Value) -> Vec<Self> {
        let mut all = Vec::new();
        for rule in object["rules"].as_array().into_iter().flatten() {
            for group in texts(&rule["apiGroups"]) {
                for resource in texts(&rule["resources"]) {
                    for verb in texts(&rule["verbs"]) {
                        all.push(Self {
                            role,
                            namespace: object["metadata"]["namespace"].as_str().map(str::to_owned),
                            group: group.clone(),
                            resource: resource.clone(),
                            verb,
                            names: texts(&rule["resourceNames"]),
                        });
                    }
                }
            }
        }
        all
    }

    /// Removes this permission from its role.
    pub fn remove_from(&self, objects: &mut [Value]) -> Result<()> {
        let role = objects.get_mut(self.role).context("the role does not exist")?;
        let all = Self::of(self.role, role);
        let others: Vec<Value> = all.iter().filter(|rule| !self.is_same(rule)).map(Self::to_json).collect();
        ensure!(others.len() + 1 == all.len(), "the role does not have exactly one rule {self}");
        role["rules"] = Value::Array(others);
        Ok(())
    }

    /// Compares the role, the API group, the resource and the verb, but not `resourceNames`.
    fn is_same(&self, other: &Self) -> bool {
        let of = |rule: &Self| (rule.role, rule.group.clone(), rule.resource.clone(), rule.verb.clone());
        of(self) == of(other)
    }

    fn to_json(&self) -> Value {
        let mut rule = json!({"apiGroups": [self.group], "resources": [self.resource], "verbs": [self.verb]});
        if !self.names.is_empty() {
            rule["resourceNames"] = json!(self.names);
        }
        rule
    }

    /// Returns whether the API server currently allows this permission to the user, for the first of `resourceNames`.
    pub async fn allows(&self, client: &Client, user: &str) -> Result<bool> {
        let (resource, subresource) = self.resource.split_once('/').unwrap_or((&self.resource, ""));
        let review = json!({
            "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "metadata": {},
            "spec": {"user": user, "resourceAttributes": {
                "namespace": self.namespace, "group": self.group, "resource": resource, "subresource": subresource,
                "verb": self.verb, "name": self.names.first(),
            }},
        });
        let answer = api::create_and_read(client, &review).await?;
        answer["status"]["allowed"].as_bool().context("the SubjectAccessReview has no status.allowed")
    }
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(|text| text.as_str()).map(str::to_owned).collect()
}
