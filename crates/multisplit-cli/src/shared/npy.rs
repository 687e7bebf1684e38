//! NumPy files of one dimension.

use anyhow::{Context, Result, ensure};
use npyz::{DType, NpyHeader, WriteOptions, WriterBuilder};
use std::io::{self, Read, Write};
use std::path::Path;

/// The header of such a file.
pub struct Header {
    pub dtype: DType,
    pub n: u64,
}

/// Returns whether a path names a NumPy file.
pub fn is_npy(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npy"))
}

/// Returns a type by its name in NumPy, such as `<u4`.
pub fn dtype(name: &str) -> Result<DType> {
    Ok(DType::new_scalar(name.parse().with_context(|| format!("NumPy has no type '{name}'"))?))
}

/// Reads the header. The elements come next.
pub fn read_header(from: &mut impl Read) -> Result<Header> {
    let header = NpyHeader::from_reader(from).context("this is no NumPy file")?;
    // The order of dimensions, C or Fortran, says nothing where there is one.
    let &[n] = header.shape() else {
        let shape: Vec<String> = header.shape().iter().map(u64::to_string).collect();
        ensure!(!shape.is_empty(), "this is a single number, not an array; save np.atleast_1d of it");
        anyhow::bail!(
            "the array has {} dimensions ({}), but must have one; save array.ravel() of it",
            shape.len(),
            shape.join(" x ")
        );
    };
    Ok(Header { dtype: header.dtype(), n })
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
