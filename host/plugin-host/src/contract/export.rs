//! The functions that a component may export.

use std::fmt;

use berth_core::plugins::ExtensionPoints;

use super::points::points;

/// Generates [`Export`] from the table.
macro_rules! exports {
    ($($interface:literal $module:ident $flag:ident $role:ident {
        $($export:ident $name:literal $(= $method:ident($($parameter:ident: $type:ty),*) -> $answer:ty)?;)*
    })*) => {
        /// A function that a component exports. Messages use its name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Export {
            /// Instantiation of the component, which is not an exported function.
            Start,
            /// `plugin.describe`.
            Describe,
            /// `plugin.configure`.
            Configure,
            /// `plugin.add-signature`, `plugin.hold-template` in version 0.1.
            AddSignature,
            /// `plugin.remove-signatures`, `plugin.forget-templates` in version 0.1.
            RemoveSignatures,
            /// `snapshot.apply`.
            Apply,
            /// `objects.kinds`.
            Kinds,
            /// `objects.apply`.
            ApplyObjects,
            $($(#[doc = concat!("`", $name, "` of the interface `", $interface, "`.")] $export,)*)*
        }

        impl Export {
            /// Returns the function's name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    Self::Start => "its start",
                    Self::Describe => "describe",
                    Self::Configure => "configure",
                    Self::AddSignature => "add-signature",
                    Self::RemoveSignatures => "remove-signatures",
                    Self::Apply => "apply",
                    Self::Kinds => "kinds",
                    Self::ApplyObjects => "apply of objects",
                    $($(Self::$export => $name,)*)*
                }
            }

            /// Returns the extension point that the function belongs to. Empty for the functions of `plugin`,
            /// `snapshot` and `objects`.
            #[must_use]
            pub const fn point(self) -> ExtensionPoints {
                match self {
                    $($(Self::$export)|* => ExtensionPoints::$flag,)*
                    _ => ExtensionPoints::empty(),
                }
            }
        }
    };
}

points!(exports);

impl fmt::Display for Export {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
