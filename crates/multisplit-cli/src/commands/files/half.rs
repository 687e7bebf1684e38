//! Floats of 16 bits.

/// Converts the bits of a float of 16 bits to those of one of 32. Nothing is lost, not even of NaN.
pub fn widen_half(bits: u32) -> u32 {
    let (sign, exponent, fraction) = ((bits & 0x8000) << 16, (bits >> 10) & 31, bits & 0x3ff);
    match (exponent, fraction) {
        (31, _) => sign | 0x7f80_0000 | (fraction << 13),
        (0, 0) => sign,
        (0, _) => {
            // Subnormal: fraction * 2^-24, of which the highest bit becomes the implied one.
            let shift = fraction.leading_zeros() - 21;
            sign | ((113 - shift) << 23) | (((fraction << shift) & 0x3ff) << 13)
        }
        _ => sign | ((exponent + 112) << 23) | (fraction << 13),
    }
}

/// Converts the bits of a float of 32 bits that [`widen_half`] made back.
pub fn unwiden_half(bits: u32) -> u32 {
    let (sign, exponent, fraction) = ((bits >> 16) & 0x8000, (bits >> 23) & 255, bits & 0x7f_ffff);
    match exponent {
        255 => sign | 0x7c00 | (fraction >> 13),
        0..103 => sign,
        103..113 => sign | ((fraction | 0x80_0000) >> (126 - exponent)),
        _ => sign | ((exponent - 112) << 10) | (fraction >> 13),
    }
}

/// Rounds to a float of 16 bits, half to even, and returns its bits.
pub fn narrow_to_half(number: f32) -> u32 {
    let (bits, size) = (number.to_bits(), number.abs());
    let sign = (bits >> 16) & 0x8000;
    if number.is_nan() {
        return sign | 0x7e00;
    }
    if size >= 65_520.0 {
        return sign | 0x7c00;
    }
    // Adding makes the float unit round to the last bit that is left.
    let unit = if size < 6.103_515_6e-5 { 0.5 } else { f32::from_bits((bits & 0x7f80_0000) + (13 << 23)) };
    unwiden_half((size + unit - unit).to_bits()) | sign
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_of_16_bits() {
        for bits in 0..1 << 16 {
            assert_eq!(unwiden_half(widen_half(bits)), bits, "{bits:x}");
            let number = f32::from_bits(widen_half(bits));
            if !number.is_nan() {
                assert_eq!(narrow_to_half(number), bits, "{bits:x}");
            }
        }
        let widened = |bits| f32::from_bits(widen_half(bits));
        assert_eq!(
            [0x3c00, 0xc000, 0x0001, 0x03ff, 0x7bff].map(widened),
            [1.0, -2.0, 5.960_464_5e-8, 6.097_555e-5, 65504.0]
        );
        // Halfway between two, to the even one.
        assert_eq!(narrow_to_half(1.0 + 1.0 / 2048.0), 0x3c00);
        assert_eq!(narrow_to_half(1.0 + 3.0 / 2048.0), 0x3c02);
        assert_eq!(narrow_to_half(65519.0), 0x7bff);
        assert_eq!(narrow_to_half(65520.0), 0x7c00);
        assert_eq!(narrow_to_half(2e-8), 0);
        assert_eq!(narrow_to_half(f32::NAN) & 0x7e00, 0x7e00);
    }
}
