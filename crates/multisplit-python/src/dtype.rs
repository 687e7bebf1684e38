//! Types of elements, as NumPy and DLPack have them.

use multisplit::{bf16, f16};
use std::fmt;

/// The type of the elements of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DType {
    /// Conditions.
    Bool,
    /// Whole numbers from 0 on.
    U8,
    /// Of 16 bits.
    U16,
    /// Of 32 bits.
    U32,
    /// Of 64 bits.
    U64,
    /// Whole numbers.
    I8,
    /// Of 16 bits.
    I16,
    /// Of 32 bits.
    I32,
    /// Of 64 bits.
    I64,
    /// Floats of 16 bits.
    F16,
    /// Those that have the range of 32 bits.
    Bf16,
    /// Floats of 32 bits.
    F32,
    /// Of 64 bits.
    F64,
}

/// Name, bytes, and DLPack's code of each.
const FACTS: [(DType, &str, usize, u8); 13] = [
    (DType::Bool, "bool", 1, 6),
    (DType::U8, "uint8", 1, 1),
    (DType::U16, "uint16", 2, 1),
    (DType::U32, "uint32", 4, 1),
    (DType::U64, "uint64", 8, 1),
    (DType::I8, "int8", 1, 0),
    (DType::I16, "int16", 2, 0),
    (DType::I32, "int32", 4, 0),
    (DType::I64, "int64", 8, 0),
    (DType::F16, "float16", 2, 2),
    (DType::Bf16, "bfloat16", 2, 4),
    (DType::F32, "float32", 4, 2),
    (DType::F64, "float64", 8, 2),
];

impl DType {
    fn facts(self) -> (DType, &'static str, usize, u8) {
        FACTS[self as usize]
    }

    /// The name that NumPy gives it.
    pub fn name(self) -> &'static str {
        self.facts().1
    }

    /// Bytes of an element.
    pub fn size(self) -> usize {
        self.facts().2
    }

    /// Whether it is a type of whole numbers.
    pub fn is_whole(self) -> bool {
        matches!(self.facts().3, 0 | 1)
    }

    /// DLPack's code and bits.
    pub fn dlpack(self) -> (u8, u8) {
        (self.facts().3, 8 * self.size() as u8)
    }

    /// The type of a code and of bits of DLPack.
    pub fn of_dlpack(code: u8, bits: u8) -> Option<Self> {
        FACTS.iter().map(|facts| facts.0).find(|dtype| dtype.dlpack() == (code, bits))
    }

    /// The type of a kind of NumPy's and of bytes, as in `<u4`.
    pub fn of_kind(kind: char, bytes: usize) -> Option<Self> {
        let code = match kind {
            'b' => 6,
            'u' => 1,
            'i' => 0,
            'f' => 2,
            _ => return None,
        };
        Self::of_dlpack(code, u8::try_from(8 * bytes).ok()?)
    }

    /// The type of a format of the buffer protocol, in the order of bytes of this machine.
    pub fn of_format(format: &[u8], bytes: usize) -> Option<Self> {
        let kind = match format {
            b"?" => 'b',
            b"B" | b"H" | b"I" | b"L" | b"Q" => 'u',
            b"b" | b"h" | b"i" | b"l" | b"q" => 'i',
            b"e" | b"f" | b"d" => 'f',
            _ => return None,
        };
        Self::of_kind(kind, bytes)
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A type of Rust that elements have.
pub trait Element: bytemuck::Pod + Send + Sync {
    /// Its type in arrays.
    const DTYPE: DType;
}

macro_rules! elements {
    ($($element:ty: $dtype:ident,)*) => {$(
        impl Element for $element {
            const DTYPE: DType = DType::$dtype;
        }
    )*};
}

elements! {
    u8: U8, u16: U16, u32: U32, u64: U64, i8: I8, i16: I16, i32: I32, i64: I64,
    f16: F16, bf16: Bf16, f32: F32, f64: F64,
}

/// Runs `$body` with the type of keys of a [`DType`]; `$other` if it is none.
macro_rules! with_key {
    ($dtype:expr, $K:ident => $body:expr, else $other:expr) => {
        $crate::dtype::with_key!(@ $dtype, $K => $body, else $other;
            U8 u8, U16 u16, U32 u32, U64 u64, I8 i8, I16 i16, I32 i32, I64 i64,
            F16 multisplit::f16, Bf16 multisplit::bf16, F32 f32, F64 f64)
    };
    (whole $dtype:expr, $K:ident => $body:expr, else $other:expr) => {
        $crate::dtype::with_key!(@ $dtype, $K => $body, else $other;
            U8 u8, U16 u16, U32 u32, U64 u64, I8 i8, I16 i16, I32 i32, I64 i64)
    };
    (@ $dtype:expr, $K:ident => $body:expr, else $other:expr; $($name:ident $type:ty),*) => {
        match $dtype {
            $($crate::dtype::DType::$name => {
                type $K = $type;
                $body
            })*
            #[allow(unreachable_patterns)]
            _ => $other,
        }
    };
}
pub(crate) use with_key;
