//! Codex: a count of tokens after each answer; what a line means depends on those before it.

use std::sync::LazyLock;

use crate::fields::{Kind, Tree};
use crate::heads::Heads;
use crate::line::{self, Value};
use crate::rows::{Answer, Rows, Tokens, Whose};
use crate::text;

/// Of early logs, which name no model.
const FALLBACK_MODEL: &str = "gpt-5";
/// Milliseconds. A thread that was forked begins with its parent's events, written in one go.
const REPLAY_PAUSE: i64 = 1000;
const OTHERS: [&str; 3] = ["response_item", "compacted", "world_state"];
const FIELDS: [(&str, Kind); 19] = [
    ("timestamp", Kind::Time),
    ("type", Kind::Text { may_be_empty: true }),
    ("payload.type", Kind::Text { may_be_empty: true }),
    ("payload.info.total_token_usage.input_tokens", Kind::Int),
    ("payload.info.total_token_usage.cached_input_tokens", Kind::Int),
    ("payload.info.total_token_usage.cache_write_input_tokens", Kind::Int),
    ("payload.info.total_token_usage.output_tokens", Kind::Int),
    ("payload.info.last_token_usage.input_tokens", Kind::Int),
    ("payload.info.last_token_usage.cached_input_tokens", Kind::Int),
    ("payload.info.last_token_usage.cache_write_input_tokens", Kind::Int),
    ("payload.info.last_token_usage.output_tokens", Kind::Int),
    ("payload.info.model", Kind::Text { may_be_empty: true }),
    ("payload.model", Kind::Text { may_be_empty: true }),
    ("payload.id", Kind::Text { may_be_empty: true }),
    ("payload.cwd", Kind::Written),
    ("payload.source", Kind::Written),
    ("payload.forked_from_id", Kind::Nothing),
    ("payload.thread_settings", Kind::Nothing),
    ("payload.response_id", Kind::Text { may_be_empty: true }),
];
const TYPE: usize = 1;
const PAYLOAD_TYPE: usize = 2;
const TOTAL: [usize; 4] = [3, 4, 5, 6];
const LAST: [usize; 4] = [7, 8, 9, 10];
const INFO_MODEL: usize = 11;
const MODEL: usize = 12;
const ID: usize = 13;
const CWD: usize = 14;
const RESPONSE: usize = 18;

static TREE: LazyLock<Tree> = LazyLock::new(|| Tree::of(&FIELDS));
static PASSED: LazyLock<Heads> = LazyLock::new(|| Heads::new("type", &OTHERS.map(str::to_owned)));

/// input, of which cached, of which written to the cache; output.
type Counts = [i64; 4];

/// Other: with numbers that no count can have; only the judge reads it.
#[derive(Clone, Debug, PartialEq)]
pub enum Total {
    Counts(Counts),
    Other(String),
}

/// What earlier lines have told. replaying: time of the last line that repeats the parent's; None: not any more.
/// response: the provider's id of the answer whose counts come next.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    pub session: Option<String>,
    pub model: Option<String>,
    pub cwd: Option<String>,
    pub tier: Option<String>,
    pub total: Option<Total>,
    pub replaying: Option<i64>,
    pub response: Option<String>,
}

/// Whether it is known what the line says; its answer is then among the rows.
pub fn line(line: &[u8], identity: &str, memory: &mut Memory, rows: &mut Rows, whose: &Whose) -> bool {
    if PASSED.holds(line) {
        return true;
    }
    let mut values = [Value::Absent; FIELDS.len()];
    if !line::read(line, &TREE, &mut values) {
        return false;
    }
    let named = |field: usize| values[field].text(line).filter(|text| !text.is_empty());
    let cwd = values[CWD].text(line).map(|text| text::said(text).into_owned());
    let no_payload = values[PAYLOAD_TYPE..].iter().all(|value| value.is_absent());
    match named(TYPE) {
        Some("turn_context" | "session_meta") if no_payload => return false,
        Some("event_msg") => match named(PAYLOAD_TYPE) {
            Some("token_count") => return counted(line, &values, identity, memory, rows, whose),
            Some("thread_settings_applied") => return false,
            _ => {}
        },
        Some("turn_context") => {
            if let Some(model) = named(MODEL) {
                memory.model = Some(model.to_owned());
            }
            if let Some(cwd) = cwd.filter(|cwd| !cwd.is_empty()) {
                memory.cwd = Some(cwd);
            }
        }
        Some("token_usage_record") if no_payload => return false,
        Some("token_usage_record") => memory.response = named(RESPONSE).map(str::to_owned),
        Some("session_meta") if memory.session.is_none() => {
            memory.session = Some(named(ID).unwrap_or_default().to_owned());
            memory.cwd = cwd;
        }
        _ => {}
    }
    true
}

fn counted(
    line: &[u8],
    values: &[Value; FIELDS.len()],
    identity: &str,
    memory: &mut Memory,
    rows: &mut Rows,
    whose: &Whose,
) -> bool {
    let Value::Int(time) = values[0] else { return false };
    if [TOTAL[0], TOTAL[3], LAST[0], LAST[3]].iter().any(|&field| values[field].is_absent()) {
        return false;
    }
    let total = TOTAL.map(|field| values[field].int());
    if memory.total == Some(Total::Counts(total)) {
        return true;
    }
    memory.total = Some(Total::Counts(total));
    let response = memory.response.take();
    if let Some(last) = memory.replaying {
        if time - last <= REPLAY_PAUSE {
            memory.replaying = Some(time.max(last));
            return true;
        }
        memory.replaying = None;
    }
    let used = LAST.map(|field| values[field].int());
    if used == [0; 4] {
        return true;
    }
    if let Some(model) = values[INFO_MODEL].text(line).filter(|model| !model.is_empty()) {
        memory.model = Some(model.to_owned());
    }
    rows.add(
        &Answer {
            answer: &format!("{identity}@{time}"),
            request: &format!("{}+{}", total[0], total[3]),
            copy: false,
            time,
            session: memory.session.as_deref().filter(|name| !name.is_empty()).unwrap_or(identity),
            project: memory.cwd.as_deref().unwrap_or_default(),
            model: memory.model.as_deref().filter(|name| !name.is_empty()).unwrap_or(FALLBACK_MODEL),
            tier: memory.tier.as_deref().unwrap_or_default(),
            tokens: tokens(used),
            response: response.as_deref().unwrap_or_default(),
        },
        whose,
    );
    true
}

/// Cached tokens and those written to the cache are part of the input.
fn tokens([input, cached, written, output]: Counts) -> Tokens {
    let read = cached.min(input);
    let written = written.min(input - read);
    Tokens { input: input - read - written, output, written, read, hours: 0 }
}
