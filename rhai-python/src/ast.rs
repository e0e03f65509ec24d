//! A compiled script.

use std::sync::Arc;

use pyo3::prelude::*;

/// A compiled script. Immutable: share it between threads and engines as you like.
#[pyclass(name = "AST", module = "rhai", frozen)]
pub struct Ast {
    pub tree: Arc<rhai::AST>,
}

#[pymethods]
impl Ast {
    /// The name that errors of this script carry, or None.
    #[getter]
    fn source(&self) -> Option<&str> {
        self.tree.source()
    }

    fn __repr__(&self) -> String {
        match self.tree.source() {
            Some(name) => format!("<rhai.AST {name:?}>"),
            None => "<rhai.AST>".into(),
        }
    }
}
