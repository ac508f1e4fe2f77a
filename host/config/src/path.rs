//! Paths of fields: `profiles[0].plugins.score.enabled[1].weight`.

use std::fmt;

/// From the top of a document to a field or an element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Path(Vec<Step>);

/// One step down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Into an object.
    Field(String),
    /// Into a list.
    Index(usize),
}

impl Path {
    /// The field of this name.
    pub(super) fn field(&self, name: &str) -> Self {
        self.then(Step::Field(name.to_owned()))
    }

    /// The field by its way from here.
    pub(super) fn fields(&self, names: &[&str]) -> Self {
        names.iter().fold(self.clone(), |path, name| path.field(name))
    }

    /// The element with this number.
    pub(super) fn index(&self, at: usize) -> Self {
        self.then(Step::Index(at))
    }

    fn then(&self, step: Step) -> Self {
        Self(self.0.iter().cloned().chain([step]).collect())
    }

    /// From the top down.
    pub(super) fn steps(&self) -> &[Step] {
        &self.0
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.0.iter().enumerate() {
            match step {
                Step::Field(name) if at == 0 => f.write_str(name)?,
                Step::Field(name) => write!(f, ".{name}")?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}
