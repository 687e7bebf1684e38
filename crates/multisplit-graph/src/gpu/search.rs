//! A search on a GPU, from the host's side: launches in batches, and a look at what they did after each.

use super::DeviceGraph;
use super::control::{LAST, Status, WORDS, at_start};
use super::kernels::relax::GraphLaunch;
use super::kernels::start::start;
use super::kernels::step::{OrdersLaunch, step};
use super::memory::{Memory, array};
use super::reorganise::Reorganiser;
use super::tuning::{Pile, Tuning};
use crate::sssp::Search;
use crate::weight::Weight;
use multisplit::cubecl::prelude::*;
use multisplit::{Borrower, Lent, Result};
use std::time::{Duration, Instant};

/// Units per cube of the kernel that starts a search.
const START_UNITS: u32 = 256;

/// A search to be run, and how long it takes, once all is where it must be.
pub(crate) struct OnDevice<'a, 'g, W: Weight> {
    pub graph: &'a DeviceGraph<'g, W>,
    pub source: u32,
    pub pile: Pile,
    pub delta: W,
}

impl<W: Weight> Borrower for OnDevice<'_, '_, W> {
    type Output = Result<(Search<W>, Duration)>;

    fn work<R: Runtime>(self, gpu: Lent<'_, R>) -> Self::Output {
        let OnDevice { graph, source, pile, delta } = self;
        let n = graph.graph.vertices() as usize;
        let device = &graph.device;
        let tuning = Tuning::new(&gpu, graph.graph.arcs());
        let float = W::NAME == f32::NAME;
        // What is near has its limit within: the last distance before the next bucket, or its bound.
        let reach = if float { delta.to_ordered() } else { delta.to_ordered().saturating_sub(1) };
        let limit = if pile == Pile::None { LAST } else { reach };
        let is_hub = graph.graph.degree(source) >= tuning.hub as usize;
        let memory = Memory::new(device, n, &at_start(limit, is_hub))?;
        let reorganiser = match pile {
            Pile::None | Pile::Scan => None,
            Pile::Sort(buckets) => Some(Reorganiser::sort(device, n, buckets)?),
            Pile::Split(buckets) => Some(Reorganiser::split(device, n, buckets)?),
        };
        let mut run = Run { gpu: &gpu, graph, memory, reorganiser, tuning, pile, delta, reach, float, launched: 0 };

        let begin = Instant::now();
        run.start(source, if is_hub { n as u32 - 1 } else { 0 })?;
        let status = run.finish()?;
        let time = begin.elapsed();

        let ordered = gpu.read_words(&run.memory.distances, n)?;
        let distances = ordered.into_iter().map(W::from_ordered).collect();
        Ok((Search { distances, iterations: status.rounds(run.launched), relaxed: status.relaxed() }, time))
    }
}

struct Run<'a, 'g, W: Weight, R: Runtime> {
    gpu: &'a Lent<'a, R>,
    graph: &'a DeviceGraph<'g, W>,
    memory: Memory,
    reorganiser: Option<Reorganiser>,
    tuning: Tuning,
    pile: Pile,
    delta: W,
    reach: u32,
    float: bool,
    /// Launches of steps so far.
    launched: u32,
}

impl<W: Weight, R: Runtime> Run<'_, '_, W, R> {
    /// Sets all distances; the source goes to this place of the near queue.
    fn start(&self, source: u32, first: u32) -> Result<()> {
        let n = self.memory.n as u32;
        let units = START_UNITS.min(self.gpu.max_units());
        let cubes = n.div_ceil(units).clamp(1, 1 << 14);
        // SAFETY: the kernel writes entries below n of both, and one of the near queue.
        self.gpu.launch(|| unsafe {
            start::launch_unchecked::<R>(
                self.gpu.client(),
                CubeCount::new_1d(cubes),
                CubeDim::new_1d(units),
                self.gpu.address(),
                self.memory.distances(),
                self.memory.marks(),
                self.memory.near(),
                n,
                source,
                first,
                W::UNREACHABLE.to_ordered(),
            )
        })
    }

    /// Launches steps until nothing waits.
    fn finish(&mut self) -> Result<Status> {
        let mut batch = self.tuning.first_batch;
        let mut patience = self.patience(0);
        loop {
            self.gpu.launch(|| (0..batch).for_each(|i| self.step(self.launched + i, patience)))?;
            self.launched += batch;
            let status = Status::new(self.gpu.read_words(&self.memory.control, WORDS as usize)?);
            if status.launched() != self.launched {
                return Err(self.gpu.lost("shortest paths"));
            }
            if status.is_finished(self.launched) {
                return Ok(status);
            }
            if let Some(reorganiser) = self.reorganiser.as_mut().filter(|_| status.pile(self.launched) >= patience) {
                reorganiser.run(self.gpu, &self.memory, &status, self.launched, self.delta)?;
                let listed = status.pile(self.launched) + status.sorted(self.launched).1;
                patience = self.patience(listed);
                // The next one may be close, and launches that wait for it are for nothing.
                batch = self.tuning.first_batch;
            } else {
                patience = self.patience(status.sorted(self.launched).1);
                batch = (2 * batch).min(self.tuning.most_batch);
            }
        }
    }

    /// How large the far pile may be before it is reorganised, if so many vertices are sorted.
    fn patience(&self, sorted: u32) -> u32 {
        match self.pile {
            Pile::None | Pile::Scan => u32::MAX,
            Pile::Sort(_) => 1,
            // What is sorted is listed again, so it should not be many times as much as what is new.
            Pile::Split(_) => self.tuning.worth_splitting.max(sorted / 4),
        }
    }

    fn step(&self, launch: u32, patience: u32) {
        let (graph, memory) = (self.graph, &self.memory);
        let shape = self.tuning.shape(self.float);
        // Strategies that never sort have nothing to bind here.
        let sorted = match &self.reorganiser {
            Some(reorganiser) => array(reorganiser.sorted(), reorganiser.room()),
            None => memory.control(),
        };
        // SAFETY: every vertex waits in each queue and pile once, so all have room; numbers of vertices and arcs come
        // from a graph that was checked.
        unsafe {
            step::launch_unchecked::<R>(
                self.gpu.client(),
                CubeCount::new_1d(self.tuning.cubes),
                CubeDim::new_1d(shape.units),
                self.gpu.address(),
                GraphLaunch::new(
                    array(&graph.offsets, memory.n + 1),
                    array(&graph.arcs, graph.graph.arcs().max(1)),
                    memory.distances(),
                    memory.marks(),
                ),
                memory.near(),
                memory.pile(),
                sorted,
                memory.control(),
                OrdersLaunch::new(launch, memory.n as u32, self.reach, patience),
                shape,
            )
        }
    }
}
