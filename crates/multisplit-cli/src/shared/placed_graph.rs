//! A graph where it is searched: in the memory of the host, or in that of a GPU.

use multisplit::{Device, DeviceKind};
#[cfg(feature = "gpu")]
use multisplit_graph::DeviceGraph;
use multisplit_graph::{Graph, Paths, Result, Sssp, Weight};

/// A graph, and its copy on a GPU if it is searched there.
pub struct PlacedGraph<'g, W: Weight> {
    on_host: &'g Graph<W>,
    #[cfg(feature = "gpu")]
    on_gpu: Option<DeviceGraph<'g, W>>,
}

impl<'g, W: Weight> PlacedGraph<'g, W> {
    /// A graph that the CPU searches.
    pub fn on_host(graph: &'g Graph<W>) -> Self {
        Self {
            on_host: graph,
            #[cfg(feature = "gpu")]
            on_gpu: None,
        }
    }

    /// A graph that the device searches: copied there, if it is a GPU.
    pub fn new(device: &Device, graph: &'g Graph<W>) -> Result<Self> {
        #[cfg_attr(not(feature = "gpu"), expect(unused_mut))]
        let mut placed = Self::on_host(graph);
        #[cfg(feature = "gpu")]
        if is_gpu(device) {
            placed.on_gpu = Some(DeviceGraph::new(device, graph)?);
        }
        #[cfg(not(feature = "gpu"))]
        debug_assert!(!is_gpu(device));
        Ok(placed)
    }

    /// Runs a search.
    pub fn run(&self, search: &Sssp) -> Result<Paths<W>> {
        #[cfg(feature = "gpu")]
        if let Some(on_gpu) = &self.on_gpu {
            return search.run_on(on_gpu);
        }
        search.run(self.on_host)
    }
}

/// Returns whether a device is a GPU.
pub fn is_gpu(device: &Device) -> bool {
    device.info().kind != DeviceKind::Cpu
}
