//! Random expressions that were never text.

use test_support::Random;

/// An expression that was never text.
pub enum Node {
    Whole(i128),
    Real(f64),
    Column(usize),
    Unary(&'static str, Box<Node>),
    Binary(&'static str, Box<Node>, Box<Node>),
    Choice(Box<Node>, Box<Node>, Box<Node>),
    Call(&'static str, Vec<Node>),
}

pub const NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

/// Makes a random number. `wanted` are the columns that it may have: few, so that types go together.
pub fn number(random: &mut Random, wanted: &[usize], depth: u32) -> Node {
    let mut pick = |n: u64| random.next_u64() % n;
    if depth == 0 {
        return match pick(8) {
            0 => Node::Whole(pick(20).into()),
            1 => Node::Whole([255, 65_536, 1 << 31, 1 << 40, 1 << 63, u64::MAX.into()][pick(6) as usize]),
            2 if wanted.iter().any(|&column| column > 5) => Node::Real(pick(1000) as f64 / 8.0),
            _ => Node::Column(wanted[pick(wanted.len() as u64) as usize]),
        };
    }
    let (kind, which) = (pick(12), pick(100) as usize);
    let mut inner = || Box::new(number(random, wanted, depth - 1));
    match kind {
        0 => Node::Unary(["-", "~"][which % 2], inner()),
        1..=7 => {
            let operators = ["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^"];
            Node::Binary(operators[which % operators.len()], inner(), inner())
        }
        8 => {
            let names = ["abs", "popcount", "clz", "ctz", "floor", "u32", "i32", "u64", "i64", "f32", "f64", "sqrt"];
            Node::Call(names[which % names.len()], vec![*inner()])
        }
        9 => Node::Call(["min", "max", "quot", "rem", "bit"][which % 5], vec![*inner(), *inner()]),
        10 => Node::Call("clamp", vec![*inner(), *inner(), *inner()]),
        _ => {
            let condition = Box::new(condition(random, wanted, depth - 1));
            let mut inner = || Box::new(number(random, wanted, depth - 1));
            Node::Choice(condition, inner(), inner())
        }
    }
}

pub fn condition(random: &mut Random, wanted: &[usize], depth: u32) -> Node {
    let (kind, which) = (random.next_u64() % 4, random.next_u64() as usize % 100);
    if depth > 0 && kind < 2 {
        let mut inner = || Box::new(condition(random, wanted, depth - 1));
        return match kind {
            0 if which < 30 => Node::Unary("!", inner()),
            _ => Node::Binary(["&&", "||", "&", "|", "^"][which % 5], inner(), inner()),
        };
    }
    let mut inner = || Box::new(number(random, wanted, depth));
    Node::Binary(["<", "<=", ">", ">=", "==", "!="][which % 6], inner(), inner())
}

/// How tightly nodes bind.
pub fn strength(node: &Node) -> u32 {
    match node {
        Node::Choice(..) => 0,
        Node::Binary(operator, ..) => match *operator {
            "||" => 1,
            "&&" => 2,
            "<" | "<=" | ">" | ">=" | "==" | "!=" => 3,
            "|" => 4,
            "^" => 5,
            "&" => 6,
            "<<" | ">>" => 7,
            "+" | "-" => 8,
            _ => 9,
        },
        _ => 10,
    }
}

/// Writes a node, in parentheses only where they are needed.
pub fn write(node: &Node) -> String {
    let within = |inner: &Node, least: u32| {
        let text = write(inner);
        if strength(inner) < least { format!("({text})") } else { text }
    };
    match node {
        Node::Whole(number) => number.to_string(),
        Node::Real(number) => format!("{number:?}"),
        Node::Column(column) => NAMES[*column].into(),
        Node::Unary(operator, a) => format!("{operator}{}", within(a, 10)),
        Node::Binary(operator, a, b) => {
            let own = strength(node);
            // Comparisons do not follow each other.
            format!("{} {operator} {}", within(a, if own == 3 { 4 } else { own }), within(b, own + 1))
        }
        Node::Choice(c, a, b) => format!("{} ? {} : {}", within(c, 1), write(a), write(b)),
        Node::Call(name, operands) => {
            format!("{name}({})", operands.iter().map(write).collect::<Vec<_>>().join(", "))
        }
    }
}
