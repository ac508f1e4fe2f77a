//! The definition of a test of the suite.

use anyhow::Result;
use berth_tests::Target;
use futures::future::BoxFuture;

/// A test: a name, and a function that uses an API server.
pub struct Case {
    /// The name of the test's module, which names the behavior under test.
    pub module: &'static str,
    /// The function's name.
    pub name: &'static str,
    /// The API servers that the test runs against.
    pub on: On,
    /// The function.
    pub run: Run,
}

/// The API servers that a test runs against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// The embedded API server and a real one.
    Both,
    /// A real API server only, because the test needs features that the embedded API server lacks, such as roles.
    Real,
    /// The embedded API server only, because the test needs features that a real API server lacks, such as faults.
    Embedded,
}

/// A test's function.
pub type Run = for<'a> fn(&'a Target) -> BoxFuture<'a, Result<()>>;

/// Defines a module's function `cases`, which returns the module's tests. `cases!(Both: this, that)` runs the functions
/// `this` and `that` against [`On::Both`].
macro_rules! cases {
    ($on:ident: $($name:ident),+ $(,)?) => {
        /// Returns the tests of this module.
        pub fn cases() -> Vec<crate::case::Case> {
            let module = module_path!().rsplit("::").next().unwrap_or_default();
            vec![$(crate::case::Case {
                module,
                name: stringify!($name),
                on: crate::case::On::$on,
                run: |target| Box::pin($name(target)),
            }),+]
        }
    };
}
pub(crate) use cases;
