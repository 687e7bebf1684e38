//! Zip archives, as far as NumPy's need it: stored and deflated entries.

use super::source::ReadSeek;
use anyhow::{Context, Result, bail, ensure};
use flate2::Crc;
use flate2::read::DeflateDecoder;
use std::io::{self, BufReader, Read, SeekFrom, Write};

/// An open archive.
pub struct Archive {
    file: Box<dyn ReadSeek>,
    entries: Vec<Entry>,
}

struct Entry {
    name: String,
    /// 0 for stored, 8 for deflated.
    method: u16,
    flags: u16,
    crc: u32,
    packed: u64,
    size: u64,
    /// Where its local header is.
    at: u64,
}

/// The end of an archive has no more bytes than this: its comment has up to 65,535.
const END: u64 = 65_535 + 22 + 20;
/// The most bytes that the list of entries may have.
const MOST_LIST: u64 = 1 << 28;

const LOCAL: &[u8] = b"PK\x03\x04";
const LISTED: &[u8] = b"PK\x01\x02";
const LAST: &[u8] = b"PK\x05\x06";
const LAST_64: &[u8] = b"PK\x06\x06";
const WHERE_64: &[u8] = b"PK\x06\x07";
const TOO_LARGE: &str = "arrays of 4 GiB and more cannot be written to a .npz file; name a .npy file";
const BROKEN: &str = "the zip archive is damaged or cut short";

/// Little-endian numbers in bytes; none where there are too few.
fn number(bytes: &[u8], at: usize, width: usize) -> Result<u64> {
    let bytes = bytes.get(at..at + width).context(BROKEN)?;
    Ok(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
}

impl Archive {
    /// Reads the list of entries.
    pub fn open(mut file: Box<dyn ReadSeek>) -> Result<Self> {
        let length = file.seek(SeekFrom::End(0))?;
        let tail_at = length.saturating_sub(END);
        let tail = read_at(&mut file, tail_at, length - tail_at)?;
        let last = tail.windows(4).rposition(|window| window == LAST).context(BROKEN)?;
        let mut list = (number(&tail, last + 12, 4)?, number(&tail, last + 16, 4)?);
        if let Some(locator) = last.checked_sub(20).filter(|&locator| tail[locator..].starts_with(WHERE_64)) {
            let end = read_at(&mut file, number(&tail, locator + 8, 8)?, 56)?;
            ensure!(end.starts_with(LAST_64), BROKEN);
            list = (number(&end, 40, 8)?, number(&end, 48, 8)?);
        }
        let (size, at) = list;
        ensure!(size <= MOST_LIST && at.checked_add(size).is_some_and(|end| end <= length), BROKEN);
        let list = read_at(&mut file, at, size)?;
        let mut entries = Vec::new();
        let mut rest = &list[..];
        while rest.starts_with(LISTED) {
            let [name, extra, comment] = [number(rest, 28, 2)?, number(rest, 30, 2)?, number(rest, 32, 2)?];
            let (name_end, extra_end) = (46 + name as usize, 46 + (name + extra) as usize);
            let field = rest.get(name_end..extra_end).context(BROKEN)?;
            let mut entry = Entry {
                name: String::from_utf8_lossy(&rest[46..name_end]).into_owned(),
                method: number(rest, 10, 2)? as u16,
                flags: number(rest, 8, 2)? as u16,
                crc: number(rest, 16, 4)? as u32,
                packed: number(rest, 20, 4)?,
                size: number(rest, 24, 4)?,
                at: number(rest, 42, 4)?,
            };
            entry.widen(field)?;
            // A folder is not an array.
            if !entry.name.ends_with('/') {
                entries.push(entry);
            }
            rest = rest.get(extra_end + comment as usize..).context(BROKEN)?;
        }
        Ok(Self { file, entries })
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.name.as_str())
    }

    /// Begins to read entry `i`.
    pub fn entry(&mut self, i: usize) -> Result<EntryReader<'_>> {
        let entry = &self.entries[i];
        ensure!(entry.flags & 1 == 0, "the entry is encrypted");
        let local = read_at(&mut self.file, entry.at, 30)?;
        ensure!(local.starts_with(LOCAL), BROKEN);
        let begin = entry.at.checked_add(30 + number(&local, 26, 2)? + number(&local, 28, 2)?).context(BROKEN)?;
        self.file.seek(SeekFrom::Start(begin))?;
        let packed = (&mut self.file).take(entry.packed);
        let from: Box<dyn Read> = match entry.method {
            0 => Box::new(packed),
            8 => Box::new(DeflateDecoder::new(BufReader::with_capacity(1 << 16, packed))),
            other => bail!("the entry is compressed by method {other}, which NumPy does not use; save it anew"),
        };
        Ok(EntryReader { from, crc: Crc::new(), expected: (entry.crc, entry.size), got: 0 })
    }
}

impl Entry {
    /// Takes sizes and places of 64 bits from the extra field, for those that did not fit 32.
    fn widen(&mut self, mut field: &[u8]) -> Result<()> {
        while field.len() >= 4 {
            let (kind, size) = (number(field, 0, 2)?, number(field, 2, 2)? as usize);
            let data = field.get(4..4 + size).context(BROKEN)?;
            if kind == 1 {
                let mut at = 0;
                for number_of_32 in [&mut self.size, &mut self.packed, &mut self.at] {
                    if *number_of_32 == u64::from(u32::MAX) {
                        *number_of_32 = number(data, at, 8)?;
                        at += 8;
                    }
                }
            }
            field = &field[4 + size..];
        }
        Ok(())
    }
}

fn read_at(file: &mut Box<dyn ReadSeek>, at: u64, size: u64) -> Result<Vec<u8>> {
    file.seek(SeekFrom::Start(at))?;
    let mut bytes = Vec::new();
    file.take(size).read_to_end(&mut bytes)?;
    ensure!(bytes.len() as u64 == size, BROKEN);
    Ok(bytes)
}

/// The bytes of an entry, decompressed.
pub struct EntryReader<'a> {
    from: Box<dyn Read + 'a>,
    crc: Crc,
    /// The checksum, and the number of bytes.
    expected: (u32, u64),
    got: u64,
}

impl EntryReader<'_> {
    /// Returns how many bytes the archive says there are.
    pub fn size(&self) -> u64 {
        self.expected.1
    }

    /// Reads the rest, and compares size and checksum with those in the list.
    pub fn finish(mut self) -> Result<()> {
        io::copy(&mut self, &mut io::sink())?;
        let (crc, size) = self.expected;
        ensure!(self.got == size, "{BROKEN}: there are {} bytes, but its list says {size}", self.got);
        ensure!(self.crc.sum() == crc, "{BROKEN}: the checksum is wrong");
        Ok(())
    }
}

impl Read for EntryReader<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let damaged = |error: io::Error| io::Error::new(error.kind(), format!("{BROKEN}: {error}"));
        let got = self.from.read(to).map_err(damaged)?;
        self.crc.update(&to[..got]);
        self.got += got as u64;
        // What unpacks to more than was said need not be read on.
        if self.got > self.expected.1 {
            return Err(io::Error::other(format!("{BROKEN}: there is more than its list says")));
        }
        Ok(got)
    }
}

/// Counts bytes and sums them up.
#[derive(Default)]
struct Summed {
    crc: Crc,
    size: u64,
}

impl Write for Summed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.crc.update(bytes);
        self.size += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes an archive with one entry, which is not compressed. `write` is called twice: checksum and size come first.
pub fn write_single(
    to: &mut dyn Write,
    name: &str,
    write: &dyn Fn(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut summed = Summed::default();
    write(&mut summed)?;
    let begin = u32::try_from(30 + name.len() as u64 + summed.size).map_err(|_| io::Error::other(TOO_LARGE))?;
    let (crc, size) = (summed.crc.sum(), summed.size as u32);
    // Version 2.0, no flags, stored, and the first moment that zip knows.
    let mut about = vec![20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0];
    for number in [crc, size, size] {
        about.extend(number.to_le_bytes());
    }
    about.extend((name.len() as u32).to_le_bytes()); // and no extra field
    to.write_all(&[LOCAL, &about, name.as_bytes()].concat())?;
    write(to)?;
    let list = [LISTED, &[20, 0], &about, &[0; 14], name.as_bytes()].concat();
    to.write_all(&list)?;
    let mut end = [LAST, &[0, 0, 0, 0, 1, 0, 1, 0]].concat();
    end.extend((list.len() as u32).to_le_bytes());
    end.extend(begin.to_le_bytes());
    end.extend([0, 0]);
    to.write_all(&end)
}
