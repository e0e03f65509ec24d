//! A compiled script, and the functions in it.

use std::sync::{Arc, OnceLock};

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::written::Written;

/// A script's tree, and what its text says of the order of keys, once somebody asks.
pub struct Script {
    pub tree: rhai::AST,
    written: OnceLock<Written>,
}

impl Script {
    pub fn new(tree: rhai::AST) -> Arc<Self> {
        Arc::new(Self { tree, written: OnceLock::new() })
    }

    /// Reads the text where nobody has. To be called on a script's stack.
    pub fn written(&self) -> &Written {
        self.written.get_or_init(|| Written::read(&self.tree))
    }

    /// None if nobody has read the text.
    pub fn known(&self) -> Option<&Written> {
        self.written.get()
    }
}

/// A compiled script. Immutable: share it between threads and engines as you like.
#[pyclass(name = "AST", module = "rhai", frozen)]
pub struct Ast {
    pub script: Arc<Script>,
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
        self.script.tree.source()
    }

    /// What the script defines, by name and then by how many parameters.
    #[getter]
    fn functions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let mut found: Vec<ScriptFunction> = self
            .script
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
        match self.script.tree.source() {
            Some(name) => format!("<rhai.AST {name:?}>"),
            None => "<rhai.AST>".into(),
        }
    }
}
