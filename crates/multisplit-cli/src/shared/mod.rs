//! What commands and benchmarks share. Nothing here uses either of them.

pub mod arguments;
pub mod cache;
pub mod devices;
pub mod facts;
pub mod graph_file;
pub mod interrupts;
pub mod logging;
pub mod markup;
pub mod memory;
pub mod messages;
pub mod npy;
pub mod output_files;
pub mod placed_graph;
pub mod program;
pub mod progress;
pub mod random;
pub mod room;
pub mod same_file;
pub mod timing;
pub mod usage;
pub mod version;
