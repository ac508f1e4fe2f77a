//! Macros for the forms of simple facts: a string, a value, a list.

/// Facts that are a string. They dereference to `str`.
macro_rules! text_fact {
    ($($(#[$doc:meta])* $fact:ident,)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $fact(pub String);

        impl std::ops::Deref for $fact {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }
    )* };
}

/// Facts that are a single value, in field 0.
macro_rules! value_fact {
    ($($(#[$doc:meta])* $fact:ident($value:ty),)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $fact(pub $value);
    )* };
}

/// Facts that are a list. They dereference to a slice.
macro_rules! list_fact {
    ($($(#[$doc:meta])* $fact:ident($item:ty),)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $fact(pub Vec<$item>);

        impl std::ops::Deref for $fact {
            type Target = [$item];

            fn deref(&self) -> &[$item] {
                &self.0
            }
        }
    )* };
}

pub(crate) use {list_fact, text_fact, value_fact};
