//! Values that travel with keys, of whatever type: nothing looks into them.

use npyz::DType;

pub struct Values {
    pub dtype: DType,
    pub words: Words,
}

pub enum Words {
    /// Of 4 bytes.
    Narrow(Vec<u32>),
    /// Of 8 bytes.
    Wide(Vec<u64>),
}

impl Words {
    pub fn len(&self) -> usize {
        match self {
            Self::Narrow(words) => words.len(),
            Self::Wide(words) => words.len(),
        }
    }
}
