//! What Python sees.

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyList, PyString};

use crate::fields::{Kind, Tree};
use crate::heads::Heads;
use crate::line::{self, Value};

type Span = (usize, usize);

/// Finds the plain lines of a buffer, and chosen fields of them.
#[pyclass(frozen, module = "logscan")]
pub struct Scanner {
    tree: Tree,
    skip: Vec<Heads>,
}

/// One field of all plain lines. Texts are copied, each once where lines repeat it: Python's own code may run while its
/// objects are made, and the buffer be changed.
enum Column {
    Texts { texts: Vec<String>, rows: Vec<Option<u32>> },
    Ints(Vec<i64>),
    Flags(Vec<Option<bool>>),
}

struct Found {
    places: Vec<usize>,
    columns: Vec<Column>,
    left: Vec<Span>,
}

#[pymethods]
impl Scanner {
    #[new]
    #[pyo3(signature = (fields, skip = None))]
    fn new(fields: &Bound<'_, PyDict>, skip: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut tree = Tree::default();
        for (path, said) in fields {
            let (path, said): (String, String) = (path.extract()?, said.extract()?);
            let kind = Kind::parse(&said).ok_or_else(|| PyValueError::new_err(format!("{path}: no kind {said:?}")))?;
            tree.add(&path, kind).map_err(PyValueError::new_err)?;
        }
        let mut heads = Vec::new();
        for (name, texts) in skip.into_iter().flatten() {
            heads.push(Heads::new(&name.extract::<String>()?, &texts.extract::<Vec<String>>()?));
        }
        Ok(Self { tree, skip: heads })
    }

    fn scan<'py>(
        &self,
        py: Python<'py>,
        data: PyBuffer<u8>,
        start: usize,
        end: usize,
    ) -> PyResult<(Bound<'py, PyList>, Vec<Span>)> {
        let cells = data.as_slice(py).ok_or_else(|| PyValueError::new_err("the buffer is not contiguous"))?;
        let cells =
            cells.get(start..end).ok_or_else(|| PyValueError::new_err("start and end are not in the buffer"))?;
        // SAFETY: a `ReadOnlyCell<u8>` has the layout of a `u8`; nobody writes to the buffer while this slice is used,
        // because the GIL is held and no code of Python's is called.
        let bytes = unsafe { std::slice::from_raw_parts(cells.as_ptr().cast::<u8>(), cells.len()) };
        let found = self.found(bytes, start);
        let columns = PyList::new(py, found.places)?;
        let all = PyList::empty(py);
        all.append(columns)?;
        for column in found.columns {
            all.append(column.into_list(py)?)?;
        }
        Ok((all, found.left))
    }
}

impl Scanner {
    fn found(&self, bytes: &[u8], offset: usize) -> Found {
        let kinds = self.tree.kinds.iter();
        let mut columns: Vec<_> = kinds.filter(|kind| kind.is_column()).map(Column::of).collect();
        let (mut places, mut left) = (Vec::new(), Vec::new());
        let mut values = vec![Value::default(); self.tree.kinds.len()];
        let mut place = 0;
        while place < bytes.len() {
            let end = memchr::memchr(b'\n', &bytes[place..]).map_or(bytes.len(), |length| place + length);
            let line = &bytes[place..end];
            if !self.skip.iter().any(|heads| heads.holds(line)) {
                if line::read(line, &self.tree, &mut values) {
                    places.push(offset + place);
                    let given = self.tree.kinds.iter().zip(&values).filter(|(kind, _)| kind.is_column());
                    columns.iter_mut().zip(given).for_each(|(column, (_, value))| column.add(*value, line));
                } else {
                    left.push((offset + place, offset + end));
                }
            }
            place = end + 1;
        }
        Found { places, columns, left }
    }
}

impl Column {
    fn of(kind: &Kind) -> Self {
        match kind {
            Kind::Text { .. } => Self::Texts { texts: Vec::new(), rows: Vec::new() },
            Kind::Flag { .. } => Self::Flags(Vec::new()),
            _ => Self::Ints(Vec::new()),
        }
    }

    fn add(&mut self, value: Value, line: &[u8]) {
        match (self, value) {
            (Self::Texts { texts, rows }, Value::Text(start, end)) => {
                let text = &line[start..end];
                if texts.last().is_none_or(|last| last.as_bytes() != text) {
                    texts.push(String::from_utf8_lossy(text).into_owned());
                }
                rows.push(u32::try_from(texts.len() - 1).ok());
            }
            (Self::Texts { rows, .. }, _) => rows.push(None),
            (Self::Ints(rows), Value::Int(number)) => rows.push(number),
            (Self::Ints(rows), _) => rows.push(0),
            (Self::Flags(rows), Value::Flag(flag)) => rows.push(Some(flag)),
            (Self::Flags(rows), _) => rows.push(None),
        }
    }

    fn into_list(self, py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
        let none = || py.None().into_bound(py);
        match self {
            Self::Texts { texts, rows } => {
                let texts: Vec<_> = texts.iter().map(|text| PyString::new(py, text).into_any()).collect();
                PyList::new(py, rows.into_iter().map(|row| row.map_or_else(none, |row| texts[row as usize].clone())))
            }
            Self::Ints(rows) => PyList::new(py, rows.into_iter().map(|number| PyInt::new(py, number))),
            Self::Flags(rows) => PyList::new(
                py,
                rows.into_iter().map(|flag| flag.map_or_else(none, |flag| PyBool::new(py, flag).to_owned().into_any())),
            ),
        }
    }
}
