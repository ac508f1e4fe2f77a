//! Values as the component model's canonical ABI lays them out in memory, each by its type.

use std::alloc::Layout;

/// A type that crosses into the component, and how it lies there. The memory of lists and texts is the guest's: it was
/// allocated for this call, and who lifts a value owns it from then on.
pub(crate) trait Lift: Sized {
    /// Bytes that a value takes, up to the next one in a list.
    const SIZE: usize;
    /// A value's address is a multiple of this.
    const ALIGN: usize;

    /// Takes a value out of memory.
    ///
    /// # Safety
    /// A value of this type lies at the address, and it is taken once.
    unsafe fn lift(at: *const u8) -> Self;

    /// Takes a list's elements out of the memory that was allocated for them.
    ///
    /// # Safety
    /// So many values lie at the address, which is that of an allocation of just this size, and they are taken once.
    unsafe fn lift_list(at: *mut u8, len: usize) -> Vec<Self> {
        let mut list = Vec::with_capacity(len);
        for index in 0..len {
            // SAFETY: the caller says that there are `len` of them.
            list.push(unsafe { Self::lift(at.add(index * Self::SIZE)) });
        }
        // SAFETY: the caller says what was allocated.
        unsafe { free(at, len * Self::SIZE, Self::ALIGN) };
        list
    }
}

/// Frees what the host had allocated.
///
/// # Safety
/// The address is that of an allocation of this size and alignment, of which nothing is in use any more.
pub(crate) unsafe fn free(at: *mut u8, size: usize, align: usize) {
    if size > 0
        && let Ok(layout) = Layout::from_size_align(size, align)
    {
        // SAFETY: the caller says what was allocated.
        unsafe { std::alloc::dealloc(at, layout) };
    }
}

/// The next address, from this one, for a value so aligned.
pub(crate) const fn aligned(at: usize, align: usize) -> usize {
    at.next_multiple_of(align)
}

/// The larger one.
pub(crate) const fn larger(one: usize, two: usize) -> usize {
    if one > two { one } else { two }
}

/// Address and length of a list or text.
unsafe fn parts(at: *const u8) -> (*mut u8, usize) {
    // SAFETY: a pointer and a length lie there, says the caller of `lift`.
    unsafe { (at.cast::<*mut u8>().read(), at.add(size_of::<usize>()).cast::<usize>().read()) }
}

/// Numbers lie in memory as Rust has them, so a list of them is a `Vec` already.
macro_rules! numbers {
    ($($number:ty)*) => { $(
        impl Lift for $number {
            const SIZE: usize = size_of::<$number>();
            const ALIGN: usize = align_of::<$number>();

            unsafe fn lift(at: *const u8) -> $number {
                // SAFETY: one lies there, aligned.
                unsafe { at.cast::<$number>().read() }
            }

            unsafe fn lift_list(at: *mut u8, len: usize) -> Vec<$number> {
                if len == 0 {
                    return Vec::new();
                }
                // SAFETY: the allocation is one for `len` of them.
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
        // SAFETY: a byte lies there.
        unsafe { at.read() != 0 }
    }
}

impl Lift for String {
    const SIZE: usize = 2 * size_of::<usize>();
    const ALIGN: usize = align_of::<usize>();

    unsafe fn lift(at: *const u8) -> String {
        // SAFETY: a text lies there; that texts are UTF-8 is the component model's promise.
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

/// A byte that says whether, and the value after it.
impl<T: Lift> Lift for Option<T> {
    const SIZE: usize = aligned(aligned(1, T::ALIGN) + T::SIZE, T::ALIGN);
    const ALIGN: usize = T::ALIGN;

    unsafe fn lift(at: *const u8) -> Option<T> {
        // SAFETY: an option lies there.
        unsafe { bool::lift(at).then(|| T::lift(at.add(aligned(1, T::ALIGN)))) }
    }
}
