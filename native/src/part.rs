//! What Python sees of what was read.

use std::collections::HashSet;
use std::fmt::Write;
use std::num::NonZeroUsize;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};

use crate::logs::{given, GivenMemory};
use crate::rows::{self, Dim, Response, Row, Session, Tokens};
use crate::work::{Found, Trouble};

/// key, time, dim, session, step, input, output, written, read, hours, cost, profiled
pub type RowTuple = (i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, Option<f64>, i64);
/// job, offset, memory, done, trouble as errno or else as text, tail
type GivenMark<'py> = (usize, u64, Option<GivenMemory>, bool, Option<(Option<i32>, String)>, Bound<'py, PyBytes>);
/// count, input, output, written, read, hours
type Total = (i64, i64, i64, i64, i64, i64);
type Shares<'py> = (Bound<'py, PyList>, Bound<'py, PyList>, Total, Bound<'py, PyList>);

/// Answers of one source, and the places in its files that are reached with them.
#[pyclass(frozen, module = "jackfield_native")]
pub struct Part {
    found: Found,
}

impl Part {
    pub fn of(found: Found) -> Self {
        Self { found }
    }
}

#[pymethods]
impl Part {
    fn __len__(&self) -> usize {
        self.found.sorted.len()
    }

    #[getter]
    fn source(&self) -> usize {
        self.found.source
    }

    #[getter]
    fn dims(&self) -> Vec<Dim> {
        self.found.rows.dims.clone()
    }

    #[getter]
    fn sessions(&self) -> Vec<Session> {
        self.found.rows.sessions.clone()
    }

    #[getter]
    fn responses(&self) -> Vec<Response> {
        self.found.rows.responses.clone()
    }

    #[getter]
    fn marks<'py>(&self, py: Python<'py>) -> Vec<GivenMark<'py>> {
        let marks = self.found.marks.iter().map(|mark| {
            let trouble = mark.trouble.as_ref().map(|trouble| match trouble {
                Trouble::System(error) => (error.raw_os_error(), error.to_string()),
                Trouble::Other(text) => (None, text.clone()),
            });
            (mark.job, mark.offset, mark.memory.as_ref().map(given), mark.done, trouble, PyBytes::new(py, &mark.tail))
        });
        marks.collect()
    }

    /// Of all its answers the first key that a row of them can have, as an array in JSON.
    fn answers(&self) -> String {
        let mut text = String::with_capacity(self.found.sorted.len() * 20 + 2);
        let mut before = None;
        for answer in self.found.sorted.iter().map(Row::answer) {
            if before != Some(answer) {
                let comma = if before.is_some() { "," } else { "[" };
                // Writing to a string does not fail.
                let _ = write!(text, "{comma}{answer}");
                before = Some(answer);
            }
        }
        text.push_str(if before.is_some() { "]" } else { "[]" });
        text
    }

    /// Those that can be stored as they are, so many together: rows, sums by quarter of an hour, their total; and the
    /// other rows.
    fn split<'py>(
        &self,
        py: Python<'py>,
        known: Vec<i64>,
        profiled: bool,
        together: NonZeroUsize,
    ) -> PyResult<Shares<'py>> {
        let known: HashSet<i64> = known.into_iter().collect();
        let (mut free, mut others) = (Vec::<&Row>::new(), Vec::<&Row>::new());
        for group in self.found.sorted.chunk_by(|one, next| one.answer() == next.answer()) {
            let alone = matches!(group, [row] if row.is_packable() && !(profiled && row.profiled));
            let share = if alone && !known.contains(&group[0].answer()) { &mut free } else { &mut others };
            share.extend(group);
        }
        others.extend(free.drain(free.len() - free.len() % together..));
        others.sort_unstable_by_key(|row| row.key);
        let packed = free.chunks(together.get()).map(|rows| {
            let numbers: Vec<i64> = rows.iter().flat_map(|row| row.packed()).collect();
            PyTuple::new(py, numbers)
        });
        let packed = PyList::new(py, packed.collect::<PyResult<Vec<_>>>()?)?;
        let slots = rows::slots(free.iter().copied());
        let slots = slots.iter().map(|(&(slot, dim, session, step), sum)| {
            let Tokens { input, output, written, read, hours } = sum.tokens;
            let numbers = [slot, dim, session, step, sum.count, input, output, written, read, hours];
            PyTuple::new(py, numbers.into_iter().chain([sum.first, sum.last]).collect::<Vec<_>>())
        });
        let slots = PyList::new(py, slots.collect::<PyResult<Vec<_>>>()?)?;
        let (count, total) = rows::total(free.iter().copied());
        let total = (count, total.input, total.output, total.written, total.read, total.hours);
        let others = PyList::new(py, others.iter().map(|row| tuple(row)))?;
        Ok((packed, slots, total, others))
    }
}

fn tuple(row: &Row) -> RowTuple {
    let Row { key, time, dim, session, step, tokens, cost, profiled } = *row;
    let Tokens { input, output, written, read, hours } = tokens;
    (key, time, dim, session, step, input, output, written, read, hours, cost, i64::from(profiled))
}
