//! A script's variables: in, and for a `Scope` out again.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyString, PyTuple};
use rhai::Dynamic;

use crate::convert::{self, Entry};
use crate::orders::Orders;

/// Variables that a script may change, and that are read back when it has ended: those that it was given, and those
/// that it has made with `let` or `const` outside of its blocks. It is a mutable mapping, used like a dict.
///
/// A script that fails changes nothing. Use one in one thread at a time.
#[pyclass(module = "rhai", frozen, mapping, weakref)]
pub struct Scope {
    values: Py<PyDict>,
}

#[pymethods]
impl Scope {
    #[new]
    #[pyo3(signature = (variables=None))]
    fn new(py: Python<'_>, variables: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let values = PyDict::new(py);
        if let Some(given) = variables {
            values.call_method1("update", (given,))?;
        }
        Ok(Self { values: values.unbind() })
    }

    fn __eq__(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        match value.cast::<Self>() {
            Ok(other) => self.values.bind(py).eq(other.get().values.bind(py)),
            Err(_) => self.values.bind(py).eq(value),
        }
    }

    fn __getitem__<'py>(&self, py: Python<'py>, name: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.values.bind(py).as_any().get_item(name)
    }

    fn __setitem__(&self, py: Python<'_>, name: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.values.bind(py).set_item(name, value)
    }

    fn __delitem__(&self, py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<()> {
        self.values.bind(py).del_item(name)
    }

    fn __contains__(&self, py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.values.bind(py).contains(name)
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.values.bind(py).len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.values.bind(py).as_any().try_iter()
    }

    /// What `dict(scope)` and `**scope` ask for.
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.values.bind(py).call_method0("keys")
    }

    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.values.bind(py).call_method0("values")
    }

    fn items<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.values.bind(py).call_method0("items")
    }

    #[pyo3(signature = (name, default=None, /))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        name: &Bound<'py, PyAny>,
        default: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.values.bind(py).call_method1("get", (name, default))
    }

    /// Takes a variable out; KeyError where it is not there and there is no default.
    #[pyo3(signature = (name, /, *default))]
    fn pop<'py>(
        &self,
        py: Python<'py>,
        name: &Bound<'py, PyAny>,
        default: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let given = PyTuple::new(py, [name])?.as_sequence().concat(default.as_sequence())?.to_tuple()?;
        self.values.bind(py).call_method1("pop", given)
    }

    /// Takes the newest variable out; KeyError where there is none.
    fn popitem<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.values.bind(py).call_method0("popitem")
    }

    #[pyo3(signature = (name, default=None, /))]
    fn setdefault<'py>(
        &self,
        py: Python<'py>,
        name: &Bound<'py, PyAny>,
        default: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.values.bind(py).call_method1("setdefault", (name, default))
    }

    /// Takes over variables of a mapping, or of pairs.
    #[pyo3(signature = (variables, /))]
    fn update(&self, py: Python<'_>, variables: &Bound<'_, PyAny>) -> PyResult<()> {
        self.values.bind(py).call_method1("update", (variables,)).map(drop)
    }

    fn clear(&self, py: Python<'_>) {
        self.values.bind(py).clear();
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("rhai.Scope({})", self.values.bind(py).repr()?.to_string_lossy()))
    }

    fn __traverse__(&self, visit: pyo3::gc::PyVisit<'_>) -> Result<(), pyo3::gc::PyTraverseError> {
        visit.call(&self.values)
    }
}

impl Scope {
    pub fn dict<'py>(&self, py: Python<'py>) -> &Bound<'py, PyDict> {
        self.values.bind(py)
    }

    /// Takes over what a script has left.
    pub fn take(&self, py: Python<'_>, left: &[(String, Dynamic)], orders: &Orders) -> PyResult<()> {
        let found = PyDict::new(py);
        for (name, value) in left {
            let value = convert::to_python(py, value, orders)
                .map_err(|refusal| PyTypeError::new_err(refusal.message(&format!("scope['{name}']"))))?;
            found.set_item(name, value)?;
        }
        self.values.bind(py).update(found.as_mapping())
    }
}

/// Fills a script's variables.
pub fn fill<'py>(
    variables: &mut rhai::Scope<'static>,
    given: &Bound<'py, PyDict>,
    entry: &mut Entry<'_, 'py>,
) -> PyResult<()> {
    for pair in given.items().iter() {
        let (key, value) = pair.extract::<(Bound<'py, PyAny>, Bound<'py, PyAny>)>()?;
        let Ok(name) = key.cast::<PyString>() else {
            let kind = key.get_type().name()?;
            return Err(PyTypeError::new_err(format!("scope: a variable's name has to be a string, not {kind}.")));
        };
        let value = convert::to_dynamic(&value, entry)
            .map_err(|refusal| refusal.into_error(&format!("scope['{}']", name.to_string_lossy())))?;
        variables.push_dynamic(name.to_str()?, value);
    }
    Ok(())
}

/// What stands in a script's variables that Python can hold; of two with one name the later. On the script's stack,
/// where the others are freed.
pub fn left(variables: rhai::Scope<'static>) -> Vec<(String, Dynamic)> {
    let mut found: Vec<(String, Dynamic)> = Vec::new();
    for (name, _, value) in variables.iter() {
        if convert::check(&value).is_err() {
            continue; // a function pointer, for one, means something in its script alone
        }
        match found.iter_mut().find(|(known, _)| known == name) {
            Some(known) => known.1 = value,
            None => found.push((name.to_owned(), value)),
        }
    }
    found
}
