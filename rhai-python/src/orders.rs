//! The order of a map's keys. Rhai's maps are sorted, Python's dicts are not.
//!
//! A dict whose keys are not sorted marks the map that is made of it: Rhai carries a number beside each value, its tag,
//! through copies, calls and changes. The mark is the place of the order in a table that lives as long as the evaluation.
//! Maps that a script makes have none; for them the script's text counts, see `written`.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, OnceLock};

use rhai::{Dynamic, FuncRegistration, Map, Module, Position, INT};

use crate::ast::Script;
use crate::written::Written;

/// Orders that one evaluation remembers.
pub const MAX_ORDERS: usize = 65_536;
/// Stands behind each key of a list of keys: no byte of UTF-8.
const END: u8 = 0xFF;
/// Bytes of a key that are made room for.
const USUAL_KEY: usize = 12;
/// Orders that are looked through one by one.
const FEW: usize = 8;
/// The lowest tags are marks, the last of them that of a dict whose keys were sorted.
const FIRST_MARK: i32 = i32::MIN;
const SORTED: usize = MAX_ORDERS;

/// Keys in an order, as one piece of bytes, which is quick to compare.
#[derive(PartialEq, Eq, Hash)]
pub struct Keys(Vec<u8>);

impl Keys {
    /// For some `count` keys.
    pub fn new<'a>(count: usize, keys: impl IntoIterator<Item = &'a str>) -> Self {
        let mut made = Self(Vec::with_capacity(count.saturating_mul(USUAL_KEY)));
        keys.into_iter().for_each(|key| made.push(key));
        made
    }

    pub fn push(&mut self, key: &str) {
        self.0.extend_from_slice(key.as_bytes());
        self.0.push(END);
    }
}

/// One order of keys.
pub struct Order {
    keys: Keys,
    /// Made when a map is first put into the order.
    places: OnceLock<Places>,
}

/// Where in an order each key of a map belongs.
struct Places {
    /// The keys as a map sorts them: where the text of each begins and ends, and its place.
    sorted: Vec<(usize, usize, u32)>,
    /// For each place the key's index among the sorted.
    indices: Vec<u32>,
}

impl Places {
    fn new(keys: &[u8]) -> Self {
        let mut start = 0;
        let ends = (0..keys.len()).filter(|end| keys[*end] == END);
        let mut sorted: Vec<(usize, usize, u32)> =
            (0..).zip(ends).map(|(place, end)| (std::mem::replace(&mut start, end + 1), end, place)).collect();
        sorted.sort_unstable_by_key(|(start, end, _)| &keys[*start..*end]);
        let mut indices = vec![0; sorted.len()];
        for (index, (_, _, place)) in (0..).zip(&sorted) {
            indices[*place as usize] = index;
        }
        Self { sorted, indices }
    }
}

type Items<'a> = Vec<(&'a str, &'a Dynamic)>;

/// A map's items, and the order of their indices unless it is theirs.
pub struct Arranged<'a> {
    items: Items<'a>,
    indices: Option<&'a [u32]>,
}

impl<'a> Arranged<'a> {
    pub fn try_each<E>(&self, mut action: impl FnMut(&'a str, &'a Dynamic) -> Result<(), E>) -> Result<(), E> {
        match self.indices {
            Some(indices) => {
                indices.iter().map(|index| self.items[*index as usize]).try_for_each(|(key, item)| action(key, item))
            }
            None => self.items.iter().try_for_each(|(key, item)| action(key, item)),
        }
    }
}

impl Order {
    pub fn new(keys: Keys) -> Self {
        Self { keys, places: OnceLock::new() }
    }

    /// Items whose keys this order does not know follow, sorted by `sort`.
    fn arrange<'a>(&'a self, map: &'a Map, sort: impl FnOnce(&mut Items<'a>)) -> Arranged<'a> {
        let keys = &self.keys.0;
        let Places { sorted, indices } = self.places.get_or_init(|| Places::new(keys));
        let items = items(map);
        let same = items.len() == sorted.len()
            && items.iter().zip(sorted).all(|((key, _), (start, end, _))| *key.as_bytes() == keys[*start..*end]);
        if same {
            return Arranged { items, indices: Some(indices) };
        }
        let (mut known, mut others) = (Vec::new(), Vec::new());
        for item in items {
            match sorted.binary_search_by(|(start, end, _)| keys[*start..*end].cmp(item.0.as_bytes())) {
                Ok(index) => known.push((sorted[index].2, item)),
                Err(_) => others.push(item),
            }
        }
        known.sort_unstable_by_key(|(place, _)| *place);
        sort(&mut others);
        Arranged { items: known.into_iter().map(|(_, item)| item).chain(others).collect(), indices: None }
    }
}

fn items(map: &Map) -> Items<'_> {
    map.iter().map(|(key, item)| (key.as_str(), item)).collect()
}

/// The orders that an evaluation knows: of the dicts that it got, and of its script's text.
#[derive(Default)]
pub struct Orders {
    known: Vec<Order>,
    /// Places by hash, once there are many.
    index: Option<Box<Index>>,
    /// The one that was asked for last: dicts of one kind come together.
    last: usize,
    script: Option<Arc<Script>>,
    modules: Vec<Arc<Script>>,
}

#[derive(Default)]
struct Index {
    places: HashMap<u64, u32>,
    hasher: RandomState,
}

impl Index {
    /// The place of an order with these keys, or the hash under which it would be entered.
    fn find(&self, keys: &Keys, known: &[Order]) -> Result<usize, u64> {
        let mut hash = self.hasher.hash_one(keys);
        while let Some(place) = self.places.get(&hash) {
            if known[*place as usize].keys == *keys {
                return Ok(*place as usize);
            }
            hash = hash.wrapping_add(1);
        }
        Err(hash)
    }

    fn of(known: &[Order]) -> Box<Self> {
        let mut made = Box::<Self>::default();
        for (place, order) in (0..).zip(known) {
            if let Err(hash) = made.find(&order.keys, known) {
                made.places.insert(hash, place);
            }
        }
        made
    }
}

impl Orders {
    /// The script whose text counts for maps that it makes; after it the texts of modules do.
    pub fn follow(&mut self, script: Arc<Script>) {
        self.script = Some(script);
    }

    pub fn import(&mut self, modules: Vec<Arc<Script>>) {
        self.modules = modules;
    }

    /// Reads the texts, each once in its life; it recurses, so it belongs on a script's stack.
    pub fn prepare(&self) {
        for script in self.scripts() {
            script.written();
        }
    }

    fn scripts(&self) -> impl Iterator<Item = &Arc<Script>> {
        self.script.iter().chain(&self.modules)
    }

    fn written(&self) -> impl Iterator<Item = &Written> {
        self.scripts().filter_map(|script| script.known())
    }

    /// Marks the map of a dict whose keys are in this order; without room the order is forgotten.
    pub fn mark(&mut self, map: &mut Dynamic, keys: Keys) {
        if let Some(place) = self.place(keys) {
            map.set_tag(FIRST_MARK + place as i32);
        }
    }

    /// The same for a dict whose keys are sorted, as the map's are.
    pub fn mark_sorted(map: &mut Dynamic) {
        map.set_tag(FIRST_MARK + SORTED as i32);
    }

    fn place(&mut self, keys: Keys) -> Option<usize> {
        if self.known.get(self.last).is_some_and(|order| order.keys == keys) {
            return Some(self.last);
        }
        let hash = match &self.index {
            Some(index) => match index.find(&keys, &self.known) {
                Ok(place) => {
                    self.last = place;
                    return Some(place);
                }
                Err(hash) => Some(hash),
            },
            None => {
                if let Some(place) = self.known.iter().position(|order| order.keys == keys) {
                    self.last = place;
                    return Some(place);
                }
                None
            }
        };
        if self.known.len() >= MAX_ORDERS {
            return None;
        }
        self.last = self.known.len();
        self.known.push(Order::new(keys));
        match (&mut self.index, hash) {
            (Some(index), Some(hash)) => drop(index.places.insert(hash, self.last as u32)),
            _ if self.known.len() > FEW => self.index = Some(Index::of(&self.known)),
            _ => {}
        }
        Some(self.last)
    }

    /// The map's items in the order of the dict that it was, or of the text that made it; None for the map's own.
    pub fn arrange<'a>(&'a self, value: &Dynamic, map: &'a Map) -> Option<Arranged<'a>> {
        if map.len() < 2 {
            return None;
        }
        match marked(tag(value)) {
            Some(SORTED) => return None,
            Some(place) if place < self.known.len() => {
                return Some(self.known[place].arrange(map, |others| self.sort(others)));
            }
            _ => {}
        }
        if self.written().all(Written::is_empty) {
            return None;
        }
        let keys = Keys::new(map.len(), map.keys().map(|key| key.as_str()));
        if let Some(order) = self.written().find_map(|written| written.literal(&keys)) {
            return Some(order.arrange(map, |_| ()));
        }
        let mut items = items(map);
        self.sort(&mut items);
        Some(Arranged { items, indices: None })
    }

    /// As the texts set the keys; those that none names follow as they are.
    fn sort(&self, items: &mut Items<'_>) {
        items.sort_by_cached_key(|(key, _)| {
            let first = (0..).zip(self.written()).find_map(|(text, written)| Some((text, written.first(key)?)));
            first.unwrap_or((usize::MAX, Position::NONE))
        });
    }
}

/// What a shared value holds has the tag, not the reference.
fn tag(value: &Dynamic) -> i32 {
    if value.is_shared() {
        return value.read_lock::<Dynamic>().map_or(0, |inner| inner.tag());
    }
    value.tag()
}

fn marked(tag: i32) -> Option<usize> {
    let place = tag.wrapping_sub(FIRST_MARK) as u32 as usize;
    (place <= SORTED).then_some(place)
}

/// Scripts do not see marks.
pub fn hide_marks(module: &mut Module) {
    fn visible(value: &mut Dynamic) -> INT {
        let tag = value.tag();
        INT::from(if marked(tag).is_some() { 0 } else { tag })
    }
    FuncRegistration::new("tag").in_global_namespace().with_purity(true).set_into_module(module, visible);
    FuncRegistration::new_getter("tag").in_global_namespace().with_purity(true).set_into_module(module, visible);
}
