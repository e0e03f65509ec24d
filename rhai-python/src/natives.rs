//! Functions that stand in front of Rhai's own, which would pass a limit or recurse without end.
//!
//! Nothing can interrupt a native function, so what one call can cost has to be bounded beforehand: `sleep` does not
//! exist; `replace`, `pad` and `split` say no before they build; `texts` and `comparers` hold the rest.

use rhai::{
    Array, Dynamic, EvalAltResult, FnPtr, FuncRegistration, ImmutableString, Map, Module, NativeCallContext, Position,
    FLOAT, INT,
};

use crate::comparers;
use crate::orders;
use crate::texts;

type Answer<T> = Result<T, Box<EvalAltResult>>;

/// What scripts write as `curry`, see `parsing`.
pub const BOUNDED_CURRY: &str = "bounded_curry";
/// Arguments that a function pointer may hold: a call with n of them may take n times 65,536 steps.
const MAX_CURRIED: usize = 32;

pub fn module() -> Module {
    let mut module = Module::new();
    no_sleep(&mut module);
    bounded_replace(&mut module);
    bounded_pad(&mut module);
    bounded_split(&mut module);
    bounded_curry(&mut module);
    texts::add(&mut module);
    comparers::add(&mut module);
    orders::hide_marks(&mut module);
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

/// Pieces are some fifty times as large as the text that they come from.
fn bounded_split(module: &mut Module) {
    macro_rules! add {
        ($name:literal, |$text:ident $(, $argument:ident: $kind:ty)*| $pieces:expr) => {
            FuncRegistration::new($name).in_global_namespace().with_purity(true).set_into_module(
                module,
                |ctx: NativeCallContext, $text: &mut ImmutableString, $($argument: $kind),*| collect(&ctx, $pieces),
            );
        };
    }
    // A text without the delimiter is one piece; only `split` on whitespace drops empty ones.
    add!("split", |text, by: ImmutableString| text.split(delimiter(text, &by)));
    add!("split", |text, by: char| text.split(by));
    add!("split", |text, by: ImmutableString, most: INT| text.splitn(pieces(most), delimiter(text, &by)));
    add!("split", |text, by: char, most: INT| text.splitn(pieces(most), by));
    add!("split_rev", |text, by: ImmutableString| text.rsplit(delimiter(text, &by)));
    add!("split_rev", |text, by: char| text.rsplit(by));
    add!("split_rev", |text, by: ImmutableString, most: INT| text.rsplitn(pieces(most), delimiter(text, &by)));
    add!("split_rev", |text, by: char, most: INT| text.rsplitn(pieces(most), by));
    add!("to_chars", |text| text.chars());
    FuncRegistration::new("split").in_global_namespace().with_purity(true).set_into_module(
        module,
        |ctx: NativeCallContext, text: &mut ImmutableString| match text.is_empty() {
            true => collect(&ctx, std::iter::once("")),
            false => collect(&ctx, text.split_whitespace()),
        },
    );
}

/// Rhai leaves an empty text whole, where Rust splits it at an empty delimiter into two.
fn delimiter<'a>(text: &str, by: &'a str) -> &'a str {
    if text.is_empty() {
        "\0"
    } else {
        by
    }
}

fn pieces(most: INT) -> usize {
    usize::try_from(most.max(1)).unwrap_or(usize::MAX)
}

fn collect<T: Into<Dynamic>>(ctx: &NativeCallContext, pieces: impl Iterator<Item = T>) -> Answer<Array> {
    let limit = ctx.engine().max_array_size();
    let mut array = Array::new();
    for piece in pieces {
        fits(array.len() + 1, limit, "Size of array/BLOB")?;
        array.push(piece.into());
    }
    Ok(array)
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

pub fn string_limit(ctx: &NativeCallContext) -> usize {
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
