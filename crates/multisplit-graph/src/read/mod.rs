//! Graphs from files.
//!
//! A file is read once, from beginning to end. Compressed files are decompressed (`source.rs`), and text is read line
//! by line (`lines.rs`). Every format has a file of its own here. An error in a line names its number.
//!
//! # Limits
//!
//! Files need not be trusted. Reading takes memory in proportion to what was read, after decompression: up to 100 bytes
//! for an edge of text, and its length for a binary graph. Where there is no memory, that is an
//! [`Error::OutOfMemory`](crate::Error::OutOfMemory). What a header announces takes none by itself:
//! - A text file announces up to 2^24 vertices, or 16 for each edge if that is more, and up to 2^32 − 1 edges; all of
//!   its edges are read before the graph is made. So vertices without edges take up to 64 MiB, or 64 bytes for each
//!   edge. An edge list has the vertices of its edges alone, and no such limit.
//! - A binary graph has the length that its header announces. Where that is not known in advance, as in a compressed
//!   file, arrays grow with what was read.
//! - A line has up to 65,536 bytes. An xz file may ask for 1 GiB to be decompressed.
//!
//! ```no_run
//! use multisplit_graph::read::GraphReader;
//!
//! let mut show = |progress: multisplit_graph::read::Progress| eprint!("\r{} bytes", progress.bytes);
//! let loaded = GraphReader::new().progress(&mut show).open("road.gr.xz")?;
//! println!("{} vertices, {} arcs", loaded.graph.vertices(), loaded.graph.arcs());
//! # Ok::<(), multisplit_graph::Error>(())
//! ```

mod binary;
mod choice;
mod detect;
mod edge_list;
mod fields;
mod gr;
mod header;
mod labels;
mod lines;
mod market;
mod reader;
mod source;
mod text;

pub use crate::format::{Compression, Format};
pub use choice::{DirectionSource, Weights};
pub use labels::Labels;
pub use reader::{GraphReader, Loaded};
pub use source::Progress;
pub use text::RANDOM_WEIGHTS;
