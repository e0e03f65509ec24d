//! Lines that are passed over because of one of their own members, without being parsed.

use memchr::memmem::Finder;

/// A name, as it stands in compact JSON after another member, and the texts that it may have, with both quotes.
#[derive(Debug)]
pub struct Heads {
    named: Finder<'static>,
    texts: Vec<Vec<u8>>,
}

impl Heads {
    pub fn new(name: &str, texts: &[String]) -> Self {
        let named = format!(",\"{name}\":");
        let texts = texts.iter().map(|text| format!("\"{text}\"").into_bytes()).collect();
        Self { named: Finder::new(&named).into_owned(), texts }
    }

    /// Up to its second brace no object is open in a line but its own, and inside of a string a quote has a backslash
    /// before it: what stands there is the line's own member.
    pub fn holds(&self, line: &[u8]) -> bool {
        let Some((b'{', rest)) = line.split_first() else { return false };
        let head = &rest[..memchr::memchr(b'{', rest).unwrap_or(rest.len())];
        let bare = &self.named.needle()[1..];
        head.strip_prefix(bare).is_some_and(|value| self.is_one(value))
            || self.named.find_iter(head).any(|place| self.is_one(&head[place + bare.len() + 1..]))
    }

    fn is_one(&self, value: &[u8]) -> bool {
        self.texts.iter().any(|text| value.starts_with(text))
    }
}
