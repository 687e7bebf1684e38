//! Files that are compressed, whole and damaged.

use super::{FILES, open};
use crate::common::data;
use crate::common::files::{gzip, xz};
use multisplit_graph::Error;
use multisplit_graph::read::{Compression, Format, GraphReader, Loaded};

#[test]
fn compressed_files_are_the_same() {
    assert_eq!(open("tiny-snap.txt.gz"), Loaded { compression: Compression::Gzip, ..open("tiny-snap.txt") });
    assert_eq!(open("tiny-sp.gr.xz"), Loaded { compression: Compression::Xz, ..open("tiny-sp.gr") });
    for (name, format) in FILES {
        let bytes = std::fs::read(data(name)).unwrap();
        let plain = GraphReader::new().read(&bytes[..]).unwrap();
        assert_eq!((plain.format, plain.compression), (format, Compression::None), "{name}");
        let mut binary = Vec::new();
        plain.graph.write(&plain.labels, &mut binary).unwrap();
        for (bytes, format) in [(bytes, format), (binary, Format::Binary)] {
            for (packed, compression) in [(gzip(&bytes), Compression::Gzip), (xz(&bytes), Compression::Xz)] {
                let read = GraphReader::new().read(&packed[..]).unwrap();
                assert_eq!((&read.graph, &read.labels), (&plain.graph, &plain.labels), "{name}");
                assert_eq!((read.format, read.compression), (format, compression), "{name}");
                // Where it is cut off, something is missing.
                for cut in 0..packed.len() {
                    assert!(GraphReader::new().read(&packed[..cut]).is_err(), "{name}, {compression}, {cut} bytes");
                }
            }
        }
    }
}

#[test]
fn damaged_compression_is_said() {
    let text = "1 2\n".repeat(5000);
    for mut packed in [gzip(text.as_bytes()), xz(text.as_bytes())] {
        let half = packed.len() / 2;
        let cut = GraphReader::new().read(&packed[..half]).unwrap_err();
        assert!(matches!(cut, Error::BadCompression { .. }), "{cut}");
        assert!(cut.to_string().contains("is damaged or ends too early"), "{cut}");
        packed[half] ^= 0x55;
        let damaged = GraphReader::new().read(&packed[..]).unwrap_err();
        assert!(matches!(damaged, Error::BadCompression { .. } | Error::MalformedLine { .. }), "{damaged}");
    }
}
