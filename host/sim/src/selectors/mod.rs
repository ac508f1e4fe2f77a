//! What lists and watches are narrowed by: labels and fields.

mod field;
mod label;

pub use field::{FieldSelector, Selectable};
pub use label::LabelSelector;

use super::store::Object;

/// A request's label and field selectors together.
#[derive(Debug, Default, Clone)]
pub struct Selection {
    /// `labelSelector`.
    pub labels: LabelSelector,
    /// `fieldSelector`.
    pub fields: FieldSelector,
}

impl Selection {
    /// True where nothing is left out.
    pub fn is_everything(&self) -> bool {
        self.labels.is_everything() && self.fields.is_everything()
    }

    /// True where both selectors take the object.
    pub fn matches(&self, object: &Object) -> bool {
        self.fields.matches(object)
            && self.labels.matches(|key| object.labels().find(|(k, _)| *k == key).map(|(_, v)| v))
    }
}
