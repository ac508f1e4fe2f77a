//! The variable `device` in CEL: `driver`, `allowMultipleAllocations`, and `attributes` and `capacity` by domain and
//! name.

use std::collections::BTreeMap;
use std::sync::Arc;

use berth_quantity::Quantity;
use cel::ExecutionError;
use cel::common::traits::{Container, Indexer, Iterable, Iterator as CelIterator, Sizer};
use cel::common::types::{CelBool, CelInt, CelString, MAP_TYPE, Type};
use cel::common::value::{CowVal, StaticVal, Val};

use super::quantity::CelQuantity;
use super::semver::Version;

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Attribute {
    /// `string`
    Text(String),
    /// `int`
    Int(i64),
    /// `bool`
    Bool(bool),
    /// `version`, as written.
    Version(String),
    /// An attribute of an unknown type.
    Unknown,
}

/// A device as a CEL value. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Device(Fields);

impl Device {
    /// Makes the CEL value of a device. An attribute or capacity without a domain in its name is in the driver's
    /// domain. An error names the invalid attribute.
    pub fn new<'a>(
        driver: &str,
        allow_multiple_allocations: bool,
        attributes: impl IntoIterator<Item = (&'a str, &'a Attribute)>,
        capacity: impl IntoIterator<Item = (&'a str, Quantity)>,
    ) -> Result<Device, String> {
        let mut domains = Domains::default();
        for (name, attribute) in attributes {
            let invalid = |problem: &str| format!("attribute {name}: {problem}");
            let value: Box<dyn Val> = match attribute {
                Attribute::Text(text) => text_value(text),
                Attribute::Int(number) => Box::new(CelInt::from(*number)),
                Attribute::Bool(truth) => Box::new(CelBool::from(*truth)),
                Attribute::Version(text) => {
                    let version = Version::parse(text);
                    Box::new(version.map_err(|error| invalid(&format!("parse semantic version: {error}")))?)
                }
                Attribute::Unknown => return Err(invalid("unsupported attribute value")),
            };
            domains.add(driver, name, value);
        }
        let mut capacities = Domains::default();
        for (name, amount) in capacity {
            capacities.add(driver, name, Box::new(CelQuantity(amount)));
        }
        let fields: [(&str, Box<dyn Val>); 4] = [
            ("driver", text_value(driver)),
            ("allowMultipleAllocations", Box::new(CelBool::from(allow_multiple_allocations))),
            ("attributes", Box::new(domains.finish())),
            ("capacity", Box::new(capacities.finish())),
        ];
        let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), Entry::new(name, value)));
        Ok(Device(Fields { entries: Arc::new(fields.collect()), empty_where_absent: false }))
    }
}

fn text_value(text: &str) -> Box<dyn Val> {
    Box::new(CelString::from(text.to_owned()))
}

/// Values by domain and name.
#[derive(Default)]
struct Domains(BTreeMap<String, BTreeMap<String, Entry>>);

impl Domains {
    fn add(&mut self, driver: &str, qualified: &str, value: Box<dyn Val>) {
        let (domain, name) = qualified.split_once('/').unwrap_or((driver, qualified));
        let entry = Entry::new(name, value);
        self.0.entry(domain.to_owned()).or_default().insert(name.to_owned(), entry);
    }

    /// Makes the map of domains. An absent domain is an empty map, so that an expression does not have to check whether
    /// the domain exists.
    fn finish(self) -> Fields {
        let domains = self.0.into_iter().map(|(domain, values)| {
            let values: Box<dyn Val> = Box::new(Fields { entries: Arc::new(values), empty_where_absent: false });
            (domain.clone(), Entry::new(&domain, values))
        });
        Fields { entries: Arc::new(domains.collect()), empty_where_absent: true }
    }
}

#[derive(Debug)]
struct Entry {
    /// The key, as a loop over the map returns it.
    key: CelString<'static>,
    value: Box<dyn Val>,
}

impl Entry {
    fn new(key: &str, value: Box<dyn Val>) -> Entry {
        Entry { key: CelString::from(key.to_owned()), value }
    }
}

/// A map with strings as keys.
#[derive(Clone, Debug, Default)]
struct Fields {
    entries: Arc<BTreeMap<String, Entry>>,
    /// True if an absent key has an empty map as its value. If false, an absent key is an error.
    empty_where_absent: bool,
}

fn key(index: &dyn Val) -> Result<&str, ExecutionError> {
    match index.downcast_ref::<CelString<'_>>() {
        Some(key) => Ok(key.inner()),
        None => Err(ExecutionError::no_such_overload("_[_]", vec![index.get_type().name().to_owned()])),
    }
}

impl Indexer for Fields {
    fn get<'b, 'v>(&'b self, index: &dyn Val) -> Result<CowVal<'b, 'v>, ExecutionError>
    where
        Self: 'v,
    {
        let key = key(index)?;
        match self.entries.get(key) {
            Some(entry) => Ok(CowVal::Borrowed(entry.value.as_ref())),
            None if self.empty_where_absent => Ok(CowVal::owned(Fields::default())),
            None => Err(ExecutionError::no_such_key(key)),
        }
    }

    fn steal<'v>(self: Box<Self>, index: &dyn Val) -> Result<Box<dyn Val + 'v>, ExecutionError>
    where
        Self: 'v,
    {
        self.get(index).map(CowVal::into_owned)
    }
}

impl Container for Fields {
    fn contains(&self, value: &dyn Val) -> Result<bool, ExecutionError> {
        key(value).map(|key| self.entries.contains_key(key))
    }
}

impl Sizer for Fields {
    fn size(&self) -> CelInt {
        CelInt::from(i64::try_from(self.entries.len()).unwrap_or(i64::MAX))
    }
}

struct Keys<'b>(std::collections::btree_map::Values<'b, String, Entry>);

impl<'b, 'v> CelIterator<'b, 'v> for Keys<'b> {
    fn next(&mut self) -> Option<&'b (dyn Val + 'v)> {
        self.0.next().map(|entry| &entry.key as &(dyn Val + 'v))
    }
}

impl Iterable for Fields {
    fn iter<'b, 'v>(&'b self) -> Box<dyn CelIterator<'b, 'v> + 'b>
    where
        Self: 'v,
    {
        Box::new(Keys(self.entries.values()))
    }
}

impl Val for Fields {
    fn get_type(&self) -> &Type {
        &MAP_TYPE
    }

    fn cel_type() -> &'static Type {
        &MAP_TYPE
    }

    fn as_container(&self) -> Option<&dyn Container> {
        Some(self)
    }

    fn as_indexer<'b, 'v>(&'b self) -> Option<&'b (dyn Indexer + 'v)>
    where
        Self: 'v,
    {
        Some(self)
    }

    fn as_iterable<'b, 'v>(&'b self) -> Option<&'b (dyn Iterable + 'v)>
    where
        Self: 'v,
    {
        Some(self)
    }

    fn as_sizer(&self) -> Option<&dyn Sizer> {
        Some(self)
    }

    fn equals(&self, other: &dyn Val) -> bool {
        let Some(other) = other.downcast_ref::<Fields>() else { return false };
        self.entries.len() == other.entries.len()
            && self.entries.iter().all(|(name, entry)| {
                other.entries.get(name).is_some_and(|theirs| entry.value.equals(theirs.value.as_ref()))
            })
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> Option<&dyn std::any::Any> {
        Some(self)
    }
}

impl StaticVal for Fields {}

impl Val for Device {
    fn get_type(&self) -> &Type {
        &MAP_TYPE
    }

    fn cel_type() -> &'static Type {
        &MAP_TYPE
    }

    fn as_indexer<'b, 'v>(&'b self) -> Option<&'b (dyn Indexer + 'v)>
    where
        Self: 'v,
    {
        Some(&self.0)
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v> {
        Box::new(self.clone())
    }
}
