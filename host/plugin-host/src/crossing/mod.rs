//! How large the contract's values are where they cross into a guest or out of it, for tests of what that costs.
//!
//! A size is that of the canonical ABI: what a value takes in a guest's linear memory, padding included, and what its lists and
//! strings hold. The few values that travel as a function's plain parameters are counted as if they lay in memory as well.

mod contract;
#[cfg(test)]
mod crossing_test;

use wasmtime::component::ComponentType;

/// A value that crosses.
pub(super) trait Crossing: ComponentType {
    /// Bytes of what its lists and strings hold.
    fn held(&self) -> usize;

    /// Bytes of all of it.
    fn bytes(&self) -> usize {
        Self::SIZE32 + self.held()
    }
}

impl Crossing for str {
    fn held(&self) -> usize {
        self.len()
    }
}

impl<T: Crossing> Crossing for [T] {
    fn held(&self) -> usize {
        self.iter().map(Crossing::bytes).sum()
    }
}

impl<T: Crossing + ?Sized> Crossing for &T {
    fn held(&self) -> usize {
        (**self).held()
    }
}

impl Crossing for String {
    fn held(&self) -> usize {
        self.as_str().held()
    }
}

impl<T: Crossing> Crossing for Vec<T> {
    fn held(&self) -> usize {
        self.as_slice().held()
    }
}

impl<T: Crossing> Crossing for Option<T> {
    fn held(&self) -> usize {
        self.as_ref().map_or(0, Crossing::held)
    }
}

impl<T: Crossing, E: Crossing> Crossing for Result<T, E> {
    fn held(&self) -> usize {
        match self {
            Ok(value) => value.held(),
            Err(error) => error.held(),
        }
    }
}

/// Arguments, and the contract's tuples.
macro_rules! tuples {
    ($(($($item:ident)*))*) => {$(
        #[expect(non_snake_case, reason = "an item is named as its type")]
        impl<$($item: Crossing),*> Crossing for ($($item,)*) {
            fn held(&self) -> usize {
                let ($($item,)*) = self;
                0 $(+ $item.held())*
            }
        }
    )*};
}

tuples! { (A B) (A B C) (A B C D) }
