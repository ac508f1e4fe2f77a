//! Access to all objects of a server at once, without requests.

use std::sync::Arc;

use serde_json::Value;

use crate::load::Loader;
use crate::own_objects;
use crate::state::State;

/// All objects of a [`Server`](crate::Server).
#[derive(Debug, Clone)]
pub struct Objects(Arc<State>);

impl Objects {
    pub(crate) fn new(state: Arc<State>) -> Self {
        Self(state)
    }

    /// Passes all objects to `each` as JSON trees with `apiVersion` and `kind`, one after the other. Namespaces and
    /// definitions come first.
    ///
    /// # Errors
    /// The first error of `each`.
    pub fn each<E>(&self, mut each: impl FnMut(Value) -> Result<(), E>) -> Result<(), E> {
        self.0.all_objects().try_for_each(|(resource, object)| each(resource.stored(&object)))
    }

    /// Returns a loader that adds the objects of another cluster. Use it before clients connect.
    #[must_use]
    pub fn loader(&self) -> Loader {
        Loader::new(self.0.clone())
    }

    /// Returns a loader that replaces all objects. It removes the objects when the others are read. No controller may run
    /// meanwhile: it would act on a part of the objects.
    #[must_use]
    pub fn replacing_loader(&self) -> Loader {
        Loader::replacing(self.0.clone())
    }

    /// Removes all objects except those that every server has. No finalizer and no grace period keeps an object. No
    /// controller may run meanwhile: it would write objects again.
    pub fn reset(&self) {
        own_objects::reset(&self.0);
    }
}
