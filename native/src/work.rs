//! Reading files on threads. Whichever is free takes the next one.

use std::io;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::SyncSender;

use crate::claude;
use crate::codex::{self, Memory};
use crate::files::{self, Log};
use crate::rows::{Row, Rows, Whose};

/// Files that the system is asked to fetch before they are read.
const AHEAD: usize = 12;
/// So many times the wanted number of rows end a part in the middle of a file.
const AT_MOST: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    Claude,
    Codex,
}

pub struct Source {
    pub form: Form,
    pub whose: Whose,
}

/// A file to read, from where, with what was known there.
pub struct Job {
    pub source: usize,
    pub path: PathBuf,
    pub identity: String,
    pub offset: u64,
    pub memory: Option<Memory>,
}

pub enum Trouble {
    System(io::Error),
    Other(String),
}

/// How far a job has come. memory: None when nothing was read.
pub struct Mark {
    pub job: usize,
    pub offset: u64,
    pub memory: Option<Memory>,
    pub done: bool,
    pub trouble: Option<Trouble>,
    pub tail: Vec<u8>,
}

/// Answers of one source, sorted by their keys, and the places that are reached with them.
pub struct Found {
    pub source: usize,
    pub rows: Rows,
    pub sorted: Vec<Row>,
    pub marks: Vec<Mark>,
}

/// A line that only the judge understands.
pub struct Odd<'a> {
    pub job: usize,
    pub offset: u64,
    pub line: &'a [u8],
}

/// Adds what the line says to the rows, and to the memory. An error is what is wrong with the whole file.
pub trait Judge: Sync {
    fn judge(&self, odd: &Odd<'_>, memory: &mut Memory, rows: &mut Rows) -> Result<(), String>;
}

pub struct Task {
    pub sources: Vec<Source>,
    pub jobs: Vec<Job>,
    /// Rows of a part, about.
    pub wanted: usize,
    pub next: AtomicUsize,
    pub stopped: AtomicBool,
}

struct Gathered {
    source: usize,
    rows: Rows,
    marks: Vec<Mark>,
}

impl Gathered {
    fn of(source: usize) -> Self {
        Self { source, rows: Rows::default(), marks: Vec::new() }
    }

    /// Sends it, unless there is nothing; false when nobody takes it any more.
    fn send(&mut self, source: usize, parts: &SyncSender<Found>) -> bool {
        let Self { source, mut rows, marks } = std::mem::replace(self, Self::of(source));
        if marks.is_empty() {
            return true;
        }
        let sorted = rows.sorted();
        parts.send(Found { source, rows, sorted, marks }).is_ok()
    }
}

impl Task {
    /// Reads until no job is left or nobody takes the parts.
    pub fn run(&self, judge: &dyn Judge, parts: &SyncSender<Found>) {
        let mut gathered = Gathered::of(0);
        let mut data = Vec::new();
        while let Some((number, job)) = self.take() {
            if (gathered.source != job.source || gathered.rows.len() >= self.wanted)
                && !gathered.send(job.source, parts)
            {
                return;
            }
            gathered.source = job.source;
            let read = AssertUnwindSafe(|| self.read(number, job, judge, &mut gathered, &mut data, parts));
            let mark = catch_unwind(read).unwrap_or_else(|_| Some(failed(number, job)));
            let Some(mark) = mark else { return };
            gathered.marks.push(mark);
        }
        gathered.send(0, parts);
    }

    fn take(&self) -> Option<(usize, &Job)> {
        if self.stopped.load(Ordering::Relaxed) {
            return None;
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let ahead = if number == 0 { 0..AHEAD } else { number + AHEAD - 1..number + AHEAD };
        self.jobs.get(ahead.start..ahead.end.min(self.jobs.len())).into_iter().flatten().for_each(|job| {
            files::fetch(&job.path, job.offset);
        });
        self.jobs.get(number).map(|job| (number, job))
    }

    /// None: stopped.
    fn read(
        &self,
        number: usize,
        job: &Job,
        judge: &dyn Judge,
        gathered: &mut Gathered,
        data: &mut Vec<u8>,
        parts: &SyncSender<Found>,
    ) -> Option<Mark> {
        let mut mark =
            Mark { job: number, offset: job.offset, memory: None, done: true, trouble: None, tail: Vec::new() };
        let mut memory = job.memory.clone().unwrap_or_default();
        let mut log = match Log::open(&job.path, job.offset, data) {
            Ok(log) => log,
            Err(error) => return Some(Mark { trouble: Some(Trouble::System(error)), ..mark }),
        };
        loop {
            if gathered.rows.len() >= self.wanted * AT_MOST {
                let (tail, memory) = (log.tail(mark.offset), mark.memory.clone());
                gathered.marks.push(Mark { done: false, trouble: None, tail, memory, ..mark });
                if !gathered.send(job.source, parts) {
                    return None;
                }
            }
            let (offset, block) = match log.block() {
                Ok(Some(found)) => found,
                Ok(None) => break,
                Err(error) => {
                    mark.trouble = Some(Trouble::System(error));
                    break;
                }
            };
            if self.stopped.load(Ordering::Relaxed) {
                return None;
            }
            if let Err(trouble) = self.lines(number, job, offset, block, judge, &mut memory, &mut gathered.rows) {
                mark.trouble = Some(Trouble::Other(trouble));
                break;
            }
            mark.offset = offset + block.len() as u64;
            mark.memory = Some(memory.clone());
        }
        mark.tail = log.tail(mark.offset);
        Some(mark)
    }

    #[allow(clippy::too_many_arguments)]
    fn lines(
        &self,
        number: usize,
        job: &Job,
        offset: u64,
        block: &[u8],
        judge: &dyn Judge,
        memory: &mut Memory,
        rows: &mut Rows,
    ) -> Result<(), String> {
        let Source { form, whose } = &self.sources[job.source];
        let mut place = 0;
        while place < block.len() {
            let end = memchr::memchr(b'\n', &block[place..]).map_or(block.len(), |length| place + length);
            let line = &block[place..end];
            let known = match form {
                Form::Claude => claude::line(line, rows, whose),
                Form::Codex => codex::line(line, &job.identity, memory, rows, whose),
            };
            if !known && !line.is_empty() {
                judge.judge(&Odd { job: number, offset: offset + place as u64, line }, memory, rows)?;
            }
            place = end + 1;
        }
        Ok(())
    }
}

fn failed(number: usize, job: &Job) -> Mark {
    let trouble = Some(Trouble::Other("InternalError: the reader has failed".to_owned()));
    Mark { job: number, offset: job.offset, memory: None, done: true, trouble, tail: Vec::new() }
}
