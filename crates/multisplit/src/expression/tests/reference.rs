//! A naive evaluator of random expressions: one row at a time, every node a match.

mod calls;
mod node;
mod operators;
mod value;

use crate::expression::{Expression, Values};
use calls::call;
use node::{NAMES, Node, condition, number, write};
use operators::{arithmetic, compare, fold, settled_one, shift};
use test_support::Random;
use value::Value::{self, *};
use value::{Got, Unfit, alike, is_literal, whole, wrapped};

const ROWS: usize = 40;

struct Table {
    a: Vec<u8>,
    b: Vec<i16>,
    c: Vec<u32>,
    d: Vec<i32>,
    e: Vec<u64>,
    f: Vec<i64>,
    g: Vec<f32>,
    h: Vec<f64>,
}

impl Table {
    fn new(random: &mut Random) -> Self {
        // Half of them small.
        let mut next = || {
            let bits = random.next_u64();
            if bits & 1 == 0 { (bits >> 8) % 7 } else { bits.rotate_left(17) }
        };
        let mut bits = || (0..ROWS).map(|_| next()).collect::<Vec<u64>>();
        Self {
            a: bits().iter().map(|&bits| bits as u8).collect(),
            b: bits().iter().map(|&bits| (bits as i16).wrapping_sub(3)).collect(),
            c: bits().iter().map(|&bits| bits as u32).collect(),
            d: bits().iter().map(|&bits| (bits as i32).wrapping_sub(3)).collect(),
            e: bits(),
            f: bits().iter().map(|&bits| (bits as i64).wrapping_sub(3)).collect(),
            g: bits().iter().map(|&bits| bits as i64 as f32 / 4.0).collect(),
            h: bits().iter().map(|&bits| if bits == 6 { f64::NAN } else { bits as i64 as f64 / 4.0 }).collect(),
        }
    }

    fn columns(&self) -> [(&'static str, Values<'_>); 8] {
        let [a, b, c, d, e, f, g, h] = NAMES;
        [
            (a, Values::U8(&self.a)),
            (b, Values::I16(&self.b)),
            (c, Values::U32(&self.c)),
            (d, Values::I32(&self.d)),
            (e, Values::U64(&self.e)),
            (f, Values::I64(&self.f)),
            (g, Values::F32(&self.g)),
            (h, Values::F64(&self.h)),
        ]
    }

    fn value(&self, column: usize, row: usize) -> Value {
        match column {
            0 => U32(self.a[row].into()),
            1 => I32(self.b[row].into()),
            2 => U32(self.c[row]),
            3 => I32(self.d[row]),
            4 => U64(self.e[row]),
            5 => I64(self.f[row]),
            6 => F32(self.g[row]),
            _ => F64(self.h[row]),
        }
    }
}

fn evaluate(node: &Node, table: &Table, row: usize) -> Got {
    let of = |node: &Node| evaluate(node, table, row);
    match node {
        Node::Whole(number) => Ok((Lit(*number), false)),
        Node::Real(number) => Ok((Any(*number), false)),
        Node::Column(column) => Ok((table.value(*column, row), false)),
        Node::Unary(operator, a) => {
            let (a, fault) = of(a)?;
            let value = match (*operator, a) {
                ("!", Bool(holds)) => Bool(!holds),
                ("!", _) => return Err(Unfit),
                ("-", Lit(0)) => Lit(0),
                ("-", Any(number)) => Any(-number),
                ("-", F32(number)) => F32(-number),
                ("-", F64(number)) => F64(-number),
                ("-", Lit(number)) => fold("-", Lit(0), Lit(number))?.0,
                (_, Lit(number)) => fold("-", Lit(-1), Lit(number))?.0,
                (_, Any(_) | F32(_) | F64(_)) => return Err(Unfit),
                ("-", a) => wrapped(-whole(a).unwrap_or(0), a),
                (_, a) => wrapped(!whole(a).unwrap_or(0), a),
            };
            Ok((value, fault))
        }
        Node::Binary(operator, a, b) => {
            let ((a, fault_a), (b, fault_b)) = (of(a)?, of(b)?);
            let fault = fault_a || fault_b;
            let (value, own) = match *operator {
                "&&" | "||" => {
                    let (Bool(x), Bool(y)) = (a, b) else { return Err(Unfit) };
                    let decided = x == (*operator == "||");
                    let value = if decided { x } else { y };
                    return Ok((Bool(value), fault_a || !decided && fault_b));
                }
                "<" | "<=" | ">" | ">=" | "==" | "!=" => (compare(operator, a, b)?, false),
                _ if is_literal(a) && is_literal(b) => fold(operator, a, b)?,
                "<<" | ">>" => shift(operator, a, b)?,
                _ => {
                    let both = alike(&[a, b], matches!(*operator, "&" | "|" | "^"))?;
                    arithmetic(operator, both[0], both[1])?
                }
            };
            Ok((value, fault || own))
        }
        Node::Choice(c, a, b) => {
            let (Bool(holds), fault_c) = of(c)? else { return Err(Unfit) };
            let ((a, fault_a), (b, fault_b)) = (of(a)?, of(b)?);
            let both = alike(&[a, b], false)?;
            let (value, fault) = if holds { (both[0], fault_a) } else { (both[1], fault_b) };
            Ok((value, fault_c || fault))
        }
        Node::Call(name, operands) => {
            let all: Vec<(Value, bool)> = operands.iter().map(of).collect::<Result<_, Unfit>>()?;
            let values: Vec<Value> = all.iter().map(|&(value, _)| value).collect();
            let (value, own) = call(name, &values)?;
            Ok((value, own || all.iter().any(|&(_, fault)| fault)))
        }
    }
}

/// Hashes a value, so that every bit of it counts, but those of NaN.
fn bucket(value: Value) -> u32 {
    use crate::bucket::key::KeyOps;
    use crate::bucket::word::Word;
    let hash = match value {
        F32(number) if number.is_nan() => return 7,
        F64(number) if number.is_nan() => return 7,
        Bool(holds) => u32::hash(holds.into(), 0),
        U32(number) => u32::hash(number, 0),
        I32(number) => u32::hash(i32::ordered(number), 0),
        U64(number) => u64::hash(number, 0),
        I64(number) => u64::hash(i64::ordered(number), 0),
        F32(number) => u32::hash(f32::ordered(number), 0),
        F64(number) => u64::hash(f64::ordered(number), 0),
        Lit(_) | Any(_) => unreachable!("it was given a type"),
    };
    hash % 4096
}

/// Makes a random expression and a random table, and compares.
pub fn check(seed: u64) {
    let random = &mut Random::new(seed);
    let table = Table::new(random);
    let wanted: &[usize] = match random.next_u64() % 4 {
        0 => &[0, 2, 4],
        1 => &[0, 1, 2, 3, 5],
        2 => &[1, 6, 7],
        _ => &[0, 1, 2, 3, 4, 5, 6, 7],
    };
    let depth = 1 + (random.next_u64() % 4) as u32;
    let node =
        if random.next_u64() % 8 == 0 { condition(random, wanted, depth) } else { number(random, wanted, depth) };
    let inner = write(&node);
    let got = |row: usize| -> Got {
        let (value, fault) = evaluate(&node, &table, row)?;
        let value = if is_literal(value) { settled_one(value)? } else { value };
        Ok((value, fault))
    };
    let is_real = matches!(got(0), Ok((F32(_) | F64(_), _)));
    let text =
        if is_real { format!("is_nan({inner}) ? 7 : hash({inner}) % 4096") } else { format!("hash({inner}) % 4096") };
    let found = Expression::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let found = found.compute(&table.columns(), Some(4096));
    let expected: Result<Vec<(Value, bool)>, Unfit> = (0..ROWS).map(got).collect();
    match (expected, found) {
        (Err(Unfit), Err(error)) => assert_eq!(error.row(), None, "{text}: {error}"),
        (Err(Unfit), Ok(_)) => panic!("{text}: the types do not go together"),
        (Ok(rows), found) => {
            let first = rows.iter().position(|&(_, fault)| fault);
            match (first, found) {
                (Some(row), Err(error)) => assert_eq!(error.row(), Some(row as u64), "{text}: {error}"),
                (None, Ok(found)) => {
                    let expected: Vec<u32> = rows.iter().map(|&(value, _)| bucket(value)).collect();
                    assert_eq!(found.ids, expected, "{text}: {rows:?}");
                }
                (first, found) => panic!("{text}: {first:?}, but {found:?}"),
            }
        }
    }
}
