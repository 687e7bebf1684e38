//! NumPy files of one dimension.

use anyhow::{Context, Result, bail, ensure};
use npyz::{DType, NpyHeader, WriteOptions, WriterBuilder};
use std::io::{self, Read, Write};

/// How such a file begins.
pub const MAGIC: &[u8] = b"\x93NUMPY";

/// The header of such a file.
pub struct Header {
    pub dtype: DType,
    pub n: u64,
}

/// Returns a type by its name in NumPy, such as `<u4`.
pub fn dtype(name: &str) -> Result<DType> {
    Ok(DType::new_scalar(name.parse().with_context(|| format!("NumPy has no type '{name}'"))?))
}

/// The longest header that is read: those of NumPy have some hundred bytes, and a length may lie.
const LONGEST_HEADER: u64 = 1 << 20;

/// Reads the header, and returns its size too. The elements come next.
pub fn read_header(from: &mut dyn Read) -> Result<(Header, u64)> {
    let mut start = Vec::new();
    (&mut *from).take(12).read_to_end(&mut start)?;
    ensure!(start.starts_with(MAGIC), "this is no NumPy file");
    let [_, _, _, _, _, _, version, _, low, high, third, fourth] = start[..] else {
        bail!("the file is cut short: it ends within its header")
    };
    ensure!((1..=3).contains(&version), "the NumPy file is of version {version} of the format, which is not known");
    let lower = u64::from(u16::from_le_bytes([low, high]));
    let upper = u64::from(u16::from_le_bytes([third, fourth]));
    let size = if version == 1 { 10 + lower } else { 12 + lower + (upper << 16) };
    ensure!(size <= LONGEST_HEADER, "the header says that it has {size} bytes, which is not true of a sound file");
    (&mut *from).take(size - 12).read_to_end(&mut start)?;
    ensure!(start.len() as u64 == size, "the file is cut short: it ends within its header");
    let header = NpyHeader::from_reader(&start[..]).context("the header of this NumPy file cannot be read")?;
    // The order of dimensions, C or Fortran, says nothing where there is one.
    let &[n] = header.shape() else {
        let shape: Vec<String> = header.shape().iter().map(u64::to_string).collect();
        ensure!(!shape.is_empty(), "this is a single number, not an array; save np.atleast_1d of it");
        bail!(
            "the array has {} dimensions ({}), but must have one; save array.ravel() of it",
            shape.len(),
            shape.join(" x ")
        );
    };
    Ok((Header { dtype: header.dtype(), n }, size))
}

/// Writes the header of `n` elements.
pub fn write_header(to: &mut dyn Write, dtype: &DType, n: usize) -> io::Result<()> {
    write_header_of(to, dtype, &[n as u64])
}

/// Writes the header of an array of any shape.
pub fn write_header_of(to: &mut dyn Write, dtype: &DType, shape: &[u64]) -> io::Result<()> {
    let header = WriteOptions::new_header_only().dtype(dtype.clone()).shape(shape);
    header.writer(to).write_header_only().map(drop)
}
