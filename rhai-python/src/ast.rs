//! A compiled script, and the functions in it.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// A compiled script. Immutable: share it between threads and engines as you like.
#[pyclass(name = "AST", module = "rhai", frozen)]
pub struct Ast {
    pub tree: Arc<rhai::AST>,
}

/// A function that a script defines.
#[pyclass(module = "rhai", frozen, eq, hash, get_all)]
#[derive(PartialEq, Eq, Hash)]
pub struct ScriptFunction {
    /// By which it is called.
    name: String,
    /// Names of its parameters.
    parameters: Vec<String>,
    /// Whether other scripts that import this one may not call it.
    private: bool,
}

#[pymethods]
impl ScriptFunction {
    fn __repr__(&self) -> String {
        format!("<rhai.ScriptFunction {}({})>", self.name, self.parameters.join(", "))
    }
}

#[pymethods]
impl Ast {
    /// The name that errors of this script carry, or None.
    #[getter]
    fn source(&self) -> Option<&str> {
        self.tree.source()
    }

    /// What the script defines, by name and then by how many parameters.
    #[getter]
    fn functions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let mut found: Vec<ScriptFunction> = self
            .tree
            .iter_functions()
            .map(|function| ScriptFunction {
                name: function.name.to_owned(),
                parameters: function.params.iter().map(ToString::to_string).collect(),
                private: function.access.is_private(),
            })
            .collect();
        found.sort_by(|one, other| (&one.name, one.parameters.len()).cmp(&(&other.name, other.parameters.len())));
        PyTuple::new(py, found)
    }

    fn __repr__(&self) -> String {
        match self.tree.source() {
            Some(name) => format!("<rhai.AST {name:?}>"),
            None => "<rhai.AST>".into(),
        }
    }
}
