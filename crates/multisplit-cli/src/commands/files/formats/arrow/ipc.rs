//! Arrow's files and streams: messages of a schema, of dictionaries and of batches of rows.

use anyhow::{Context, Result, bail, ensure};
use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::{Block, Message, MessageHeader, MetadataVersion, root_as_footer, root_as_message};
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

/// How a message begins: four bytes of ones, and its size without what follows it.
const HEAD: usize = 8;

const CUT: &str = "it is damaged or cut short: a part of it is said to be where the file has ended";

impl ArrowTable {
    /// Reads a file, of which the end says where everything is.
    pub fn of_file(bytes: Vec<u8>) -> Result<Self> {
        let bytes = Buffer::from_vec(bytes);
        let tail = bytes.last_chunk::<TAIL>().filter(|tail| tail.ends_with(b"ARROW1"));
        let tail = *tail.context("it is cut short or damaged: it does not end as Arrow files do")?;
        let size = read_footer_length(tail)?;
        let end = bytes.len() - TAIL;
        let start = end.checked_sub(size).filter(|&start| start >= HEAD).with_context(|| {
            format!("its end says that it is of {size} bytes, but the file has {} only", bytes.len())
        })?;
        let footer = root_as_footer(&bytes[start..end]).ok().context("it is damaged: its end cannot be read")?;
        let mut reader = Reader::new(bytes.slice_with_length(0, start));
        reader.begin(footer.schema(), footer.version())?;
        for block in footer.dictionaries().iter().flatten().chain(footer.recordBatches().iter().flatten()) {
            reader.read(block)?;
        }
        let notes = footer.custom_metadata().into_iter().flatten();
        let notes = notes.filter_map(|note| Some((note.key()?.to_string(), note.value()?.to_string()))).collect();
        reader.finish(notes)
    }

    /// Reads a stream, message by message.
    pub fn of_stream(bytes: Vec<u8>) -> Result<Self> {
        let mut reader = Reader::new(Buffer::from_vec(bytes));
        let mut at = 0;
        while let Some(block) = reader.block_at(at)? {
            reader.read(&block)?;
            at += block.metaDataLength() as usize + block.bodyLength() as usize;
        }
        reader.finish(Vec::new())
    }
}

/// Reads messages.
struct Reader {
    bytes: Buffer,
    /// What knows the schema and the dictionaries.
    known: Option<(SchemaRef, FileDecoder)>,
    batches: Vec<RecordBatch>,
}

impl Reader {
    fn new(bytes: Buffer) -> Self {
        Self { bytes, known: None, batches: Vec::new() }
    }

    /// Takes the schema.
    fn begin(&mut self, schema: Option<arrow_ipc::Schema<'_>>, version: MetadataVersion) -> Result<()> {
        let schema = schema.context("it does not say which columns it has")?;
        ensure!(
            schema.endianness().equals_to_target_endianness(),
            "its numbers have the other order of bytes; write it on a machine like this one"
        );
        ensure!(self.known.is_none(), "it is damaged: it has two schemas");
        let schema: SchemaRef = Arc::new(try_fb_to_schema(schema)?);
        self.known = Some((schema.clone(), FileDecoder::new(schema, version)));
        Ok(())
    }

    /// Returns where the message lies that begins here. None at the end of the stream, which may have a mark.
    fn block_at(&self, at: usize) -> Result<Option<Block>> {
        let rest = &self.bytes[at..];
        if rest.is_empty() {
            return Ok(None);
        }
        let (head, rest) = rest.split_first_chunk::<HEAD>().context(CUT)?;
        let [255, 255, 255, 255, size @ ..] = *head else { bail!("it is damaged: there is no message at byte {at}") };
        let size = u32::from_le_bytes(size) as usize;
        if size == 0 {
            return Ok(None);
        }
        let body = message(rest.get(..size).context(CUT)?)?.bodyLength();
        Ok(Some(Block::new(i64::try_from(at)?, i32::try_from(HEAD + size)?, body)))
    }

    /// Reads the message of a block.
    fn read(&mut self, block: &Block) -> Result<()> {
        let known = || {
            let at = usize::try_from(block.offset()).ok()?;
            let head = usize::try_from(block.metaDataLength()).ok().filter(|&head| head >= HEAD)?;
            let size = head.checked_add(usize::try_from(block.bodyLength()).ok()?)?;
            (at.checked_add(size)? <= self.bytes.len()).then_some((at, head, size))
        };
        let (at, head, size) = known().context(CUT)?;
        let part = self.bytes.slice_with_length(at, size);
        let message = message(&part[HEAD..head])?;
        check_room(&message, &part[head..])?;
        if message.header_type() == MessageHeader::Schema {
            return self.begin(message.header_as_schema(), message.version());
        }
        let (_, decoder) = self.known.as_mut().context("it is damaged: its rows come before its schema")?;
        if message.header_type() == MessageHeader::DictionaryBatch {
            return decoder.read_dictionary(block, &part).map_err(complaint);
        }
        self.batches.extend(decoder.read_record_batch(block, &part).map_err(complaint)?);
        Ok(())
    }

    fn finish(self, notes: Vec<(String, String)>) -> Result<ArrowTable> {
        let (schema, _) = self.known.context("it does not say which columns it has")?;
        Ok(ArrowTable { schema, batches: self.batches, notes })
    }
}

fn message(bytes: &[u8]) -> Result<Message<'_>> {
    root_as_message(bytes).ok().context("it is damaged: a message cannot be read")
}

/// Refuses compressed columns for which there would be no memory. The size that they are said to have may be wrong.
fn check_room(message: &Message<'_>, body: &[u8]) -> Result<()> {
    let batch = message.header_as_record_batch();
    let batch = batch.or_else(|| message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data()));
    let Some(batch) = batch.filter(|batch| batch.compression().is_some()) else { return Ok(()) };
    for buffer in batch.buffers().into_iter().flatten() {
        let size = || Some(i64::from_le_bytes(*body.get(usize::try_from(buffer.offset()).ok()?..)?.first_chunk()?));
        if let Some(size) = size().and_then(|size| usize::try_from(size).ok()).filter(|_| buffer.length() > 0) {
            let room = Vec::<u8>::new().try_reserve_exact(size);
            room.with_context(|| format!("it is damaged, or too large: there is no memory for {size} bytes"))?;
        }
    }
    Ok(())
}

/// Says what is wrong, and what to do if the file is compressed by what was not built.
fn complaint(error: ArrowError) -> anyhow::Error {
    let unbuilt = matches!(&error, ArrowError::InvalidArgumentError(about) if about.contains("zstd feature"));
    if unbuilt { super::parquet_file::without_zstd("it") } else { error.into() }
}
