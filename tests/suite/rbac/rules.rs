//! The rules of roles, one by one.

use std::fmt;

use anyhow::{Context, Result, ensure};
use berth_tests::api;
use kube::Client;
use serde_json::{Value, json};

/// What one word of one rule allows: a verb on a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The role, among the objects.
    role: usize,
    /// Where the role holds; everywhere if not given.
    namespace: Option<String>,
    group: String,
    /// With the subresource: `pods/status`.
    pub resource: String,
    /// `list`, `create` …
    pub verb: String,
    /// `resourceNames`, if only these.
    names: Vec<String>,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.verb, self.resource)
    }
}

impl Rule {
    /// Those of all roles among the objects.
    pub fn all_of(objects: &[Value]) -> Vec<Self> {
        objects.iter().enumerate().flat_map(|(role, object)| Self::of(role, object)).collect()
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

    /// Leaves the role everything but this.
    pub fn take_away_from(&self, objects: &mut [Value]) -> Result<()> {
        let role = objects.get_mut(self.role).context("the role is not there")?;
        let all = Self::of(self.role, role);
        let others: Vec<Value> = all.iter().filter(|rule| !self.is_same(rule)).map(Self::to_json).collect();
        ensure!(others.len() + 1 == all.len(), "there is not just one rule {self} to take away");
        role["rules"] = Value::Array(others);
        Ok(())
    }

    /// In whatever namespace.
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

    /// Whether the API server lets the user do so, as it sees roles at this time.
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
        answer["status"]["allowed"].as_bool().context("an access review without an answer")
    }
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(|text| text.as_str()).map(str::to_owned).collect()
}
