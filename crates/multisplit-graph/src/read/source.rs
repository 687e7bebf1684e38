//! The bytes of a file, counted and decompressed.

use crate::error::{Error, Result};
use crate::format::Compression;
use crate::graph::memory;
use std::io::{self, BufRead, BufReader, Cursor, Read};

/// Bytes that are read at once.
const BUFFER: usize = 1 << 18;

/// Bytes that tell the format of a file.
const HEAD: u64 = 1 << 16;

/// The most memory that an xz file may ask for, in KiB.
const XZ_MEMORY: u32 = 1 << 20;

const GZIP: &[u8] = &[0x1f, 0x8b];
const XZ: &[u8] = &[0xfd, b'7', b'z', b'X', b'Z', 0];

/// Files that some would give for a graph: how they begin, and what they are.
const PACKED: [(&[u8], &str); 5] = [
    (b"BZh", "packed by bzip2"),
    (&[0x28, 0xb5, 0x2f, 0xfd], "packed by zstd"),
    (&[0x04, 0x22, 0x4d, 0x18], "packed by lz4"),
    (b"PK\x03\x04", "a zip archive"),
    (&[b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c], "a 7z archive"),
];
const OTHERS: [(&[u8], &str); 4] = [
    (b"\x93NUMPY", "a NumPy file"),
    (b"PAR1", "a Parquet file"),
    (b"ARROW1", "an Arrow file"),
    (b"\x89HDF\r\n", "an HDF5 file"),
];

/// How far reading has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Bytes of the file that were read, before they are decompressed.
    pub bytes: u64,
    /// The size of the file, if it is known.
    pub total: Option<u64>,
}

/// Decompressed bytes.
pub(crate) struct Source<'a> {
    from: Box<dyn BufRead + 'a>,
    head: Vec<u8>,
    compression: Compression,
    length: Option<u64>,
    what: String,
}

impl<'a> Source<'a> {
    /// Begins to read. `what` names it in messages.
    pub(crate) fn new(
        from: Box<dyn Read + 'a>,
        what: String,
        total: Option<u64>,
        progress: Option<&'a mut dyn FnMut(Progress)>,
    ) -> Result<Self> {
        memory::spare()?; // for buffers and decoders
        let mut counted = Counted { from, bytes: 0, total, progress };
        let mut magic = Vec::new();
        counted.by_ref().take(XZ.len() as u64).read_to_end(&mut magic).map_err(|error| Error::io(&what, &error))?;
        if let Some(error) = foreign(&magic) {
            return Err(error);
        }
        let compression = match &magic {
            magic if magic.starts_with(GZIP) => Compression::Gzip,
            magic if magic.starts_with(XZ) => Compression::Xz,
            _ => Compression::None,
        };
        let whole = BufReader::with_capacity(BUFFER, Cursor::new(magic).chain(counted));
        let mut plain: Box<dyn Read + 'a> = match compression {
            Compression::None => Box::new(whole),
            Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(whole)),
            Compression::Xz => Box::new(lzma_rust2::XzReader::new_mem_limit(whole, true, XZ_MEMORY)),
        };
        let mut head = Vec::new();
        plain.by_ref().take(HEAD).read_to_end(&mut head).map_err(|error| failure(compression, &what, &error))?;
        let from = Box::new(BufReader::with_capacity(BUFFER, Cursor::new(head.clone()).chain(plain)));
        // The system says 0 of files that it makes up while they are read.
        let length = total.filter(|&total| total > 0 && compression == Compression::None);
        Ok(Self { from, head, compression, length, what })
    }

    /// The first bytes of all, taken or not.
    pub(crate) fn head(&self) -> &[u8] {
        &self.head
    }

    pub(crate) fn compression(&self) -> Compression {
        self.compression
    }

    /// The number of all bytes, taken or not, if it is known before they are read.
    pub(crate) fn length(&self) -> Option<u64> {
        self.length
    }

    /// Whether all bytes were taken.
    pub(crate) fn at_end(&mut self) -> Result<bool> {
        let rest = self.from.fill_buf().map(<[u8]>::is_empty);
        rest.map_err(|error| self.error(&error))
    }

    /// Fills `bytes` as far as there are some, and says how far.
    pub(crate) fn fill(&mut self, bytes: &mut [u8]) -> Result<usize> {
        let mut filled = 0;
        while filled < bytes.len() {
            match self.from.read(&mut bytes[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.error(&error)),
            }
        }
        Ok(filled)
    }

    /// Appends a line with its end to `line`, but no more than `limit` bytes.
    pub(crate) fn line(&mut self, line: &mut Vec<u8>, limit: u64) -> Result<()> {
        let read = self.from.by_ref().take(limit).read_until(b'\n', line);
        read.map(drop).map_err(|error| self.error(&error))
    }

    fn error(&self, error: &io::Error) -> Error {
        failure(self.compression, &self.what, error)
    }
}

/// The error for a file that begins like one that is no graph.
fn foreign(magic: &[u8]) -> Option<Error> {
    let find =
        |known: &[(&[u8], &'static str)]| known.iter().find(|(start, _)| magic.starts_with(start)).map(|one| one.1);
    let packed = find(&PACKED).map(|what| Error::NoGraph { what, instead: "unpack it, or pack it by gzip or xz" });
    packed.or_else(|| {
        let instead = "a graph is a list of edges; write one line 'u v' or 'u v w' for each";
        find(&OTHERS).map(|what| Error::NoGraph { what, instead })
    })
}

fn failure(compression: Compression, what: &str, error: &io::Error) -> Error {
    match compression {
        Compression::None => Error::io(what, error),
        // The file may be sound.
        _ if error.kind() == io::ErrorKind::OutOfMemory => {
            let limit = XZ_MEMORY >> 10;
            let reason = format!("to decompress it takes more memory than there is, or more than {limit} MiB");
            Error::Io { what: what.to_owned(), kind: error.kind(), reason }
        }
        compression => Error::BadCompression { compression, reason: error.to_string() },
    }
}

/// Tells how many bytes went through.
struct Counted<'a> {
    from: Box<dyn Read + 'a>,
    bytes: u64,
    total: Option<u64>,
    progress: Option<&'a mut dyn FnMut(Progress)>,
}

impl Read for Counted<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let count = self.from.read(to)?;
        self.bytes += count as u64;
        if let Some(progress) = &mut self.progress {
            progress(Progress { bytes: self.bytes, total: self.total });
        }
        Ok(count)
    }
}
