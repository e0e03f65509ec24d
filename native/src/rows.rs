//! Answers as rows of numbers, each once, and the sums of a quarter of an hour.

use std::collections::hash_map::Entry as Place;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

const REQUEST_BITS: u32 = 19;
const REQUEST_MASK: i64 = (1 << REQUEST_BITS) - 1;
/// In place of a request's bits: a copy of an answer.
const COPY: i64 = 0;
/// Lengths of a prompt at which prices change somewhere.
const STEPS: [i64; 9] = [32_000, 64_000, 100_000, 128_000, 200_000, 256_000, 272_000, 512_000, 1_000_000];
const STEP_BITS: u32 = 4;
const COUNT_BITS: u32 = 31;
const SLOT_MS: i64 = 900_000;
/// Characters of a response's id that are kept.
const MOST_ID: usize = 256;

/// input: without cached ones; hours: what of `written` was for an hour.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tokens {
    pub input: i64,
    pub output: i64,
    pub written: i64,
    pub read: i64,
    pub hours: i64,
}

#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub key: i64,
    pub time: i64,
    pub dim: i64,
    pub session: i64,
    pub step: i64,
    pub tokens: Tokens,
    pub cost: Option<f64>,
    pub profiled: bool,
}

/// What a log says of an answer. request: empty, or with `answer` what tells it from others. response: the provider's id
/// of it, where the log has one beside `answer`.
#[derive(Clone, Copy)]
pub struct Answer<'a> {
    pub answer: &'a str,
    pub request: &'a str,
    pub copy: bool,
    pub time: i64,
    pub session: &'a str,
    pub project: &'a str,
    pub model: &'a str,
    pub tier: &'a str,
    pub tokens: Tokens,
    pub response: &'a str,
}

/// Whose logs they are. provider, profile: empty for the user's own.
#[derive(Clone, Debug)]
pub struct Whose {
    pub agent: String,
    pub provider: String,
    pub profile: String,
}

/// id, agent, provider, profile, model, service tier, source
pub type Dim = (i64, String, String, String, String, String, String);
/// id, agent, name, project
pub type Session = (i64, String, String, String);
/// key of a row, the provider's id of its answer
pub type Response = (i64, String);

/// Keys are digests already.
#[derive(Default)]
pub struct Digested(u64);

impl Hasher for Digested {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0.rotate_left(8) ^ u64::from(byte));
    }
    fn write_i64(&mut self, number: i64) {
        // The last bits are often those of a copy; the table wants good ones at both ends.
        self.0 = (number as u64).rotate_left(32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

#[derive(Default)]
pub struct Rows {
    pub dims: Vec<Dim>,
    pub sessions: Vec<Session>,
    pub responses: Vec<Response>,
    known_dims: HashMap<(String, String), i64>,
    known_sessions: HashMap<(String, String), i64>,
    last_session: (String, String, i64),
    last_dim: (String, String, i64),
    rows: HashMap<i64, Row, BuildHasherDefault<Digested>>,
}

impl Rows {
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn add(&mut self, answer: &Answer<'_>, whose: &Whose) {
        let (dim, session) = (self.dim(answer, whose), self.session(answer, whose));
        let key =
            answer_key(&whose.agent, answer.answer) | if answer.copy { COPY } else { request_bits(answer.request) };
        if !answer.response.is_empty() {
            self.responses.push((key, answer.response.chars().take(MOST_ID).collect()));
        }
        let prompt = answer.tokens.prompt();
        let step = STEPS.partition_point(|&step| step < prompt) as i64;
        let profiled = !whose.profile.is_empty();
        let (time, tokens) = (answer.time, answer.tokens);
        self.put(Row { key, time, dim, session, step, tokens, cost: None, profiled });
    }

    /// Of two rows of an answer the one with more tokens, then the earlier one, then the one that came first.
    pub fn put(&mut self, row: Row) {
        match self.rows.entry(row.key) {
            Place::Vacant(place) => {
                place.insert(row);
            }
            Place::Occupied(mut place) => {
                let known = place.get();
                if (known.tokens.total(), -known.time) < (row.tokens.total(), -row.time) {
                    place.insert(row);
                }
            }
        }
    }

    /// Names of rows that were made elsewhere; of the same agent, provider and profile.
    pub fn know(&mut self, dims: Vec<Dim>, sessions: Vec<Session>) {
        for dim in dims {
            self.known_dims.entry((dim.4.clone(), dim.5.clone())).or_insert_with(|| {
                let id = dim.0;
                self.dims.push(dim);
                id
            });
        }
        for session in sessions {
            self.known_sessions.entry((session.2.clone(), session.3.clone())).or_insert_with(|| {
                let id = session.0;
                self.sessions.push(session);
                id
            });
        }
    }

    fn dim(&mut self, answer: &Answer<'_>, whose: &Whose) -> i64 {
        let (model, tier, id) = &self.last_dim;
        if id != &0 && model == answer.model && tier == answer.tier {
            return *id;
        }
        let names = (answer.model.to_owned(), answer.tier.to_owned());
        let id = *self.known_dims.entry(names.clone()).or_insert_with(|| {
            let (agent, provider, profile) = (&whose.agent, &whose.provider, &whose.profile);
            let id = digest(&[agent, provider, profile, answer.model, answer.tier, "log"]) >> 1;
            let (model, tier) = names.clone();
            self.dims.push((id as i64, agent.clone(), provider.clone(), profile.clone(), model, tier, "log".into()));
            id as i64
        });
        self.last_dim = (names.0, names.1, id);
        id
    }

    fn session(&mut self, answer: &Answer<'_>, whose: &Whose) -> i64 {
        let (name, project, id) = &self.last_session;
        if id != &0 && name == answer.session && project == answer.project {
            return *id;
        }
        let names = (answer.session.to_owned(), answer.project.to_owned());
        let id = *self.known_sessions.entry(names.clone()).or_insert_with(|| {
            let id = digest(&[&whose.agent, answer.session]) >> 1;
            let (name, project) = names.clone();
            self.sessions.push((id as i64, whose.agent.clone(), name, project));
            id as i64
        });
        self.last_session = (names.0, names.1, id);
        id
    }

    /// In the order of their keys.
    pub fn sorted(&mut self) -> Vec<Row> {
        let mut rows: Vec<_> = self.rows.drain().map(|(_, row)| row).collect();
        rows.sort_unstable_by_key(|row| row.key);
        rows
    }
}

impl Tokens {
    pub fn prompt(&self) -> i64 {
        self.input.saturating_add(self.written).saturating_add(self.read)
    }

    pub fn total(&self) -> i64 {
        self.prompt().saturating_add(self.output)
    }

    fn add(&mut self, more: &Self) {
        self.input = self.input.saturating_add(more.input);
        self.output = self.output.saturating_add(more.output);
        self.written = self.written.saturating_add(more.written);
        self.read = self.read.saturating_add(more.read);
        self.hours = self.hours.saturating_add(more.hours);
    }
}

impl Row {
    pub fn answer(&self) -> i64 {
        self.key & !REQUEST_MASK
    }

    /// Whether `packed` says all of it.
    pub fn is_packable(&self) -> bool {
        let Tokens { input, output, written, read, .. } = self.tokens;
        let small = [input, output, written, read].iter().all(|count| (0..1 << COUNT_BITS).contains(count));
        small && (0..1 << 58).contains(&self.time) && self.cost.is_none()
    }

    /// key; time and step; dim; session; input and output; written and read; hours and whether it is profiled. Handing
    /// a number to a database takes longer than taking two out of one.
    pub fn packed(&self) -> [i64; 7] {
        let Tokens { input, output, written, read, hours } = self.tokens;
        [
            self.key,
            self.time << STEP_BITS | self.step,
            self.dim,
            self.session,
            input << COUNT_BITS | output,
            written << COUNT_BITS | read,
            hours << 1 | i64::from(self.profiled),
        ]
    }
}

/// Of one slot, dimension, session and step.
#[derive(Default)]
pub struct Sum {
    pub count: i64,
    pub tokens: Tokens,
    pub first: i64,
    pub last: i64,
}

/// By slot, dim, session, step.
pub type Slots = BTreeMap<(i64, i64, i64, i64), Sum>;

pub fn slots<'a>(rows: impl Iterator<Item = &'a Row>) -> Slots {
    let mut slots = Slots::new();
    for row in rows {
        let sum = slots.entry((row.time / SLOT_MS, row.dim, row.session, row.step)).or_insert_with(|| Sum {
            first: row.time,
            last: row.time,
            ..Sum::default()
        });
        sum.count += 1;
        sum.tokens.add(&row.tokens);
        sum.first = sum.first.min(row.time);
        sum.last = sum.last.max(row.time);
    }
    slots
}

pub fn total<'a>(rows: impl Iterator<Item = &'a Row>) -> (i64, Tokens) {
    rows.fold((0, Tokens::default()), |(count, mut tokens), row| {
        tokens.add(&row.tokens);
        (count + 1, tokens)
    })
}

fn request_bits(request: &str) -> i64 {
    let digest = if request.is_empty() { 0 } else { i64::from(crc32fast::hash(request.as_bytes())) };
    2 + digest % (REQUEST_MASK - 1)
}

/// 63 bits: 44 of the answer, then those of the request, so that the requests of one answer are neighbours.
fn answer_key(agent: &str, answer: &str) -> i64 {
    (digest(&[agent, answer]) >> 20 << REQUEST_BITS) as i64
}

/// Of names with a zero between each two.
fn digest(names: &[&str]) -> u64 {
    let mut state = blake2b_simd::Params::new().hash_length(8).to_state();
    for (number, name) in names.iter().enumerate() {
        if number > 0 {
            state.update(b"\0");
        }
        state.update(name.as_bytes());
    }
    state.finalize().as_bytes().iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte))
}
