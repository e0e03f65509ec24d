//! What Python sees of the reading of files.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{sync_channel, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::codex::{Memory, Total};
use crate::files;
use crate::part::{Part, RowTuple};
use crate::rows::{Dim, Response, Row, Rows, Session, Tokens, Whose};
use crate::work::{Form, Found, Job, Judge, Odd, Source, Task};

/// Parts that may wait to be taken; beyond that threads wait.
const WAITING: usize = 4;
const MOST_THREADS: usize = 64;

type GivenCounts = (i64, i64, i64, i64);
/// session, model, cwd, tier, total as counts or else as text, replaying, response
pub type GivenMemory = (
    Option<String>,
    Option<String>,
    Option<String>,
    Option<String>,
    Option<(Option<GivenCounts>, String)>,
    Option<i64>,
    Option<String>,
);
type GivenSource = (String, String, String, String);
type GivenJob = (usize, PathBuf, String, u64, Option<GivenMemory>);
type Judged = (GivenMemory, Vec<Dim>, Vec<Session>, Vec<RowTuple>, Vec<Response>);

/// Reads agents' logs on threads; an iterator of parts.
#[pyclass(frozen, module = "jackfield_native")]
pub struct Logs {
    task: Arc<Task>,
    found: Mutex<Option<Receiver<Found>>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

struct Callback(Py<PyAny>);

#[pymethods]
impl Logs {
    #[new]
    #[pyo3(signature = (sources, jobs, judge, *, threads = 1, rows = 8192, nice = 0))]
    fn new(
        sources: Vec<GivenSource>,
        jobs: Vec<GivenJob>,
        judge: Py<PyAny>,
        threads: usize,
        rows: usize,
        nice: i32,
    ) -> PyResult<Self> {
        let sources = sources.into_iter().map(source).collect::<PyResult<Vec<_>>>()?;
        if jobs.iter().any(|job| job.0 >= sources.len()) {
            return Err(PyValueError::new_err("a job is of a source that there is not"));
        }
        let jobs = jobs.into_iter().map(|(source, path, identity, offset, known)| {
            let memory = known.map(memory);
            Job { source, path, identity, offset, memory }
        });
        let task = Arc::new(Task {
            sources,
            jobs: jobs.collect(),
            wanted: rows,
            next: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
        });
        let judge = Arc::new(Callback(judge));
        let (sender, receiver) = sync_channel(WAITING);
        let mut started = Vec::new();
        for _ in 0..threads.clamp(1, MOST_THREADS) {
            let (task, judge, sender) = (Arc::clone(&task), Arc::clone(&judge), sender.clone());
            started.push(Builder::new().name("jackfield_native".to_owned()).spawn(move || {
                if nice > 0 {
                    files::give_way(nice);
                }
                task.run(&*judge, &sender);
            })?);
        }
        Ok(Self { task, found: Mutex::new(Some(receiver)), threads: Mutex::new(started) })
    }

    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> Option<Part> {
        py.detach(|| {
            let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
            found.as_ref().and_then(|found| found.recv().ok())
        })
        .map(Part::of)
    }

    /// Stops the threads, and waits until they have.
    fn close(&self, py: Python<'_>) {
        py.detach(|| {
            self.stop();
            let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
            for thread in threads {
                // A thread that has panicked is as good as one that has ended.
                let _ = thread.join();
            }
        });
    }
}

impl Logs {
    fn stop(&self) {
        self.task.stopped.store(true, Ordering::Relaxed);
        drop(self.found.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

impl Drop for Logs {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Judge for Callback {
    fn judge(&self, odd: &Odd<'_>, known: &mut Memory, rows: &mut Rows) -> Result<(), String> {
        let judged = Python::try_attach(|py| {
            let given = (odd.job, odd.offset, PyBytes::new(py, odd.line), given(known));
            let judged = self.0.call1(py, given).and_then(|judged| judged.extract::<Judged>(py));
            judged.map_err(|error| {
                let name = error.get_type(py).name().map_or_else(|_| "Exception".to_owned(), |name| name.to_string());
                format!("{name}: {}", error.value(py))
            })
        });
        let (now, dims, sessions, more, responses) =
            judged.unwrap_or_else(|| Err("the interpreter has ended".to_owned()))?;
        *known = memory(now);
        rows.know(dims, sessions);
        rows.responses.extend(responses);
        more.into_iter().for_each(|one| rows.put(row(one)));
        Ok(())
    }
}

fn source((form, agent, provider, profile): GivenSource) -> PyResult<Source> {
    let form = match form.as_str() {
        "claude" => Form::Claude,
        "codex" => Form::Codex,
        _ => return Err(PyValueError::new_err(format!("no form of logs {form:?}"))),
    };
    Ok(Source { form, whose: Whose { agent, provider, profile } })
}

fn memory((session, model, cwd, tier, total, replaying, response): GivenMemory) -> Memory {
    let total = total.map(|(counts, other)| counts.map_or(Total::Other(other), |counts| Total::Counts(counts.into())));
    Memory { session, model, cwd, tier, total, replaying, response }
}

pub fn given(known: &Memory) -> GivenMemory {
    let Memory { session, model, cwd, tier, total, replaying, response } = known.clone();
    let total = total.map(|total| match total {
        Total::Counts(counts) => (Some(counts.into()), String::new()),
        Total::Other(other) => (None, other),
    });
    (session, model, cwd, tier, total, replaying, response)
}

fn row((key, time, dim, session, step, input, output, written, read, hours, cost, profiled): RowTuple) -> Row {
    let tokens = Tokens { input, output, written, read, hours };
    Row { key, time, dim, session, step, tokens, cost, profiled: profiled != 0 }
}
