//! The Rhai engine for Python. One file per concern; `engine` is what Python sees.

mod assemble;
mod ast;
mod callbacks;
mod comparers;
mod convert;
mod engine;
mod errors;
mod evaluation;
mod limits;
mod memory;
mod natives;
mod orders;
mod parsing;
mod sizes;
mod stack;
mod texts;
mod variables;
mod written;

use pyo3::prelude::*;

#[global_allocator]
static ALLOCATOR: memory::Metered = memory::Metered;

/// The compiled half of the package `rhai`; import that instead.
#[pymodule(gil_used = true)]
mod _rhai {
    #[pymodule_export]
    use crate::ast::{Ast, ScriptFunction};
    #[pymodule_export]
    use crate::engine::Engine;
    #[pymodule_export]
    use crate::variables::Scope;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::errors::quiet_panics();
        module.add("MAX_NESTING", crate::convert::MAX_NESTING)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
