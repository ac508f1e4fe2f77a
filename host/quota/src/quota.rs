//! A ResourceQuota: the objects that it counts, and the decision about a request.

use serde_json::Value;

use crate::amounts::{Amounts, amounts_of};
use crate::item::{Content, Item};
use crate::scope::Scope;

/// The fields of a ResourceQuota that count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quota {
    /// The name.
    pub name: String,
    /// `spec.hard`: the wanted limits.
    pub wanted: Amounts,
    /// `spec.scopes` and `spec.scopeSelector`.
    pub scopes: Vec<Scope>,
    /// `status.hard`: the limits that apply.
    pub hard: Amounts,
    /// `status.used`: the counted use.
    pub used: Amounts,
}

impl Quota {
    /// Reads a ResourceQuota.
    pub fn of(object: &Value) -> Self {
        let texts = |list: &Value| -> Vec<String> {
            let items = list.as_array().into_iter().flatten();
            items.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let spec = &object["spec"];
        let plain = texts(&spec["scopes"]).into_iter();
        let plain = plain.map(|name| Scope { name, operator: "Exists".to_owned(), values: Vec::new() });
        let selected = spec["scopeSelector"]["matchExpressions"].as_array().into_iter().flatten();
        let selected = selected.map(|expression| Scope {
            name: text(&expression["scopeName"]),
            operator: text(&expression["operator"]),
            values: texts(&expression["values"]),
        });
        Self {
            name: text(&object["metadata"]["name"]),
            wanted: amounts_of(&spec["hard"]),
            scopes: plain.chain(selected).collect(),
            hard: amounts_of(&object["status"]["hard"]),
            used: amounts_of(&object["status"]["used"]),
        }
    }

    /// Returns true if the quota counts the object.
    pub fn concerns(&self, item: &Item<'_>) -> bool {
        item.is_in_all(&self.scopes) && self.hard.iter().any(|(name, _)| item.counts(name))
    }

    /// Checks that the object gives what the quota needs to count it, and that the use is known.
    ///
    /// # Errors
    /// The message for the client.
    pub fn check(&self, item: &Item<'_>) -> Result<(), String> {
        let names: Vec<&str> = self.hard.iter().map(|(name, _)| name).filter(|name| item.counts(name)).collect();
        if let Content::Pod(pod) = &item.content {
            pod.check(&names).map_err(|why| format!("failed quota: {}: {why}", self.name))?;
        }
        if names.iter().any(|name| self.used.get(name).is_none()) {
            return Err(format!("status unknown for quota: {}, resources: {}", self.name, names.join(",")));
        }
        Ok(())
    }

    /// Returns the use with the object, or with the changed object instead of `before`. Returns `None` if the use does
    /// not grow.
    ///
    /// # Errors
    /// The message for the client if the quota does not allow the object.
    pub fn charge(&self, item: &Item<'_>, before: Option<&Item<'_>>) -> Result<Option<Amounts>, String> {
        let mut more = item.usage().only(|name| self.hard.get(name).is_some());
        if let Some(before) = before.filter(|before| self.concerns(before)) {
            let previous = before.usage();
            more = more
                .iter()
                .map(|(name, amount)| (name.to_owned(), amount.minus(previous.get(name).unwrap_or_default())))
                .collect();
        }
        let more: Amounts = more
            .iter()
            .filter(|(_, amount)| amount.sign() > 0)
            .map(|(name, amount)| (name.to_owned(), amount))
            .collect();
        if more.is_empty() {
            return Ok(None);
        }
        let mut used = self.used.clone();
        used.add_all(more.iter());
        let exceeds = |name: &str| {
            let (new, limit) = (used.get(name).unwrap_or_default(), self.hard.get(name).unwrap_or_default());
            more.get(name).is_some() && new > limit
        };
        let exceeded = more.only(exceeds);
        if exceeded.is_empty() {
            return Ok(Some(used));
        }
        let of = |amounts: &Amounts| amounts.only(exceeds).text();
        Err(format!(
            "exceeded quota: {}, requested: {}, used: {}, limited: {}",
            self.name,
            exceeded.text(),
            of(&self.used),
            of(&self.hard)
        ))
    }

    /// Returns the use of these objects, under the names in `spec.hard` that `known` accepts. Names without a use are
    /// zero.
    pub fn count<'a>(&self, items: impl IntoIterator<Item = Item<'a>>, known: impl Fn(&str) -> bool) -> Amounts {
        let mut used: Amounts = self
            .wanted
            .iter()
            .filter(|(name, _)| known(name))
            .map(|(name, _)| (name.to_owned(), berth_quantity::Quantity::default()))
            .collect();
        for item in items {
            if item.is_in_all(&self.scopes) {
                let usage = item.usage();
                used.add_all(usage.iter().filter(|(name, _)| self.wanted.get(name).is_some()));
            }
        }
        used
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::amounts::Resources;
    use crate::pod::{ContainerView, PodView, Role};

    fn quota(hard: Value, used: Value) -> Quota {
        Quota::of(&json!({"metadata": {"name": "q"}, "spec": {"hard": hard}, "status": {"hard": hard, "used": used}}))
    }

    fn pod(resources: &Resources) -> Item<'_> {
        let view = PodView {
            containers: vec![ContainerView { name: "c", role: Role::Main, resources }],
            ..PodView::default()
        };
        Item { group: "", plural: "pods", content: Content::Pod(view) }
    }

    #[test]
    fn a_quota_allows_up_to_its_limits() {
        let resources = Resources::of(&json!({"requests": {"cpu": "500m", "memory": "1Gi"}}));
        let item = pod(&resources);
        let quota = |used: Value| quota(json!({"pods": "2", "requests.cpu": "1", "secrets": "1"}), used);
        let used = quota(json!({"pods": "1", "requests.cpu": "500m", "secrets": "0"})).charge(&item, None);
        assert_eq!(used.unwrap().unwrap().text(), "pods=2,requests.cpu=1,secrets=0");
        let full = quota(json!({"pods": "2", "requests.cpu": "600m"}));
        assert_eq!(
            full.charge(&item, None).unwrap_err(),
            "exceeded quota: q, requested: pods=1,requests.cpu=500m, used: pods=2,requests.cpu=600m, limited: pods=2,requests.cpu=1"
        );
        // An update counts only what is more than before.
        assert_eq!(full.charge(&item, Some(&item)), Ok(None));
        assert_eq!(
            quota(json!({"pods": "1"})).check(&item),
            Err("status unknown for quota: q, resources: pods,requests.cpu".to_owned())
        );
        assert_eq!(
            super::Quota::of(&json!({"metadata": {"name": "q"}, "status": {"hard": {"limits.cpu": "1"}, "used": {"limits.cpu": "0"}}})).check(&item),
            Err("failed quota: q: must specify limits.cpu for: c".to_owned())
        );
    }

    #[test]
    fn a_count_starts_at_zero() {
        let resources = Resources::of(&json!({"requests": {"memory": "1Gi"}}));
        let quota =
            quota(json!({"pods": "2", "requests.memory": "4Gi", "count/jobs.batch": "1", "unknown": "1"}), json!({}));
        let used = quota.count([pod(&resources), pod(&resources)], |name| name != "unknown");
        assert_eq!(used.text(), "count/jobs.batch=0,pods=2,requests.memory=2Gi");
    }

    #[test]
    fn scopes_are_read_in_both_forms() {
        let quota = Quota::of(&json!({"spec": {"scopes": ["BestEffort"], "scopeSelector": {"matchExpressions":
            [{"scopeName": "PriorityClass", "operator": "In", "values": ["gold"]}]}}}));
        let names: Vec<(&str, &str, usize)> = quota
            .scopes
            .iter()
            .map(|scope| (scope.name.as_str(), scope.operator.as_str(), scope.values.len()))
            .collect();
        assert_eq!(names, [("BestEffort", "Exists", 0), ("PriorityClass", "In", 1)]);
        assert!(!quota.concerns(&Item { group: "", plural: "secrets", content: Content::Other }));
    }
}
