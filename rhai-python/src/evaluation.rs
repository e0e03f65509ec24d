//! One run of a script: its deadline, whether it was cancelled, its memory, its stack, its Python exception.
//!
//! All of this belongs to the run, not to the engine: evaluations nest (a callback may start another) and run in
//! many threads on one engine.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use rhai::EvalContext;

use crate::ast::Script;
use crate::limits::Limits;
use crate::memory;
use crate::orders::Orders;
use crate::sizes::Scale;
use crate::stack::Bridge;

/// Evaluations inside of callbacks of evaluations.
pub const MAX_NESTED: u32 = 16;
/// How often a running script lets Python handle signals: Ctrl-C.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(25);
/// Operations between two looks at the clock, and bytes whose allocation brings the look forward.
const CLOCK_OPERATIONS: u64 = 4;
const CLOCK_BYTES: isize = 1 << 18;
/// After so many operations a stack is not kept.
const WEAR: u64 = 20_000;

thread_local! {
    static CURRENT: RefCell<Option<Rc<Evaluation>>> = const { RefCell::new(None) };
}

/// Why a script was ended from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    Deadline,
    Cancelled,
    Memory,
    Stack,
    /// A text would be longer than strings may be, where Rhai takes no error.
    Text,
    /// A Python exception that a script may not catch; it is kept in the evaluation.
    Exception,
}

pub struct Evaluation {
    pub bridge: Rc<Bridge>,
    /// Of the keys of maps.
    pub orders: RefCell<Orders>,
    parent: Option<Rc<Evaluation>>,
    depth: u32,
    deadline: Option<Instant>,
    cancelled: Arc<AtomicU64>,
    epoch: u64,
    memory_end: Cell<isize>,
    memory_max: isize,
    memory_seen: Cell<isize>,
    reserve: usize,
    max_text: usize,
    uses_left: Cell<usize>,
    next_signals: Cell<Instant>,
    stop: Cell<Option<Stop>>,
    exception: RefCell<Option<PyErr>>,
    ended: Cell<bool>,
}

impl Evaluation {
    /// `cancelled` counts the cancellations of an engine; a higher count than now ends this evaluation. `given` is the
    /// text that the host gives the script, in bytes; `orders` are those of its dicts.
    pub fn new(
        limits: &Limits,
        timeout: Option<Duration>,
        cancelled: &Arc<AtomicU64>,
        given: usize,
        orders: Orders,
    ) -> Rc<Self> {
        let now = Instant::now();
        let parent = current();
        let own = timeout.and_then(|limit| now.checked_add(limit));
        let outer = parent.as_ref().and_then(|outer| outer.deadline);
        Rc::new(Self {
            bridge: Rc::new(Bridge::new()),
            orders: RefCell::new(orders),
            depth: parent.as_ref().map_or(0, |outer| outer.depth + 1),
            parent,
            // An inner evaluation never outlives the outer one's deadline.
            deadline: own.into_iter().chain(outer).min(),
            epoch: cancelled.load(Ordering::Acquire),
            cancelled: cancelled.clone(),
            memory_end: Cell::new(isize::MAX),
            memory_max: limits.memory as isize,
            memory_seen: Cell::new(0),
            reserve: limits.reserve(),
            max_text: given.saturating_add(limits.string_size as usize),
            uses_left: Cell::new(0),
            next_signals: Cell::new(now + SIGNAL_INTERVAL),
            stop: Cell::new(None),
            exception: RefCell::new(None),
            ended: Cell::new(false),
        })
    }

    pub fn too_nested(&self) -> bool {
        self.depth >= MAX_NESTED
    }

    /// Makes this the thread's evaluation until the guard is dropped; its memory counts from here.
    pub fn enter(self: &Rc<Self>) -> Entered {
        let held = memory::held();
        self.memory_seen.set(held);
        self.memory_end.set(held.saturating_add(self.memory_max));
        CURRENT.set(Some(self.clone()));
        Entered(self.clone())
    }

    pub fn stop(&self) -> Option<Stop> {
        self.stop.get()
    }

    /// Ends the script at its next operation: a text is too long.
    pub fn refuse_text(&self) {
        self.stop.set(Some(Stop::Text));
    }

    /// Ends the script at its next operation with a Python exception; the first one counts.
    pub fn fail(&self, error: PyErr) {
        self.stop.set(Some(Stop::Exception));
        self.exception.borrow_mut().get_or_insert(error);
    }

    pub fn take_exception(&self) -> Option<PyErr> {
        self.exception.borrow_mut().take()
    }

    /// One look at everything that is cheap; called for every operation.
    fn check(&self, operations: u64) -> Check {
        if self.stop.get().is_some() {
            return Check::Stop;
        }
        if self.bridge.left() < self.reserve {
            return self.end(Stop::Stack);
        }
        let held = memory::held();
        if held > self.memory_end.get() {
            return self.end(Stop::Memory);
        }
        if operations % CLOCK_OPERATIONS == 0 || held.abs_diff(self.memory_seen.get()) > CLOCK_BYTES as usize {
            self.memory_seen.set(held);
            return self.check_clock(operations);
        }
        Check::Go
    }

    fn check_clock(&self, operations: u64) -> Check {
        if operations > WEAR {
            self.bridge.wear_out();
        }
        if self.is_cancelled() {
            return self.end(Stop::Cancelled);
        }
        let now = Instant::now();
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            return self.end(Stop::Deadline);
        }
        if now >= self.next_signals.get() {
            self.next_signals.set(now + SIGNAL_INTERVAL);
            return Check::Signals;
        }
        Check::Go
    }

    /// Weighs the variables, if it is time.
    fn weigh(&self, context: &EvalContext<'_, '_, '_, '_, '_, '_>) {
        if let Some(left) = self.uses_left.get().checked_sub(1) {
            return self.uses_left.set(left);
        }
        let mut scale = Scale::new(self.max_text);
        if scale.weigh_variables(context).is_break() {
            self.refuse_text();
        }
        self.uses_left.set(scale.pause());
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed) != self.epoch
            || self.parent.as_ref().is_some_and(|outer| outer.is_cancelled())
    }

    fn end(&self, reason: Stop) -> Check {
        self.stop.set(Some(reason));
        Check::Stop
    }
}

enum Check {
    Go,
    Stop,
    Signals,
}

/// Ends the evaluation, for this thread, when it is dropped.
pub struct Entered(Rc<Evaluation>);

impl Drop for Entered {
    fn drop(&mut self) {
        self.0.ended.set(true);
        // Greenlets may end evaluations in another order than they began.
        let mut outer = self.0.parent.clone();
        while let Some(ended) = outer.take_if(|outer| outer.ended.get()) {
            outer = ended.parent.clone();
        }
        CURRENT.set(outer);
    }
}

/// The evaluation that this thread is in.
pub fn current() -> Option<Rc<Evaluation>> {
    CURRENT.with_borrow(Clone::clone)
}

/// From now on the script's text says how maps are ordered that it makes.
pub fn follow(script: &Arc<Script>) {
    CURRENT.with_borrow(|current| current.as_ref().map(|running| running.orders.borrow_mut().follow(script.clone())));
}

/// Reads the text that `follow` named, if a map may be in one of these values, which are about to leave.
pub fn prepare<'a>(values: impl IntoIterator<Item = &'a rhai::Dynamic>) {
    if values.into_iter().any(|value| value.is_map() || value.is_array()) {
        CURRENT.with_borrow(|current| current.as_ref().map(|running| running.orders.borrow().prepare()));
    }
}

/// Whether this thread is in an evaluation; safe to ask at any time of a thread's life.
pub fn is_running() -> bool {
    CURRENT.try_with(|current| current.try_borrow().is_ok_and(|current| current.is_some())).unwrap_or(false)
}

/// Rhai's progress hook: a value ends the script, past any `try`.
#[inline]
pub fn progress(operations: u64) -> Option<rhai::Dynamic> {
    let check = CURRENT.with_borrow(|current| current.as_ref().map_or(Check::Go, |running| running.check(operations)));
    match check {
        Check::Go => None,
        Check::Stop => Some(rhai::Dynamic::UNIT),
        Check::Signals => signals(),
    }
}

/// Rhai's hook for the use of a variable.
#[inline]
pub fn variable(context: &EvalContext<'_, '_, '_, '_, '_, '_>) {
    CURRENT.with_borrow(|current| current.as_ref().map_or((), |running| running.weigh(context)));
}

/// Whether the parser, or a long native function, has to give up.
pub fn must_stop() -> bool {
    progress(0).is_some()
}

#[cold]
fn signals() -> Option<rhai::Dynamic> {
    let running = current()?;
    let error = on_host(|py| py.check_signals().err())?;
    running.fail(error);
    Some(rhai::Dynamic::UNIT)
}

/// Runs `action` with the interpreter, on the stack of the evaluation's caller.
pub fn on_host<R>(action: impl FnOnce(Python<'_>) -> R + Send) -> R {
    let Some(running) = current() else {
        return Python::attach(action);
    };
    let result = running.bridge.cross(|| Python::attach(action));
    // Greenlets may have switched meanwhile.
    CURRENT.set(Some(running));
    result
}

/// What a panic said.
pub fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "unknown".into())
}
