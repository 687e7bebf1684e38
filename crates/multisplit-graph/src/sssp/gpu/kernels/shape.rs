//! What changes the generated code of the kernels.

/// What changes the generated code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    /// Units per cube: a power of two, at least 64.
    pub units: u32,
    /// Arcs per unit that are relaxed at once.
    pub items: u32,
    /// A vertex with at least so many arcs is a hub: all cubes share its arcs.
    pub hub: u32,
    /// A step of up to so many vertices, with up to so many arcs, is small: one cube takes several of them in one
    /// launch.
    pub solo: u32,
    pub solo_arcs: u32,
    /// The most steps of such a launch; fewer than there are slots.
    pub solo_steps: u32,
    /// Whether weights are of type `f32`.
    pub float: bool,
    /// Whether distances may be read without an atomic operation while others lower them.
    pub glimpses: bool,
    /// Buckets with a list of their own: a power of two, or 0 for near-far strategies.
    pub lists: u32,
    /// Queues that vertices are put into.
    pub queues: u32,
    /// Whether a launch may take several steps with all its cubes, which needs a fence between cubes.
    pub meets: bool,
    /// Whether planes, and not cubes, go on with the vertices that they have found.
    pub planes: bool,
    /// Vertices that can wait in shared memory for a queue: at least a chunk and a tile.
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

    /// With more waiting vertices than this, there may not be room for another chunk and another tile.
    pub const fn full(&self) -> u32 {
        self.capacity - self.chunk() - self.units
    }
}
