//! Graphs in device memory.

use super::records::records;
use super::tuning::has_few_arcs;
use crate::error::{Error, Result};
use crate::graph::{Graph, Weight, first};
use crate::parallel;
use multisplit::{Buffer, Device, DeviceKind};
use std::sync::atomic::AtomicBool;

/// Vertices and arcs that kernels can count in 32 bits, with something to spare.
const MOST: usize = 1 << 31;

/// A graph whose arcs are on a GPU, for searches from any number of sources.
///
/// ```no_run
/// use multisplit_graph::{DeviceGraph, Direction, Graph, Sssp, Strategy, generate};
///
/// let edges = generate::rmat(800_000, 4_800_000, [0.5, 0.1, 0.1, 0.3], 1)?.random_weights(0..=1000, 2);
/// let graph = Graph::new(&edges, Direction::Undirected)?;
/// let on_gpu = DeviceGraph::new(&multisplit::Device::best(), &graph)?;
/// for source in [0, 17, 4711] {
///     let paths = Sssp::from(source).strategy(Strategy::Multisplit).run_on(&on_gpu)?;
///     println!("{} in {:?}", paths.reached(), paths.time);
/// }
/// # Ok::<(), multisplit_graph::Error>(())
/// ```
pub struct DeviceGraph<'g, W: Weight> {
    graph: &'g Graph<W>,
    device: Device,
    pub(super) offsets: Buffer<u32>,
    /// Targets and weights, side by side.
    pub(super) arcs: Buffer<[u32; 2]>,
    /// The same in records, where all vertices have few and kernels can use them.
    pub(super) records: Option<Buffer<[u32; 2]>>,
    /// Whether a search found that not all cubes of its launches run at the same time.
    pub(super) parts: AtomicBool,
}

impl<'g, W: Weight> DeviceGraph<'g, W> {
    /// Copies a graph to a GPU.
    ///
    /// # Errors
    /// [`Error::Device`] if it does not fit, or if the device is the CPU; [`Error::TooLargeForDevice`].
    pub fn new(device: &Device, graph: &'g Graph<W>) -> Result<Self> {
        check_size(graph.vertices(), graph.arcs())?;
        if device.info().kind == DeviceKind::Cpu {
            let (device, capability) = (device.name().into(), "GPU kernels".into());
            return Err(multisplit::Error::MissingCapability { device, capability }.into());
        }
        // Only CUDA promises sums of numbers as small as that.
        let is_subnormal = |weight: &W| weight.to_f64() > 0.0 && weight.to_f64() < f64::from(f32::MIN_POSITIVE);
        if device.info().kind != DeviceKind::Cuda && first(graph.weights(), is_subnormal).is_some() {
            let capability = "sums of weights that are less than 1.2e-38".into();
            return Err(multisplit::Error::MissingCapability { device: device.name().into(), capability }.into());
        }
        let pair = |i: usize| [graph.targets()[i], graph.weights()[i].to_ordered()];
        let mut pairs = parallel::fill(graph.arcs(), pair);
        if pairs.is_empty() {
            pairs.push([0, 0]);
        }
        let is_small = device.info().kind == DeviceKind::Cuda && has_few_arcs(graph.offsets());
        let records = if is_small { records(graph) } else { None };
        let records = records.map(|records| device.upload(&records)).transpose()?;
        Ok(Self {
            graph,
            device: device.clone(),
            offsets: device.upload(graph.offsets())?,
            arcs: device.upload(&pairs)?,
            records,
            parts: AtomicBool::new(false),
        })
    }

    /// The graph.
    pub fn graph(&self) -> &'g Graph<W> {
        self.graph
    }

    /// Where its arcs are.
    pub fn device(&self) -> &Device {
        &self.device
    }
}

/// Refuses what kernels cannot count.
fn check_size(vertices: u32, arcs: usize) -> Result<()> {
    if vertices as usize >= MOST || arcs >= MOST {
        return Err(Error::TooLargeForDevice { vertices, arcs });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graphs_that_are_too_large() {
        assert!(check_size(u32::MAX, 0).is_err() && check_size(1, MOST).is_err());
        assert!(check_size(0, 0).is_ok() && check_size((MOST - 1) as u32, MOST - 1).is_ok());
        let error = check_size(7, 1 << 40).unwrap_err().to_string();
        assert_eq!(
            error,
            "7 vertices and 1099511627776 arcs are too many for a GPU: fewer than 2^31 of each; search on the CPU"
        );
    }
}
