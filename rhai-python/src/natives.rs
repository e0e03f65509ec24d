//! Functions that stand in front of Rhai's own, which would pass a limit or recurse without end.
//!
//! Nothing can interrupt a native function, so what one call can cost has to be bounded beforehand: `sleep` does not
//! exist; `replace` and `pad` say no before they build; texts of arrays, maps and function pointers stop at the string
//! limit and leave out what closures captured (a closure that captured itself has no end).

use std::fmt::Write;

use rhai::{
    Array, Dynamic, EvalAltResult, FnPtr, FuncRegistration, ImmutableString, Map, Module, NativeCallContext, Position,
    FLOAT, INT,
};

use crate::evaluation;

type Answer<T> = Result<T, Box<EvalAltResult>>;

/// Characters of a function's name that a text shows.
const SHOWN_NAME: usize = 64;

/// What scripts write as `curry`, see `parsing`.
pub const BOUNDED_CURRY: &str = "bounded_curry";
/// Arguments that a function pointer may hold: a call with n of them may take n times 65,536 steps.
const MAX_CURRIED: usize = 32;

pub fn module() -> Module {
    let mut module = Module::new();
    no_sleep(&mut module);
    bounded_replace(&mut module);
    bounded_pad(&mut module);
    bounded_curry(&mut module);
    texts(&mut module);
    module
}

fn no_sleep(module: &mut Module) {
    fn missing(kind: &str) -> Answer<()> {
        Err(EvalAltResult::ErrorFunctionNotFound(format!("sleep ({kind})"), Position::NONE).into())
    }
    FuncRegistration::new("sleep").in_global_namespace().set_into_module(module, |_: INT| missing("i64"));
    FuncRegistration::new("sleep").in_global_namespace().set_into_module(module, |_: FLOAT| missing("f64"));
}

fn bounded_replace(module: &mut Module) {
    FuncRegistration::new("replace").in_global_namespace().set_into_module(
        module,
        |ctx: NativeCallContext, text: &mut ImmutableString, find: ImmutableString, by: ImmutableString| {
            replace(&ctx, text, &find, &by)
        },
    );
    FuncRegistration::new("replace").in_global_namespace().set_into_module(
        module,
        |ctx: NativeCallContext, text: &mut ImmutableString, find: char, by: ImmutableString| {
            replace(&ctx, text, find.encode_utf8(&mut [0; 4]), &by)
        },
    );
}

fn replace(ctx: &NativeCallContext, text: &mut ImmutableString, find: &str, by: &str) -> Answer<()> {
    if text.is_empty() {
        return Ok(());
    }
    if by.len() > find.len() {
        let growth = text.matches(find).count().saturating_mul(by.len() - find.len());
        fits(growth.saturating_add(text.len()), string_limit(ctx), "Length of string")?;
    }
    *text = text.replace(find, by).into();
    Ok(())
}

fn bounded_pad(module: &mut Module) {
    FuncRegistration::new("pad").in_global_namespace().set_into_module(
        module,
        |ctx: NativeCallContext, text: &mut ImmutableString, length: INT, padding: ImmutableString| {
            pad_text(&ctx, text, length, &padding)
        },
    );
    FuncRegistration::new("pad").in_global_namespace().set_into_module(
        module,
        |ctx: NativeCallContext, array: &mut Array, length: INT, item: Dynamic| -> Answer<()> {
            let length = usize::try_from(length).unwrap_or(0);
            let missing = length.saturating_sub(array.len());
            if missing == 0 {
                return Ok(());
            }
            let limit = ctx.engine().max_array_size();
            let total = missing.saturating_mul(weight(&item)).saturating_add(array.len());
            fits(total, limit, "Size of array/BLOB")?;
            array.resize(length, item);
            ctx.engine().ensure_data_size_within_limits(&Dynamic::from_array(array.clone()))
        },
    );
}

/// Rhai's own never ends for an empty padding.
fn pad_text(ctx: &NativeCallContext, text: &mut ImmutableString, length: INT, padding: &str) -> Answer<()> {
    let length = usize::try_from(length).unwrap_or(0);
    let missing = length.saturating_sub(text.chars().count());
    if missing == 0 || padding.is_empty() {
        return Ok(());
    }
    fits(missing.saturating_add(text.len()), string_limit(ctx), "Length of string")?;
    let mut padded = text.to_string();
    padded.extend(padding.chars().cycle().take(missing));
    fits(padded.len(), string_limit(ctx), "Length of string")?;
    *text = padded.into();
    Ok(())
}

/// Values that a copy of this value makes, those that a closure holds included, which Rhai does not count.
fn weight(value: &Dynamic) -> usize {
    if value.is_shared() {
        return 1; // copied by reference
    }
    if let Some(array) = value.read_lock::<Array>() {
        return array.iter().map(weight).fold(1, usize::saturating_add);
    }
    if let Some(map) = value.read_lock::<Map>() {
        return map.values().map(weight).fold(1, usize::saturating_add);
    }
    if let Some(blob) = value.read_lock::<rhai::Blob>() {
        return blob.len() + 1;
    }
    if let Some(function) = value.read_lock::<FnPtr>() {
        return function.iter_curry().map(weight).fold(1, usize::saturating_add);
    }
    1
}

fn bounded_curry(module: &mut Module) {
    macro_rules! add {
        ($($value:ident)*) => {
            FuncRegistration::new(BOUNDED_CURRY)
                .in_global_namespace()
                .set_into_module(module, |function: FnPtr, $($value: Dynamic),*| curry(function, [$($value),*]));
        };
    }
    add!(a);
    add!(a b);
    add!(a b c);
    add!(a b c d);
    add!(a b c d e);
    add!(a b c d e f);
    add!(a b c d e f g);
    add!(a b c d e f g h);
}

fn curry<const N: usize>(mut function: FnPtr, values: [Dynamic; N]) -> Answer<FnPtr> {
    fits(function.iter_curry().count() + N, MAX_CURRIED, "Number of curried arguments")?;
    for value in values {
        function.add_curry(value);
    }
    Ok(function)
}

fn string_limit(ctx: &NativeCallContext) -> usize {
    match ctx.engine().max_string_size() {
        0 => isize::MAX as usize,
        limit => limit,
    }
}

fn fits(size: usize, limit: usize, what: &str) -> Answer<()> {
    if limit > 0 && size > limit {
        return Err(EvalAltResult::ErrorDataTooLarge(what.into(), Position::NONE).into());
    }
    Ok(())
}

fn texts(module: &mut Module) {
    for name in ["print", "to_string", "debug", "to_debug"] {
        FuncRegistration::new(name)
            .in_global_namespace()
            .with_purity(true)
            .set_into_module(module, |ctx: NativeCallContext, array: &mut Array| {
                Text::of(&ctx, |text| text.array(array))
            });
        FuncRegistration::new(name)
            .in_global_namespace()
            .with_purity(true)
            .set_into_module(module, |ctx: NativeCallContext, map: &mut Map| Text::of(&ctx, |text| text.map(map)));
        FuncRegistration::new(name)
            .in_global_namespace()
            .with_purity(true)
            .set_into_module(module, |function: &mut FnPtr| -> ImmutableString { function_text(function).into() });
    }
    FuncRegistration::new("to_json")
        .in_global_namespace()
        .with_purity(true)
        .set_into_module(module, |ctx: NativeCallContext, map: &mut Map| Text::of(&ctx, |text| text.json_map(map)));
}

pub fn function_text(function: &FnPtr) -> String {
    let name: String = function.fn_name().chars().take(SHOWN_NAME).collect();
    format!("Fn({name})")
}

/// The text would be too long.
struct Full;

/// A text that grows up to the string limit.
struct Text<'a> {
    ctx: &'a NativeCallContext<'a>,
    text: String,
    limit: usize,
}

impl<'a> Text<'a> {
    fn of(ctx: &'a NativeCallContext<'a>, write: impl FnOnce(&mut Self) -> Result<(), Full>) -> ImmutableString {
        let mut text = Text { ctx, text: String::new(), limit: string_limit(ctx) };
        if write(&mut text).is_err() {
            // An error from here would make Rhai fall back to a text without a limit.
            if let Some(running) = evaluation::current() {
                running.refuse_text();
            }
            text.text.clear();
        }
        text.text.into()
    }

    fn push(&mut self, part: &str) -> Result<(), Full> {
        if self.text.len() + part.len() > self.limit {
            return Err(Full);
        }
        self.text.push_str(part);
        Ok(())
    }

    fn list<T>(
        &mut self,
        around: [&str; 3],
        items: impl Iterator<Item = T>,
        mut each: impl FnMut(&mut Self, T) -> Result<(), Full>,
    ) -> Result<(), Full> {
        self.push(around[0])?;
        for (index, item) in items.enumerate() {
            if index > 0 {
                self.push(around[1])?;
            }
            each(self, item)?;
        }
        self.push(around[2])
    }

    fn array(&mut self, array: &mut Array) -> Result<(), Full> {
        self.list(["[", ", ", "]"], array.iter_mut(), Self::item)
    }

    fn map(&mut self, map: &mut Map) -> Result<(), Full> {
        self.list(["#{", ", ", "}"], map.iter_mut(), |text, (key, item)| {
            text.push(&format!("{key:?}: "))?;
            text.item(item)
        })
    }

    fn item(&mut self, item: &mut Dynamic) -> Result<(), Full> {
        if let Some(mut array) = item.write_lock::<Array>() {
            return self.array(&mut array);
        }
        if let Some(mut map) = item.write_lock::<Map>() {
            return self.map(&mut map);
        }
        let shown = self.ctx.call_native_fn_raw("to_debug", true, &mut [item]);
        match shown.ok().and_then(|shown| shown.into_immutable_string().ok()) {
            Some(shown) => self.push(&shown),
            None => self.push(item.type_name()),
        }
    }

    fn json_map(&mut self, map: &Map) -> Result<(), Full> {
        self.list(["{", ",", "}"], map.iter(), |text, (key, item)| {
            text.json_string(key)?;
            text.push(":")?;
            text.json(item)
        })
    }

    fn json(&mut self, item: &Dynamic) -> Result<(), Full> {
        if item.is_unit() {
            return self.push("null");
        }
        if let Some(map) = item.read_lock::<Map>() {
            return self.json_map(&map);
        }
        if let Some(array) = item.read_lock::<Array>() {
            return self.list(["[", ",", "]"], array.iter(), Self::json);
        }
        if let Some(blob) = item.read_lock::<rhai::Blob>() {
            return self.list(["[", ",", "]"], blob.iter(), |text, byte| text.push(&byte.to_string()));
        }
        if let Some(text) = item.read_lock::<ImmutableString>() {
            return self.json_string(&text);
        }
        if let Some(function) = item.read_lock::<FnPtr>() {
            return self.json_function(&function);
        }
        if let Ok(character) = item.as_char() {
            return self.json_string(character.encode_utf8(&mut [0; 4]));
        }
        if item.is_variant() {
            return self.json_string(item.type_name());
        }
        self.push(&format!("{item:?}"))
    }

    /// What a closure captured is left out: it may be the closure.
    fn json_function(&mut self, function: &FnPtr) -> Result<(), Full> {
        if !function.is_curried() {
            return self.json_string(function.fn_name());
        }
        self.push("[")?;
        self.json_string(function.fn_name())?;
        for value in function.iter_curry() {
            self.push(",")?;
            self.json(if value.is_shared() { &Dynamic::UNIT } else { value })?;
        }
        self.push("]")
    }

    fn json_string(&mut self, string: &str) -> Result<(), Full> {
        self.push("\"")?;
        for character in string.chars() {
            match character {
                '"' => self.push("\\\"")?,
                '\\' => self.push("\\\\")?,
                '\n' => self.push("\\n")?,
                '\r' => self.push("\\r")?,
                '\t' => self.push("\\t")?,
                control if control < ' ' => self.push(&escaped(control))?,
                plain => self.push(plain.encode_utf8(&mut [0; 4]))?,
            }
        }
        self.push("\"")
    }
}

fn escaped(control: char) -> String {
    let mut text = String::new();
    let _ = write!(text, "\\u{:04x}", control as u32);
    text
}
