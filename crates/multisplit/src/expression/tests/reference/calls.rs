//! What functions make of values.

use super::operators::{arithmetic, bits_of, settled_one, shift};
use super::value::Value::{self, *};
use super::value::{Got, Unfit, alike, real, whole, wrapped};

pub fn call(name: &str, operands: &[Value]) -> Got {
    if let "min" | "max" | "quot" | "rem" = name {
        let both = alike(operands, false)?;
        return arithmetic(name, both[0], both[1]);
    }
    if name == "clamp" {
        let all = alike(operands, false)?;
        let (low, _) = arithmetic("max", all[0], all[1])?;
        return arithmetic("min", low, all[2]);
    }
    if name == "bit" {
        let a = settled_one(operands[0])?;
        whole(a).ok_or(Unfit)?;
        let (shifted, fault) = shift(">>", operands[0], operands[1])?;
        return Ok((wrapped(whole(shifted).ok_or(Unfit)? & 1, shifted), fault));
    }
    let to_type = matches!(name, "u32" | "i32" | "u64" | "i64");
    let like = match name {
        "i32" => I32(0),
        "u64" => U64(0),
        "i64" => I64(0),
        _ => U32(0),
    };
    if let (Lit(number), "f32") = (operands[0], name) {
        return Ok((F32(number as f32), false));
    }
    if let (Lit(number), true) = (operands[0], to_type)
        && whole(wrapped(number, like)) == Some(number)
    {
        return Ok((wrapped(number, like), false));
    }
    let a = settled_one(operands[0])?;
    let integer = || whole(a).ok_or(Unfit);
    let low = |number: i128| if bits_of(a) == 64 { (number as u64).into() } else { u128::from(number as u32) };
    let unused = 128 - bits_of(a);
    Ok((
        match name {
            "popcount" => U32(low(integer()?).count_ones()),
            "clz" => U32(low(integer()?).leading_zeros() - unused),
            "ctz" => U32(low(integer()?).trailing_zeros().min(bits_of(a))),
            "f32" => F32(match a {
                F32(number) => number,
                F64(number) => number as f32,
                other => whole(other).unwrap_or(0) as f32,
            }),
            "f64" => F64(real(a)),
            "abs" => match (a, whole(a)) {
                (_, Some(number)) => wrapped(number.abs(), a),
                (F32(number), _) => F32(number.abs()),
                _ => F64(real(a).abs()),
            },
            "floor" => match a {
                F32(number) => F32(number.floor()),
                F64(number) => F64(number.floor()),
                other => other,
            },
            "sqrt" => match a {
                F32(number) => F32(number.sqrt()),
                other => F64(real(other).sqrt()),
            },
            _ => match whole(a) {
                Some(number) => wrapped(number, like),
                None => {
                    let cut = real(a).trunc();
                    let fits = cut.abs() < 1e30 && whole(wrapped(cut as i128, like)) == Some(cut as i128);
                    return Ok((wrapped(if fits { cut as i128 } else { 0 }, like), !fits));
                }
            },
        },
        false,
    ))
}
