//! Chosen fields of JSON lines, as columns. `line` reads one line, `scanner` is what Python sees.

mod fields;
mod heads;
mod line;
mod scanner;
mod text;
mod times;

use pyo3::prelude::*;

/// The compiled half of the package `logscan`; import that instead.
#[pymodule(gil_used = true)]
mod _logscan {
    #[pymodule_export]
    use crate::scanner::Scanner;
}
