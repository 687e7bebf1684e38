//! Types of an expression, and the plan to compute it.

mod calls;
mod operators;

use super::error::ExpressionError;
use super::literal::Literal;
use super::plan::{Operation, Plan, Register, Step, Width};
use super::tree::{Id, Kind, Tree};
use super::values::{Type, Values};

/// What is known of a node: a number of the text, or a register.
#[derive(Clone, Copy)]
enum Known {
    Literal(Literal),
    Register(Register, Type),
}

/// A register and its type.
type Typed = (Register, Type);

struct Checker<'a> {
    tree: &'a Tree,
    steps: Vec<Step>,
    /// What is known of each node so far.
    known: Vec<Known>,
    /// The registers of the columns that were loaded.
    loaded: Vec<Option<Register>>,
    /// The node that is looked at.
    node: Id,
}

/// Checks the types of an expression over these columns, which begin with those that it names.
pub(super) fn check(tree: &Tree, columns: &[Values<'_>]) -> Result<Plan, ExpressionError> {
    let mut checker =
        Checker { tree, steps: Vec::new(), known: Vec::new(), loaded: vec![None; tree.columns.len()], node: 0 };
    for (i, node) in tree.nodes.iter().enumerate() {
        checker.node = i;
        let known = checker.kind(&node.kind, columns)?;
        checker.known.push(known);
    }
    let (result, result_type) = checker.typed(tree.nodes.len() - 1)?;
    if result_type == Type::Opaque {
        return Err(checker.error("a string is no number of a bucket; hash it, as in hash(name) % 16"));
    }
    Ok(Plan { steps: checker.steps, result, result_type })
}

impl Checker<'_> {
    fn error(&self, message: impl Into<String>) -> ExpressionError {
        self.tree.error(self.node, message)
    }

    fn emit(&mut self, operation: Operation, operands: &[Register]) -> Register {
        let mut all = [operands.first().copied().unwrap_or(0); 3];
        all[..operands.len()].copy_from_slice(operands);
        self.steps.push(Step { operation, operands: all, node: self.node });
        self.steps.len() - 1
    }

    fn constant(&mut self, literal: Literal, of: Type) -> Register {
        self.emit(Operation::Constant(literal.bits(of), Width::of(of)), &[])
    }

    fn kind(&mut self, kind: &Kind, columns: &[Values<'_>]) -> Result<Known, ExpressionError> {
        Ok(match kind {
            Kind::Integer(number) => Known::Literal(Literal::Whole(*number)),
            Kind::Float(number) => Known::Literal(Literal::Real(*number)),
            Kind::Truth(holds) => self.truth(*holds),
            Kind::Column(column) => {
                let register = match self.loaded[*column] {
                    Some(register) => register,
                    None => self.emit(Operation::Load(*column), &[]),
                };
                self.loaded[*column] = Some(register);
                Known::Register(register, columns[*column].type_of())
            }
            Kind::Unary(operator, a) => self.unary(*operator, *a)?,
            Kind::Binary(operator, a, b) => self.binary(*operator, *a, *b)?,
            Kind::Choice(condition, a, b) => {
                let condition = self.condition(*condition)?;
                let ([a, b], of) = self.alike([*a, *b], false)?;
                Known::Register(self.emit(Operation::Choose(Width::of(of)), &[condition, a, b]), of)
            }
            Kind::Call(function, operands) => {
                let (register, of) = self.call(*function, operands)?;
                Known::Register(register, of)
            }
        })
    }

    fn truth(&mut self, holds: bool) -> Known {
        Known::Register(self.constant(Literal::Whole(holds.into()), Type::Bool), Type::Bool)
    }

    /// Returns the register of a node. A number of the text gets the type that it has alone.
    fn typed(&mut self, id: Id) -> Result<Typed, ExpressionError> {
        match self.known[id] {
            Known::Register(register, of) => Ok((register, of)),
            Known::Literal(literal) => {
                let of = Literal::type_alone(&[literal]).ok_or_else(|| self.error("no type has this number"))?;
                Ok((self.constant(literal, of), of))
            }
        }
    }

    /// Returns the register of a number.
    fn number(&mut self, id: Id, what: &str) -> Result<Typed, ExpressionError> {
        match self.typed(id)? {
            (_, Type::Opaque) => Err(self.tree.error(id, no_number(what))),
            (register, Type::Bool) => Ok((register, Type::U32)),
            typed => Ok(typed),
        }
    }

    /// Returns the register of a whole number.
    fn whole(&mut self, id: Id, what: &str) -> Result<Typed, ExpressionError> {
        let (register, of) = self.number(id, what)?;
        if of.is_real() {
            let message = format!("{what} takes whole numbers, but this is {of}; convert it, as in i64(x)");
            return Err(self.tree.error(id, message));
        }
        Ok((register, of))
    }

    /// Returns the register of a float; whole numbers are converted.
    fn real(&mut self, id: Id, what: &str) -> Result<Typed, ExpressionError> {
        let (register, of) = self.number(id, what)?;
        Ok(if of.is_real() { (register, of) } else { (self.convert(register, of, Type::F64), Type::F64) })
    }

    fn condition(&mut self, id: Id) -> Result<Register, ExpressionError> {
        match self.known[id] {
            Known::Register(register, Type::Bool) => Ok(register),
            Known::Register(_, of) => {
                let message = format!("a condition is true or false, but this is {of}; compare it, as in x != 0");
                Err(self.tree.error(id, message))
            }
            Known::Literal(_) => {
                Err(self.tree.error(id, "a condition is true or false, not a number; compare it, as in x != 0"))
            }
        }
    }

    fn convert(&mut self, register: Register, from: Type, to: Type) -> Register {
        // Types of the same bits need nothing.
        if from == to || from.is_wide() == to.is_wide() && !from.is_real() && !to.is_real() {
            return register;
        }
        self.emit(Operation::Convert(from, to), &[register])
    }

    /// Returns the registers of operands in a type that has the numbers of all. `of_bits` if negative numbers of the
    /// text stand for their bits.
    fn alike<const N: usize>(&mut self, ids: [Id; N], of_bits: bool) -> Result<([Register; N], Type), ExpressionError> {
        let of = self.common_type(&ids, of_bits)?;
        let mut registers = [0; N];
        for (to, id) in registers.iter_mut().zip(ids) {
            *to = match self.known[id] {
                Known::Literal(literal) => self.constant(literal, of),
                Known::Register(register, from) => self.convert(register, from, of),
            };
        }
        Ok((registers, of))
    }

    fn common_type(&self, ids: &[Id], of_bits: bool) -> Result<Type, ExpressionError> {
        let mut common: Option<Type> = None;
        let all_conditions = ids.iter().all(|&id| matches!(self.known[id], Known::Register(_, Type::Bool)));
        for &id in ids {
            let Known::Register(_, of) = self.known[id] else { continue };
            let of = match of {
                Type::Opaque => return Err(self.tree.error(id, no_number("this operation"))),
                Type::Bool if !all_conditions => Type::U32,
                _ => of,
            };
            common = Some(match common {
                None => of,
                Some(before) => before.common(of).ok_or_else(|| self.mixed(before, of))?,
            });
        }
        let literals = || {
            ids.iter().filter_map(|&id| match self.known[id] {
                Known::Literal(literal) => Some((id, literal)),
                Known::Register(..) => None,
            })
        };
        let Some(mut of) = common else {
            let all: Vec<Literal> = literals().map(|(_, literal)| literal).collect();
            return Literal::type_alone(&all).ok_or_else(|| self.mixed(Type::U64, Type::I64));
        };
        for (id, literal) in literals() {
            let number = self.tree.text.get(self.tree.nodes[id].span.clone()).unwrap_or_default();
            of = literal.type_beside(of, of_bits).ok_or_else(|| {
                self.tree.error(id, format!("{number} is no {of}; convert the other, as in i64(x) or f64(x)"))
            })?;
        }
        Ok(of)
    }

    fn mixed(&self, a: Type, b: Type) -> ExpressionError {
        self.error(format!("no whole numbers include those of {a} and of {b}; convert one, as in i64(x) or u64(x)"))
    }
}

fn no_number(what: &str) -> String {
    format!("{what} takes numbers, but these are strings; only hash(…) takes them")
}
