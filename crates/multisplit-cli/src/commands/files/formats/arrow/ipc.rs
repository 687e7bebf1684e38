//! Arrow's files and streams.

use anyhow::{Context, Result, ensure};
use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{FileDecoder, StreamDecoder, read_footer_length};
use arrow_ipc::{Block, Footer, root_as_footer};
use arrow_schema::{ArrowError, SchemaRef};
use std::sync::Arc;

/// A table in memory. What is not compressed lies in the bytes of the file.
pub struct ArrowTable {
    pub schema: SchemaRef,
    pub batches: Vec<RecordBatch>,
    /// What the end of a file says beside the schema.
    pub notes: Vec<(String, String)>,
}

/// How a file ends: the size of what is before, and six letters.
const TAIL: usize = 10;

impl ArrowTable {
    /// Reads a file, of which the end says where everything is.
    pub fn of_file(bytes: Vec<u8>) -> Result<Self> {
        let bytes = Buffer::from_vec(bytes);
        let tail = bytes.last_chunk::<TAIL>().filter(|tail| tail.ends_with(b"ARROW1"));
        let tail = *tail.context("it is cut short or damaged: it does not end as Arrow files do")?;
        let size = read_footer_length(tail)?;
        let end = bytes.len() - TAIL;
        let start = end.checked_sub(size).filter(|&start| start >= 8).with_context(|| {
            format!("its end says that it is of {size} bytes, but the file has {} only", bytes.len())
        })?;
        let footer = root_as_footer(&bytes[start..end]).ok().context("it is damaged: its end cannot be read")?;
        let schema = footer.schema().context("it does not say which columns it has")?;
        ensure!(
            schema.endianness().equals_to_target_endianness(),
            "its numbers have the other order of bytes; write it on a machine like this one"
        );
        let schema: SchemaRef = Arc::new(try_fb_to_schema(schema)?);
        let mut decoder = FileDecoder::new(schema.clone(), footer.version());
        for block in footer.dictionaries().iter().flatten() {
            decoder.read_dictionary(block, &part(&bytes[..start], &bytes, block)?).map_err(complaint)?;
        }
        let mut batches = Vec::new();
        for block in footer.recordBatches().iter().flatten() {
            let part = part(&bytes[..start], &bytes, block)?;
            batches.extend(decoder.read_record_batch(block, &part).map_err(complaint)?);
        }
        Ok(Self { schema, batches, notes: notes(&footer) })
    }

    /// Reads a stream.
    pub fn of_stream(bytes: Vec<u8>) -> Result<Self> {
        let mut bytes = Buffer::from_vec(bytes);
        let (mut decoder, mut batches) = (StreamDecoder::new(), Vec::new());
        while !bytes.is_empty() {
            batches.extend(decoder.decode(&mut bytes).map_err(complaint)?);
        }
        decoder.finish().ok().context("it is cut short: it ends within a message")?;
        let schema = decoder.schema().context("it does not say which columns it has")?;
        Ok(Self { schema, batches, notes: Vec::new() })
    }
}

/// Returns the bytes of a block, if it lies before the end of the file.
fn part(all: &[u8], bytes: &Buffer, block: &Block) -> Result<Buffer> {
    let known = || {
        let at = usize::try_from(block.offset()).ok()?;
        let head = usize::try_from(block.metaDataLength()).ok().filter(|&head| head >= 8)?;
        let size = head.checked_add(usize::try_from(block.bodyLength()).ok()?)?;
        (at.checked_add(size)? <= all.len()).then_some((at, size))
    };
    let (at, size) = known().context("it is damaged: a part of it is said to be where the file has ended")?;
    Ok(bytes.slice_with_length(at, size))
}

fn notes(footer: &Footer<'_>) -> Vec<(String, String)> {
    let entries = footer.custom_metadata().into_iter().flatten();
    entries.filter_map(|entry| Some((entry.key()?.to_string(), entry.value()?.to_string()))).collect()
}

/// Says what is wrong, and what to do if the file is compressed by what was not built.
fn complaint(error: ArrowError) -> anyhow::Error {
    let unbuilt = matches!(&error, ArrowError::InvalidArgumentError(about) if about.contains("zstd feature"));
    if unbuilt { super::parquet_file::without_zstd("it") } else { error.into() }
}
