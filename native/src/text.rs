//! Where a string ends.

/// Bytes looked at together; the compiler makes vector instructions of it.
const TOGETHER: usize = 32;

/// end: of its closing quote; plain: without escapes; ascii: nothing else up to there.
pub struct Text {
    pub end: usize,
    pub plain: bool,
    pub ascii: bool,
}

/// The string that begins behind a quote. None: it does not end, or is not as strict JSON wants it.
pub fn string(line: &[u8], start: usize) -> Option<Text> {
    let (mut place, mut plain, mut all) = (start, true, 0);
    loop {
        while let Some(part) = line.get(place..place + TOGETHER) {
            let (found, bits) = part.iter().fold((0, 0), |(found, bits), &byte| (found | special(byte), bits | byte));
            if found != 0 {
                break;
            }
            all |= bits;
            place += TOGETHER;
        }
        while special(*line.get(place)?) == 0 {
            all |= line[place];
            place += 1;
        }
        match line[place] {
            b'"' => return Some(Text { end: place, plain, ascii: all.is_ascii() }),
            b'\\' => {
                place = escape(line, place + 1)?;
                plain = false;
            }
            _ => return None,
        }
    }
}

/// Not 0 for what ends a run of ordinary bytes; without branches, so that the compiler can look at many together.
fn special(byte: u8) -> u8 {
    u8::from(byte == b'"') | u8::from(byte == b'\\') | u8::from(byte < 0x20)
}

/// Behind the escape whose letter is at `place`.
fn escape(line: &[u8], place: usize) -> Option<usize> {
    match line.get(place)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(place + 1),
        b'u' => match unit(line, place + 1)? {
            0xD800..=0xDBFF => {
                let second = line.get(place + 5..place + 7)? == b"\\u";
                (second && matches!(unit(line, place + 7)?, 0xDC00..=0xDFFF)).then_some(place + 11)
            }
            0xDC00..=0xDFFF => None,
            _ => Some(place + 5),
        },
        _ => None,
    }
}

fn unit(line: &[u8], place: usize) -> Option<u32> {
    let digits = line.get(place..place + 4)?;
    digits.iter().try_fold(0, |sum, &digit| Some(sum * 16 + (digit as char).to_digit(16)?))
}

/// What a string that `string` has found says.
pub fn said(written: &str) -> std::borrow::Cow<'_, str> {
    let Some(first) = written.find('\\') else { return written.into() };
    let (mut said, mut place) = (written[..first].to_owned(), first);
    while let Some((before, rest)) = written[place..].split_once('\\') {
        said.push_str(before);
        place += before.len() + 1;
        let letter = rest.as_bytes().first().copied();
        place += 1;
        match letter {
            Some(b'u') => {
                let unit_at = |place| unit(written.as_bytes(), place).unwrap_or_default();
                let (high, low) = (unit_at(place), unit_at(place + 6));
                let pair = (0xD800..0xDC00).contains(&high);
                let code = if pair { 0x10000 + ((high & 0x3FF) << 10) + (low & 0x3FF) } else { high };
                said.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                place += if pair { 10 } else { 4 };
            }
            Some(b'b') => said.push('\u{8}'),
            Some(b'f') => said.push('\u{c}'),
            Some(b'n') => said.push('\n'),
            Some(b'r') => said.push('\r'),
            Some(b't') => said.push('\t'),
            Some(other) => said.push(other as char),
            None => place -= 1,
        }
    }
    said.push_str(written.get(place..).unwrap_or_default());
    said.into()
}
