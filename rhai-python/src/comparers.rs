//! `sort`, `order` and `dedup` with a comparing function. Rhai's own swallow its errors, and with them the news that the
//! script has to end: they would compare to the end, whatever that takes.

use std::cmp::Ordering;
use std::panic::{catch_unwind, AssertUnwindSafe};

use rhai::{Array, Dynamic, EvalAltResult, FnPtr, FuncRegistration, Module, NativeCallContext, Position};

use crate::evaluation;

type Answer<T> = Result<T, Box<EvalAltResult>>;

pub fn add(module: &mut Module) {
    for name in ["sort", "sort_by"] {
        FuncRegistration::new(name)
            .in_global_namespace()
            .set_into_module(module, |ctx: NativeCallContext, array: &mut Array, by: FnPtr| sort(&ctx, array, &by));
    }
    for name in ["order", "order_by"] {
        FuncRegistration::new(name).in_global_namespace().with_purity(true).set_into_module(
            module,
            |ctx: NativeCallContext, array: &mut Array, by: FnPtr| {
                let mut ordered = array.clone();
                sort(&ctx, &mut ordered, &by).map(|()| ordered)
            },
        );
    }
    FuncRegistration::new("dedup").in_global_namespace().set_into_module(
        module,
        |ctx: NativeCallContext, array: &mut Array, by: FnPtr| {
            dedup(array, |kept, next| call(&ctx, &by, kept, next));
        },
    );
    FuncRegistration::new("dedup").in_global_namespace().set_into_module(
        module,
        |ctx: NativeCallContext, array: &mut Array| {
            dedup(array, |kept, next| equal(&ctx, kept, next));
        },
    );
}

fn sort(ctx: &NativeCallContext, array: &mut Array, by: &FnPtr) -> Answer<()> {
    let sorting = || {
        array.sort_by(|left, right| match call(ctx, by, left, right) {
            Some(value) => rank(&value).unwrap_or_else(|| left.type_id().cmp(&right.type_id())),
            None => Ordering::Equal,
        });
    };
    // Rust may panic if the order makes no sense.
    catch_unwind(AssertUnwindSafe(sorting))
        .map_err(|_| EvalAltResult::ErrorRuntime("error in comparer for sorting".into(), Position::NONE).into())
}

fn rank(value: &Dynamic) -> Option<Ordering> {
    if let Ok(number) = value.as_int() {
        return Some(number.cmp(&0));
    }
    value.as_bool().ok().map(|less| if less { Ordering::Less } else { Ordering::Greater })
}

fn dedup(array: &mut Array, same: impl Fn(&Dynamic, &Dynamic) -> Option<Dynamic>) {
    array.dedup_by(|next, kept| same(kept, next).is_some_and(|same| same.as_bool().unwrap_or(false)));
}

/// What `by` says; `()` if it fails, `None` if the script has to end.
fn call(ctx: &NativeCallContext, by: &FnPtr, left: &Dynamic, right: &Dynamic) -> Option<Dynamic> {
    if evaluation::must_stop() {
        return None;
    }
    Some(by.call_raw(ctx, None, [left.clone(), right.clone()]).unwrap_or(Dynamic::UNIT))
}

/// What `==` says, as [`call`].
fn equal(ctx: &NativeCallContext, left: &Dynamic, right: &Dynamic) -> Option<Dynamic> {
    if evaluation::must_stop() {
        return None;
    }
    let (mut left, mut right) = (left.clone(), right.clone());
    Some(ctx.call_native_fn_raw("==", true, &mut [&mut left, &mut right]).unwrap_or(Dynamic::UNIT))
}
