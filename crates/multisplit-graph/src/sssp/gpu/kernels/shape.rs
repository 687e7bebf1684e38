//! What changes the generated code of the kernels.

/// What changes the generated code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    /// Units per cube: a power of two, at least 64.
    pub units: u32,
    /// Arcs per unit that are relaxed at once.
    pub items: u32,
    /// A vertex with so many arcs is shared by all cubes.
    pub hub: u32,
    /// Up to so many vertices, with up to so many arcs, are left to one cube, which takes several steps in one launch.
    pub solo: u32,
    pub solo_arcs: u32,
    /// The most steps of such a launch; fewer than there are slots.
    pub solo_steps: u32,
    /// Whether weights are of type `f32`.
    pub float: bool,
    /// Whether distances may be read without an atomic operation while others lower them.
    pub glimpses: bool,
    /// Buckets with a list of their own; none for strategies that know near and far. A power of two.
    pub lists: u32,
    /// Queues that vertices are put into.
    pub queues: u32,
    /// Vertices that wait in shared memory for a queue: a chunk and a tile at least.
    pub capacity: u32,
}

impl Shape {
    /// Arcs that a cube relaxes at once.
    pub const fn chunk(&self) -> u32 {
        self.units * self.items
    }

    /// Whether vertices wait in the lists of many buckets. Then an entry of a queue is two words, the vertex and the
    /// distance that it had; otherwise it is the vertex.
    pub const fn has_lists(&self) -> bool {
        self.lists > 0
    }

    /// With more than this, there may not be room for another chunk and another tile.
    pub const fn full(&self) -> u32 {
        self.capacity - self.chunk() - self.units
    }
}
