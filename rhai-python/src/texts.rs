//! Texts of arrays, maps and function pointers: they stop at the string limit and leave out what closures captured (a
//! closure that captured itself has no end).

use std::fmt::Write;

use rhai::{
    Array, Dynamic, EvalAltResult, FnPtr, FuncRegistration, ImmutableString, Map, Module, NativeCallContext, Variant,
};

use crate::evaluation;
use crate::natives::string_limit;

/// Characters of a function's name that a text shows.
const SHOWN_NAME: usize = 64;

pub fn add(module: &mut Module) {
    for name in ["print", "to_string", "debug", "to_debug"] {
        FuncRegistration::new(name)
            .in_global_namespace()
            .with_purity(true)
            .set_into_module(module, |ctx: NativeCallContext, array: &mut Array| {
                Text::of(&ctx, array, Dynamic::from_array, Text::array)
            });
        FuncRegistration::new(name)
            .in_global_namespace()
            .with_purity(true)
            .set_into_module(module, |ctx: NativeCallContext, map: &mut Map| {
                Text::of(&ctx, map, Dynamic::from_map, Text::map)
            });
        FuncRegistration::new(name)
            .in_global_namespace()
            .with_purity(true)
            .set_into_module(module, |function: &mut FnPtr| -> ImmutableString { function_text(function).into() });
    }
    FuncRegistration::new("to_json")
        .in_global_namespace()
        .with_purity(true)
        .set_into_module(module, |ctx: NativeCallContext, map: &mut Map| {
            Text::of(&ctx, map, Dynamic::from_map, |text, map| text.json_map(map))
        });
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
    /// The text of `value`, which is emptied if the text or the value is too large; the script ends then.
    ///
    /// Rhai answers an error of this function, and an argument beyond the limits, with a text that has no limit.
    fn of<V: Variant + Clone + Default>(
        ctx: &'a NativeCallContext<'a>,
        value: &mut V,
        wrap: fn(V) -> Dynamic,
        write: impl FnOnce(&mut Self, &mut V) -> Result<(), Full>,
    ) -> ImmutableString {
        let mut text = Text { ctx, text: String::new(), limit: string_limit(ctx) };
        if text.bounded(value, wrap).and_then(|()| write(&mut text, value)).is_err() {
            if let Some(running) = evaluation::current() {
                running.refuse_text();
            }
            *value = V::default();
            text.text.clear();
        }
        text.text.into()
    }

    /// Rhai does not look at sizes when an element is assigned, so a value may be larger than it should.
    fn bounded<V: Variant + Clone + Default>(&self, value: &mut V, wrap: fn(V) -> Dynamic) -> Result<(), Full> {
        let whole = wrap(std::mem::take(value));
        let checked = self.ctx.engine().ensure_data_size_within_limits(&whole);
        checked.map_err(|_| Full)?;
        *value = whole.try_cast().ok_or(Full)?;
        Ok(())
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
        match self.ctx.call_native_fn_raw("to_debug", true, &mut [item]) {
            Ok(shown) => match shown.into_immutable_string() {
                Ok(shown) => self.push(&shown),
                Err(kind) => self.push(kind),
            },
            Err(error) if matches!(*error, EvalAltResult::ErrorDataTooLarge(..)) => Err(Full),
            Err(_) => self.push(item.type_name()),
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
