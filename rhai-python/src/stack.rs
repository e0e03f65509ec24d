//! A stack of its own for scripts, large enough for the deepest recursion that their limits allow.
//!
//! Rhai recurses natively: into calls, and, without asking anybody, when it copies, compares or frees nested data.
//! On the caller's stack (128 KiB in a musl thread, 8 MiB at best) this ends the process. A script therefore runs as a
//! coroutine on a mapped stack, in the caller's thread; pages that it does not touch cost nothing. Python code that a
//! script calls runs on the caller's stack, where the interpreter expects it.

use std::cell::{Cell, RefCell};
use std::convert::Infallible;
use std::io;

use corosensei::stack::{DefaultStack, Stack};
use corosensei::{Coroutine, CoroutineResult, Yielder};

/// Stacks that a thread keeps: one for an evaluation, one for an evaluation inside of its callback.
const KEPT: usize = 2;

thread_local! {
    static POOL: RefCell<Vec<(usize, DefaultStack)>> = const { RefCell::new(Vec::new()) };
}

/// The way back from a script's stack to its caller's.
pub struct Bridge {
    yielder: Cell<*const Yielder<(), Infallible>>,
    limit: Cell<usize>,
    worn: Cell<bool>,
}

impl Bridge {
    pub const fn new() -> Self {
        Self { yielder: Cell::new(std::ptr::null()), limit: Cell::new(0), worn: Cell::new(false) }
    }

    /// Runs `action` on the caller's stack. Only to be called from the body that [`run`] was given for this bridge.
    pub fn cross<R>(&self, action: impl FnOnce() -> R + Send) -> R {
        let yielder = self.yielder.get();
        if yielder.is_null() {
            return action();
        }
        // SAFETY: `run` sets the pointer when its body starts and clears it before the yielder goes away. `Bridge` is
        // not `Sync`, so this is the body's thread; and code of this thread that holds the bridge runs only inside of
        // the body (`evaluation` makes it reachable for that time alone).
        let yielder = unsafe { &*yielder };
        yielder.on_parent_stack(action)
    }

    /// Gives the stack back to the system afterwards: much of it may have been touched.
    pub fn wear_out(&self) {
        self.worn.set(true);
    }

    /// Bytes left on the script's stack, as seen from the caller of this function.
    #[inline]
    pub fn left(&self) -> usize {
        let here = 0_u8;
        (&raw const here as usize).saturating_sub(self.limit.get())
    }
}

/// Runs `body` on a stack of `size` bytes.
///
/// A panic passes to the caller. Fails if the system has no room for the stack.
pub fn run<R: 'static>(size: usize, bridge: std::rc::Rc<Bridge>, body: impl FnOnce() -> R + 'static) -> io::Result<R> {
    let stack = take(size)?;
    bridge.limit.set(stack.limit().get());
    let worn = bridge.clone();
    let mut script = Coroutine::with_stack(stack, move |yielder: &Yielder<(), Infallible>, ()| {
        bridge.yielder.set(yielder);
        let _closed = Closing(&bridge);
        body()
    });
    match script.resume(()) {
        CoroutineResult::Return(result) => {
            if !worn.worn.get() {
                keep(size, script.into_stack());
            }
            Ok(result)
        }
        CoroutineResult::Yield(never) => match never {},
    }
}

struct Closing<'a>(&'a Bridge);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.yielder.set(std::ptr::null());
    }
}

fn take(size: usize) -> io::Result<DefaultStack> {
    let kept = POOL.with_borrow_mut(|pool| {
        let place = pool.iter().position(|(room, _)| *room == size)?;
        Some(pool.swap_remove(place).1)
    });
    kept.map_or_else(|| DefaultStack::new(size), Ok)
}

fn keep(size: usize, stack: DefaultStack) {
    let full = POOL.with_borrow_mut(|pool| {
        pool.push((size, stack));
        (pool.len() > KEPT).then(|| pool.remove(0))
    });
    drop(full);
}
