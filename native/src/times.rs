//! Moments as logs write them.

/// Milliseconds since 1970 of `2026-01-31T12:00:00.000Z`, with at most three digits behind the point. None: of another
/// form, or before 1970.
pub fn milliseconds(text: &[u8]) -> Option<i64> {
    let (head, tail) = text.split_at_checked(19)?;
    let separators = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    if separators.iter().any(|&(place, byte)| head[place] != byte) {
        return None;
    }
    let part = |start: usize, stop: usize| number(&head[start..stop]);
    let (year, month, day) = (part(0, 4)?, part(5, 7)?, part(8, 10)?);
    let (hour, minute, second) = (part(11, 13)?, part(14, 16)?, part(17, 19)?);
    let valid = (1970..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=days_of(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60;
    let thousandths = match tail {
        b"Z" => 0,
        [b'.', digits @ .., b'Z'] if (1..=3).contains(&digits.len()) => {
            number(digits)? * [100, 10, 1][digits.len() - 1]
        }
        _ => return None,
    };
    valid.then(|| (((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second) * 1000 + thousandths)
}

fn number(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0, |sum, &digit| digit.is_ascii_digit().then(|| sum * 10 + i64::from(digit - b'0')))
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Since 1970.
fn days(year: i64, month: i64, day: i64) -> i64 {
    const BEFORE: [i64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let past = year - 1;
    let leaps = past / 4 - past / 100 + past / 400 - (1969 / 4 - 1969 / 100 + 1969 / 400);
    let own = i64::from(month > 2 && is_leap(year));
    (year - 1970) * 365 + leaps + BEFORE[usize::try_from(month - 1).unwrap_or_default()] + own + day - 1
}
