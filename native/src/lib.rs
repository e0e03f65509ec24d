//! Jackfield's own compiled parts: today the usage in coding agents' logs, as rows of numbers.
//!
//! `line` reads one line of JSON, `claude` and `codex` make answers of it, `rows` keeps each answer once, `work` reads
//! files on threads. `logs` and `part` are what Python sees.

mod claude;
mod codex;
mod fields;
mod files;
mod heads;
mod line;
mod logs;
mod part;
mod rows;
mod text;
mod times;
mod work;

use pyo3::prelude::*;

/// The compiled half of the package `jackfield_native`; import that instead.
#[pymodule(gil_used = true)]
mod _native {
    #[pymodule_export]
    use crate::logs::Logs;
    #[pymodule_export]
    use crate::part::Part;
}
