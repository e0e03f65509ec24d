//! One line: the fields asked for, if it is plain.
//!
//! Everything here is at least as strict as any JSON parser: a line that is taken is read in the same way by all of them.

use crate::fields::{Kind, Member, Node, Tree};
use crate::text;
use crate::times;

/// Objects and arrays in one another.
const DEEPEST: usize = 32;
/// Of a whole number that is asked for: the sum of some of them is exact in a double.
const INT_DIGITS: usize = 14;
/// Of one that is passed over.
const DIGITS: usize = 18;

#[derive(Clone, Copy, Debug, Default)]
pub enum Value {
    #[default]
    Absent,
    /// From where to where in the line.
    Text(usize, usize),
    Int(i64),
    Flag(bool),
}

pub struct Reader<'a> {
    line: &'a [u8],
    place: usize,
    tree: &'a Tree,
    seen: u64,
    ascii: bool,
    values: &'a mut [Value],
}

/// Whether the line is plain; `values` then has those of its fields that are there.
pub fn read(line: &[u8], tree: &Tree, values: &mut [Value]) -> bool {
    values.fill(Value::Absent);
    let mut reader = Reader { line, place: 0, tree, seen: 0, ascii: true, values };
    let whole = reader.whole().is_some();
    // Outside of strings there is nothing but ASCII.
    let ascii = reader.ascii;
    whole && (ascii || std::str::from_utf8(line).is_ok())
}

impl Value {
    pub fn is_absent(self) -> bool {
        matches!(self, Self::Absent)
    }

    /// Of a number; 0 when it is absent.
    pub fn int(self) -> i64 {
        match self {
            Self::Int(number) => number,
            _ => 0,
        }
    }

    /// Of a text without escapes. None: absent.
    pub fn text(self, line: &[u8]) -> Option<&str> {
        match self {
            Self::Text(start, end) => std::str::from_utf8(line.get(start..end)?).ok(),
            _ => None,
        }
    }
}

/// None: the line is not plain.
impl Reader<'_> {
    fn whole(&mut self) -> Option<()> {
        let tree = self.tree;
        self.expect(b'{')?;
        self.members(&tree.members, DEEPEST)?;
        self.blank();
        (self.place == self.line.len()).then_some(())
    }

    fn blank(&mut self) {
        while let Some(b' ' | b'\t' | b'\r') = self.line.get(self.place) {
            self.place += 1;
        }
    }

    /// The next byte that is not blank.
    fn next(&mut self) -> Option<u8> {
        self.blank();
        let byte = *self.line.get(self.place)?;
        self.place += 1;
        Some(byte)
    }

    fn expect(&mut self, wanted: u8) -> Option<()> {
        (self.next()? == wanted).then_some(())
    }

    /// Behind an opening quote: where the string ends, and whether it has no escapes.
    fn text(&mut self) -> Option<(usize, bool)> {
        let text = text::string(self.line, self.place)?;
        self.place = text.end + 1;
        self.ascii &= text.ascii;
        Some((text.end, text.plain))
    }

    /// Behind an opening quote; without escapes.
    fn plain(&mut self) -> Option<(usize, usize)> {
        let start = self.place;
        let (end, plain) = self.text()?;
        plain.then_some((start, end))
    }

    /// Behind an opening brace.
    fn members(&mut self, wanted: &[Member], depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        let mut byte = self.next()?;
        if byte == b'}' {
            return Some(());
        }
        loop {
            (byte == b'"').then_some(())?;
            // With an escape in it, it might be the name of a field.
            let (start, end) = self.plain()?;
            let name = &self.line[start..end];
            self.expect(b':')?;
            match wanted.iter().find(|member| member.name.as_bytes() == name) {
                Some(member) => self.member(member, depth)?,
                None => self.pass(depth)?,
            }
            match self.next()? {
                b',' => byte = self.next()?,
                b'}' => return Some(()),
                _ => return None,
            }
        }
    }

    fn member(&mut self, member: &Member, depth: usize) -> Option<()> {
        let bit = 1 << member.number;
        if self.seen & bit != 0 {
            return None;
        }
        self.seen |= bit;
        match &member.node {
            Node::Field(field) => self.values[*field] = self.value(*field)?,
            Node::Object(inner) => {
                self.expect(b'{')?;
                self.members(inner, depth)?;
            }
        }
        Some(())
    }

    fn value(&mut self, field: usize) -> Option<Value> {
        let tree = self.tree;
        let first = self.next()?;
        match &tree.kinds[field] {
            Kind::Text { may_be_empty } => {
                let (start, end) = self.quoted(first)?;
                (*may_be_empty || end > start).then_some(Value::Text(start, end))
            }
            Kind::Written => {
                (first == b'"').then_some(())?;
                let start = self.place;
                self.text().map(|(end, _)| Value::Text(start, end))
            }
            Kind::Time => {
                let (start, end) = self.quoted(first)?;
                times::milliseconds(&self.line[start..end]).map(Value::Int)
            }
            Kind::Int => self.int(first),
            Kind::Flag => match first {
                b't' => self.word(b"rue").map(|()| Value::Flag(true)),
                b'f' => self.word(b"alse").map(|()| Value::Flag(false)),
                _ => None,
            },
            Kind::Nothing => {
                (first == b'n').then_some(())?;
                self.word(b"ull").map(|()| Value::Absent)
            }
        }
    }

    fn quoted(&mut self, first: u8) -> Option<(usize, usize)> {
        (first == b'"').then_some(())?;
        self.plain()
    }

    fn word(&mut self, rest: &[u8]) -> Option<()> {
        let found = self.line.get(self.place..self.place + rest.len())? == rest;
        self.place += rest.len();
        found.then_some(())
    }

    /// How many digits stand here, all of which are passed.
    fn digits(&mut self) -> usize {
        let start = self.place;
        while self.line.get(self.place).is_some_and(u8::is_ascii_digit) {
            self.place += 1;
        }
        self.place - start
    }

    fn int(&mut self, first: u8) -> Option<Value> {
        let start = self.place - 1;
        let count = 1 + self.digits();
        let whole = first.is_ascii_digit() && count <= INT_DIGITS && (first != b'0' || count == 1);
        let fraction = matches!(self.line.get(self.place), Some(b'.' | b'e' | b'E'));
        (whole && !fraction).then(|| {
            let digits = self.line[start..self.place].iter();
            Value::Int(digits.fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0')))
        })
    }

    /// A value that nobody asks for.
    fn pass(&mut self, depth: usize) -> Option<()> {
        match self.next()? {
            b'"' => self.text().map(|_| ()),
            b'{' => self.object(depth),
            b'[' => self.array(depth),
            b't' => self.word(b"rue"),
            b'f' => self.word(b"alse"),
            b'n' => self.word(b"ull"),
            b'-' => {
                let first = self.next_digit()?;
                self.number(first)
            }
            first => self.number(first),
        }
    }

    fn next_digit(&mut self) -> Option<u8> {
        let byte = *self.line.get(self.place)?;
        self.place += 1;
        Some(byte)
    }

    /// Without an exponent, which may be out of a parser's range.
    fn number(&mut self, first: u8) -> Option<()> {
        let count = 1 + self.digits();
        let whole = first.is_ascii_digit() && count <= DIGITS && (first != b'0' || count == 1);
        let mut fraction = 1;
        if self.line.get(self.place) == Some(&b'.') {
            self.place += 1;
            fraction = self.digits();
        }
        let exponent = matches!(self.line.get(self.place), Some(b'e' | b'E'));
        (whole && (1..=DIGITS).contains(&fraction) && !exponent).then_some(())
    }

    fn object(&mut self, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        let mut byte = self.next()?;
        if byte == b'}' {
            return Some(());
        }
        loop {
            (byte == b'"').then_some(())?;
            self.text()?;
            self.expect(b':')?;
            self.pass(depth)?;
            match self.next()? {
                b',' => byte = self.next()?,
                b'}' => return Some(()),
                _ => return None,
            }
        }
    }

    fn array(&mut self, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        self.blank();
        if self.line.get(self.place) == Some(&b']') {
            self.place += 1;
            return Some(());
        }
        loop {
            self.pass(depth)?;
            match self.next()? {
                b',' => {}
                b']' => return Some(()),
                _ => return None,
            }
        }
    }
}
