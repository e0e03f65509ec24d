//! A look at every token: a parser cannot be interrupted otherwise.
//!
//! Parts of Rhai's parser take quadratic time, and a call with n arguments that finds no function takes n times 65,536
//! steps before it says so.

use std::cell::RefCell;

use rhai::{LexError, Token};

use crate::evaluation;
use crate::natives::BOUNDED_CURRY;

/// Arguments of a call.
pub const MAX_ARGUMENTS: u32 = 64;
/// Tokens between two looks at the clock.
const LOOK: u32 = 16;

struct Parse {
    tokens: u32,
    /// Arguments so far in each open bracket; `None` where their number does not matter.
    open: Vec<Option<u32>>,
}

thread_local! {
    // A thread parses one text at a time: `eval` in a script parses when the script runs.
    static PARSE: RefCell<Parse> = const { RefCell::new(Parse { tokens: 0, open: Vec::new() }) };
}

/// Forgets a text that ended in an error.
pub fn reset() {
    PARSE.with_borrow_mut(|parse| parse.open.clear());
}

/// Rhai's token hook.
pub fn token(token: Token) -> Token {
    let (look, fits) = PARSE.with_borrow_mut(|parse| (parse.tick(), parse.follow(&token)));
    if !fits {
        return refusal(format!("A call may have {MAX_ARGUMENTS} arguments"));
    }
    if look && evaluation::must_stop() {
        return refusal("The compilation was ended".into());
    }
    match token {
        Token::Reserved(word) if *word == "curry" => Token::Identifier(Box::new(BOUNDED_CURRY.into())),
        token => token,
    }
}

fn refusal(reason: String) -> Token {
    Token::LexError(LexError::Runtime(reason).into())
}

impl Parse {
    fn tick(&mut self) -> bool {
        self.tokens = self.tokens.wrapping_add(1);
        self.tokens % LOOK == 0
    }

    /// Whether the calls that are open still have few enough arguments.
    fn follow(&mut self, token: &Token) -> bool {
        match token {
            Token::LeftParen => self.open.push(Some(1)),
            Token::LeftBracket | Token::LeftBrace | Token::MapStart => self.open.push(None),
            Token::RightParen | Token::RightBracket | Token::RightBrace => drop(self.open.pop()),
            Token::EOF => self.open.clear(),
            Token::Comma => {
                if let Some(Some(arguments)) = self.open.last_mut() {
                    *arguments += 1;
                    return *arguments <= MAX_ARGUMENTS;
                }
            }
            _ => {}
        }
        true
    }
}
