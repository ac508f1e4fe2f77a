//! Amounts of resources by name.

use std::collections::BTreeMap;

use berth_quantity::Quantity;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// Amounts in little memory, for objects that exist in large numbers.
pub type List = Box<[(Box<str>, Quantity)]>;

/// The requests and limits of a container or a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Resources {
    /// The requests.
    #[serde(default, deserialize_with = "list")]
    pub requests: List,
    /// The limits.
    #[serde(default, deserialize_with = "list")]
    pub limits: List,
}

impl Resources {
    /// Reads `requests` and `limits` of an object's `resources`. Leaves out values that are not quantities.
    pub fn of(resources: &Value) -> Self {
        Self { requests: list_of(&resources["requests"]), limits: list_of(&resources["limits"]) }
    }
}

/// Reads amounts by name. Leaves out values that are not quantities.
pub fn list_of(amounts: &Value) -> List {
    let members = amounts.as_object().into_iter().flatten();
    members.filter_map(|(name, amount)| Some((name.as_str().into(), amount.as_str()?.parse().ok()?))).collect()
}

/// Decodes amounts by name. Null counts as none.
pub fn list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<List, D::Error> {
    let amounts: Option<BTreeMap<Box<str>, Quantity>> = Deserialize::deserialize(deserializer)?;
    Ok(amounts.unwrap_or_default().into_iter().collect())
}

/// Amounts by name, for sums.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Amounts(BTreeMap<String, Quantity>);

impl Amounts {
    /// Returns the amount called `name`.
    pub fn get(&self, name: &str) -> Option<Quantity> {
        self.0.get(name).copied()
    }

    /// Returns true if there are no amounts.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the amounts, ordered by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Quantity)> {
        self.0.iter().map(|(name, amount)| (name.as_str(), *amount))
    }

    /// Sets the amount called `name`.
    pub fn set(&mut self, name: impl Into<String>, amount: Quantity) {
        self.0.insert(name.into(), amount);
    }

    /// Adds to the amount called `name`. A sum that starts at zero has the notation of the first amount.
    pub fn add(&mut self, name: &str, amount: Quantity) {
        match self.0.get_mut(name) {
            Some(sum) if !sum.is_zero() => *sum = sum.plus(amount),
            Some(sum) => *sum = amount,
            None => self.set(name, amount),
        }
    }

    /// Adds all amounts of `others`.
    pub fn add_all<'a>(&mut self, others: impl IntoIterator<Item = (&'a str, Quantity)>) {
        others.into_iter().for_each(|(name, amount)| self.add(name, amount));
    }

    /// Raises each amount to that of `others`, if that is larger.
    pub fn raise_all<'a>(&mut self, others: impl IntoIterator<Item = (&'a str, Quantity)>) {
        for (name, amount) in others {
            let amount = self.get(name).map_or(amount, |own| own.max(amount));
            self.set(name, amount);
        }
    }

    /// Returns the amounts whose names `keep` accepts.
    #[must_use]
    pub fn only(&self, keep: impl Fn(&str) -> bool) -> Self {
        Self(self.0.iter().filter(|(name, _)| keep(name)).map(|(name, amount)| (name.clone(), *amount)).collect())
    }

    /// Returns the amounts as JSON.
    pub fn to_value(&self) -> Value {
        self.0.iter().map(|(name, amount)| (name.clone(), Value::from(amount.to_string()))).collect()
    }

    /// Returns the amounts as in messages: `cpu=1,memory=2Gi`.
    pub fn text(&self) -> String {
        self.0.iter().map(|(name, amount)| format!("{name}={amount}")).collect::<Vec<_>>().join(",")
    }
}

impl FromIterator<(String, Quantity)> for Amounts {
    fn from_iter<I: IntoIterator<Item = (String, Quantity)>>(amounts: I) -> Self {
        Self(amounts.into_iter().collect())
    }
}

/// Returns the pairs of a list.
pub fn pairs(list: &List) -> impl Iterator<Item = (&str, Quantity)> {
    list.iter().map(|(name, amount)| (&**name, *amount))
}

/// Reads amounts by name from JSON.
pub fn amounts_of(value: &Value) -> Amounts {
    list_of(value).iter().map(|(name, amount)| (name.to_string(), *amount)).collect()
}
