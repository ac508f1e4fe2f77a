//! Lifts the contract's types from the memory that the host fills, without code for facts that the plugin does not
//! read.
//!
//! The generated bindings lift every field of every record, even if the plugin does not read the field. That code would
//! be the largest part of a small component. So this module lifts the parameters of the two calls that bring facts,
//! `add-signature` and `apply`. All other calls use the generated code: [`base`] and [`snapshot`] look like the
//! generated modules of these worlds, with one function replaced, and `plugin!` passes them to the generated export
//! macros.

// This module reads raw memory, as the generated bindings do.
#![allow(unsafe_code)]

mod facts;
#[cfg(test)]
mod layout;
mod records;
mod values;

use crate::bindings::snapshot::exports::berth::scheduler::snapshot::Change;
use crate::reads::Filled;

/// A component that receives facts.
pub trait Informed {
    /// The facts that the host sends.
    const FILLED: Filled;

    /// Stores the facts of a pod under a pod signature's id.
    fn add_signature(id: u32, pod: crate::types::Pod);

    /// Applies changes of nodes, pods and the cluster's facts.
    fn apply(changes: impl Iterator<Item = Change>);
}

/// The export `add-signature`.
///
/// # Safety
/// `parameters` points to the function's parameters, in an allocation of their size. The caller lifts them only once.
pub unsafe fn add_signature<T: Informed>(parameters: *mut u8) {
    // SAFETY: the caller guarantees that the parameters are at `parameters` and are lifted only once.
    let held = unsafe { facts::AddedSignature::lift(parameters, T::FILLED) };
    // SAFETY: everything in the allocation was lifted.
    unsafe { values::free(parameters, facts::AddedSignature::SIZE, facts::AddedSignature::ALIGN) };
    T::add_signature(held.id, held.pod);
}

/// The export `apply`.
///
/// # Safety
/// `changes` points to `len` changes, in an allocation of their size. The caller lifts them only once.
pub unsafe fn apply<T: Informed>(changes: *mut u8, len: usize) {
    T::apply((0..len).filter_map(|index| {
        // SAFETY: the caller guarantees that there are `len` changes.
        unsafe { facts::change(changes.add(index * facts::CHANGE_SIZE), T::FILLED) }
    }));
    // SAFETY: everything in the allocation was lifted.
    unsafe { values::free(changes, len * facts::CHANGE_SIZE, facts::CHANGE_ALIGN) };
}

/// The module that the export macro of world `base` uses.
pub mod base {
    pub mod exports {
        pub mod berth {
            pub mod scheduler {
                pub mod plugin {
                    pub use crate::bindings::base::exports::berth::scheduler::plugin::*;
                    pub use crate::lift::add_signature as _export_add_signature_cabi;
                }
            }
        }
    }
}

/// The module that the export macro of world `with-snapshot` uses.
pub mod snapshot {
    pub mod exports {
        pub mod berth {
            pub mod scheduler {
                pub mod snapshot {
                    pub use crate::bindings::snapshot::exports::berth::scheduler::snapshot::*;
                    pub use crate::lift::apply as _export_apply_cabi;
                }
            }
        }
    }
}
