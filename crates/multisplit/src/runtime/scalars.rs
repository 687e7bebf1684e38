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
