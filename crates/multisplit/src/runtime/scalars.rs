//! Run-time numbers of a kernel, each read once.

use cubecl::ir::{Branch, Instruction, Operation, OperationReflect, Scope, Variable, VariableKind};

/// Has a kernel copy its run-time numbers to variables when it begins, and use those.
///
/// In WGSL these numbers are in a buffer, and CubeCL reads them there wherever they are used. To compile such a read
/// takes a software device as long as several additions, and much longer where units may have gone different ways.
pub(super) fn read_once(kernel: &mut Scope) {
    let mut copies = Copies(Vec::new());
    copies.use_in(kernel);
    let reads = copies.0.iter().map(|&(number, copy)| Instruction::new(Operation::Copy(number), copy));
    kernel.instructions.splice(..0, reads);
}

/// Numbers, each with its copy, in the order of their first uses.
struct Copies(Vec<(Variable, Variable)>);

impl Copies {
    fn use_in(&mut self, scope: &mut Scope) {
        let allocator = scope.allocator.clone();
        let mut copy_of = |variable: &mut Variable| {
            if matches!(variable.kind, VariableKind::GlobalScalar(_)) {
                let known = self.0.iter().find(|(number, _)| number == variable);
                *variable = known.map(|&(_, copy)| copy).unwrap_or_else(|| {
                    let copy = *allocator.create_local(variable.ty);
                    self.0.push((*variable, copy));
                    copy
                });
            }
        };
        let mut scopes: Vec<&mut Scope> = Vec::new();
        for instruction in &mut scope.instructions {
            match &mut instruction.operation {
                Operation::Branch(Branch::If(branch)) => {
                    copy_of(&mut branch.cond);
                    scopes.push(&mut branch.scope);
                }
                Operation::Branch(Branch::IfElse(branch)) => {
                    copy_of(&mut branch.cond);
                    scopes.extend([&mut branch.scope_if, &mut branch.scope_else]);
                }
                Operation::Branch(Branch::Switch(switch)) => {
                    copy_of(&mut switch.value);
                    scopes.extend(switch.cases.iter_mut().map(|(_, scope)| scope));
                    scopes.push(&mut switch.scope_default);
                }
                Operation::Branch(Branch::RangeLoop(range)) => {
                    [&mut range.start, &mut range.end].into_iter().chain(&mut range.step).for_each(&mut copy_of);
                    scopes.push(&mut range.scope);
                }
                Operation::Branch(Branch::Loop(branch)) => scopes.push(&mut branch.scope),
                operation => {
                    let Some(mut operands) = operation.args() else { continue };
                    operands.iter_mut().for_each(&mut copy_of);
                    if let Some(copied) = Operation::from_code_and_args(operation.op_code(), &operands) {
                        *operation = copied;
                    }
                }
            }
        }
        for scope in scopes {
            self.use_in(scope);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubecl::ir::{Arithmetic, BinaryOperator, ElemType, If, RangeLoop, Type, UIntKind};

    fn number(id: u32) -> Variable {
        Variable::new(VariableKind::GlobalScalar(id), word())
    }

    fn word() -> Type {
        Type::scalar(ElemType::UInt(UIntKind::U32))
    }

    fn add(scope: &mut Scope, lhs: Variable, rhs: Variable) -> Variable {
        let sum = *scope.create_local(word());
        scope.register(Instruction::new(Arithmetic::Add(BinaryOperator { lhs, rhs }), sum));
        sum
    }

    fn operands(instruction: &Instruction) -> Vec<Variable> {
        instruction.operation.args().unwrap()
    }

    /// Sums of two numbers: in a loop up to one of them, and in a branch of it.
    #[test]
    fn numbers_are_copied_first_and_then_left_alone() {
        let mut kernel = Scope::root(false);
        let sum = add(&mut kernel, number(1), number(1));
        let mut body = kernel.child();
        add(&mut body, sum, number(0));
        let mut branch = body.child();
        add(&mut branch, number(1), number(2));
        body.register(Branch::If(Box::new(If { cond: sum, scope: branch })));
        let i = *kernel.create_local_restricted(word());
        let range = RangeLoop { i, start: sum, end: number(0), step: None, inclusive: false, scope: body };
        kernel.register(Branch::RangeLoop(Box::new(range)));

        read_once(&mut kernel);
        let [copies @ .., first, range] = &kernel.instructions[..] else { panic!("{kernel}") };
        let copy = |id| {
            let copies: Vec<_> = copies.iter().filter(|copy| copy.operation == Operation::Copy(number(id))).collect();
            assert_eq!(copies.len(), 1, "copies of number {id}");
            copies[0].out()
        };
        assert_eq!(copies.len(), 3);
        assert_eq!(operands(first), [copy(1), copy(1)]);
        let Operation::Branch(Branch::RangeLoop(range)) = &range.operation else { panic!("{range}") };
        assert_eq!((range.start, range.end), (sum, copy(0)));
        assert_eq!(operands(&range.scope.instructions[0]), [sum, copy(0)]);
        let Operation::Branch(Branch::If(branch)) = &range.scope.instructions[1].operation else { panic!("{range:?}") };
        assert_eq!(operands(&branch.scope.instructions[0]), [copy(1), copy(2)]);
    }
}
