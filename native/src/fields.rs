//! Which fields are asked for, as a tree of their names.

/// What a field has to be, where it is there.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Without escapes.
    Text {
        may_be_empty: bool,
    },
    Int,
    Flag,
    Time,
    Nothing,
    /// A text as it is written, with its escapes.
    Written,
}

/// A member of an object: a field, by its number, or an object with fields in it.
#[derive(Debug)]
pub enum Node {
    Field(usize),
    Object(Vec<Member>),
}

/// number: of the member among all of the tree, to know which were seen.
#[derive(Debug)]
pub struct Member {
    pub name: String,
    pub number: usize,
    pub node: Node,
}

/// At most so many members, objects included: they are remembered in the bits of one number.
pub const MOST: usize = 64;

#[derive(Debug, Default)]
pub struct Tree {
    pub members: Vec<Member>,
    pub kinds: Vec<Kind>,
    count: usize,
}

impl Tree {
    /// Of fields that are known to fit together.
    pub fn of(fields: &[(&str, Kind)]) -> Self {
        let mut tree = Self::default();
        for (path, kind) in fields {
            tree.add(path, kind.clone()).expect("fields that fit together");
        }
        tree
    }

    pub fn add(&mut self, path: &str, kind: Kind) -> Result<(), String> {
        let field = self.kinds.len();
        let mut members = &mut self.members;
        let mut names = path.split('.').peekable();
        while let Some(name) = names.next() {
            let last = names.peek().is_none();
            let place = match members.iter().position(|member| member.name == name) {
                Some(place) if !last => place,
                Some(_) => return Err(format!("{path}: the same as, or part of, another field")),
                None => {
                    if self.count == MOST {
                        return Err(format!("more than {MOST} names"));
                    }
                    let node = if last { Node::Field(field) } else { Node::Object(Vec::new()) };
                    members.push(Member { name: name.to_owned(), number: self.count, node });
                    self.count += 1;
                    members.len() - 1
                }
            };
            if last {
                break;
            }
            members = match &mut members[place].node {
                Node::Object(inner) => inner,
                Node::Field(_) => return Err(format!("{path}: the same as, or part of, another field")),
            };
        }
        self.kinds.push(kind);
        Ok(())
    }
}
