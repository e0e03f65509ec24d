//! The class `Engine`.

use std::cell::Cell;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyDict, PyString, PyTuple};
use rhai::{CallFnOptions, Dynamic, EvalAltResult, Module, Scope};
use send_wrapper::SendWrapper;

use crate::assemble::{assemble, Kept, Parts};
use crate::ast::Ast;
use crate::callbacks::Callback;
use crate::convert;
use crate::errors::{self, End, Failure};
use crate::evaluation::{panic_text, Evaluation};
use crate::limits::{count, duration, Limits, MAX_SOURCE};
use crate::parsing;
use crate::sizes;
use crate::stack;

/// Runs Rhai scripts within limits. Safe to use from several threads at once.
///
/// A limit of 0 means none for operations and functions; what keeps the process alive has a maximum instead (`limits`
/// tells). `timeout` is in seconds, for each evaluation that does not say otherwise.
#[pyclass(module = "rhai", frozen, weakref)]
pub struct Engine {
    state: Mutex<State>,
    limits: Limits,
    cancelled: Arc<AtomicU64>,
}

struct State {
    parts: Parts,
    /// Made of `parts` when it is first needed; a running evaluation keeps the one that it started with.
    engine: Option<Arc<rhai::Engine>>,
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (
        *, max_operations=100_000, max_call_levels=64, max_expr_depth=64, max_string_size=1_048_576,
        max_array_size=10_000, max_map_size=10_000, max_functions=1000, max_memory=33_554_432, timeout=2.0,
        on_print=None, on_debug=None, modules=None
    ))]
    #[allow(clippy::too_many_arguments)] // They are Python's, by keyword.
    fn new(
        py: Python<'_>,
        max_operations: i64,
        max_call_levels: i64,
        max_expr_depth: i64,
        max_string_size: i64,
        max_array_size: i64,
        max_map_size: i64,
        max_functions: i64,
        max_memory: i64,
        timeout: f64,
        on_print: Option<Bound<'_, PyAny>>,
        on_debug: Option<Bound<'_, PyAny>>,
        modules: Option<Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let limits = Limits {
            operations: count("max_operations", max_operations)?,
            call_levels: count("max_call_levels", max_call_levels)?,
            expr_depth: count("max_expr_depth", max_expr_depth)?,
            string_size: count("max_string_size", max_string_size)?,
            array_size: count("max_array_size", max_array_size)?,
            map_size: count("max_map_size", max_map_size)?,
            functions: count("max_functions", max_functions)?,
            memory: count("max_memory", max_memory)?,
            timeout: duration(timeout)?,
        }
        .clamped();
        let parts = Parts {
            limits: limits.clone(),
            callbacks: Default::default(),
            modules: Default::default(),
            on_print: listener("on_print", on_print)?,
            on_debug: listener("on_debug", on_debug)?,
        };
        let engine = Self { state: Mutex::new(State { parts, engine: None }), limits, cancelled: Arc::default() };
        if let Some(modules) = modules {
            engine.add_modules(py, &modules)?;
        }
        Ok(engine)
    }

    /// Lets scripts call `function` as `name`, or `ns::name`; a function of that name is replaced.
    ///
    /// Evaluations that already run do not see it. Raises ValueError for a name that scripts cannot call, TypeError
    /// if `function` is not callable or needs keyword arguments.
    fn register_fn(&self, py: Python<'_>, name: &str, function: Bound<'_, PyAny>) -> PyResult<()> {
        let callback = Arc::new(Callback::new(name, function)?);
        let key = (callback.path.clone(), callback.name.clone());
        let replaced = self.change(py, |parts| parts.callbacks.insert(key, callback));
        drop(replaced);
        Ok(())
    }

    /// Compiles a script; `source` names it in errors. Raises RhaiSyntaxError.
    #[pyo3(signature = (src, source=None))]
    fn compile(&self, py: Python<'_>, src: &str, source: Option<&str>) -> PyResult<Ast> {
        self.parse(py, src, source, |engine, text| engine.compile(text))
    }

    /// Compiles one expression: no statements, no loops, no functions. For conditions. Raises RhaiSyntaxError.
    #[pyo3(signature = (src, source=None))]
    fn compile_expression(&self, py: Python<'_>, src: &str, source: Option<&str>) -> PyResult<Ast> {
        self.parse(py, src, source, |engine, text| engine.compile_expression(text))
    }

    /// Runs a script and returns its value.
    ///
    /// `scope` gives the script's variables; it is not changed. `timeout` is in seconds, `math.inf` for none; None
    /// means the engine's. Raises RhaiError, or what a registered function raised.
    #[pyo3(signature = (script, scope=None, timeout=None))]
    fn eval<'py>(
        &self,
        py: Python<'py>,
        script: &Bound<'py, PyAny>,
        scope: Option<&Bound<'py, PyDict>>,
        timeout: Option<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut variables = Scope::new();
        if let Some(scope) = scope {
            fill(&mut variables, scope)?;
        }
        let given = sizes::text(variables.iter_raw().map(|(_, _, value)| value));
        if let Ok(ast) = script.cast::<Ast>() {
            let tree = ast.get().tree.clone();
            let name = tree.source().map(ToOwned::to_owned);
            return self.run(py, timeout, name, given, move |engine| engine.eval_ast_with_scope(&mut variables, &tree));
        }
        let Ok(text) = script.cast::<PyString>() else {
            return Err(PyTypeError::new_err("script: must be a str or an AST."));
        };
        let text = source_text(py, text.to_str()?)?;
        self.run(py, timeout, None, given, move |engine| {
            let tree = engine.compile(&text)?;
            engine.eval_ast_with_scope(&mut variables, &tree)
        })
    }

    /// Runs a compiled script, then calls its function `name`, and returns the function's value.
    ///
    /// Raises as `eval` does.
    #[pyo3(signature = (ast, name, *args, timeout=None))]
    fn call_fn<'py>(
        &self,
        py: Python<'py>,
        ast: &Bound<'py, Ast>,
        name: String,
        args: &Bound<'py, PyTuple>,
        timeout: Option<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut values: Vec<Dynamic> = Vec::with_capacity(args.len());
        for (index, value) in args.iter().enumerate() {
            let value = convert::to_dynamic(&value);
            values.push(value.map_err(|refusal| refusal.into_error(&format!("argument {}", index + 1)))?);
        }
        let tree = ast.get().tree.clone();
        let source = tree.source().map(ToOwned::to_owned);
        self.run(py, timeout, source, sizes::text(&values), move |engine| {
            engine.call_fn_with_options(CallFnOptions::default(), &mut Scope::new(), &tree, name, values)
        })
    }

    /// Ends the evaluations that run now, in any thread, with RhaiCancelled; later ones are not affected.
    fn cancel(&self) {
        self.cancelled.fetch_add(1, Ordering::AcqRel);
    }

    /// The limits in force, by their names in the constructor.
    #[getter]
    fn limits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.limits.to_dict(py)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Ok(state) = self.state.try_lock() else {
            return Ok(());
        };
        for callback in state.parts.callbacks.values() {
            visit.call(&callback.callable)?;
        }
        for listener in state.parts.on_print.iter().chain(&state.parts.on_debug) {
            visit.call(listener.as_ref())?;
        }
        Ok(())
    }

    fn __clear__(&self) {
        let Ok(mut state) = self.state.try_lock() else {
            return;
        };
        let dropped = (
            std::mem::take(&mut state.parts.callbacks),
            state.parts.on_print.take(),
            state.parts.on_debug.take(),
            state.engine.take(),
        );
        // What is dropped may run Python code, which may use this engine.
        drop(state);
        drop(dropped);
    }
}

impl Engine {
    /// Changes the parts; the next evaluation gets an engine of the new ones. No Python code runs under the lock.
    fn change<R>(&self, py: Python<'_>, change: impl FnOnce(&mut Parts) -> R) -> R {
        let (result, outdated) = {
            let mut state = self.state.lock_py_attached(py).unwrap_or_else(|poisoned| poisoned.into_inner());
            (change(&mut state.parts), state.engine.take())
        };
        drop(outdated);
        result
    }

    fn current(&self, py: Python<'_>) -> Arc<rhai::Engine> {
        let mut state = self.state.lock_py_attached(py).unwrap_or_else(|poisoned| poisoned.into_inner());
        let State { parts, engine } = &mut *state;
        engine.get_or_insert_with(|| Arc::new(assemble(parts))).clone()
    }

    /// Modules may import those before them.
    fn add_modules(&self, py: Python<'_>, modules: &Bound<'_, PyDict>) -> PyResult<()> {
        for (name, script) in modules.iter() {
            let Ok(name) = name.extract::<String>() else {
                return Err(PyTypeError::new_err("modules: names must be strings."));
            };
            let tree = if let Ok(ast) = script.cast::<Ast>() {
                ast.get().tree.clone()
            } else if let Ok(text) = script.cast::<PyString>() {
                self.compile(py, text.to_str()?, Some(&name))?.tree
            } else {
                return Err(PyTypeError::new_err(format!("modules[{name:?}]: must be a str or an AST.")));
            };
            let made = Rc::new(Cell::new(None));
            let making = made.clone();
            self.run(py, None, Some(name.clone()), 0, move |engine| {
                making.set(Some(Module::eval_ast_as_new(Scope::new(), &tree, engine)?));
                Ok(Dynamic::UNIT)
            })?;
            if let Some(module) = made.take() {
                let kept = Kept::new(module, &self.limits);
                self.change(py, |parts| parts.modules.insert(name, kept));
            }
        }
        Ok(())
    }

    fn parse<E>(
        &self,
        py: Python<'_>,
        text: &str,
        source: Option<&str>,
        parser: impl FnOnce(&rhai::Engine, &String) -> Result<rhai::AST, E> + 'static,
    ) -> PyResult<Ast>
    where
        Box<EvalAltResult>: From<E>,
    {
        let text = source_text(py, text)?;
        let parsed = Rc::new(Cell::new(None));
        let parsing = parsed.clone();
        let name = source.map(ToOwned::to_owned);
        self.run(py, None, name, 0, move |engine| {
            parsing.set(Some(parser(engine, &text)?));
            Ok(Dynamic::UNIT)
        })?;
        let mut tree = parsed.take().ok_or_else(|| PyValueError::new_err("Nothing was compiled."))?;
        if let Some(name) = source {
            tree.set_source(name);
        }
        Ok(Ast { tree: Arc::new(tree) })
    }

    /// Runs `job` on a script's stack, without the interpreter, as one evaluation; `given` is the text that it gets.
    fn run<'py>(
        &self,
        py: Python<'py>,
        timeout: Option<f64>,
        source: Option<String>,
        given: usize,
        job: impl FnOnce(&rhai::Engine) -> Result<Dynamic, Box<EvalAltResult>> + 'static,
    ) -> PyResult<Bound<'py, PyAny>> {
        let timeout: Option<Duration> = match timeout {
            Some(seconds) => duration(seconds)?,
            None => self.limits.timeout,
        };
        let evaluation = Evaluation::new(&self.limits, timeout, &self.cancelled, given);
        if evaluation.too_nested() {
            return Err(End::from(Failure::too_nested()).into_error(py));
        }
        let engine = self.current(py);
        let size = self.limits.stack();
        let task = SendWrapper::new((evaluation.clone(), job));
        let ended = py.detach(move || {
            let (evaluation, job) = task.take();
            let bridge = evaluation.bridge.clone();
            stack::run(size, bridge, move || settle(&evaluation, &engine, source.as_deref(), job))
                .unwrap_or_else(|error| Err(End::NoStack(error)))
        });
        // An exception that a script could not be told, or may not catch, comes before what the script made of it.
        if let Some(error) = evaluation.take_exception() {
            return Err(error);
        }
        let value = ended.map_err(|end| end.into_error(py))?;
        convert::to_python(py, &value).map_err(|refusal| errors::refused(py, &refusal, "result"))
    }
}

/// Runs `job` and leaves nothing behind that would be deep to free.
fn settle(
    evaluation: &Rc<Evaluation>,
    engine: &rhai::Engine,
    source: Option<&str>,
    job: impl FnOnce(&rhai::Engine) -> Result<Dynamic, Box<EvalAltResult>>,
) -> Result<Dynamic, End> {
    let _entered = evaluation.enter();
    parsing::reset();
    let result = catch_unwind(AssertUnwindSafe(|| {
        let value = job(engine).map_err(|error| errors::from_script(engine, error, evaluation.stop(), source))?;
        // Some of Rhai's functions swallow the error that ends a script.
        if let Some(stop) = evaluation.stop() {
            return Err(Failure::stopped(stop).into());
        }
        // Assigning an element is not checked by Rhai.
        engine
            .ensure_data_size_within_limits(&value)
            .map_err(|error| errors::from_script(engine, error, None, source))?;
        convert::check(&value).map_err(|refusal| Failure::result(&refusal))?;
        Ok(value)
    }));
    result.unwrap_or_else(|panic| Err(Failure::panicked(&panic_text(&*panic)).into()))
}

fn listener(name: &str, value: Option<Bound<'_, PyAny>>) -> PyResult<Option<Arc<Py<PyAny>>>> {
    match value {
        Some(value) if !value.is_callable() => Err(PyTypeError::new_err(format!("{name}: must be callable or None."))),
        value => Ok(value.map(|value| Arc::new(value.unbind()))),
    }
}

fn source_text(py: Python<'_>, text: &str) -> PyResult<String> {
    if text.len() > MAX_SOURCE {
        return Err(End::from(Failure::source_too_large(MAX_SOURCE)).into_error(py));
    }
    Ok(text.to_owned())
}

/// The script's variables.
fn fill(variables: &mut Scope<'static>, scope: &Bound<'_, PyDict>) -> PyResult<()> {
    for pair in scope.items().iter() {
        let (key, value) = pair.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
        let Ok(name) = key.cast::<PyString>() else {
            return Err(PyTypeError::new_err(format!(
                "scope: a variable's name has to be a string, not {}.",
                key.get_type().name()?
            )));
        };
        let value = convert::to_dynamic(&value)
            .map_err(|refusal| refusal.into_error(&format!("scope['{}']", name.to_string_lossy())))?;
        variables.push_dynamic(name.to_str()?, value);
    }
    Ok(())
}
