//! The interfaces of a component and of an instance, of whichever version.

use wasmtime::AsContextMut;
use wasmtime::component::{Instance, InstancePre};

use super::{Exports, Version, v0_1, v0_2};

/// The indices of a component's exports. They are looked up once per component.
#[derive(Clone)]
pub(crate) enum Interfaces {
    V0_1(v0_1::Interfaces),
    V0_2(v0_2::Interfaces),
}

/// The functions of one instance.
pub(crate) enum LoadedInterfaces {
    V0_1(v0_1::LoadedInterfaces),
    V0_2(v0_2::LoadedInterfaces),
}

impl Interfaces {
    /// Looks up the exports.
    ///
    /// # Errors
    /// An interface lacks one of its functions.
    pub fn new<T>(component: &InstancePre<T>, version: Version, exports: Exports) -> wasmtime::Result<Self> {
        Ok(match version {
            Version::V0_1 => Self::V0_1(v0_1::Interfaces::new(component, exports)?),
            Version::V0_2 => Self::V0_2(v0_2::Interfaces::new(component, exports)?),
        })
    }

    /// Loads the functions of an instance and checks their types.
    ///
    /// # Errors
    /// A function's type differs from the contract's.
    pub fn load(&self, store: impl AsContextMut, instance: &Instance) -> wasmtime::Result<LoadedInterfaces> {
        Ok(match self {
            Self::V0_1(interfaces) => LoadedInterfaces::V0_1(interfaces.load(store, instance)?),
            Self::V0_2(interfaces) => LoadedInterfaces::V0_2(interfaces.load(store, instance)?),
        })
    }
}

/// Calls a function of an interface, if the component exports the interface. `exported!(filter.call_filter(cycle, ids))`
/// expands to the closure that an instance runs within its limits. Several arguments arrive as a tuple. For an
/// instance of version 0.1, the arguments and the answer are converted by `older::Convert`. Where that version has
/// fewer parameters, these are listed after `v0_1:`.
macro_rules! exported {
    ($interface:ident.$function:ident($($argument:ident),*)) => {
        exported!($interface.$function($($argument),*); v0_1: ($($argument),*))
    };
    ($interface:ident.$function:ident($argument:ident); v0_1: ($($older:ident),*)) => {
        |store, interfaces, $argument| exported!(@call store, interfaces, $interface.$function($argument), ($($older),*))
    };
    ($interface:ident.$function:ident($($argument:ident),*); v0_1: ($($older:ident),*)) => {
        |store, interfaces, ($($argument),*)| {
            exported!(@call store, interfaces, $interface.$function($($argument),*), ($($older),*))
        }
    };
    (@call $store:ident, $loaded:ident, $interface:ident.$function:ident($($argument:ident),*), ($($older:ident),*)) => {
        match $loaded {
            $crate::contract::LoadedInterfaces::V0_2(interfaces) => {
                interfaces.$interface.as_ref().map(|guest| guest.$function($store, $($argument),*))
            }
            $crate::contract::LoadedInterfaces::V0_1(interfaces) => {
                use $crate::contract::older::Convert;
                interfaces.$interface.as_ref().map(|guest| guest.$function($store, $($older.convert()),*).convert())
            }
        }
    };
}

pub(crate) use exported;
