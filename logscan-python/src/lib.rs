//! The usage in coding agents' logs, as rows of numbers.
//!
//! `line` reads one line of JSON, `claude` and `codex` make answers of it, `rows` keeps each answer once, `work` reads
//! files on threads. `logs`, `part` and `scanner` are what Python sees.

mod claude;
mod codex;
mod fields;
mod files;
mod heads;
mod line;
mod logs;
mod part;
mod rows;
mod scanner;
mod text;
mod times;
mod work;

use pyo3::prelude::*;

/// The compiled half of the package `logscan`; import that instead.
#[pymodule(gil_used = true)]
mod _logscan {
    #[pymodule_export]
    use crate::logs::Logs;
    #[pymodule_export]
    use crate::part::Part;
    #[pymodule_export]
    use crate::scanner::Scanner;
}
