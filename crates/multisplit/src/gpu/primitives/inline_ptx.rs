//! Inline PTX, which CubeCL does not have.
//!
//! Two things that it prints unchanged stand in for that: a comment of several lines, which here ends itself and begins
//! another, and the operands of a `printf`, which here is a macro for as long as it is needed.

use cubecl::frontend::{cube_comment, printf_expand};
use cubecl::ir::{Scope, Variable};

const END: &str = r#"*/
#undef printf
#undef TEST
/*"#;

/// Prints a statement, as which `printf` is defined, with its operands. The definition may define `TEST` as well.
pub(super) fn statement(scope: &mut Scope, definition: &str, operands: Vec<Variable>) {
    cube_comment::expand(scope, definition);
    printf_expand(scope, "", operands);
    cube_comment::expand(scope, END);
}
