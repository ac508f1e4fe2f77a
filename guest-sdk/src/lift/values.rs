//! Values in memory as the component model's canonical ABI lays them out.

use std::alloc::Layout;

/// A type that the host passes to the component, and its layout in memory. The memory of lists and strings belongs to
/// the guest: it was allocated for this call, and the lifted value owns it.
pub(crate) trait Lift: Sized {
    /// The number of bytes from a value to the next one in a list.
    const SIZE: usize;
    /// The alignment of a value's address, in bytes.
    const ALIGN: usize;

    /// Lifts a value from memory.
    ///
    /// # Safety
    /// A value of this type is at the address, and the caller lifts it only once.
    unsafe fn lift(at: *const u8) -> Self;

    /// Lifts the elements of a list, and frees the list's allocation.
    ///
    /// # Safety
    /// `len` values are at the address, which is an allocation of exactly this size. The caller lifts them only once.
    unsafe fn lift_list(at: *mut u8, len: usize) -> Vec<Self> {
        let mut list = Vec::with_capacity(len);
        for index in 0..len {
            // SAFETY: the caller guarantees that there are `len` values.
            list.push(unsafe { Self::lift(at.add(index * Self::SIZE)) });
        }
        // SAFETY: the caller guarantees the size of the allocation.
        unsafe { free(at, len * Self::SIZE, Self::ALIGN) };
        list
    }
}

/// Frees an allocation that the host made.
///
/// # Safety
/// The address is an allocation of this size and alignment, and nothing in it is used afterwards.
pub(crate) unsafe fn free(at: *mut u8, size: usize, align: usize) {
    if size > 0
        && let Ok(layout) = Layout::from_size_align(size, align)
    {
        // SAFETY: the caller guarantees the size of the allocation.
        unsafe { std::alloc::dealloc(at, layout) };
    }
}

/// Returns the first address from `at` on that has this alignment.
pub(crate) const fn aligned(at: usize, align: usize) -> usize {
    at.next_multiple_of(align)
}

pub(crate) const fn larger(one: usize, two: usize) -> usize {
    if one > two { one } else { two }
}

/// Returns the address and length of a list or string.
unsafe fn parts(at: *const u8) -> (*mut u8, usize) {
    // SAFETY: the caller of `lift` guarantees that a pointer and a length are at the address.
    unsafe { (at.cast::<*mut u8>().read(), at.add(size_of::<usize>()).cast::<usize>().read()) }
}

/// Numbers have the same layout in memory as in Rust, so a list of numbers becomes a `Vec` without copying.
macro_rules! numbers {
    ($($number:ty)*) => { $(
        impl Lift for $number {
            const SIZE: usize = size_of::<$number>();
            const ALIGN: usize = align_of::<$number>();

            unsafe fn lift(at: *const u8) -> $number {
                // SAFETY: the caller guarantees that an aligned number is at the address.
                unsafe { at.cast::<$number>().read() }
            }

            unsafe fn lift_list(at: *mut u8, len: usize) -> Vec<$number> {
                if len == 0 {
                    return Vec::new();
                }
                // SAFETY: the allocation is one for `len` numbers.
                unsafe { Vec::from_raw_parts(at.cast(), len, len) }
            }
        }
    )* };
}

numbers!(u8 u16 u32 i32 i64);

impl Lift for bool {
    const SIZE: usize = 1;
    const ALIGN: usize = 1;

    unsafe fn lift(at: *const u8) -> bool {
        // SAFETY: the caller guarantees that a bool, which is one byte, is at the address.
        unsafe { at.read() != 0 }
    }
}

impl Lift for String {
    const SIZE: usize = 2 * size_of::<usize>();
    const ALIGN: usize = align_of::<usize>();

    unsafe fn lift(at: *const u8) -> String {
        // SAFETY: a string lies there, and the component model guarantees that it is UTF-8.
        unsafe {
            let (at, len) = parts(at);
            String::from_utf8_unchecked(u8::lift_list(at, len))
        }
    }
}

impl<T: Lift> Lift for Vec<T> {
    const SIZE: usize = 2 * size_of::<usize>();
    const ALIGN: usize = align_of::<usize>();

    unsafe fn lift(at: *const u8) -> Vec<T> {
        // SAFETY: a list lies there.
        unsafe {
            let (at, len) = parts(at);
            T::lift_list(at, len)
        }
    }
}

/// A byte that is 1 if there is a value, then the value.
impl<T: Lift> Lift for Option<T> {
    const SIZE: usize = aligned(aligned(1, T::ALIGN) + T::SIZE, T::ALIGN);
    const ALIGN: usize = T::ALIGN;

    unsafe fn lift(at: *const u8) -> Option<T> {
        // SAFETY: an option lies there.
        unsafe { bool::lift(at).then(|| T::lift(at.add(aligned(1, T::ALIGN)))) }
    }
}
