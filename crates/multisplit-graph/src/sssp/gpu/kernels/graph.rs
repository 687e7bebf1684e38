//! The graph as kernels see it, and what a step knows of all its vertices.

use super::shape::Shape;
use cubecl::prelude::*;
use multisplit::cubecl;

/// An arc: where it goes, and what it weighs.
pub(crate) type Arc = Vector<u32, Const<2>>;

/// The graph and what is known of its vertices.
#[derive(CubeType, CubeLaunch)]
pub(crate) struct Graph {
    /// Where the arcs of each vertex begin, and where those of the last one end.
    pub offsets: Array<u32>,
    /// In [records](crate::sssp::gpu::records) where planes go on by themselves.
    pub arcs: Array<Arc>,
    /// As order-preserving bits.
    pub distances: Array<Atomic<u32>>,
    /// Where vertices wait. Not used with lists.
    pub marks: Array<Atomic<u32>>,
    /// The same distances, to be read without an atomic operation.
    pub glimpses: Array<u32>,
}

/// What all vertices of a step have in common.
#[derive(CubeType, Clone, Copy)]
pub(crate) struct Round {
    pub number: u32,
    /// The largest distance that is near.
    pub limit: u32,
    /// Marks of vertices in buckets are above this, and no greater than `marks + buckets`.
    pub marks: u32,
    pub buckets: u32,
    /// With lists: the first bucket that has a list, and buckets per unit of distance.
    pub window: u32,
    pub scale: f32,
    /// With lists: a cube keeps vertices that it has found in an earlier bucket than this one.
    pub kept_before: u32,
    /// Entries of a queue.
    pub n: u32,
}

/// The distance of a vertex, which may be out of date, and so too great, but is no older than the launch. CubeCL reads
/// an atomic on CUDA by adding 0 to it, so there the distance is read without an atomic operation.
#[cube]
pub(crate) fn glimpse(graph: &Graph, vertex: usize, #[comptime] shape: Shape) -> u32 {
    if comptime!(shape.glimpses) { graph.glimpses[vertex] } else { graph.distances[vertex].load() }
}

/// Whether a bucket is beyond the window. If not, it is in the window or before it.
#[cube]
pub(crate) fn is_far(bucket: u32, window: u32, #[comptime] shape: Shape) -> bool {
    bucket >= window + comptime!(shape.lists)
}
