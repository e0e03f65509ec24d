//! Python values to Rhai's and back, directly. A refusal names the path to the value: `scope['user']['born']`.

use std::fmt::Write;

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple, PyType};
use rhai::{Array, Blob, Dynamic, ImmutableString, Map};
use rust_decimal::Decimal;

use crate::callbacks::Raised;
use crate::orders::{Keys, Orders};

/// Levels of lists and dicts inside of each other, both ways.
pub const MAX_NESTING: usize = 64;
/// Digits that a decimal of Rhai may have, and its largest scale.
const DECIMAL_DIGITS: usize = 29;
const DECIMAL_SCALE: i64 = 28;

enum Step {
    Key(String),
    Index(usize),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    Type,
    Range,
    Value,
    Depth,
}

/// Why a value has no counterpart, and where it lies.
pub struct Refusal {
    pub reason: Reason,
    text: String,
    // Innermost first: it grows on the way out.
    steps: Vec<Step>,
    /// What the host's hook raised, which counts instead.
    raised: Option<Box<PyErr>>,
}

/// The host's hook for values without a counterpart: it gives another value in their place.
pub type DefaultHook<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// What goes with values on their way in.
pub struct Entry<'a, 'py> {
    pub hook: DefaultHook<'a, 'py>,
    /// Where the order of keys is kept.
    pub orders: &'a mut Orders,
}

impl Refusal {
    fn new(reason: Reason, text: impl Into<String>) -> Self {
        Self { reason, text: text.into(), steps: Vec::new(), raised: None }
    }

    fn too_deep() -> Self {
        Self::new(Reason::Depth, format!("is nested deeper than {MAX_NESTING} levels"))
    }

    fn at(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// The sentence for people; `root` names the outermost value.
    pub fn message(&self, root: &str) -> String {
        let mut message = root.to_owned();
        for step in self.steps.iter().rev() {
            let _ = match step {
                Step::Key(key) => write!(message, "[{key}]"),
                Step::Index(index) => write!(message, "[{index}]"),
            };
        }
        let _ = write!(message, ": {}.", self.text);
        message
    }

    /// The exception for a value that came from Python.
    pub fn into_error(self, root: &str) -> PyErr {
        let message = self.message(root);
        if let Some(raised) = self.raised {
            return *raised;
        }
        match self.reason {
            Reason::Type => PyTypeError::new_err(message),
            Reason::Range => PyOverflowError::new_err(message),
            Reason::Value | Reason::Depth => PyValueError::new_err(message),
        }
    }
}

type Converted<T> = Result<T, Refusal>;

pub fn to_dynamic<'py>(value: &Bound<'py, PyAny>, entry: &mut Entry<'_, 'py>) -> Converted<Dynamic> {
    dynamic_at(value, entry, 0)
}

fn dynamic_at<'py>(value: &Bound<'py, PyAny>, entry: &mut Entry<'_, 'py>, depth: usize) -> Converted<Dynamic> {
    if depth > MAX_NESTING {
        return Err(Refusal::too_deep());
    }
    if value.is_none() {
        return Ok(Dynamic::UNIT);
    }
    // A bool is an int in Python, so it comes first.
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(flag.is_true().into());
    }
    if value.is_instance_of::<PyInt>() {
        return int_to_dynamic(value);
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Dynamic::from(ImmutableString::from(utf8(text)?)));
    }
    if let Ok(number) = value.cast::<PyFloat>() {
        return Ok(number.value().into());
    }
    if let Ok(list) = value.cast::<PyList>() {
        return sequence(list.iter(), list.len(), entry, depth);
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        return dict_to_dynamic(dict, entry, depth);
    }
    if let Ok(tuple) = value.cast::<PyTuple>() {
        return sequence(tuple.iter(), tuple.len(), entry, depth);
    }
    rarely_to_dynamic(value, entry, depth)
}

fn rarely_to_dynamic<'py>(value: &Bound<'py, PyAny>, entry: &mut Entry<'_, 'py>, depth: usize) -> Converted<Dynamic> {
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(Dynamic::from_blob(bytes.as_bytes().to_vec()));
    }
    if let Ok(bytes) = value.cast::<PyByteArray>() {
        return Ok(Dynamic::from_blob(bytes.to_vec()));
    }
    if let Some(number) = decimal_to_dynamic(value)? {
        return Ok(number);
    }
    let Some(hook) = entry.hook else {
        return Err(Refusal::new(Reason::Type, format!("a {} has no counterpart in Rhai", type_name(value))));
    };
    // A level deeper: a hook that gives back what it got comes to an end.
    match hook.call1((value,)) {
        Ok(other) => dynamic_at(&other, entry, depth + 1),
        Err(error) => {
            Err(Refusal { raised: Some(Box::new(error)), ..Refusal::new(Reason::Type, "was refused by `default`") })
        }
    }
}

fn int_to_dynamic(value: &Bound<'_, PyAny>) -> Converted<Dynamic> {
    let number: i64 =
        value.extract().map_err(|_| Refusal::new(Reason::Range, "an int has to fit into 64 bits, with its sign"))?;
    Ok(number.into())
}

fn sequence<'py>(
    items: impl Iterator<Item = Bound<'py, PyAny>>,
    length: usize,
    entry: &mut Entry<'_, 'py>,
    depth: usize,
) -> Converted<Dynamic> {
    let mut array = Array::with_capacity(length);
    for (index, item) in items.enumerate() {
        array.push(dynamic_at(&item, entry, depth + 1).map_err(|refusal| refusal.at(Step::Index(index)))?);
    }
    Ok(Dynamic::from_array(array))
}

fn dict_to_dynamic<'py>(dict: &Bound<'py, PyDict>, entry: &mut Entry<'_, 'py>, depth: usize) -> Converted<Dynamic> {
    let mut map = Map::new();
    // From the first key on that is not in its sorted place.
    let mut order: Option<Keys> = None;
    let mut previous: Option<Bound<'py, PyString>> = None;
    // A copy of the items: a subclass of Decimal or a finalizer may change the dict meanwhile.
    let pairs = dict.items();
    for pair in pairs.iter() {
        let (key, item) = pair
            .extract::<(Bound<'py, PyAny>, Bound<'py, PyAny>)>()
            .map_err(|_| Refusal::new(Reason::Type, "changed while it was read"))?;
        let key = key.cast_into::<PyString>().map_err(|error| refused_key(&error.into_inner()))?;
        let item = dynamic_at(&item, entry, depth + 1).map_err(|refusal| refusal.at(Step::Key(repr(&key))))?;
        let name = utf8(&key)?;
        if let Some(order) = &mut order {
            order.push(name);
        } else if previous.as_ref().is_some_and(|previous| utf8(previous).is_ok_and(|previous| name < previous)) {
            // So far the map has the dict's order.
            order = Some(Keys::new(pairs.len(), map.keys().map(|key| key.as_str()).chain([name])));
        }
        map.insert(name.into(), item);
        previous = Some(key);
    }
    let empty = map.is_empty();
    let mut made = Dynamic::from_map(map);
    match order {
        Some(order) => entry.orders.mark(&mut made, order),
        None if empty => {}
        None => Orders::mark_sorted(&mut made),
    }
    Ok(made)
}

fn refused_key(key: &Bound<'_, PyAny>) -> Refusal {
    let text = format!("a dict's keys have to be strings, not {}", type_name(key));
    Refusal::new(Reason::Type, text).at(Step::Key(repr(key)))
}

fn utf8<'a>(text: &'a Bound<'_, PyString>) -> Converted<&'a str> {
    text.to_str().map_err(|_| Refusal::new(Reason::Value, "a text with a lone surrogate has no form in UTF-8"))
}

fn decimal_type(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static DECIMAL: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    DECIMAL.import(py, "decimal", "Decimal")
}

/// Exactly, or not at all; `None` if the value is no Decimal.
fn decimal_to_dynamic(value: &Bound<'_, PyAny>) -> Converted<Option<Dynamic>> {
    let failed = |_| Refusal::new(Reason::Value, "a Decimal could not be read");
    let class = decimal_type(value.py()).map_err(failed)?;
    if !value.is_instance(class).map_err(failed)? {
        return Ok(None);
    }
    let parts = class.call_method1("as_tuple", (value,)).map_err(failed)?;
    let (sign, digits, exponent) = parts.extract::<(u8, Bound<'_, PyTuple>, Bound<'_, PyAny>)>().map_err(failed)?;
    let exponent: i64 = exponent
        .extract()
        .map_err(|_| Refusal::new(Reason::Value, "a Decimal that is not a finite number has no counterpart"))?;
    let number = exact_decimal(sign != 0, &digits, exponent)
        .ok_or_else(|| Refusal::new(Reason::Range, "a Decimal has to fit into 96 bits and 28 places"))?;
    Ok(Some(Dynamic::from_decimal(number)))
}

fn exact_decimal(negative: bool, digits: &Bound<'_, PyTuple>, exponent: i64) -> Option<Decimal> {
    if digits.len() > DECIMAL_DIGITS || !(-DECIMAL_SCALE..=DECIMAL_SCALE).contains(&exponent) {
        return None;
    }
    let mut mantissa: i128 = 0;
    for digit in digits.iter() {
        mantissa = mantissa.checked_mul(10)?.checked_add(digit.extract::<i128>().ok()?)?;
    }
    for _ in 0..exponent.max(0) {
        mantissa = mantissa.checked_mul(10)?;
    }
    let scale = u32::try_from(exponent.min(0).unsigned_abs()).ok()?;
    Decimal::try_from_i128_with_scale(if negative { -mantissa } else { mantissa }, scale).ok()
}

/// The name of a value's type, as a message shows it.
fn type_name(value: &Bound<'_, PyAny>) -> String {
    value.get_type().fully_qualified_name().map_or_else(|_| "value".into(), |name| name.to_string())
}

fn repr(key: &Bound<'_, PyAny>) -> String {
    let text = key.repr().map_or_else(|_| type_name(key), |text| text.to_string_lossy().into_owned());
    shortened(text)
}

fn shortened(text: String) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

/// Refuses what [`to_python`] would refuse. For use on the script's stack, where a refused value can be freed.
pub fn check(value: &Dynamic) -> Converted<()> {
    check_at(value, 0)
}

fn check_at(value: &Dynamic, depth: usize) -> Converted<()> {
    if depth > MAX_NESTING {
        return Err(Refusal::too_deep());
    }
    if value.is_array() {
        let array = value.read_lock::<Array>().ok_or_else(busy)?;
        for (index, item) in array.iter().enumerate() {
            check_at(item, depth + 1).map_err(|refusal| refusal.at(Step::Index(index)))?;
        }
        return Ok(());
    }
    if value.is_map() {
        let map = value.read_lock::<Map>().ok_or_else(busy)?;
        for (key, item) in map.iter() {
            check_at(item, depth + 1).map_err(|refusal| refusal.at(quoted(key)))?;
        }
        return Ok(());
    }
    if is_plain(value) {
        return Ok(());
    }
    Err(foreign(value))
}

fn is_plain(value: &Dynamic) -> bool {
    value.is_unit()
        || value.is_bool()
        || value.is_int()
        || value.is_float()
        || value.is_string()
        || value.is_char()
        || value.is_blob()
        || value.is_decimal()
        || value.is::<Raised>()
}

pub fn to_python<'py>(py: Python<'py>, value: &Dynamic, orders: &Orders) -> Converted<Bound<'py, PyAny>> {
    python_at(py, value, orders, 0)
}

fn python_at<'py>(py: Python<'py>, value: &Dynamic, orders: &Orders, depth: usize) -> Converted<Bound<'py, PyAny>> {
    if depth > MAX_NESTING {
        return Err(Refusal::too_deep());
    }
    if value.is_unit() {
        return Ok(py.None().into_bound(py));
    }
    if let Ok(number) = value.as_int() {
        return Ok(PyInt::new(py, number).into_any());
    }
    if let Ok(flag) = value.as_bool() {
        return Ok(PyBool::new(py, flag).to_owned().into_any());
    }
    if value.is_string() {
        let text = value.read_lock::<ImmutableString>().ok_or_else(busy)?;
        return Ok(PyString::new(py, &text).into_any());
    }
    if let Ok(number) = value.as_float() {
        return Ok(PyFloat::new(py, number).into_any());
    }
    if value.is_map() {
        return map_to_python(py, value, orders, depth);
    }
    if value.is_array() {
        return array_to_python(py, value, orders, depth);
    }
    rarely_to_python(py, value)
}

fn map_to_python<'py>(py: Python<'py>, value: &Dynamic, orders: &Orders, depth: usize) -> Converted<Bound<'py, PyAny>> {
    let map = value.read_lock::<Map>().ok_or_else(busy)?;
    let dict = PyDict::new(py);
    let store = |key: &str, item: &Dynamic| {
        let item = python_at(py, item, orders, depth + 1).map_err(|refusal| refusal.at(quoted(key)))?;
        dict.set_item(key, item).map_err(|_| Refusal::new(Reason::Value, "could not be stored"))
    };
    match orders.arrange(value, &map) {
        Some(items) => items.try_each(store)?,
        None => map.iter().try_for_each(|(key, item)| store(key, item))?,
    }
    Ok(dict.into_any())
}

fn array_to_python<'py>(
    py: Python<'py>,
    value: &Dynamic,
    orders: &Orders,
    depth: usize,
) -> Converted<Bound<'py, PyAny>> {
    let array = value.read_lock::<Array>().ok_or_else(busy)?;
    let list = PyList::empty(py);
    for (index, item) in array.iter().enumerate() {
        let item = python_at(py, item, orders, depth + 1).map_err(|refusal| refusal.at(Step::Index(index)))?;
        list.append(item).map_err(|_| Refusal::new(Reason::Value, "could not be stored"))?;
    }
    Ok(list.into_any())
}

fn rarely_to_python<'py>(py: Python<'py>, value: &Dynamic) -> Converted<Bound<'py, PyAny>> {
    if let Ok(character) = value.as_char() {
        return Ok(PyString::new(py, character.encode_utf8(&mut [0; 4])).into_any());
    }
    if value.is_blob() {
        let blob = value.read_lock::<Blob>().ok_or_else(busy)?;
        return Ok(PyBytes::new(py, &blob).into_any());
    }
    if let Ok(number) = value.as_decimal() {
        let made = decimal_type(py).and_then(|class| class.call1((number.to_string(),)));
        return made.map_err(|_| Refusal::new(Reason::Value, "a decimal could not be made"));
    }
    if let Some(raised) = value.read_lock::<Raised>() {
        return Ok(raised.exception(py).into_any());
    }
    Err(foreign(value))
}

fn quoted(key: &str) -> Step {
    Step::Key(shortened(format!("'{key}'")))
}

fn foreign(value: &Dynamic) -> Refusal {
    let name = match value.type_name() {
        "Fn" => "function pointer".to_owned(),
        name => {
            let outer = name.split('<').next().unwrap_or(name);
            outer.rsplit("::").next().unwrap_or(outer).to_owned()
        }
    };
    Refusal::new(Reason::Type, format!("a {name} of Rhai has no counterpart in Python"))
}

fn busy() -> Refusal {
    Refusal::new(Reason::Value, "is in use by the script")
}
