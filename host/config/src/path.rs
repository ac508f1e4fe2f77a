//! Paths of fields: `profiles[0].plugins.score.enabled[1].weight`.

use std::fmt;

/// The path from the top of a document to a field or a list element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Path(Vec<Step>);

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A field of an object.
    Field(String),
    /// An element of a list, by its index.
    Index(usize),
}

impl Path {
    /// Returns the path of the field `name` below this path.
    pub(super) fn field(&self, name: &str) -> Self {
        self.then(Step::Field(name.to_owned()))
    }

    /// Returns the path below this path that `names` lists from the top down.
    pub(super) fn fields(&self, names: &[&str]) -> Self {
        names.iter().fold(self.clone(), |path, name| path.field(name))
    }

    /// Returns the path of the list element `at` below this path.
    pub(super) fn index(&self, at: usize) -> Self {
        self.then(Step::Index(at))
    }

    fn then(&self, step: Step) -> Self {
        Self(self.0.iter().cloned().chain([step]).collect())
    }

    /// Returns the steps from the top down.
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
