//! Label and field selectors of lists and watches.

mod field;
mod label;

pub use field::{FieldSelector, Selectable};
pub use label::LabelSelector;

use super::store::Object;

/// The label selector and the field selector of a request.
#[derive(Debug, Default, Clone)]
pub struct Selection {
    /// `labelSelector`.
    pub labels: LabelSelector,
    /// `fieldSelector`.
    pub fields: FieldSelector,
}

impl Selection {
    /// Returns true if the selectors match every object.
    pub fn is_everything(&self) -> bool {
        self.labels.is_everything() && self.fields.is_everything()
    }

    /// Returns true if both selectors match the object.
    pub fn matches(&self, object: &Object) -> bool {
        self.fields.matches(object)
            && self.labels.matches(|key| object.labels().find(|(k, _)| *k == key).map(|(_, v)| v))
    }
}
