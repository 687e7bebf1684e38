//! What operators make of values.

use super::value::Value::{self, *};
use super::value::{Got, Unfit, alike, is_literal, real, settled, whole, wrapped};

pub fn bits_of(value: Value) -> u32 {
    if matches!(value, U64(_) | I64(_)) { 64 } else { 32 }
}

pub fn arithmetic(operator: &str, a: Value, b: Value) -> Got {
    if let (Some(x), Some(y)) = (whole(a), whole(b)) {
        let divides = matches!(operator, "/" | "%" | "quot" | "rem");
        if divides && y == 0 {
            return Ok((wrapped(x, a), true));
        }
        let number = match operator {
            "+" => x + y,
            "-" => x - y,
            "*" => x.wrapping_mul(y), // the low 64 bits are right
            "/" => x.div_euclid(y),
            "%" => x.rem_euclid(y),
            "quot" => x / y,
            "rem" => x % y,
            "min" => x.min(y),
            "max" => x.max(y),
            "&" => x & y,
            "|" => x | y,
            _ => x ^ y,
        };
        let is_condition = matches!(a, Bool(_)) && matches!(operator, "min" | "max" | "&" | "|" | "^");
        return Ok((if is_condition { Bool(number != 0) } else { wrapped(number, a) }, false));
    }
    macro_rules! floats {
        ($Real:ident $x:ident $y:ident) => {
            $Real(match operator {
                "+" => $x + $y,
                "-" => $x - $y,
                "*" => $x * $y,
                "/" => $x / $y,
                "%" => $x.rem_euclid($y),
                "quot" => ($x / $y).trunc(),
                "rem" => $x % $y,
                "min" => $x.min($y),
                "max" => $x.max($y),
                _ => return Err(Unfit),
            })
        };
    }
    Ok((
        match (a, b) {
            (F32(x), F32(y)) => floats!(F32 x y),
            (F64(x), F64(y)) => floats!(F64 x y),
            _ => return Err(Unfit),
        },
        false,
    ))
}

/// Computes with numbers of the text, exactly.
pub fn fold(operator: &str, a: Value, b: Value) -> Got {
    let fits = |number: i128| {
        let fits = number >= i64::MIN.into() && number <= u64::MAX.into();
        if fits { Ok((Lit(number), false)) } else { Err(Unfit) }
    };
    match (a, b) {
        (Lit(x), Lit(y)) => match operator {
            "+" => fits(x + y),
            "-" => fits(x - y),
            "*" => x.checked_mul(y).map_or(Err(Unfit), fits),
            "/" | "%" if y == 0 => Err(Unfit),
            "/" => fits(x.div_euclid(y)),
            "%" => fits(x.rem_euclid(y)),
            "&" => fits(x & y),
            "|" => fits(x | y),
            "^" => fits(x ^ y),
            _ if y < 0 => Err(Unfit),
            "<<" if x == 0 => fits(0),
            "<<" if y > 64 => Err(Unfit),
            "<<" => x.checked_mul(1 << y).map_or(Err(Unfit), fits),
            _ => fits(x >> y.min(100)),
        },
        _ => match arithmetic(operator, F64(real(a)), F64(real(b)))? {
            (F64(number), _) => Ok((Any(number), false)),
            _ => Err(Unfit),
        },
    }
}

pub fn shift(operator: &str, a: Value, b: Value) -> Got {
    let a = if is_literal(a) && !is_literal(b) { alike(&[a, b], true)?[0] } else { settled_one(a)? };
    let (Some(x), Some(by)) = (whole(a), whole(b)) else { return Err(Unfit) };
    if by < 0 {
        return if is_literal(b) { Err(Unfit) } else { Ok((wrapped(x, a), true)) };
    }
    let out = by >= bits_of(a).into();
    let number = match operator {
        "<<" => {
            if out {
                0
            } else {
                x << by
            }
        }
        _ => x >> by.min(100),
    };
    Ok((wrapped(number, a), false))
}

pub fn settled_one(value: Value) -> Result<Value, Unfit> {
    Ok(match value {
        Lit(_) | Any(_) => settled(&[value])?[0],
        Bool(holds) => U32(holds.into()),
        other => other,
    })
}

pub fn compare(operator: &str, a: Value, b: Value) -> Result<Value, Unfit> {
    let both = if is_literal(a) && is_literal(b) { vec![a, b] } else { alike(&[a, b], false)? };
    let ordering = match (whole(both[0]), whole(both[1])) {
        (Some(x), Some(y)) => Some(x.cmp(&y)),
        _ => real(both[0]).partial_cmp(&real(both[1])),
    };
    let (less, equal) = (ordering == Some(std::cmp::Ordering::Less), ordering == Some(std::cmp::Ordering::Equal));
    Ok(Bool(match operator {
        "<" => less,
        "<=" => less || equal,
        ">" => ordering.is_some() && !less && !equal,
        ">=" => ordering.is_some() && !less,
        "==" => equal,
        _ => !equal,
    }))
}
