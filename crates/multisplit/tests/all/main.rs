//! All tests of the library that can share a process: one program to link, one device to open, kernels compiled once.

#[path = "../common/mod.rs"]
mod common;

mod approaches;
mod arithmetic;
mod bucket_function;
mod buffers;
mod cuda_context;
mod cuda_kernels;
mod errors;
mod examples;
mod expressions;
mod first_calls;
mod functions;
mod groups;
mod histogram;
mod huge;
mod many_buckets;
mod measure;
mod one_launch;
mod partition;
mod properties;
mod segments;
mod sort;
mod soundness;
mod stateful;
mod suite;
mod values;
