//! Python functions that scripts call, and the exceptions that come out of them.

use std::ops::RangeInclusive;
use std::sync::Arc;

use pyo3::exceptions::{PyException, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use rhai::{
    Dynamic, EvalAltResult, FnNamespace, FuncRegistration, ImmutableString, Module, NativeCallContext, Position,
};

use crate::convert::{self, Entry};
use crate::errors;
use crate::evaluation::{current, on_host, prepare};
use crate::orders::Orders;

/// Arguments that a function may have; Rhai looks for one in two to that power steps.
pub const MAX_ARGUMENTS: usize = 10;
/// What a function takes that does not say.
const UNKNOWN_ARGUMENTS: RangeInclusive<usize> = 0..=8;

/// A Python exception while it passes through a script. As a script's value it is opaque, save for its text.
#[derive(Clone)]
pub struct Raised(Arc<Py<PyAny>>);

impl Raised {
    pub fn exception<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.0.bind(py).clone()
    }

    /// The same exception object, its traceback kept.
    pub fn into_error(self, py: Python<'_>) -> PyErr {
        PyErr::from_value(self.exception(py))
    }

    fn type_name(&self) -> String {
        on_host(|py| self.0.bind(py).get_type().name().map_or_else(|_| "Exception".into(), |name| name.to_string()))
    }

    fn message(&self) -> String {
        on_host(|py| self.0.bind(py).str().map_or_else(|_| String::new(), |text| text.to_string_lossy().into_owned()))
    }

    fn text(&self) -> String {
        let (kind, message) = (self.type_name(), self.message());
        if message.is_empty() {
            kind
        } else {
            format!("{kind}: {message}")
        }
    }
}

/// What a script may ask of an exception that it caught.
pub fn add_exceptions(module: &mut Module) {
    module.set_custom_type::<Raised>("Exception");
    for name in ["print", "to_string", "debug", "to_debug"] {
        FuncRegistration::new(name)
            .in_global_namespace()
            .with_purity(true)
            .set_into_module(module, |raised: &mut Raised| -> ImmutableString { raised.text().into() });
    }
    FuncRegistration::new_getter("type")
        .in_global_namespace()
        .with_purity(true)
        .set_into_module(module, |raised: &mut Raised| -> ImmutableString { raised.type_name().into() });
    FuncRegistration::new_getter("message")
        .in_global_namespace()
        .with_purity(true)
        .set_into_module(module, |raised: &mut Raised| -> ImmutableString { raised.message().into() });
}

/// A registered function.
pub struct Callback {
    /// Namespaces, outermost first.
    pub path: Vec<String>,
    pub name: String,
    pub callable: Py<PyAny>,
    arguments: RangeInclusive<usize>,
    hook: Option<Arc<Py<PyAny>>>,
}

impl Callback {
    /// `full` is `name` or `ns::name`; `hook` is the engine's `default`. ValueError for a name that scripts cannot call,
    /// TypeError for a signature, and for a function that is asynchronous.
    pub fn new(full: &str, callable: Bound<'_, PyAny>, hook: Option<Arc<Py<PyAny>>>) -> PyResult<Self> {
        if !callable.is_callable() {
            return Err(PyTypeError::new_err(format!("{full}: must be callable.")));
        }
        refuse_asynchronous(full, &callable)?;
        let mut path: Vec<String> = full.split("::").map(ToOwned::to_owned).collect();
        if !path.iter().all(|part| is_name(part)) {
            let text = format!("{full}: must be a name that scripts can call, such as `trim` or `text::trim`.");
            return Err(PyValueError::new_err(text));
        }
        let name = path.pop().unwrap_or_default();
        let arguments = arguments(full, &callable)?;
        Ok(Self { path, name, callable: callable.unbind(), arguments, hook })
    }

    pub fn full_name(&self) -> String {
        let mut parts = self.path.clone();
        parts.push(self.name.clone());
        parts.join("::")
    }

    /// Adds the function to a module, once for each number of arguments.
    pub fn add_to(self: &Arc<Self>, module: &mut Module) {
        macro_rules! add {
            ($($argument:ident)*) => {{
                let callback = self.clone();
                let function = move |context: NativeCallContext, $($argument: Dynamic),*| {
                    callback.call(&context, &[$($argument),*])
                };
                self.registration().set_into_module(module, function);
            }};
        }
        for count in self.arguments.clone() {
            match count {
                0 => add!(),
                1 => add!(a),
                2 => add!(a b),
                3 => add!(a b c),
                4 => add!(a b c d),
                5 => add!(a b c d e),
                6 => add!(a b c d e f),
                7 => add!(a b c d e f g),
                8 => add!(a b c d e f g h),
                9 => add!(a b c d e f g h i),
                _ => add!(a b c d e f g h i j),
            }
        }
    }

    fn registration(&self) -> FuncRegistration {
        let namespace = if self.path.is_empty() { FnNamespace::Global } else { FnNamespace::Internal };
        FuncRegistration::new(self.name.as_str()).with_namespace(namespace).with_volatility(true)
    }

    fn call(&self, context: &NativeCallContext, arguments: &[Dynamic]) -> Result<Dynamic, Box<EvalAltResult>> {
        for argument in arguments {
            // Assigning an element is not checked by Rhai.
            context.engine().ensure_data_size_within_limits(argument)?;
        }
        prepare(arguments);
        let answer = on_host(|py| self.call_python(py, arguments).map_err(|error| sort(py, error)));
        answer.map_err(|thrown| match thrown {
            Thrown::Catchable(raised) => EvalAltResult::ErrorRuntime(Dynamic::from(raised), Position::NONE).into(),
            Thrown::Final(error) => {
                fail(error);
                EvalAltResult::ErrorTerminated(Dynamic::UNIT, Position::NONE).into()
            }
        })
    }

    fn call_python(&self, py: Python<'_>, arguments: &[Dynamic]) -> PyResult<Dynamic> {
        let running = current();
        // Taken out and put back: what Python code does meanwhile cannot find them in use.
        let mut orders = running.as_ref().map(|running| running.orders.take()).unwrap_or_default();
        let result = self.call_with(py, arguments, &mut orders);
        if let Some(running) = running {
            running.orders.replace(orders);
        }
        result
    }

    fn call_with(&self, py: Python<'_>, arguments: &[Dynamic], orders: &mut Orders) -> PyResult<Dynamic> {
        let mut values = Vec::with_capacity(arguments.len());
        for (index, argument) in arguments.iter().enumerate() {
            let value = convert::to_python(py, argument, orders).map_err(|refusal| {
                let root = format!("argument {} of {}", index + 1, self.full_name());
                errors::refused(py, &refusal, &root)
            })?;
            values.push(value);
        }
        let result = self.callable.bind(py).call1(PyTuple::new(py, values)?)?;
        let hook = self.hook.as_ref().map(|hook| hook.bind(py));
        convert::to_dynamic(&result, &mut Entry { hook, orders })
            .map_err(|refusal| refusal.into_error(&format!("result of {}", self.full_name())))
    }
}

enum Thrown {
    Catchable(Raised),
    Final(PyErr),
}

/// KeyboardInterrupt, SystemExit and their like are not for scripts.
fn sort(py: Python<'_>, error: PyErr) -> Thrown {
    if error.is_instance_of::<PyException>(py) {
        Thrown::Catchable(Raised(Arc::new(error.into_value(py).into_any())))
    } else {
        Thrown::Final(error)
    }
}

fn fail(error: PyErr) {
    if let Some(running) = current() {
        running.fail(error);
    }
}

/// Calls a listener: `print` has no way to report an error, so that ends the script afterwards.
fn notify(arguments: impl FnOnce(Python<'_>) -> PyResult<()> + Send) {
    if current().is_some_and(|running| running.stop().is_some()) {
        return;
    }
    if let Err(error) = on_host(arguments) {
        fail(error);
    }
}

/// Sends what scripts print to `listener`.
pub fn listen_print(engine: &mut rhai::Engine, listener: Arc<Py<PyAny>>) {
    engine.on_print(move |text| {
        notify(|py| listener.bind(py).call1((PyString::new(py, text),)).map(drop));
    });
}

/// Sends what scripts `debug` to `listener`: the text, the script's source, line and column, each None if unknown.
pub fn listen_debug(engine: &mut rhai::Engine, listener: Arc<Py<PyAny>>) {
    engine.on_debug(move |text, source, position| {
        notify(|py| listener.bind(py).call1((text, source, position.line(), position.position())).map(drop));
    });
}

/// Words that scripts cannot use as a function's name, or that Rhai treats in its own way.
const TAKEN: [&str; 11] =
    ["print", "debug", "type_of", "eval", "Fn", "call", "curry", "is_shared", "is_def_var", "is_def_fn", "this"];

fn is_name(part: &str) -> bool {
    let word = part.chars().all(|character| character.is_ascii_alphanumeric() || character == '_');
    word && !part.is_empty() && !TAKEN.contains(&part) && part != "global" && {
        // The parser knows which words are reserved, and what a name may begin with.
        rhai::Engine::new_raw().compile_expression(format!("{part}()")).is_ok()
    }
}

/// TypeError for a function that nobody would await.
pub fn refuse_asynchronous(name: &str, callable: &Bound<'_, PyAny>) -> PyResult<()> {
    if !is_asynchronous(callable)? {
        return Ok(());
    }
    Err(PyTypeError::new_err(format!(
        "{name}: is asynchronous, and scripts await nothing. Give a function that waits for the result, such as one that \
         calls asyncio.run_coroutine_threadsafe(...).result(), and run the script in a thread."
    )))
}

/// Whether calling it gives a coroutine, or an asynchronous generator.
fn is_asynchronous(callable: &Bound<'_, PyAny>) -> PyResult<bool> {
    let inspect = callable.py().import("inspect")?;
    let mut looked_at = vec![callable.clone()];
    if !callable.is_instance_of::<pyo3::types::PyType>() {
        looked_at.extend(callable.getattr_opt("__call__")?);
    }
    for one in looked_at {
        for question in ["iscoroutinefunction", "isasyncgenfunction"] {
            if inspect.call_method1(question, (&one,))?.is_truthy()? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// How many positional arguments `callable` takes.
fn arguments(full: &str, callable: &Bound<'_, PyAny>) -> PyResult<RangeInclusive<usize>> {
    let py = callable.py();
    let Ok(signature) = py.import("inspect")?.call_method1("signature", (callable,)) else {
        return Ok(UNKNOWN_ARGUMENTS);
    };
    let empty = py.import("inspect")?.getattr("Parameter")?.getattr("empty")?;
    let (mut least, mut most) = (0, 0);
    for parameter in signature.getattr("parameters")?.call_method0("values")?.try_iter()? {
        let parameter = parameter?;
        let needed = parameter.getattr("default")?.is(&empty);
        match parameter.getattr("kind")?.getattr("name")?.extract::<String>()?.as_str() {
            "POSITIONAL_ONLY" | "POSITIONAL_OR_KEYWORD" => {
                most += 1;
                least += usize::from(needed);
            }
            "VAR_POSITIONAL" => most = most.max(*UNKNOWN_ARGUMENTS.end()),
            "KEYWORD_ONLY" if needed => {
                let text = format!("{full}: scripts have no keyword arguments, and one is required.");
                return Err(PyTypeError::new_err(text));
            }
            _ => {}
        }
    }
    if least > MAX_ARGUMENTS {
        return Err(PyTypeError::new_err(format!("{full}: at most {MAX_ARGUMENTS} arguments can be passed.")));
    }
    Ok(least..=most.min(MAX_ARGUMENTS))
}
