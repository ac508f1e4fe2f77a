//! Lists of shared values. The state names a value by its index in the list, so that a value which several parts of the
//! state share is stored once.

use std::sync::Arc;

use hashbrown::HashMap;

use super::error::RestoreError;
use super::plugins::{NamedPlugins, RestoredPlugins};
use crate::model::{Node, Object, Pod};

/// A list of shared values that grows while the state is written. A value is recognized by its address. The list keeps
/// the value alive, so that no other value gets this address.
#[derive(Debug)]
pub(super) struct Shared<T> {
    pub values: Vec<Arc<T>>,
    by_address: HashMap<usize, u32>,
}

impl<T> Default for Shared<T> {
    fn default() -> Self {
        Self { values: Vec::new(), by_address: HashMap::new() }
    }
}

impl<T> Shared<T> {
    /// Returns the index of the value. Adds the value if it is not in the list.
    pub fn index(&mut self, value: &Arc<T>) -> u32 {
        *self.by_address.entry(Arc::as_ptr(value).addr()).or_insert_with(|| {
            self.values.push(Arc::clone(value));
            (self.values.len() - 1) as u32
        })
    }

    /// Returns the index of the value, if there is a value.
    pub fn index_of_option(&mut self, value: Option<&Arc<T>>) -> Option<u32> {
        value.map(|value| self.index(value))
    }
}

/// The lists to which the parts of the state add their shared values.
#[derive(Debug)]
pub(super) struct Writing {
    pub pods: Shared<Pod>,
    pub nodes: Shared<Node>,
    pub objects: Shared<Object>,
    pub plugins: NamedPlugins,
}

/// A list of shared values of a checkpoint.
#[derive(Debug)]
pub(super) struct Values<T> {
    /// The kind of value, for errors.
    what: &'static str,
    values: Vec<Arc<T>>,
}

impl<T> Values<T> {
    pub fn new(what: &'static str, values: Vec<Arc<T>>) -> Self {
        Self { what, values }
    }

    /// Returns the value with this index.
    pub fn get(&self, index: u32) -> Result<Arc<T>, RestoreError> {
        let value = self.values.get(index as usize).cloned();
        value.ok_or(RestoreError::OutOfRange { what: self.what, index, len: self.values.len() })
    }

    /// Returns the value with this index, if there is an index.
    pub fn get_option(&self, index: Option<u32>) -> Result<Option<Arc<T>>, RestoreError> {
        index.map(|index| self.get(index)).transpose()
    }
}

/// The lists from which the parts of the state take their shared values.
#[derive(Debug)]
pub(super) struct Reading {
    pub pods: Values<Pod>,
    pub nodes: Values<Node>,
    pub objects: Values<Object>,
    pub plugins: RestoredPlugins,
}
