//! A search on a GPU, from the host's side: it launches steps in batches, and reads the control words after each.

use super::graph::DeviceGraph;
use super::kernels::graph::{Graph, GraphLaunch};
use super::kernels::plan::{Orders, OrdersLaunch};
use super::kernels::split_plan::{SplitOrders, SplitOrdersLaunch};
use super::kernels::split_step::split_step;
use super::kernels::start::{queue_all, start};
use super::kernels::step::step;
use super::kernels::{grid, launch};
use super::memory::{Memory, Slices};
use super::reorganise::Reorganiser;
use super::state::buckets;
use super::state::control::{self, LAST, NEAR_MARK, Status, TO_HUBS, TO_NEAR};
use super::tuning::{Pile, Tuning};
use crate::graph::Weight;
use crate::sssp::outcome::Search;
use multisplit::cubecl::prelude::*;
use multisplit::{Arg, KernelApi, KernelWork, Result, Slice};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The most launches in a batch that is doubled after each read.
const MOST_BATCH: u32 = 64;

/// Launches in a batch where one cube can take many steps in one launch.
const SHORT_BATCH: u32 = 2;

/// The name of the kernels in errors.
const KERNEL: &str = "shortest paths";

/// Units per cube of the kernels that start a search.
const START_UNITS: u32 = 256;

/// A search to run on a device. It returns what it finds, and the time that it took without copies to the device.
pub(crate) struct OnDevice<'a, 'g, W: Weight> {
    pub graph: &'a DeviceGraph<'g, W>,
    pub source: u32,
    pub pile: Pile,
    pub delta: W,
}

impl<W: Weight> KernelWork for OnDevice<'_, '_, W> {
    type Output = Result<(Search<W>, Duration)>;

    fn run<R: Runtime>(self, gpu: KernelApi<'_, R>) -> Self::Output {
        let OnDevice { graph, source, pile, delta } = self;
        let (host, device) = (graph.graph(), graph.device());
        let n = host.vertices() as usize;
        let mut tuning = Tuning::new(&gpu, pile, host.vertices(), host.arcs(), graph.records.is_some());
        if graph.parts.load(Ordering::Relaxed) {
            tuning.part();
        }
        let float = W::NAME == f32::NAME;
        // The limit itself is near: it is the last distance before the next bucket, or the bound of the bucket.
        let reach = if float { delta.to_ordered() } else { delta.to_ordered().saturating_sub(1) };
        let limit = if pile == Pile::None { LAST } else { reach };
        let is_hub = host.degree(source) >= tuning.hub as usize;
        let words = if pile.has_lists() { buckets::at_start() } else { control::at_start(limit, is_hub) };
        let tally = words.len() as u32;
        let mut memory = Memory::new(device, n, pile.row_words(), !pile.has_lists(), &with_tallies(words, &tuning))?;
        let slices = memory.slices(&gpu)?;
        let offsets = gpu.reads(&graph.offsets)?;
        let records = graph.records.as_ref().filter(|_| tuning.planes);
        let arcs = gpu.reads(records.unwrap_or(&graph.arcs))?;
        let reorganiser = match pile {
            Pile::None | Pile::Scan | Pile::Lists => None,
            Pile::Sort(buckets) => Some(Reorganiser::sort(device, n, buckets)?),
            Pile::Split(buckets) => Some(Reorganiser::split(device, n, buckets)?),
        };
        let mut run = Run {
            gpu: &gpu,
            graph,
            offsets,
            arcs,
            memory,
            slices,
            tuning,
            pile,
            delta,
            reach,
            float,
            tally,
            launched: 0,
            steps_before: 0,
            relaxed_before: 0,
        };

        let begin = Instant::now();
        run.start(source, is_hub)?;
        let ahead = tuning.ahead && reorganiser.is_none();
        let status = if ahead { run.finish_ahead()? } else { run.finish_by_turns(reorganiser)? };
        let time = begin.elapsed();

        let ordered = gpu.read(&run.slices.distances)?;
        let distances = ordered.into_iter().map(W::from_ordered).collect();
        let iterations = run.steps_before + u64::from(status.step());
        let relaxed = run.relaxed_before + status.relaxed(tally);
        Ok((Search { distances, iterations, relaxed }, time))
    }
}

struct Run<'a, 'g, W: Weight, R: Runtime> {
    gpu: &'a KernelApi<'a, R>,
    graph: &'a DeviceGraph<'g, W>,
    /// The graph, for kernels.
    offsets: Slice<u32>,
    arcs: Slice<[u32; 2]>,
    memory: Memory,
    slices: Slices,
    tuning: Tuning,
    pile: Pile,
    delta: W,
    reach: u32,
    float: bool,
    /// The first control word of those that count relaxed arcs.
    tally: u32,
    /// Launches of steps so far; steps taken and arcs relaxed before the last restart.
    launched: u32,
    steps_before: u64,
    relaxed_before: u64,
}

/// Appends two control words for every cube, which count its relaxed arcs.
fn with_tallies(mut words: Vec<u32>, tuning: &Tuning) -> Vec<u32> {
    words.resize(words.len() + 2 * tuning.cubes as usize, 0);
    words
}

impl<'a, 'g, W: Weight, R: Runtime> Run<'a, 'g, W, R> {
    /// Sets all distances, and puts the source into its queue.
    fn start(&self, source: u32, is_hub: bool) -> Result<()> {
        let (n, has_lists) = (self.memory.n as u32, self.pile.has_lists());
        // With lists, it is the first entry of the first list.
        let entry = if has_lists { 0 } else { 2 * n * if is_hub { TO_HUBS } else { TO_NEAR } };
        let (cubes, units) = self.for_all_vertices();
        let Slices { distances, marks, queued, .. } = &self.slices;
        // The kernel writes entries below n of both, and one of a queue.
        launch!(
            *self.gpu, start::Start<R>, cubes, units;
            distances,
            marks,
            queued,
            n,
            source,
            unreachable: W::UNREACHABLE.to_ordered(),
            entry,
            mark: NEAR_MARK;
            has_lists,
        )
    }

    /// Restarts the search after a list has overflowed: all vertices that were reached wait again, with the distances
    /// that they have. All their arcs are relaxed once more, and hardly any but those of the lost vertices brings
    /// anything nearer.
    fn restart(&mut self, status: &Status) -> Result<()> {
        self.steps_before += u64::from(status.step());
        self.relaxed_before += status.relaxed(self.tally);
        let n = self.memory.n as u32;
        let control = with_tallies(buckets::at_restart(n), &self.tuning);
        self.memory.set_control(self.graph.device(), &control)?;
        self.slices = self.memory.slices(self.gpu)?;
        self.launched = 0;
        let (cubes, units) = self.for_all_vertices();
        // A row has n entries.
        launch!(
            *self.gpu, queue_all::QueueAll<R>, cubes, units;
            queued: &self.slices.queued, n, row: buckets::RESTART_ROW,
        )
    }

    /// Cubes and units for a kernel that loops over all vertices.
    fn for_all_vertices(&self) -> (CubeCount, CubeDim) {
        grid(self.memory.n as u32, START_UNITS.min(self.gpu.max_units()))
    }

    /// Launches steps until no vertex waits. The host reads the state after a batch while the next one runs, so that
    /// the device never waits for the host. Launches that find nothing to do are short.
    fn finish_ahead(&mut self) -> Result<Status> {
        let mut look = self.launch(self.tuning.batch, None)?;
        let mut batch = self.tuning.batch;
        loop {
            let next = self.launch(batch, None)?;
            let status = look()?;
            if self.pile.has_lists() && buckets::has_parted(&status) {
                self.graph.parts.store(true, Ordering::Relaxed);
                self.tuning.part();
            }
            if status.is_overfull() {
                // The batch that was launched meanwhile does no harm, but its steps count.
                self.restart(&next()?)?;
                batch = self.tuning.batch;
                look = self.launch(batch, None)?;
                continue;
            }
            let waiting = self.waiting(&status);
            if waiting == 0 {
                return Ok(status);
            }
            batch = if waiting <= self.tuning.solo.into() { SHORT_BATCH } else { self.tuning.batch };
            look = next;
        }
    }

    /// Launches steps until no vertex waits. The host waits after each batch, and reorganises the far pile if the
    /// strategy does that.
    fn finish_by_turns(&mut self, mut reorganiser: Option<Reorganiser>) -> Result<Status> {
        let mut batch = self.tuning.batch;
        loop {
            let sorted = reorganiser.as_mut().map(|reorganiser| reorganiser.sorted(self.gpu)).transpose()?;
            let status = self.launch(batch, sorted.as_ref())?()?;
            if status.is_overfull() {
                self.restart(&status)?;
                continue;
            }
            if self.waiting(&status) == 0 {
                return Ok(status);
            }
            if let Some(reorganiser) = reorganiser.as_mut().filter(|_| status.pile() > 0) {
                reorganiser.run(self.gpu, &self.slices, &status, self.delta)?;
                // The next one may come soon, and launches that wait for it are wasted.
                batch = self.tuning.batch;
            } else {
                batch = (2 * batch).min(MOST_BATCH);
            }
        }
    }

    /// Launches a batch of steps. The function that it returns waits for them, and returns the state after them.
    fn launch(
        &mut self,
        batch: u32,
        sorted: Option<&Slice<u32>>,
    ) -> Result<impl FnOnce() -> Result<Status> + use<'a, 'g, W, R>> {
        let (gpu, has_lists) = (self.gpu, self.pile.has_lists());
        (0..batch).try_for_each(|i| self.step(self.launched + i, sorted))?;
        self.launched += batch;
        let (launched, words) = (self.launched, gpu.read_later(&self.slices.control)?);
        Ok(move || {
            let status = Status::new(words()?);
            if status.launched() != launched {
                return Err(gpu.lost(KERNEL));
            }
            if status.is_overfull() && !has_lists {
                return Err(gpu.failed(KERNEL, "a vertex was queued twice, and there was no room"));
            }
            Ok(status)
        })
    }

    fn waiting(&self, status: &Status) -> u64 {
        if self.pile.has_lists() { buckets::waiting(status) } else { status.waiting() }
    }

    /// Launches a step. Rows have room for all vertices, and nothing is written beyond them; numbers of vertices and
    /// arcs come from a graph that was checked.
    fn step(&self, launch: u32, sorted: Option<&Slice<u32>>) -> Result<()> {
        let Slices { n, distances, marks, queued, control } = &self.slices;
        // They are bound twice: one binding is atomic.
        let words = control;
        let shape = self.tuning.shape(self.float, self.pile);
        let graph = Arg::<Graph, R>(GraphLaunch::new(
            self.offsets.arg(),
            self.arcs.arg(),
            distances.arg(),
            marks.arg(),
            distances.arg(),
        ));
        let (cubes, units) = (CubeCount::new_1d(self.tuning.cubes), CubeDim::new_1d(shape.units));
        if self.pile.has_lists() {
            let Tuning { enough, enough_arcs, rounds, steps, .. } = self.tuning;
            let orders =
                SplitOrdersLaunch::new(launch, *n, self.scale(), enough, enough_arcs, rounds, steps, self.tally);
            let orders = Arg::<SplitOrders, R>(orders);
            return launch!(
                *self.gpu, split_step::SplitStep<R>, cubes, units;
                graph, queued, control, words, orders; shape,
            );
        }
        // Strategies that never sort bind the control words in its place, and never wait for the host.
        let (sorted, patience) = sorted.map_or((control, u32::MAX), |sorted| (sorted, 1));
        let orders = Arg::<Orders, R>(OrdersLaunch::new(launch, *n, self.reach, patience, self.tally));
        launch!(
            *self.gpu, step::Step<R>, cubes, units;
            graph, queued, sorted, control, words, orders; shape,
        )
    }

    /// Buckets per unit of distance.
    fn scale(&self) -> f32 {
        // Finite, so that a distance of 0 is in the first one.
        ((1.0 / self.delta.to_f64()) as f32).min(f32::MAX)
    }
}
