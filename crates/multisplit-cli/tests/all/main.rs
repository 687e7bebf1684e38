//! All tests of the program, run as a user runs it.

mod bench;
mod files;
mod sssp;
