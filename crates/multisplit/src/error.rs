//! Everything that can go wrong.

use crate::expression::ExpressionError;
use crate::method::Method;

/// The result of a fallible call of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What was wrong, and what to do about it. Inputs are never touched by a call that fails.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The bucket function says it has no buckets.
    #[error("there are no buckets: the bucket function's `buckets()` is 0, but must be at least 1")]
    NoBuckets,

    /// More buckets than the method can tell apart.
    #[error("{m} buckets are too many for the {method} method on this device, which takes up to {limit}; {advice}")]
    TooManyBuckets {
        /// Buckets asked for.
        m: u32,
        /// The method they were asked of.
        method: Method,
        /// The most that it takes here.
        limit: u32,
        /// What to do instead.
        advice: &'static str,
    },

    /// Another number of buckets than a partition or a selection has parts.
    #[error("{call} takes a bucket function of {needed} buckets, not {m}; to split into any number use `split`")]
    WrongNumberOfBuckets {
        /// What was called.
        call: &'static str,
        /// Buckets of the function.
        m: u32,
        /// Buckets that it must have.
        needed: u32,
    },

    /// More bins than a histogram can have.
    #[error("{m} bins are too many: one histogram takes up to {limit}; use fewer, wider bins")]
    TooManyBins {
        /// Bins asked for.
        m: u32,
        /// The most that it takes.
        limit: u32,
    },

    /// Counts that might overflow.
    #[error("{n} keys are too many for counts of up to {limit}; use a buffer of u64 counts")]
    CountsTooNarrow {
        /// Keys given.
        n: usize,
        /// The most that the type can count.
        limit: u64,
    },

    /// More than 2^32 − 1 keys.
    #[error("{n} keys are too many: one split takes up to 4294967295 (2^32 - 1); split the input in parts")]
    TooManyKeys {
        /// Keys given.
        n: usize,
    },

    /// No offsets of segments at all.
    #[error(
        "there are no segment offsets: give one more than there are segments, the first 0 and the last the number of keys"
    )]
    NoSegments,

    /// Segments that leave keys out, or go beyond them.
    #[error("the segments cover keys {first} to {last} of {n}; the first offset must be 0 and the last {n}")]
    SegmentsDoNotCover {
        /// The first offset.
        first: usize,
        /// The last offset.
        last: usize,
        /// Keys given.
        n: usize,
    },

    /// A segment that ends before it begins.
    #[error("segment {segment} ends at {end}, before it begins at {start}; segment offsets must not decrease")]
    SegmentsDecrease {
        /// The segment.
        segment: usize,
        /// Where it begins.
        start: usize,
        /// Where it ends.
        end: usize,
    },

    /// More buckets in all segments together than one split can have.
    #[error(
        "{segments} segments of {m} buckets each are too many: one split takes up to {limit} buckets in all; split fewer segments at a time"
    )]
    TooManySegments {
        /// Segments given.
        segments: usize,
        /// Buckets of each.
        m: u32,
        /// The most buckets of all together.
        limit: u32,
    },

    /// Values that are gathered, in a call that is not asked for the permutation.
    #[error(
        "values of {bytes} bytes are gathered by the permutation, and the call is not asked for it: add \
         `Column::permutation` to its columns (values of 4 and 8 bytes do without)"
    )]
    PermutationNeeded {
        /// Bytes of a value.
        bytes: usize,
    },
    /// Groups were asked for in blocks of no elements.
    #[error("a block must have at least 1 element")]
    InvalidBlock,
    /// Columns of one table differ in length.
    #[error("{what} has {got} elements, but there are {keys} keys; every column must be as long as the keys")]
    LengthMismatch {
        /// The column.
        what: String,
        /// Its length.
        got: usize,
        /// The number of keys.
        keys: usize,
    },

    /// An output cannot hold the result.
    #[error("{what} holds {got} elements, but {needed} are needed; allocate a larger buffer")]
    OutputTooSmall {
        /// The output.
        what: String,
        /// Elements it holds.
        got: usize,
        /// Elements needed.
        needed: usize,
    },

    /// Elements that a buffer does not have.
    #[error("elements {start}..{end} do not lie within the {len} of the buffer; give a range that does")]
    OutOfBounds {
        /// The first of them.
        start: usize,
        /// The end.
        end: usize,
        /// The buffer's elements.
        len: usize,
    },

    /// A copy between more and fewer elements.
    #[error("{what} has {got} elements, but {needed} are copied; give a slice of as many")]
    WrongLength {
        /// Where they are copied to.
        what: &'static str,
        /// Its elements.
        got: usize,
        /// The elements that are copied.
        needed: usize,
    },

    /// An output is the memory of another buffer, or part of it.
    #[error("{what} and {other} share memory, which would be read and written at once; give each its own")]
    SharedMemory {
        /// The one.
        what: String,
        /// The other.
        other: String,
    },

    /// The workspace was made for a smaller or simpler split, sort or approach.
    #[error(
        "the workspace holds {got} bytes, but this call needs {needed}; make it hold them with `Workspace::reserve`: `workspace_bytes` of the operation tells how many, for all keys and columns"
    )]
    WorkspaceTooSmall {
        /// Bytes it holds.
        got: usize,
        /// Bytes needed.
        needed: usize,
    },

    /// The bucket function returned ids that are not below its number of buckets.
    #[error("the bucket function put {count} keys into buckets beyond the last (ids must be below {m}); no key was lost: they stand in bucket {}", m - 1)]
    BucketOutOfRange {
        /// How many keys.
        count: u64,
        /// The number of buckets.
        m: u32,
    },

    /// A built-in bucket function was made from unusable parameters.
    #[error("invalid bucket function: {0}")]
    InvalidBuckets(String),

    /// An expression that does not name buckets.
    #[error("invalid expression: {0}")]
    InvalidExpression(ExpressionError),

    /// A policy that cannot run on the device.
    #[error("invalid policy: {0}")]
    InvalidPolicy(String),

    /// A sort by bits that the key does not have, or in steps of too many or too few.
    #[error("invalid sort: {0}")]
    InvalidSort(String),

    /// A permutation that is not one.
    #[error("not a permutation: {0}")]
    InvalidPermutation(String),

    /// No device of that name.
    #[error("there is no device '{name}'; devices here: {}", available.join(", "))]
    NoSuchDevice {
        /// The name asked for.
        name: String,
        /// Names of the devices that were found.
        available: Vec<String>,
    },

    /// Memory that does not begin where its elements may.
    #[error(
        "the memory begins at byte {offset} of its allocation, but must begin at a multiple of {needed}; \
         `Device::slice_alignment` tells at which elements slices may begin"
    )]
    Misaligned {
        /// Where it begins.
        offset: u64,
        /// What that must be a multiple of.
        needed: usize,
    },

    /// Buffers of different devices in one call.
    #[error("{what} is on device '{got}', but the call is on '{expected}'; copy it there first")]
    WrongDevice {
        /// The buffer.
        what: String,
        /// Where it is.
        got: String,
        /// Where it should be.
        expected: String,
    },

    /// The device has too little memory.
    #[error("device '{device}' cannot allocate {bytes} bytes: {reason}")]
    OutOfMemory {
        /// The device.
        device: String,
        /// Bytes asked for.
        bytes: u64,
        /// Why not.
        reason: String,
    },

    /// The device lacks something that the call needs.
    #[error("device '{device}' lacks {capability}; use another device, or the CPU")]
    MissingCapability {
        /// The device.
        device: String,
        /// What it lacks.
        capability: String,
    },

    /// A kernel did not compile or could not be launched.
    #[error("kernel '{kernel}' failed on device '{device}': {reason}")]
    KernelFailed {
        /// The device.
        device: String,
        /// The kernel, or the stage of the split.
        kernel: String,
        /// What the driver said.
        reason: String,
    },

    /// Compiled kernels cannot be kept on disk. Everything else works.
    #[error("kernels cannot be cached on disk: {0}")]
    KernelCache(String),

    /// The device stopped answering.
    #[error("device '{device}' failed: {reason}")]
    DeviceFailed {
        /// The device.
        device: String,
        /// What is known.
        reason: String,
    },
}

/// Keys without a valid bucket are an error.
pub(crate) fn check_out_of_range(count: u64, m: u32) -> Result<()> {
    if count == 0 { Ok(()) } else { Err(Error::BucketOutOfRange { count, m }) }
}
