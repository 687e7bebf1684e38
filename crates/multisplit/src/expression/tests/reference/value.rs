//! Values with types, and the type that several have in common.

use Value::*;

/// A value and its type. Lit and Any are numbers of the text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    Lit(i128),
    Any(f64),
    Bool(bool),
    U32(u32),
    I32(i32),
    U64(u64),
    I64(i64),
    F32(f32),
    F64(f64),
}

/// What the types do not allow.
pub struct Unfit;

/// A value, and whether there is none: then it is any value of its type.
pub type Got = Result<(Value, bool), Unfit>;

/// Gives a number of the text a type that it has alone.
pub fn settled(all: &[Value]) -> Result<Vec<Value>, Unfit> {
    let lits = || all.iter().filter_map(|value| if let Lit(number) = value { Some(*number) } else { None });
    let fits = |least: i128, greatest: i128| lits().all(|number| (least..=greatest).contains(&number));
    if all.iter().any(|value| matches!(value, Any(_))) {
        return Ok(all.iter().map(|&value| F64(real(value))).collect());
    }
    let convert: fn(i128) -> Value = if fits(0, u32::MAX.into()) {
        |number| U32(number as u32)
    } else if fits(i32::MIN.into(), i32::MAX.into()) {
        |number| I32(number as i32)
    } else if fits(i64::MIN.into(), i64::MAX.into()) {
        |number| I64(number as i64)
    } else if fits(0, u64::MAX.into()) {
        |number| U64(number as u64)
    } else {
        return Err(Unfit);
    };
    Ok(lits().map(convert).collect())
}

pub fn whole(value: Value) -> Option<i128> {
    Some(match value {
        Lit(number) => number,
        Bool(holds) => holds.into(),
        U32(number) => number.into(),
        I32(number) => number.into(),
        U64(number) => number.into(),
        I64(number) => number.into(),
        _ => return None,
    })
}

pub fn real(value: Value) -> f64 {
    match value {
        Any(number) | F64(number) => number,
        F32(number) => number.into(),
        U64(number) => number as f64,
        I64(number) => number as f64,
        other => whole(other).map_or(0.0, |number| number as f64),
    }
}

/// Wraps a number around in the type of another.
pub fn wrapped(number: i128, like: Value) -> Value {
    match like {
        I32(_) => I32(number as i32),
        U64(_) => U64(number as u64),
        I64(_) => I64(number as i64),
        _ => U32(number as u32),
    }
}

/// Converts to the type of another value, which has room for it.
pub fn like(value: Value, other: Value) -> Value {
    match (other, value) {
        (F32(_), Lit(number)) => F32(number as f32),
        (F32(_), Any(number)) => F32(number as f32),
        (F32(_), value) => value,
        (F64(_), value) => F64(real(value)),
        (Bool(_), value) => value,
        (other, value) => wrapped(whole(value).unwrap_or(0), other),
    }
}

/// Returns a value of the type that has the numbers of both.
pub fn common(a: Value, b: Value, of_bits: bool) -> Result<Value, Unfit> {
    let has = |of: Value, number: i128| whole(wrapped(number, of)) == Some(number);
    Ok(match (a, b) {
        (Bool(_), Bool(_)) => a,
        (Bool(holds), other) | (other, Bool(holds)) => common(U32(holds.into()), other, of_bits)?,
        (Any(number), F32(_)) | (F32(_), Any(number)) if number.abs() <= f64::from(f32::MAX) => F32(0.0),
        (Lit(number), F32(_)) | (F32(_), Lit(number)) if number as f32 as i128 == number => F32(0.0),
        (F32(_), F32(_)) => a,
        (Any(_) | F32(_) | F64(_), _) | (_, Any(_) | F32(_) | F64(_)) => F64(0.0),
        (Lit(number), of) | (of, Lit(number)) => match of {
            _ if has(of, number) => of,
            U32(_) if of_bits && has(I32(0), number) => of,
            U64(_) if of_bits && has(I64(0), number) => of,
            U32(_) | I32(_) if has(I64(0), number) => I64(0),
            U32(_) if has(U64(0), number) => U64(0),
            _ => return Err(Unfit),
        },
        (U32(_), U32(_)) | (I32(_), I32(_)) | (U64(_), U64(_)) | (I64(_), I64(_)) => a,
        (U64(_), U32(_)) | (U32(_), U64(_)) => U64(0),
        (U64(_), _) | (_, U64(_)) => return Err(Unfit),
        _ => I64(0),
    })
}

pub fn is_literal(value: Value) -> bool {
    matches!(value, Lit(_) | Any(_))
}

/// Brings values to one type.
pub fn alike(all: &[Value], of_bits: bool) -> Result<Vec<Value>, Unfit> {
    if all.iter().all(|&value| is_literal(value)) {
        return settled(all);
    }
    // Values with a type decide first.
    let mut of = None;
    for &value in all.iter().filter(|&&value| !is_literal(value)) {
        of = Some(of.map_or(Ok(value), |of| common(of, value, of_bits))?);
    }
    let mut of = of.unwrap_or(Bool(false));
    if matches!(of, Bool(_)) && all.iter().any(|&value| is_literal(value)) {
        of = U32(0);
    }
    for &value in all.iter().filter(|&&value| is_literal(value)) {
        of = common(of, value, of_bits)?;
    }
    Ok(all.iter().map(|&value| like(value, of)).collect())
}
