//! A split, worked out: method, chunks, and the shapes of its kernels.

use super::blueprint::Blueprint;
use super::selector::{self, Facts, Load};
use crate::Method;
use crate::error::{Error, Result};
use crate::policy::{MAX_BUCKETS, Policy};

/// Keys that the prescan may read at once: chunks start at multiples of it.
const LOAD: u64 = 16;

/// Tiles per chunk on a software device: Mesa's ends the loops of a kernel, silently, after 65535 rounds in all, and a
/// tile takes up to some 150.
const SOFTWARE_TILES: u64 = 256;
/// Cubes of a launch there.
const SOFTWARE_CUBES: u64 = 65535;

/// All numbers of one split, validated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub method: Method,
    pub n: u32,
    pub m: u32,
    /// Chunks that hold keys.
    pub chunks: u32,
    /// Keys per chunk; the last may hold fewer.
    pub chunk_size: u32,
    /// Cubes of prescan and postscan.
    pub cubes: u32,
    /// Entries per row of H: a chunk each, and those of planes that got no chunk.
    pub columns: u32,
    policy: Policy,
    plane: u32,
    plane_barrier: bool,
}

impl Plan {
    pub fn new(facts: &Facts, method: Method, policy: Option<Policy>, n: usize, m: u32, load: Load) -> Result<Self> {
        let n = u32::try_from(n).map_err(|_| Error::TooManyKeys { n })?;
        if m == 0 {
            return Err(Error::NoBuckets);
        }
        let limit = selector::bucket_limit(facts, method);
        if m > limit {
            let advice = if m <= MAX_BUCKETS { "use Method::Auto" } else { "use fewer buckets" };
            return Err(Error::TooManyBuckets { m, method, limit, advice });
        }
        let method = if method == Method::Auto { selector::choose_method(facts, m, load) } else { method };
        let policy = match policy {
            Some(policy) => {
                selector::check_policy(facts, method, &policy, m, load)?;
                policy
            }
            None => selector::choose_policy(facts, method, m, load),
        };

        // A chunk per cube, or per plane where each works for itself.
        let chunks_per_cube = if method == Method::BlockLevel { 1 } else { policy.planes };
        let tile = policy.items * facts.plane * policy.planes / chunks_per_cube;
        let wanted = u64::from(facts.processors * policy.cubes_per_processor * chunks_per_cube);
        // At least two, so that a chunk's size fits 32 bits.
        let mut size = u64::from(n).div_ceil(wanted.max(2)).max(1);
        if facts.software {
            size = size.min(u64::from(tile) * SOFTWARE_TILES);
            if u64::from(n) > size * SOFTWARE_CUBES * u64::from(chunks_per_cube) {
                return Err(Error::TooManyKeys { n: n as usize });
            }
        }
        let chunk_size = size.next_multiple_of(lcm(u64::from(tile), LOAD)) as u32;
        let chunks = n.div_ceil(chunk_size);
        let cubes = chunks.div_ceil(chunks_per_cube).max(1);
        let columns = cubes * chunks_per_cube;
        let Facts { plane, plane_barrier, .. } = *facts;
        Ok(Self { method, n, m, chunks, chunk_size, cubes, columns, policy, plane, plane_barrier })
    }

    fn shape(&self, planes: u32, items: u32) -> Blueprint {
        Blueprint::of_keys(self.plane, self.plane_barrier, &Policy { planes, items, ..self.policy }, self.m)
    }

    pub fn prescan(&self) -> Blueprint {
        match self.method {
            Method::BlockLevel => self.shape(self.policy.prescan_planes, 1),
            _ => self.shape(self.policy.planes, self.policy.items),
        }
    }

    pub fn scan(&self) -> Blueprint {
        // The same for every m, so that it is compiled once.
        Blueprint { bits: 0, ..self.shape(self.policy.prescan_planes, 1) }
    }

    pub fn postscan(&self, load: Load) -> Blueprint {
        Blueprint::postscan(self.plane, self.plane_barrier, &self.policy, self.m, load)
    }

    /// Words of H: a row per bucket, and one for keys without a valid bucket.
    pub fn h_words(&self) -> usize {
        (self.m as usize + 1) * self.columns as usize
    }

    /// Bytes of both.
    pub fn workspace_bytes(&self) -> usize {
        4 * (self.h_words() + self.total_words())
    }

    /// Words of the rows' totals.
    pub fn total_words(&self) -> usize {
        self.m as usize + 1
    }
}

fn lcm(a: u64, b: u64) -> u64 {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}
