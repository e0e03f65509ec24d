//! Claude Code: one line per block of an answer.

use std::sync::LazyLock;

use crate::fields::{Kind, Tree};
use crate::heads::Heads;
use crate::line::{self, Value};
use crate::rows::{Answer, Rows, Tokens, Whose};
use crate::text;

/// Types of lines that cannot hold an answer, most of a log's bytes.
const OTHERS: [&str; 6] = ["user", "summary", "system", "file-history-snapshot", "queue-operation", "attachment"];
const FIELDS: [(&str, Kind); 18] = [
    ("message.id", Kind::Text { may_be_empty: false }),
    ("requestId", Kind::Text { may_be_empty: false }),
    ("isSidechain", Kind::Flag),
    ("timestamp", Kind::Time),
    ("sessionId", Kind::Text { may_be_empty: false }),
    ("message.model", Kind::Text { may_be_empty: false }),
    ("cwd", Kind::Written),
    ("message.usage.speed", Kind::Text { may_be_empty: true }),
    ("message.usage.input_tokens", Kind::Int),
    ("message.usage.output_tokens", Kind::Int),
    ("message.usage.cache_creation_input_tokens", Kind::Int),
    ("message.usage.cache_read_input_tokens", Kind::Int),
    ("message.usage.cache_creation.ephemeral_5m_input_tokens", Kind::Int),
    ("message.usage.cache_creation.ephemeral_1h_input_tokens", Kind::Int),
    ("message.usage.iterations", Kind::Nothing),
    ("uuid", Kind::Written),
    ("costUSD", Kind::Nothing),
    ("data", Kind::Nothing),
];

static TREE: LazyLock<Tree> = LazyLock::new(|| Tree::of(&FIELDS));
static PASSED: LazyLock<Heads> = LazyLock::new(|| Heads::new("type", &OTHERS.map(str::to_owned)));

/// Whether it is known what the line says; its answer is then among the rows.
pub fn line(line: &[u8], rows: &mut Rows, whose: &Whose) -> bool {
    if PASSED.holds(line) {
        return true;
    }
    let mut values = [Value::Absent; FIELDS.len()];
    if !line::read(line, &TREE, &mut values) {
        return false;
    }
    let text = |field: usize| values[field].text(line).unwrap_or_default();
    let tokens = tokens(&values);
    let model = text(5);
    if tokens == Tokens::default() || model == "<synthetic>" {
        return true;
    }
    let Value::Int(time) = values[3] else { return false };
    if [0, 1, 4, 5].iter().any(|&field| values[field].is_absent()) {
        return false;
    }
    rows.add(
        &Answer {
            answer: text(0),
            request: text(1),
            copy: matches!(values[2], Value::Flag(true)),
            time,
            session: text(4),
            project: &text::said(text(6)),
            model,
            tier: if text(7) == "fast" { "fast" } else { "" },
            tokens,
            response: "",
        },
        whose,
    );
    true
}

fn tokens(values: &[Value; FIELDS.len()]) -> Tokens {
    let [input, output, created, read, minutes, hours] = [8, 9, 10, 11, 12, 13].map(|field| values[field].int());
    let written = if minutes + hours > 0 { minutes + hours } else { created };
    Tokens { input, output, written, read, hours }
}
