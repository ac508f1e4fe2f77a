//! The exports, each with an answer that is drawn, or else a harmless one.

mod declared;
mod placed;
mod queued;
mod scored;

/// The error that an export answers now and then.
macro_rules! refuse_sometimes {
    ($draw:expr) => {
        if $draw.one_in(24) {
            return Err($draw.text());
        }
    };
}
pub(crate) use refuse_sometimes;
