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
use rhai::{CallFnOptions, Dynamic, EvalAltResult, Module};
use send_wrapper::SendWrapper;

use crate::assemble::{assemble, Kept, Parts};
use crate::ast::{Ast, Script};
use crate::callbacks::{refuse_asynchronous, Callback};
use crate::convert::{self, Entry};
use crate::errors::{self, End, Failure};
use crate::evaluation::{self, panic_text, Evaluation};
use crate::limits::{bound, count, duration, Limits, MAX_SOURCE};
use crate::orders::Orders;
use crate::parsing;
use crate::sizes;
use crate::stack;
use crate::variables::{self, Scope};

/// Runs Rhai scripts within limits. Safe to use from several threads at once.
///
/// A limit of None means none for operations and functions; what keeps the process alive has a maximum instead
/// (`limits` tells). `timeout` is in seconds, for each evaluation that does not say otherwise.
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
    #[pyo3(
        signature = (*, max_operations=Some(100_000), max_call_levels=Some(64), max_expr_depth=Some(64), max_string_size=Some(1_048_576),
        max_array_size=Some(10_000), max_map_size=Some(10_000), max_functions=Some(1000),
        max_memory=Some(33_554_432), timeout=Some(2.0), on_print=None, on_debug=None, modules=None, default=None),
        text_signature = "(*, max_operations=100000, max_call_levels=64, max_expr_depth=64, max_string_size=1048576, \
max_array_size=10000, max_map_size=10000, max_functions=1000, max_memory=33554432, timeout=2.0, on_print=None, \
on_debug=None, modules=None, default=None)"
    )]
    #[allow(clippy::too_many_arguments)] // They are Python's, by keyword.
    fn new(
        py: Python<'_>,
        max_operations: Option<i64>,
        max_call_levels: Option<i64>,
        max_expr_depth: Option<i64>,
        max_string_size: Option<i64>,
        max_array_size: Option<i64>,
        max_map_size: Option<i64>,
        max_functions: Option<i64>,
        max_memory: Option<i64>,
        timeout: Option<f64>,
        on_print: Option<Bound<'_, PyAny>>,
        on_debug: Option<Bound<'_, PyAny>>,
        modules: Option<Bound<'_, PyDict>>,
        default: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let limits = Limits {
            operations: count("max_operations", max_operations)?,
            call_levels: count("max_call_levels", Some(max_call_levels.unwrap_or(i64::MAX)))?,
            expr_depth: count("max_expr_depth", max_expr_depth)?,
            string_size: count("max_string_size", max_string_size)?,
            array_size: count("max_array_size", max_array_size)?,
            map_size: count("max_map_size", max_map_size)?,
            functions: count("max_functions", max_functions)?,
            memory: count("max_memory", max_memory)?,
            timeout: bound(timeout)?,
        }
        .clamped();
        let parts = Parts {
            limits: limits.clone(),
            callbacks: Default::default(),
            modules: Default::default(),
            on_print: listener("on_print", on_print)?,
            on_debug: listener("on_debug", on_debug)?,
            hook: listener("default", default)?,
        };
        let engine = Self { state: Mutex::new(State { parts, engine: None }), limits, cancelled: Arc::default() };
        if let Some(modules) = modules {
            engine.add_modules(py, &modules)?;
        }
        Ok(engine)
    }

    /// Lets scripts call `function` as `name`, or `ns::name`; a function of that name is replaced. Gives the function
    /// back. Also a decorator: `@engine.register_fn`, or `@engine.register_fn("ns::name")`.
    ///
    /// Evaluations that already run do not see it. Raises ValueError for a name that scripts cannot call, TypeError
    /// if `function` is not callable, is asynchronous, has no name, or needs keyword arguments.
    #[pyo3(signature = (name=None, function=None))]
    fn register_fn<'py>(
        slf: &Bound<'py, Self>,
        name: Option<Bound<'py, PyAny>>,
        function: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let (name, function) = match (name, function) {
            (None, None) => return slf.getattr("register_fn"),
            (None, Some(function)) => (own_name(&function)?, function),
            (Some(name), function) => match (name.cast::<PyString>(), function) {
                (Ok(name), Some(function)) => (name.to_str()?.to_owned(), function),
                (Ok(name), None) => {
                    return py.import("functools")?.call_method1("partial", (slf.getattr("register_fn")?, name))
                }
                (Err(_), None) if name.is_callable() => (own_name(&name)?, name),
                (Err(_), _) => return Err(PyTypeError::new_err("name: must be a str.")),
            },
        };
        let engine = slf.get();
        let callback = Arc::new(Callback::new(&name, function.clone(), engine.hook(py))?);
        let key = (callback.path.clone(), callback.name.clone());
        let replaced = engine.change(py, |parts| parts.callbacks.insert(key, callback));
        drop(replaced);
        Ok(function)
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
    /// `scope` gives the script's variables: a dict is not changed, into a `Scope` they are read back. `timeout` is in seconds, `math.inf` for none; None
    /// means the engine's. Raises RhaiError, or what a registered function raised.
    #[pyo3(signature = (script, scope=None, timeout=None))]
    fn eval<'py>(
        &self,
        py: Python<'py>,
        script: &Bound<'py, PyAny>,
        scope: Option<&Bound<'py, PyAny>>,
        timeout: Option<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let kept = scope.and_then(|scope| scope.cast::<Scope>().ok());
        let mut orders = Orders::default();
        let variables = self.variables(py, scope, &mut orders)?;
        let given = sizes::text(variables.iter_raw().map(|(_, _, value)| value));
        let left = Rc::new(Cell::new(Vec::new()));
        let leaving = kept.map(|_| left.clone());
        let (value, evaluation) = if let Ok(ast) = script.cast::<Ast>() {
            let script = ast.get().script.clone();
            let name = script.tree.source().map(ToOwned::to_owned);
            let given = Given { text: given, orders };
            self.run(py, timeout, name, given, move |engine| evaluate(engine, variables, script, leaving))?
        } else if let Ok(text) = script.cast::<PyString>() {
            let text = source_text(py, text.to_str()?)?;
            let given = Given { text: given, orders };
            self.run(py, timeout, None, given, move |engine| {
                let script = Script::new(engine.compile(&text)?);
                evaluate(engine, variables, script, leaving)
            })?
        } else {
            return Err(PyTypeError::new_err("script: must be a str or an AST."));
        };
        if let Some(kept) = kept {
            kept.get().take(py, &left.take(), &evaluation.orders.borrow())?;
        }
        Ok(value)
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
        let hook = self.hook(py);
        let mut orders = Orders::default();
        let mut entry = Entry { hook: hook.as_ref().map(|hook| hook.bind(py)), orders: &mut orders };
        let mut values: Vec<Dynamic> = Vec::with_capacity(args.len());
        for (index, value) in args.iter().enumerate() {
            let value = convert::to_dynamic(&value, &mut entry);
            values.push(value.map_err(|refusal| refusal.into_error(&format!("argument {}", index + 1)))?);
        }
        let script = ast.get().script.clone();
        let source = script.tree.source().map(ToOwned::to_owned);
        let given = Given { text: sizes::text(&values), orders };
        let (value, _) = self.run(py, timeout, source, given, move |engine| {
            evaluation::follow(&script);
            engine.call_fn_with_options(CallFnOptions::default(), &mut rhai::Scope::new(), &script.tree, name, values)
        })?;
        Ok(value)
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

    fn __repr__(&self, py: Python<'_>) -> String {
        let state = self.state.lock_py_attached(py).unwrap_or_else(|poisoned| poisoned.into_inner());
        let (functions, modules) = (state.parts.callbacks.len(), state.parts.modules.len());
        format!("<rhai.Engine: functions {functions}, modules {modules}>")
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Ok(state) = self.state.try_lock() else {
            return Ok(());
        };
        for callback in state.parts.callbacks.values() {
            visit.call(&callback.callable)?;
        }
        for listener in state.parts.on_print.iter().chain(&state.parts.on_debug).chain(&state.parts.hook) {
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
            state.parts.hook.take(),
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

    fn hook(&self, py: Python<'_>) -> Option<Arc<Py<PyAny>>> {
        let state = self.state.lock_py_attached(py).unwrap_or_else(|poisoned| poisoned.into_inner());
        state.parts.hook.clone()
    }

    /// What a script begins with: from a dict, a `Scope` or nothing.
    fn variables(
        &self,
        py: Python<'_>,
        given: Option<&Bound<'_, PyAny>>,
        orders: &mut Orders,
    ) -> PyResult<rhai::Scope<'static>> {
        let mut made = rhai::Scope::new();
        let Some(given) = given else {
            return Ok(made);
        };
        let hook = self.hook(py);
        let mut entry = Entry { hook: hook.as_ref().map(|hook| hook.bind(py)), orders };
        if let Ok(scope) = given.cast::<Scope>() {
            variables::fill(&mut made, scope.get().dict(py), &mut entry)?;
        } else if let Ok(dict) = given.cast::<PyDict>() {
            variables::fill(&mut made, dict, &mut entry)?;
        } else {
            return Err(PyTypeError::new_err("scope: must be a dict or a rhai.Scope."));
        }
        Ok(made)
    }

    /// An engine of the parts, and the texts of its modules.
    fn current(&self, py: Python<'_>) -> (Arc<rhai::Engine>, Vec<Arc<Script>>) {
        let mut state = self.state.lock_py_attached(py).unwrap_or_else(|poisoned| poisoned.into_inner());
        let State { parts, engine } = &mut *state;
        let modules = parts.modules.values().map(|kept| kept.script.clone()).collect();
        (engine.get_or_insert_with(|| Arc::new(assemble(parts))).clone(), modules)
    }

    /// Modules may import those before them.
    fn add_modules(&self, py: Python<'_>, modules: &Bound<'_, PyDict>) -> PyResult<()> {
        for (name, script) in modules.iter() {
            let Ok(name) = name.extract::<String>() else {
                return Err(PyTypeError::new_err("modules: names must be strings."));
            };
            let script = if let Ok(ast) = script.cast::<Ast>() {
                ast.get().script.clone()
            } else if let Ok(text) = script.cast::<PyString>() {
                self.compile(py, text.to_str()?, Some(&name))?.script
            } else {
                return Err(PyTypeError::new_err(format!("modules[{name:?}]: must be a str or an AST.")));
            };
            let made = Rc::new(Cell::new(None));
            let making = made.clone();
            let text = script.clone();
            self.run(py, None, Some(name.clone()), Given::default(), move |engine| {
                making.set(Some(Module::eval_ast_as_new(rhai::Scope::new(), &text.tree, engine)?));
                Ok(Dynamic::UNIT)
            })?;
            if let Some(module) = made.take() {
                let kept = Kept::new(module, script, &self.limits);
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
        self.run(py, None, name, Given::default(), move |engine| {
            parsing.set(Some(parser(engine, &text)?));
            Ok(Dynamic::UNIT)
        })?;
        let mut tree = parsed.take().ok_or_else(|| PyValueError::new_err("Nothing was compiled."))?;
        if let Some(name) = source {
            tree.set_source(name);
        }
        Ok(Ast { script: Script::new(tree) })
    }

    /// Runs `job` on a script's stack, without the interpreter, as one evaluation, which knows the order of keys.
    fn run<'py>(
        &self,
        py: Python<'py>,
        timeout: Option<f64>,
        source: Option<String>,
        given: Given,
        job: impl FnOnce(&rhai::Engine) -> Result<Dynamic, Box<EvalAltResult>> + 'static,
    ) -> PyResult<(Bound<'py, PyAny>, Rc<Evaluation>)> {
        let timeout: Option<Duration> = match timeout {
            Some(seconds) => duration(seconds)?,
            None => self.limits.timeout,
        };
        let evaluation = Evaluation::new(&self.limits, timeout, &self.cancelled, given.text, given.orders);
        if evaluation.too_nested() {
            return Err(End::from(Failure::too_nested()).into_error(py, &Orders::default()));
        }
        let (engine, modules) = self.current(py);
        evaluation.orders.borrow_mut().import(modules);
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
        let orders = evaluation.orders.borrow();
        let value = ended.map_err(|end| end.into_error(py, &orders))?;
        let value =
            convert::to_python(py, &value, &orders).map_err(|refusal| errors::refused(py, &refusal, "result"))?;
        drop(orders);
        Ok((value, evaluation))
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
        evaluation::prepare([&value]);
        Ok(value)
    }));
    result.unwrap_or_else(|panic| Err(Failure::panicked(&panic_text(&*panic)).into()))
}

/// Of what the host gives a script.
#[derive(Default)]
struct Given {
    /// Bytes of text.
    text: usize,
    orders: Orders,
}

type Left = Vec<(String, Dynamic)>;

/// Runs a script; `left` gets its variables if it ends well.
fn evaluate(
    engine: &rhai::Engine,
    mut variables: rhai::Scope<'static>,
    script: Arc<Script>,
    left: Option<Rc<Cell<Left>>>,
) -> Result<Dynamic, Box<EvalAltResult>> {
    evaluation::follow(&script);
    let value: Dynamic = engine.eval_ast_with_scope(&mut variables, &script.tree)?;
    if let Some(left) = left {
        let found = variables::left(variables);
        for (_, variable) in &found {
            engine.ensure_data_size_within_limits(variable)?;
        }
        evaluation::prepare(found.iter().map(|(_, variable)| variable));
        left.set(found);
    }
    Ok(value)
}

fn listener(name: &str, value: Option<Bound<'_, PyAny>>) -> PyResult<Option<Arc<Py<PyAny>>>> {
    match value {
        Some(value) if !value.is_callable() => Err(PyTypeError::new_err(format!("{name}: must be callable or None."))),
        Some(value) => {
            refuse_asynchronous(name, &value)?;
            Ok(Some(Arc::new(value.unbind())))
        }
        None => Ok(None),
    }
}

/// Of a function that is registered without a name.
fn own_name(function: &Bound<'_, PyAny>) -> PyResult<String> {
    match function.getattr_opt("__name__")? {
        Some(name) if name.to_string() != "<lambda>" => name.extract(),
        _ => {
            let text = "name: the function has none; give one, as in register_fn(\"name\", function).";
            Err(PyTypeError::new_err(text))
        }
    }
}

fn source_text(py: Python<'_>, text: &str) -> PyResult<String> {
    if text.len() > MAX_SOURCE {
        return Err(End::from(Failure::source_too_large(MAX_SOURCE)).into_error(py, &Orders::default()));
    }
    Ok(text.to_owned())
}
