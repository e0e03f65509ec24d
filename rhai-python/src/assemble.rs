//! A Rhai engine from limits, functions and modules.

use std::collections::BTreeMap;
use std::mem::ManuallyDrop;
use std::rc::Rc;
use std::sync::{Arc, LazyLock};

use pyo3::prelude::*;
use rhai::module_resolvers::DummyModuleResolver;
use rhai::packages::{Package, StandardPackage};
use rhai::{EvalAltResult, Module, ModuleResolver, OptimizationLevel, Position, Shared};

use crate::ast::Script;
use crate::callbacks::{self, Callback};
use crate::evaluation;
use crate::limits::Limits;
use crate::natives;
use crate::parsing;
use crate::stack;

type SharedModule = Shared<Module>;

/// What an engine consists of. Engines are immutable; a new function means a new one, which shares all of this.
#[derive(Clone)]
pub struct Parts {
    pub limits: Limits,
    pub callbacks: BTreeMap<(Vec<String>, String), Arc<Callback>>,
    pub modules: BTreeMap<String, Arc<Kept>>,
    pub on_print: Option<Arc<Py<PyAny>>>,
    pub on_debug: Option<Arc<Py<PyAny>>>,
    /// Of the host, for values without a counterpart.
    pub hook: Option<Arc<Py<PyAny>>>,
}

static STANDARD: LazyLock<SharedModule> = LazyLock::new(|| StandardPackage::new().as_shared_module());

static NATIVES: LazyLock<SharedModule> = LazyLock::new(|| {
    let mut module = natives::module();
    callbacks::add_exceptions(&mut module);
    module.build_index();
    module.into()
});

/// Takes a millisecond once in a process, then some ten microseconds.
pub fn assemble(parts: &Parts) -> rhai::Engine {
    let mut engine = rhai::Engine::new_raw();
    engine.register_global_module(STANDARD.clone());
    engine.register_global_module(NATIVES.clone());
    set_limits(&mut engine, &parts.limits);
    // Constants would be folded without any limit, and errors would lose their place.
    engine.set_optimization_level(OptimizationLevel::None);
    // Built-in operators report no position of an arithmetic error.
    engine.set_fast_operators(false);
    // A lock that all threads of the engine would wait for, ten milliseconds at a time.
    engine.set_max_strings_interned(0);
    engine.on_progress(evaluation::progress);
    #[allow(deprecated)] // Rhai's way to say that it may change.
    {
        engine.on_parse_token(|token, _, _| parsing::token(token));
        engine.on_var(|_, _, context| {
            evaluation::variable(&context);
            Ok(None)
        });
    }
    add_listeners(&mut engine, parts);
    add_functions(&mut engine, parts);
    add_modules(&mut engine, parts);
    engine
}

fn set_limits(engine: &mut rhai::Engine, limits: &Limits) {
    engine.set_max_operations(limits.operations);
    engine.set_max_call_levels(limits.call_levels as usize);
    engine.set_max_expr_depths(limits.expr_depth as usize, limits.expr_depth as usize);
    engine.set_max_string_size(limits.string_size as usize);
    engine.set_max_array_size(limits.array_size as usize);
    engine.set_max_map_size(limits.map_size as usize);
    engine.set_max_functions(limits.functions as usize);
}

fn add_listeners(engine: &mut rhai::Engine, parts: &Parts) {
    engine.on_print(|_| ());
    engine.on_debug(|_, _, _| ());
    if let Some(listener) = &parts.on_print {
        callbacks::listen_print(engine, listener.clone());
    }
    if let Some(listener) = &parts.on_debug {
        callbacks::listen_debug(engine, listener.clone());
    }
}

fn add_functions(engine: &mut rhai::Engine, parts: &Parts) {
    let mut modules: BTreeMap<&[String], Module> = BTreeMap::new();
    for callback in parts.callbacks.values() {
        callback.add_to(modules.entry(&callback.path).or_default());
    }
    // In this order `a` comes before `a::b`, which it would replace.
    for (path, module) in modules {
        if path.is_empty() {
            engine.register_global_module(module.into());
        } else {
            engine.register_static_module(path.join("::"), module.into());
        }
    }
}

fn add_modules(engine: &mut rhai::Engine, parts: &Parts) {
    if parts.modules.is_empty() {
        engine.set_module_resolver(DummyModuleResolver::new());
    } else {
        engine.set_module_resolver(Given(parts.modules.clone()));
    }
}

/// A module that scripts may import. Its variables may be too deep to be freed on a thread's own stack.
pub struct Kept {
    module: ManuallyDrop<SharedModule>,
    pub script: Arc<Script>,
    stack: usize,
}

impl Kept {
    pub fn new(module: Module, script: Arc<Script>, limits: &Limits) -> Arc<Self> {
        Arc::new(Self { module: ManuallyDrop::new(module.into()), script, stack: limits.stack() })
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        // SAFETY: taken once, here, and `self` is not used afterwards.
        let module = ManuallyDrop::new(unsafe { ManuallyDrop::take(&mut self.module) });
        // Without room for a stack the module is never freed.
        let _ = stack::run(self.stack, Rc::new(stack::Bridge::new()), move || drop(ManuallyDrop::into_inner(module)));
    }
}

/// The modules that the host gave, and no others.
struct Given(BTreeMap<String, Arc<Kept>>);

impl ModuleResolver for Given {
    fn resolve(
        &self,
        _: &rhai::Engine,
        _: Option<&str>,
        path: &str,
        position: Position,
    ) -> Result<SharedModule, Box<EvalAltResult>> {
        let missing = || EvalAltResult::ErrorModuleNotFound(path.into(), position).into();
        self.0.get(path).map(|kept| SharedModule::clone(&kept.module)).ok_or_else(missing)
    }
}
