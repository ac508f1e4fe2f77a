//! The scopes of a quota.

/// A scope of a quota: a condition on pods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// The name, such as `PriorityClass`.
    pub name: String,
    /// `In`, `NotIn`, `Exists` or `DoesNotExist`.
    pub operator: String,
    /// The values for `In` and `NotIn`.
    pub values: Vec<String>,
}

impl Scope {
    /// Returns true if the scope accepts the value of a pod; `None` if the pod has no value.
    pub(crate) fn accepts(&self, value: Option<&str>) -> bool {
        let listed = value.is_some_and(|value| self.values.iter().any(|known| known == value));
        match self.operator.as_str() {
            "In" => listed,
            "NotIn" => !listed,
            "Exists" => value.is_some(),
            "DoesNotExist" => value.is_none(),
            _ => false,
        }
    }
}
