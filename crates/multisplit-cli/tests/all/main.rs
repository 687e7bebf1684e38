//! All tests of the program, run as a user runs it.

mod bench;
mod demo;
mod files;
mod gapbs;
mod graphs;
mod manners;
mod paper;
mod program;
mod report;
mod sssp;
