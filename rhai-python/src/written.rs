//! The order in which a script's text sets the keys of maps: `#{name: 1, age: 2}`, `found.total = 3`.

use std::collections::HashMap;

use rhai::{ASTNode, Expr, ImmutableString, Position, Stmt, AST};

use crate::orders::{Keys, Order};

/// What a text says of keys.
#[derive(Default)]
pub struct Written {
    /// Literals by their sorted keys; of two with the same keys the first.
    literals: HashMap<Keys, Order>,
    /// Where each key is set first.
    places: HashMap<Box<str>, Position>,
}

impl Written {
    pub fn read(tree: &AST) -> Self {
        let mut found = Self::default();
        let mut literals: Vec<(Position, Vec<ImmutableString>)> = Vec::new();
        tree.walk(&mut |path| {
            match path.last() {
                Some(ASTNode::Expr(Expr::Map(items, position))) => {
                    literals.push((*position, items.0.iter().map(|(key, _)| key.name.clone()).collect()));
                    for (key, _) in &items.0 {
                        found.see(key.name.as_str(), key.pos);
                    }
                }
                Some(ASTNode::Stmt(Stmt::Assignment(assignment))) => {
                    if let Some((key, position)) = target(&assignment.1.lhs) {
                        found.see(key, position);
                    }
                }
                _ => {}
            }
            true
        });
        literals.sort_by_key(|(position, _)| *position);
        for (_, keys) in literals {
            let written = Keys::new(keys.len(), keys.iter().map(|key| key.as_str()));
            let mut sorted: Vec<&str> = keys.iter().map(|key| key.as_str()).collect();
            sorted.sort_unstable();
            found.literals.entry(Keys::new(sorted.len(), sorted)).or_insert_with(|| Order::new(written));
        }
        found
    }

    fn see(&mut self, key: &str, position: Position) {
        let first = self.places.entry(key.into()).or_insert(position);
        *first = position.min(*first);
    }

    /// Whether it sets no key.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// How a literal of these keys, which are sorted, is written.
    pub fn literal(&self, keys: &Keys) -> Option<&Order> {
        self.literals.get(keys)
    }

    /// Where the text first sets a key.
    pub fn first(&self, key: &str) -> Option<Position> {
        self.places.get(key).copied()
    }
}

/// The key that an assignment to `map.key` or `map["key"]` sets.
fn target(mut place: &Expr) -> Option<(&str, Position)> {
    while let Expr::Dot(parts, ..) | Expr::Index(parts, ..) = place {
        place = &parts.rhs;
    }
    match place {
        Expr::Property(name, position) => Some((name.2.as_str(), *position)),
        Expr::StringConstant(name, position) => Some((name.as_str(), *position)),
        _ => None,
    }
}
