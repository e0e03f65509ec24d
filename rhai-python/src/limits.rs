//! What a script may use. Zero means no limit where Rhai says so; what keeps the process alive is clamped instead.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::time::Duration;

pub const MAX_CALL_LEVELS: u64 = 512;
pub const MAX_EXPR_DEPTH: u64 = 256;
pub const MAX_ITEMS: u64 = 1_000_000;
pub const MAX_MEMORY: u64 = 1 << 30;
/// Bytes of a script's text: what the parser builds is some fifty times larger.
pub const MAX_SOURCE: usize = 1 << 20;

/// Stack for a script's own recursion: calls and expressions; more ends the script.
const CALL_STACK: u64 = 16 << 20;
/// Stack that one level of nested arrays or maps takes when Rhai compares, prints or frees them.
const STACK_PER_ITEM: u64 = 4096;
/// The same for a closure that holds a closure, and the least memory that such a level takes.
const STACK_PER_CLOSURE: u64 = 320;
const MEMORY_PER_LEVEL: u64 = 72;

#[derive(Clone, Debug)]
pub struct Limits {
    pub operations: u64,
    pub call_levels: u64,
    pub expr_depth: u64,
    pub string_size: u64,
    pub array_size: u64,
    pub map_size: u64,
    pub functions: u64,
    pub memory: u64,
    pub timeout: Option<Duration>,
}

impl Limits {
    /// Brings the limits that protect the process into their ranges.
    pub fn clamped(mut self) -> Self {
        self.call_levels = self.call_levels.min(MAX_CALL_LEVELS);
        self.expr_depth = below(self.expr_depth, MAX_EXPR_DEPTH);
        self.array_size = below(self.array_size, MAX_ITEMS);
        self.map_size = below(self.map_size, MAX_ITEMS);
        self.memory = below(self.memory, MAX_MEMORY);
        self.string_size = below(self.string_size, self.memory);
        self
    }

    /// Bytes of stack that native recursion may need: as deep as data can get within these limits.
    pub fn reserve(&self) -> usize {
        let levels = self.memory / MEMORY_PER_LEVEL;
        let items = levels.min(self.array_size + self.map_size) * STACK_PER_ITEM;
        let closures = levels.min(below(self.operations, u64::MAX)) * STACK_PER_CLOSURE;
        (items + closures + (8 << 20)) as usize
    }

    /// Bytes of a script's stack, most of which are never touched.
    pub fn stack(&self) -> usize {
        self.reserve() + CALL_STACK as usize
    }

    pub fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let limits = PyDict::new(py);
        limits.set_item("max_operations", self.operations)?;
        limits.set_item("max_call_levels", self.call_levels)?;
        limits.set_item("max_expr_depth", self.expr_depth)?;
        limits.set_item("max_string_size", self.string_size)?;
        limits.set_item("max_array_size", self.array_size)?;
        limits.set_item("max_map_size", self.map_size)?;
        limits.set_item("max_functions", self.functions)?;
        limits.set_item("max_memory", self.memory)?;
        limits.set_item("timeout", self.timeout.map_or(f64::INFINITY, |limit| limit.as_secs_f64()))?;
        Ok(limits)
    }
}

/// Zero stands for the maximum.
fn below(value: u64, maximum: u64) -> u64 {
    if value == 0 {
        maximum
    } else {
        value.min(maximum)
    }
}

/// A limit, where None is none; `name` is for the message.
pub fn count(name: &str, value: Option<i64>) -> PyResult<u64> {
    let Some(value) = value else {
        return Ok(0);
    };
    u64::try_from(value).map_err(|_| PyValueError::new_err(format!("{name}: must not be negative.")))
}

/// Seconds; infinity and None mean none.
pub fn bound(seconds: Option<f64>) -> PyResult<Option<Duration>> {
    duration(seconds.unwrap_or(f64::INFINITY))
}

/// Seconds; infinity means none.
pub fn duration(seconds: f64) -> PyResult<Option<Duration>> {
    if seconds.is_nan() || seconds < 0.0 {
        return Err(PyValueError::new_err("timeout: must be a number of seconds from 0, math.inf for none."));
    }
    Ok(Duration::try_from_secs_f64(seconds).ok())
}
