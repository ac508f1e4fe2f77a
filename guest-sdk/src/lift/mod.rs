//! From the memory that the host fills to the contract's types, with no code for facts that the plugin does not read.
//!
//! The generated bindings take every field of every record out of memory, whoever reads it, which was the largest part of a
//! small plugin. So the two calls that bring facts, `hold-template` and `apply`, are taken apart here. All others are the
//! generated ones: [`base`] and [`snapshot`] look like the modules that were generated for those worlds, with the one function
//! exchanged, and `plugin!` hands them to the generated export macros.

// It reads raw memory, as the generated code does.
#![allow(unsafe_code)]

mod facts;
#[cfg(test)]
mod layout;
mod records;
mod values;

use crate::bindings::snapshot::exports::berth::scheduler::snapshot::Change;
use crate::reads::Reads;

/// What takes in facts.
pub trait Informed {
    /// The facts that it reads.
    const READS: Reads;

    /// Makes a pod known under a template's id.
    fn hold_template(id: u32, pod: crate::types::Pod);

    /// Applies changes of the cluster.
    fn apply(changes: impl Iterator<Item = Change>);
}

/// The export `hold-template`.
///
/// # Safety
/// The function's parameters lie there, in an allocation of their size, and are taken once.
pub unsafe fn hold_template<T: Informed>(parameters: *mut u8) {
    // SAFETY: the caller says so.
    let held = unsafe { facts::HeldTemplate::lift(parameters, T::READS) };
    // SAFETY: all that was there was taken.
    unsafe { values::free(parameters, facts::HeldTemplate::SIZE, facts::HeldTemplate::ALIGN) };
    T::hold_template(held.id, held.pod);
}

/// The export `apply`.
///
/// # Safety
/// So many changes lie there, in an allocation of their size, and are taken once.
pub unsafe fn apply<T: Informed>(changes: *mut u8, len: usize) {
    T::apply((0..len).filter_map(|index| {
        // SAFETY: the caller says that there are `len` of them.
        unsafe { facts::change(changes.add(index * facts::CHANGE_SIZE), T::READS) }
    }));
    // SAFETY: all that was there was taken.
    unsafe { values::free(changes, len * facts::CHANGE_SIZE, facts::CHANGE_ALIGN) };
}

/// The module that the export macro of world `base` looks into.
pub mod base {
    pub mod exports {
        pub mod berth {
            pub mod scheduler {
                pub mod plugin {
                    pub use crate::bindings::base::exports::berth::scheduler::plugin::*;
                    pub use crate::lift::hold_template as _export_hold_template_cabi;
                }
            }
        }
    }
}

/// The module that the export macro of world `with-snapshot` looks into.
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
