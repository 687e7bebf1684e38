//! Chooses method and policy from facts about the device, and refuses what it cannot run.

use crate::Method;
use crate::error::{Error, Result};
use crate::policy::{MAX_BUCKETS, Policy};

/// What a policy is chosen from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    /// Lanes per plane.
    pub plane: u32,
    /// Multiprocessors, or a guess.
    pub processors: u32,
    /// Bytes of shared memory per cube.
    pub shared_memory: u32,
    /// Units per cube.
    pub max_units: u32,
    /// Storage buffers that a kernel can bind.
    pub max_bindings: u32,
    /// Whether planes have a barrier of their own.
    pub plane_barrier: bool,
    /// Whether this is a CPU posing as a GPU.
    pub software: bool,
}

/// What moves: bytes of a key, and the value columns that go with it in one pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Load {
    pub key_bytes: u32,
    pub narrow: u32,
    pub wide: u32,
    pub permutation: bool,
}

impl Load {
    /// Shared memory per element of a tile.
    fn tile_bytes(&self) -> u32 {
        self.key_bytes.max(4) + 4 * (self.narrow + u32::from(self.permutation)) + 8 * self.wide
    }

    fn keys_only(&self) -> bool {
        self.narrow == 0 && self.wide == 0 && !self.permutation
    }
}

/// The most buckets that a method can tell apart on the device.
pub(crate) fn bucket_limit(facts: &Facts, method: Method) -> u32 {
    match method {
        Method::Direct | Method::WarpLevel => facts.plane.min(MAX_BUCKETS),
        Method::Auto | Method::BlockLevel => MAX_BUCKETS,
    }
}

/// The method that `Auto` stands for: the fastest in a sweep of all three on an H200 (2^25 keys of 4 bytes).
pub(crate) fn choose_method(facts: &Facts, m: u32, load: Load) -> Method {
    if m > facts.plane {
        return Method::BlockLevel;
    }
    match (m, load.keys_only()) {
        (..=8, true) | (..=2, false) => Method::Direct,
        (..=4, false) => Method::WarpLevel,
        _ => Method::BlockLevel,
    }
}

/// The shape that was fastest in the same sweep.
pub(crate) fn choose_policy(facts: &Facts, method: Method, m: u32, load: Load) -> Policy {
    let mut policy = match (method, load.keys_only(), m) {
        (Method::Direct, true, _) => Policy::new(4, 16, 8),
        (Method::Direct, false, _) | (Method::WarpLevel, ..) => Policy::new(8, 16, 4),
        (_, true, ..=16) => Policy::new(16, 8, 4),
        (_, true, ..=32) => Policy::new(8, 12, 4),
        (_, true, ..=64) => Policy::new(8, 8, 6),
        (_, true, _) => Policy::new(16, 8, 2),
        (_, false, ..=16) => Policy::new(8, 8, 6),
        (_, false, ..=32) => Policy::new(16, 8, 3),
        (_, false, ..=64) => Policy::new(8, 16, 4),
        (_, false, _) => Policy::new(16, 12, 2),
    };
    if facts.software {
        // One cube runs on one core, its units one after the other; unrolled kernels only take longer to compile.
        policy.cubes_per_processor = 1;
        policy.items = 4;
    }
    let units = facts.max_units.min(if facts.software { 64 } else { 1024 });
    policy.planes = policy.planes.min(units / facts.plane).max(1);
    policy.prescan_planes = policy.prescan_planes.min(units / facts.plane).max(1);
    while policy.items > 1 && shared_bytes(facts, method, &policy, m, load) > facts.shared_memory {
        policy.items -= 1;
    }
    policy
}

/// Shared memory that the postscan takes (the prescan takes less).
fn shared_bytes(facts: &Facts, method: Method, policy: &Policy, m: u32, load: Load) -> u32 {
    let tile = policy.planes * facts.plane * policy.items * load.tile_bytes() + 16;
    let capacity = m.next_power_of_two();
    // A bucket function may hold a table of up to 8 KiB there.
    let table = 8192.min(facts.shared_memory / 4);
    match method {
        Method::Direct => table,
        Method::WarpLevel => tile + table,
        _ => tile + table + 4 * (policy.planes * capacity + 2 * capacity + policy.planes),
    }
}

/// Refuses a user's policy that cannot run.
pub(crate) fn check_policy(facts: &Facts, method: Method, policy: &Policy, m: u32, load: Load) -> Result<()> {
    let invalid = |reason: String| Err(Error::InvalidPolicy(reason));
    let Policy { planes, items, cubes_per_processor, prescan_planes } = *policy;
    if planes == 0 || items == 0 || cubes_per_processor == 0 || prescan_planes == 0 {
        return invalid("planes, items, cubes per processor and prescan planes must be at least 1".into());
    }
    let most = facts.max_units / facts.plane;
    if planes > most || prescan_planes > most {
        return invalid(format!("a cube of this device holds up to {most} planes of {} units", facts.plane));
    }
    if items > 64 {
        return invalid(format!(
            "{items} keys per unit are too many: kernels are unrolled that many times (at most 64)"
        ));
    }
    if cubes_per_processor > 1024 {
        return invalid(format!("{cubes_per_processor} cubes per processor are too many (at most 1024)"));
    }
    let bytes = shared_bytes(facts, method, policy, m, load);
    if bytes > facts.shared_memory {
        let have = facts.shared_memory;
        return invalid(format!("a tile needs {bytes} bytes of shared memory, a cube of this device has {have}"));
    }
    Ok(())
}
