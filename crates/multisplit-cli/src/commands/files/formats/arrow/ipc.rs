//! Arrow's files and streams: messages of a schema, of dictionaries and of batches of rows.

use crate::shared::memory::show_size;
use crate::shared::progress::Moving;
use anyhow::{Context, Result, bail, ensure};
use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::{Block, Message, MessageHeader, MetadataVersion, root_as_footer, root_as_message};
use arrow_schema::{ArrowError, SchemaRef};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
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

const NO_END: &str = "it is cut short or damaged: it does not end as Arrow files do";
const CUT: &str = "it is damaged or cut short: a part of it is said to be where the file has ended";

impl ArrowTable {
    /// Reads all rows of a file, of which the end says where everything is.
    pub fn of_file(bytes: Vec<u8>) -> Result<Self> {
        Self::all(Batches::of_file(Bytes::Memory(Buffer::from_vec(bytes)))?)
    }

    /// Reads all rows of a stream, message by message.
    pub fn of_stream(bytes: Vec<u8>) -> Result<Self> {
        Self::all(Batches::of_stream(Bytes::Memory(Buffer::from_vec(bytes)))?)
    }

    fn all(mut from: Batches) -> Result<Self> {
        let mut batches = Vec::new();
        while let Some(batch) = from.next()? {
            batches.push(batch);
        }
        Ok(Self { schema: from.schema()?, batches, notes: from.notes })
    }
}

/// The bytes of a table.
pub enum Bytes {
    Memory(Buffer),
    /// In a file, of so many bytes. No more than some are read at a time.
    File {
        file: File,
        len: usize,
        most: usize,
    },
}

impl Bytes {
    fn len(&self) -> usize {
        match self {
            Self::Memory(bytes) => bytes.len(),
            Self::File { len, .. } => *len,
        }
    }

    fn part(&self, at: usize, size: usize) -> Result<Buffer> {
        ensure!(at.checked_add(size).is_some_and(|end| end <= self.len()), CUT);
        match self {
            Self::Memory(bytes) => Ok(bytes.slice_with_length(at, size)),
            Self::File { file, most, .. } => {
                ensure!(size <= *most, too_large(size));
                let (mut part, mut file) = (vec![0; size], Moving(file));
                file.seek(SeekFrom::Start(at as u64))?;
                file.read_exact(&mut part)?;
                Ok(Buffer::from_vec(part))
            }
        }
    }
}

/// Says that a batch of rows is too large to be read in pieces.
fn too_large(size: usize) -> String {
    format!(
        "a batch of it takes {}, which is too large a part of --memory; give it more, or write the file in \
         smaller batches",
        show_size(size as u64)
    )
}

/// The rows of a table, batch by batch.
pub struct Batches {
    reader: Reader,
    /// Where those of a file are that were not read yet. None of a stream.
    blocks: Option<std::vec::IntoIter<Block>>,
    /// Where the next message of a stream is.
    at: usize,
    /// What the end of a file says beside the schema.
    pub notes: Vec<(String, String)>,
}

impl Batches {
    /// Begins with a file, of which the end says where everything is.
    pub fn of_file(bytes: Bytes) -> Result<Self> {
        let end = bytes.len().checked_sub(TAIL).context(NO_END)?;
        let tail = bytes.part(end, TAIL)?;
        let tail = *tail.first_chunk::<TAIL>().filter(|tail| tail.ends_with(b"ARROW1")).context(NO_END)?;
        let size = read_footer_length(tail)?;
        let start = end.checked_sub(size).filter(|&start| start >= HEAD).with_context(|| {
            format!("its end says that it is of {size} bytes, but the file has {} only", bytes.len())
        })?;
        let footer = bytes.part(start, size)?;
        let footer = root_as_footer(&footer).ok().context("it is damaged: its end cannot be read")?;
        let mut reader = Reader { bytes, end: start, known: None };
        reader.begin(footer.schema(), footer.version())?;
        for block in footer.dictionaries().into_iter().flatten() {
            reader.read(block)?;
        }
        let notes = footer.custom_metadata().into_iter().flatten();
        let notes = notes.filter_map(|note| Some((note.key()?.to_string(), note.value()?.to_string()))).collect();
        let blocks: Vec<Block> = footer.recordBatches().into_iter().flatten().copied().collect();
        Ok(Self { reader, blocks: Some(blocks.into_iter()), at: 0, notes })
    }

    /// Begins with a stream, of which the first message has the schema.
    pub fn of_stream(bytes: Bytes) -> Result<Self> {
        let reader = Reader { end: bytes.len(), bytes, known: None };
        let mut begun = Self { reader, blocks: None, at: 0, notes: Vec::new() };
        if let Some(block) = begun.next_block()? {
            begun.reader.read(&block)?;
        }
        Ok(begun)
    }

    pub fn schema(&self) -> Result<SchemaRef> {
        let (schema, _) = self.reader.known.as_ref().context("it does not say which columns it has")?;
        Ok(schema.clone())
    }

    /// Reads the next rows.
    pub fn next(&mut self) -> Result<Option<RecordBatch>> {
        while let Some(block) = self.next_block()? {
            if let Some(batch) = self.reader.read(&block)? {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }

    fn next_block(&mut self) -> Result<Option<Block>> {
        if let Some(blocks) = &mut self.blocks {
            return Ok(blocks.next());
        }
        let block = self.reader.block_at(self.at)?;
        if let Some(block) = &block {
            self.at += block.metaDataLength() as usize + block.bodyLength() as usize;
        }
        Ok(block)
    }
}

/// Reads messages.
struct Reader {
    bytes: Bytes,
    /// Where messages end.
    end: usize,
    /// What knows the schema and the dictionaries.
    known: Option<(SchemaRef, FileDecoder)>,
}

impl Reader {
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
        if at == self.end {
            return Ok(None);
        }
        let head = self.bytes.part(at, HEAD)?;
        let [255, 255, 255, 255, size @ ..] = &head[..] else {
            bail!("it is damaged: there is no message at byte {at}")
        };
        let size = size.first_chunk().map_or(0, |size| u32::from_le_bytes(*size)) as usize;
        if size == 0 {
            return Ok(None);
        }
        let body = message(&self.bytes.part(at + HEAD, size)?)?.bodyLength();
        Ok(Some(Block::new(i64::try_from(at)?, i32::try_from(HEAD + size)?, body)))
    }

    /// Reads the message of a block. None if it has no rows.
    fn read(&mut self, block: &Block) -> Result<Option<RecordBatch>> {
        let known = || {
            let at = usize::try_from(block.offset()).ok()?;
            let head = usize::try_from(block.metaDataLength()).ok().filter(|&head| head >= HEAD)?;
            let size = head.checked_add(usize::try_from(block.bodyLength()).ok()?)?;
            (at.checked_add(size)? <= self.end).then_some((at, head, size))
        };
        let (at, head, size) = known().context(CUT)?;
        let part = self.bytes.part(at, size)?;
        let message = message(&part[HEAD..head])?;
        self.check_room(&message, &part[head..])?;
        if message.header_type() == MessageHeader::Schema {
            self.begin(message.header_as_schema(), message.version())?;
            return Ok(None);
        }
        let (_, decoder) = self.known.as_mut().context("it is damaged: its rows come before its schema")?;
        if message.header_type() == MessageHeader::DictionaryBatch {
            decoder.read_dictionary(block, &part).map_err(complaint)?;
            return Ok(None);
        }
        decoder.read_record_batch(block, &part).map_err(complaint)
    }

    /// Refuses compressed columns for which there would be no memory. The size that they are said to have may be wrong.
    fn check_room(&self, message: &Message<'_>, body: &[u8]) -> Result<()> {
        let batch = message.header_as_record_batch();
        let batch = batch.or_else(|| message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data()));
        let Some(batch) = batch.filter(|batch| batch.compression().is_some()) else { return Ok(()) };
        let mut all = 0usize;
        for buffer in batch.buffers().into_iter().flatten() {
            let size = || Some(i64::from_le_bytes(*body.get(usize::try_from(buffer.offset()).ok()?..)?.first_chunk()?));
            if let Some(size) = size().and_then(|size| usize::try_from(size).ok()).filter(|_| buffer.length() > 0) {
                let room = Vec::<u8>::new().try_reserve_exact(size);
                room.with_context(|| format!("it is damaged, or too large: there is no memory for {size} bytes"))?;
                all = all.saturating_add(size);
            }
        }
        if let Bytes::File { most, .. } = self.bytes {
            ensure!(all <= most, too_large(all));
        }
        Ok(())
    }
}

fn message(bytes: &[u8]) -> Result<Message<'_>> {
    root_as_message(bytes).ok().context("it is damaged: a message cannot be read")
}

/// Says what is wrong, and what to do if the file is compressed by what was not built.
fn complaint(error: ArrowError) -> anyhow::Error {
    let unbuilt = matches!(&error, ArrowError::InvalidArgumentError(about) if about.contains("zstd feature"));
    if unbuilt { super::parquet_file::without_zstd("it") } else { error.into() }
}
