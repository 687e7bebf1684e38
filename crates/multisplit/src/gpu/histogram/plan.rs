//! A histogram, worked out: how many counters a cube has, and how many cubes there are.

use super::shared::Shape;
use crate::gpu::tuning::room;
use crate::runtime::Facts;

/// Planes per cube: where several cubes run on a processor, and where one alone fits.
const PLANES: u32 = 16;
const PLANES_ALONE: u32 = 32;
/// Cubes per processor, if there is room. All of them must run at a time, or the last ones come late; so not as many as
/// 32 registers per unit would allow, which a function of the user's may exceed.
const CUBES_PER_PROCESSOR: u32 = 3;
/// Counters in a cube up to which planes have histograms of their own: more would take longer to clear and to add up
/// than they save.
const MOST_REPLICATED: u32 = 1 << 13;
/// Windows up to which it is faster to read keys several times, mostly from the cache, than to add in memory.
const MOST_WINDOWS: u32 = 4;
/// Counters per key from which on clearing them would be most of the work.
const SPARSE: u32 = 4;
/// 16-byte loads in flight per unit.
const UNROLL: u32 = 4;
/// Rows up to which kernels of a software device have the same counters: few are compiled.
const SOFTWARE_CAPACITY: u32 = 257;
/// Tiles per cube on a software device, at most: Mesa's ends the loops of a kernel, silently, after 65535 rounds in
/// all.
const SOFTWARE_TILES: u32 = 1024;
/// The most cubes of a launch that every device takes.
const MOST_CUBES: u32 = 65535;

/// All numbers of one histogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HistogramPlan {
    pub shape: Shape,
    /// Cubes that share the keys out among themselves, for each window.
    pub cubes: u32,
    pub windows: u32,
    /// Counters in a window.
    pub window: u32,
    /// Whether the function's large tables are in shared memory.
    pub tables: bool,
}

impl HistogramPlan {
    /// For `n` keys (at least 1) in loads of `width`, m bins, and a function with so many bytes of large tables.
    pub fn new(facts: &Facts, n: u32, width: u32, m: u32, large_tables: u32) -> Self {
        let rows = m + 1;
        let room = room(facts);
        let windows = rows.div_ceil(room);
        let in_memory = windows > MOST_WINDOWS || n < rows / SPARSE;
        let windows = if in_memory { 1 } else { windows };
        // Rounded up, so that kernels are compiled once per bit of m.
        let capacity = match (in_memory, facts.software) {
            (true, _) => 0,
            (_, true) if rows <= SOFTWARE_CAPACITY => SOFTWARE_CAPACITY.min(room),
            _ => (m.next_power_of_two() + 1).min(room),
        };
        let large = large_tables.div_ceil(4);
        // A word takes a cube as long to copy as a search in device memory takes it for a fifth of a key.
        let enough = n / facts.processors.max(1) > large / 4;
        let tables = large > 0 && capacity > 0 && capacity + large <= room && enough;
        let taken = capacity + if tables { large } else { 0 };
        let alone = 2 * taken > room;
        let most_planes = (room::most_units(facts) / facts.plane).max(1);
        let planes = if alone { PLANES_ALONE } else { PLANES }.min(most_planes);
        let shape = Shape {
            plane: facts.plane,
            planes,
            replicas: if tables { 1 } else { replicas(capacity, planes, room) },
            capacity,
            windows: windows > 1,
            // Unrolled kernels only take longer to compile there.
            unroll: if facts.software { 1 } else { UNROLL },
        };
        let large_bytes = if tables { large_tables } else { 0 };
        let fit = facts.shared_memory / (4 * shape.counters() + large_bytes + room::table_bytes(facts));
        let per_processor = if facts.software { 1 } else { fit.clamp(1, CUBES_PER_PROCESSOR) };
        let tiles = n.div_ceil(width).div_ceil(shape.tile());
        let resident = (facts.processors * per_processor / windows).max(1);
        let least = if facts.software { tiles.div_ceil(SOFTWARE_TILES) } else { 1 };
        let cubes = tiles.min(resident).max(least).clamp(1, MOST_CUBES);
        Self { shape, cubes, windows, window: rows.div_ceil(windows), tables }
    }

    /// Whether units add to the counts in memory, and not to counters of their cube.
    pub fn in_memory(&self) -> bool {
        self.shape.replicas == 0
    }
}

/// Counters that fit a cube beside a bucket function's tables.
fn room(facts: &Facts) -> u32 {
    // What is lost in front of arrays that begin at the first bank.
    const LOST: u32 = 256;
    facts.shared_memory.saturating_sub(room::table_bytes(facts) + LOST) / 4
}

/// How many histograms a cube has: a power of two, so that planes share them evenly.
fn replicas(capacity: u32, planes: u32, room: u32) -> u32 {
    if capacity == 0 {
        return 0;
    }
    let most = (MOST_REPLICATED.min(room / 2) / capacity).clamp(1, planes);
    1 << most.ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::Dialect;

    #[test]
    fn every_plan_fits_and_covers_the_bins() {
        let browser = Facts { shared_memory: 16_384, max_units: 256, dialect: Dialect::Wgsl, ..Facts::h200() };
        let software = Facts { plane: 8, processors: 2, software: true, ..browser.clone() };
        let wide = Facts { plane: 64, ..browser.clone() };
        for facts in [Facts::h200(), browser, software, wide] {
            for m in (1..300).chain((8..=24).flat_map(|log| [(1 << log) - 1, 1 << log, (1 << log) + 1])) {
                for n in [1, 1000, 1 << 20, 1 << 31] {
                    let large = 4 * (m + (1 << 14));
                    let plan = HistogramPlan::new(&facts, n, 4, m, large);
                    let HistogramPlan { shape, cubes, windows, window, tables } = plan;
                    let context = || format!("m = {m}, n = {n}, {facts:?}: {shape:?}");
                    let bytes = 4 * shape.counters() + room::table_bytes(&facts) + if tables { large } else { 0 };
                    assert!(bytes <= facts.shared_memory, "{}", context());
                    assert!(shape.units() <= facts.max_units && (1..=MOST_CUBES).contains(&cubes), "{}", context());
                    assert!(u64::from(windows) * u64::from(window) > u64::from(m), "{}", context());
                    // The last window has something to count.
                    assert!((windows - 1) * window < m + 1, "{}", context());
                    assert!(shape.replicas == 0 || window <= shape.capacity, "{}", context());
                }
            }
        }
    }

    #[test]
    fn what_an_h200_gets() {
        let plan = |m, large| HistogramPlan::new(&Facts::h200(), 1 << 25, 4, m, large);
        let numbers = |m| {
            let HistogramPlan { shape, cubes, windows, tables, .. } = plan(m, 0);
            assert!(!tables);
            (shape.replicas, shape.units(), cubes, windows)
        };
        assert_eq!(numbers(2), (16, 512, 396, 1));
        assert_eq!(numbers(256), (16, 512, 396, 1));
        assert_eq!(numbers(1024), (4, 512, 396, 1));
        assert_eq!(numbers(8192), (1, 512, 396, 1));
        assert_eq!(numbers(50_000), (1, 1024, 132, 1));
        assert_eq!(numbers(65_536), (1, 1024, 66, 2));
        assert_eq!(numbers(1 << 20), (0, 512, 396, 1));
        let with_tables = |m: u32| {
            let HistogramPlan { shape, cubes, tables, .. } = plan(m, 4 * (m + (1 << 14)));
            (shape.replicas, shape.units(), cubes, tables)
        };
        assert_eq!(with_tables(2048), (1, 512, 264, true));
        assert_eq!(with_tables(8192), (1, 1024, 132, true));
        assert_eq!(with_tables(16_384), (1, 1024, 132, true));
        assert_eq!(with_tables(32_768), (1, 1024, 132, false));
    }
}
