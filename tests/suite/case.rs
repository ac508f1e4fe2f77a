//! What a test of the suite is.

use anyhow::Result;
use berth_tests::Target;
use futures::future::BoxFuture;

/// A test: a name, and what it does with an API server.
pub struct Case {
    /// The module, which is the behaviour that it is about.
    pub module: &'static str,
    /// The function's name.
    pub name: &'static str,
    /// Where it runs.
    pub on: On,
    /// The function.
    pub run: Run,
}

/// Where a test runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// Against the embedded API server and a real one.
    Both,
    /// Against a real one, as it needs what only that can do: roles.
    Real,
    /// Against the embedded one, as it needs what only that can do: faults.
    Embedded,
}

/// A test's function.
pub type Run = for<'a> fn(&'a Target) -> BoxFuture<'a, Result<()>>;

/// The tests of a module: `cases!(Both: this, that)` makes its function `cases`.
macro_rules! cases {
    ($on:ident: $($name:ident),+ $(,)?) => {
        /// The tests of this module.
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
