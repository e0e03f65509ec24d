//! Rhai's errors as Python's. The classes are in `rhai.errors`.

use std::panic;

use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyType};
use rhai::{Dynamic, EvalAltResult, Position};

use crate::callbacks::Raised;
use crate::convert::{self, Reason, Refusal};
use crate::evaluation::{self, Stop};
use crate::orders::Orders;

/// Characters of a thrown value, or of Rhai's own message, that an error's text shows.
const SHOWN: usize = 1000;

#[derive(Clone, Copy)]
pub enum Class {
    Syntax,
    Runtime,
    Limit,
    Timeout,
    Cancelled,
    Conversion,
}

impl Class {
    fn name(self) -> &'static str {
        match self {
            Self::Syntax => "RhaiSyntaxError",
            Self::Runtime => "RhaiRuntimeError",
            Self::Limit => "RhaiLimitError",
            Self::Timeout => "RhaiTimeout",
            Self::Cancelled => "RhaiCancelled",
            Self::Conversion => "RhaiConversionError",
        }
    }

    fn load(self, py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
        static LOADED: [PyOnceLock<Py<PyType>>; 6] = [const { PyOnceLock::new() }; 6];
        LOADED[self as usize].import(py, "rhai.errors", self.name())
    }
}

/// Why a script failed, with nothing left in it that would be deep or tied to a stack.
pub struct Failure {
    class: Class,
    kind: &'static str,
    message: String,
    position: Position,
    source: Option<String>,
    value: Option<Dynamic>,
}

/// How a script ended, if not with a value.
pub enum End {
    Failed(Box<Failure>),
    Raised(Raised),
    NoStack(std::io::Error),
}

impl From<Failure> for End {
    fn from(failure: Failure) -> Self {
        Self::Failed(Box::new(failure))
    }
}

impl Failure {
    fn new(class: Class, kind: &'static str, message: impl Into<String>) -> Self {
        Self { class, kind, message: message.into(), position: Position::NONE, source: None, value: None }
    }

    pub fn panicked(text: &str) -> Self {
        Self::new(Class::Runtime, "ErrorInternal", format!("The engine failed inside: {text}."))
    }

    pub fn too_nested() -> Self {
        let most = evaluation::MAX_NESTED;
        let text = format!("Evaluations may nest {most} levels deep, by way of callbacks.");
        Self::new(Class::Limit, "ErrorStackOverflow", text)
    }

    pub fn source_too_large(most: usize) -> Self {
        Self::new(Class::Limit, "ErrorDataTooLarge", format!("A script's text may have {most} bytes."))
    }

    /// A result without a counterpart in Python.
    pub fn result(refusal: &Refusal) -> Self {
        Self::refused(refusal, "result")
    }

    fn refused(refusal: &Refusal, root: &str) -> Self {
        let message = refusal.message(root);
        match refusal.reason {
            Reason::Depth => Self::new(Class::Limit, "ErrorDataTooLarge", message),
            _ => Self::new(Class::Conversion, "ErrorMismatchOutputType", message),
        }
    }

    pub fn stopped(stop: Stop) -> Self {
        match stop {
            Stop::Deadline => Self::new(Class::Timeout, "ErrorTerminated", "The script ran past its deadline"),
            Stop::Cancelled => Self::new(Class::Cancelled, "ErrorTerminated", "The script was cancelled"),
            Stop::Memory => Self::new(Class::Limit, "ErrorDataTooLarge", "The script's data take too much memory"),
            Stop::Stack => Self::new(Class::Limit, "ErrorStackOverflow", "The script's calls are nested too deep"),
            Stop::Text => Self::new(Class::Limit, "ErrorDataTooLarge", "Length of string too large"),
            Stop::Exception => Self::new(Class::Runtime, "ErrorTerminated", "A callback ended the script"),
        }
    }

    fn at(mut self, position: Position, source: Option<&str>) -> Self {
        self.position = position;
        self.source = source.filter(|name| !name.is_empty()).map(ToOwned::to_owned);
        self
    }

    fn into_error(self, py: Python<'_>, orders: &Orders) -> PyResult<PyErr> {
        let details = PyDict::new(py);
        details.set_item("line", self.position.line())?;
        details.set_item("column", self.position.position())?;
        details.set_item("kind", self.kind)?;
        details.set_item("source", self.source)?;
        if let Some(value) = self.value {
            let value = convert::to_python(py, &value, orders).map_err(|refusal| refusal.into_error("value"))?;
            details.set_item("value", value)?;
        }
        Ok(PyErr::from_value(self.class.load(py)?.call((self.message,), Some(&details))?))
    }
}

impl End {
    /// `orders` are those of the evaluation that has ended.
    pub fn into_error(self, py: Python<'_>, orders: &Orders) -> PyErr {
        match self {
            Self::Failed(failure) => failure.into_error(py, orders).unwrap_or_else(|error| error),
            Self::Raised(raised) => raised.into_error(py),
            Self::NoStack(error) => {
                PyMemoryError::new_err(format!("No room for a script's stack; lower max_memory. ({error})"))
            }
        }
    }
}

/// The exception for a script's value that Python cannot have.
pub fn refused(py: Python<'_>, refusal: &Refusal, root: &str) -> PyErr {
    End::from(Failure::refused(refusal, root)).into_error(py, &Orders::default())
}

/// `stop` is why the evaluation was ended, if it was. To be called on the script's stack: the error may hold deep data.
pub fn from_script(engine: &rhai::Engine, error: Box<EvalAltResult>, stop: Option<Stop>, source: Option<&str>) -> End {
    let inner = error.unwrap_inner();
    let position = if inner.position().is_none() { error.position() } else { inner.position() };
    let source = inner_source(&error).or(source).map(ToOwned::to_owned);
    let failure = match (inner, stop) {
        // Whatever the script or the parser made of being ended.
        (_, Some(stop)) => Failure::stopped(stop).at(position, source.as_deref()).placed(),
        (EvalAltResult::ErrorRuntime(value, ..), _) => match value.read_lock::<Raised>() {
            Some(raised) => return End::Raised(raised.clone()),
            None => thrown(engine, value).at(position, source.as_deref()).placed(),
        },
        _ => Failure::new(class(inner), kind(inner), shortened(error.to_string())).at(position, source.as_deref()),
    };
    failure.into()
}

impl Failure {
    /// Adds the position to the text, as Rhai does.
    fn placed(mut self) -> Self {
        if !self.position.is_none() {
            self.message = format!("{} ({})", self.message, self.position);
        }
        self
    }
}

/// What `throw value` ends with. Rhai's own text of the error would print the value, whatever it is.
fn thrown(engine: &rhai::Engine, value: &Dynamic) -> Failure {
    let mut failure = Failure::new(Class::Runtime, "ErrorRuntime", "Runtime error");
    if convert::check(value).is_err() || engine.ensure_data_size_within_limits(value).is_err() {
        failure.message = format!("Runtime error: {}", value.type_name());
        return failure;
    }
    if !value.is_unit() {
        failure.message = format!("Runtime error: {}", shortened(value.to_string()));
    }
    evaluation::prepare([value]);
    failure.value = Some(value.flatten_clone());
    failure
}

fn shortened(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(SHOWN) {
        text.truncate(end);
    }
    text
}

/// The source of the innermost function that the error passed through.
fn inner_source(error: &EvalAltResult) -> Option<&str> {
    match error {
        EvalAltResult::ErrorInFunctionCall(_, source, inner, _) => {
            inner_source(inner).or(Some(source.as_str()).filter(|name| !name.is_empty()))
        }
        EvalAltResult::ErrorInModule(name, inner, _) => inner_source(inner).or(Some(name.as_str())),
        _ => None,
    }
}

fn class(error: &EvalAltResult) -> Class {
    use EvalAltResult as E;
    match error {
        E::ErrorParsing(..) => Class::Syntax,
        E::ErrorTooManyOperations(..)
        | E::ErrorTooManyVariables(..)
        | E::ErrorTooManyModules(..)
        | E::ErrorStackOverflow(..)
        | E::ErrorDataTooLarge(..) => Class::Limit,
        _ => Class::Runtime,
    }
}

/// The name that Rhai gives the error.
fn kind(error: &EvalAltResult) -> &'static str {
    use EvalAltResult as E;
    match error {
        E::ErrorSystem(..) => "ErrorSystem",
        E::ErrorParsing(..) => "ErrorParsing",
        E::ErrorVariableExists(..) => "ErrorVariableExists",
        E::ErrorForbiddenVariable(..) => "ErrorForbiddenVariable",
        E::ErrorVariableNotFound(..) => "ErrorVariableNotFound",
        E::ErrorPropertyNotFound(..) => "ErrorPropertyNotFound",
        E::ErrorIndexNotFound(..) => "ErrorIndexNotFound",
        E::ErrorFunctionNotFound(..) => "ErrorFunctionNotFound",
        E::ErrorModuleNotFound(..) => "ErrorModuleNotFound",
        E::ErrorInFunctionCall(..) => "ErrorInFunctionCall",
        E::ErrorInModule(..) => "ErrorInModule",
        E::ErrorUnboundThis(..) => "ErrorUnboundThis",
        E::ErrorMismatchDataType(..) => "ErrorMismatchDataType",
        E::ErrorMismatchOutputType(..) => "ErrorMismatchOutputType",
        E::ErrorIndexingType(..) => "ErrorIndexingType",
        E::ErrorArrayBounds(..) => "ErrorArrayBounds",
        E::ErrorStringBounds(..) => "ErrorStringBounds",
        E::ErrorBitFieldBounds(..) => "ErrorBitFieldBounds",
        E::ErrorFor(..) => "ErrorFor",
        E::ErrorDataRace(..) => "ErrorDataRace",
        E::ErrorNonPureMethodCallOnConstant(..) => "ErrorNonPureMethodCallOnConstant",
        E::ErrorAssignmentToConstant(..) => "ErrorAssignmentToConstant",
        E::ErrorDotExpr(..) => "ErrorDotExpr",
        E::ErrorArithmetic(..) => "ErrorArithmetic",
        E::ErrorTooManyOperations(..) => "ErrorTooManyOperations",
        E::ErrorTooManyVariables(..) => "ErrorTooManyVariables",
        E::ErrorTooManyModules(..) => "ErrorTooManyModules",
        E::ErrorStackOverflow(..) => "ErrorStackOverflow",
        E::ErrorDataTooLarge(..) => "ErrorDataTooLarge",
        E::ErrorTerminated(..) => "ErrorTerminated",
        E::ErrorCustomSyntax(..) => "ErrorCustomSyntax",
        E::ErrorRuntime(..) => "ErrorRuntime",
        _ => "ErrorOther",
    }
}

/// Keeps panics inside of a script off the standard error stream; they become exceptions.
pub fn quiet_panics() {
    let loud = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if !evaluation::is_running() {
            loud(info);
        }
    }));
}
