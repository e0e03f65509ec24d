//! How much text a script's variables hold.
//!
//! Copies of a text share it, and Rhai does not look at sizes when an element is assigned. A list of 10,000 references
//! to one text of 1 MiB so takes no memory, but a function that reads all of it takes seconds, and none can be
//! interrupted. Variables are therefore weighed now and then.

use std::ops::ControlFlow;

use rhai::{Array, Dynamic, EvalContext, FnPtr, ImmutableString, Map};

/// Uses of variables between two weighings: more if much had to be weighed, so that it costs little, but not so many
/// that much is added meanwhile.
const FEWEST_USES: usize = 64;
const MOST_USES: usize = 4096;
const VALUES_PER_USE: usize = 32;

/// A weighing that ends when the text of one variable is more than a string may have.
pub struct Scale {
    limit: usize,
    text: usize,
    values: usize,
}

/// The text that the host gives a script, which is not the script's to answer for.
pub fn text<'a>(values: impl IntoIterator<Item = &'a Dynamic>) -> usize {
    let mut scale = Scale::new(usize::MAX);
    for value in values {
        let _ = scale.add(value);
    }
    scale.text
}

impl Scale {
    pub fn new(limit: usize) -> Self {
        Self { limit, text: 0, values: 0 }
    }

    /// Breaks if a variable in sight holds too much.
    pub fn weigh_variables(&mut self, context: &EvalContext<'_, '_, '_, '_, '_, '_>) -> ControlFlow<()> {
        for (_, _, value) in context.scope().iter_raw() {
            self.weigh(value)?;
        }
        context.this_ptr().map_or(ControlFlow::Continue(()), |this| self.weigh(this))
    }

    /// Uses of variables until the next weighing.
    pub fn pause(&self) -> usize {
        (self.values / VALUES_PER_USE).clamp(FEWEST_USES, MOST_USES)
    }

    fn weigh(&mut self, value: &Dynamic) -> ControlFlow<()> {
        self.text = 0;
        self.values += 1;
        if value.is_array() || value.is_map() || value.is_fnptr() {
            return self.add(value);
        }
        ControlFlow::Continue(())
    }

    fn add(&mut self, value: &Dynamic) -> ControlFlow<()> {
        self.values += 1;
        if let Some(text) = value.read_lock::<ImmutableString>() {
            self.text += text.len();
            if self.text > self.limit {
                return ControlFlow::Break(());
            }
        } else if let Some(array) = value.read_lock::<Array>() {
            return array.iter().try_for_each(|item| self.add(item));
        } else if let Some(map) = value.read_lock::<Map>() {
            return map.values().try_for_each(|item| self.add(item));
        } else if let Some(function) = value.read_lock::<FnPtr>() {
            // What closures share is a variable of its own, and may be the closure.
            return function.iter_curry().filter(|value| !value.is_shared()).try_for_each(|value| self.add(value));
        }
        ControlFlow::Continue(())
    }
}
