//! Errors that an export returns.

/// Returns an error from the export, in one of 24 calls on average.
macro_rules! refuse_sometimes {
    ($draw:expr) => {
        if $draw.one_in(24) {
            return Err($draw.text());
        }
    };
}
pub(crate) use refuse_sometimes;
