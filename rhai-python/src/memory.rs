//! How much memory a thread's scripts hold: every allocation of this library passes here and is counted.
//!
//! Rhai bounds the size of one value, not of all values together, nor of what closures capture. The count is read
//! between two operations of a script; an allocation itself is never refused, as that would abort the process.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    // Signed: a thread may free what another one allocated.
    static HELD: Cell<isize> = const { Cell::new(0) };
}

/// Bytes that this thread allocated and did not free.
pub fn held() -> isize {
    HELD.with(Cell::get)
}

fn count(bytes: isize) {
    // A `Cell<isize>` needs no destructor, so this is valid up to the last instruction of a thread.
    let _ = HELD.try_with(|held| held.set(held.get().wrapping_add(bytes)));
}

pub struct Metered;

// SAFETY: every call goes to the system's allocator unchanged; counting neither allocates nor unwinds.
unsafe impl GlobalAlloc for Metered {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's contract is the system allocator's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}
