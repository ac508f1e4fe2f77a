//! Computes the size of values that cross into or out of a plugin, for tests of that cost.
//!
//! The size is that of the canonical ABI: the bytes in the plugin's linear memory, with padding, and the contents of
//! lists and strings. The few values that are passed as plain parameters are counted as if they were in memory.

mod contract;
#[cfg(test)]
mod crossing_test;

use wasmtime::component::ComponentType;

/// A value that crosses between host and plugin.
pub(super) trait Crossing: ComponentType {
    /// Returns the number of bytes of the contents of the value's lists and strings.
    fn held(&self) -> usize;

    /// Returns the total number of bytes: the value itself, and the contents of its lists and strings.
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

/// Parameters, and the tuples of the contract.
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

tuples! { (A B) (A B C) (A B C D) (A B C D E) }
