//! All strategies of GPUs, on graphs of every generator, agree with Dijkstra bit by bit.
#![cfg(feature = "gpu")]

use crate::common::gpu::gpu;
use crate::common::{DIRECTIONS, all_edges, real_graphs};
use multisplit::Device;
use multisplit_graph::read::GraphReader;
use multisplit_graph::{
    AnyGraph, DeviceGraph, Direction, EdgeList, Error, Graph, Paths, Sssp, Strategy, Weight, generate,
};

/// Finds paths by every strategy of the device, and compares them with those of Dijkstra.
fn check<W: Weight>(device: &Device, graph: &Graph<W>, source: u32, deltas: &[f64]) {
    let oracle = Sssp::from(source).strategy(Strategy::Dijkstra).predecessors().run(graph).unwrap();
    let on_gpu = DeviceGraph::new(device, graph).unwrap();
    for strategy in Strategy::ON_GPU {
        let search = Sssp::from(source).strategy(strategy).predecessors();
        same(&search, &search.run_on(&on_gpu).unwrap(), &oracle, graph);
        for &delta in deltas.iter().filter(|_| strategy.has_delta()) {
            let search = search.delta(delta);
            same(&search, &search.run_on(&on_gpu).unwrap(), &oracle, graph);
        }
    }
}

fn same<W: Weight>(search: &Sssp, paths: &Paths<W>, oracle: &Paths<W>, graph: &Graph<W>) {
    if let Some(v) = (0..graph.vertices() as usize).find(|&v| paths.distances[v] != oracle.distances[v]) {
        panic!("{search:?}: vertex {v} is at {}, not at {}", oracle.distances[v], paths.distances[v]);
    }
    assert_eq!(paths.predecessors, oracle.predecessors, "{search:?}");
    // Every vertex that was reached was taken once at least, with all its arcs.
    let reached = (0..graph.vertices()).filter(|&v| paths.distance(v).is_some());
    assert!(paths.relaxed >= reached.map(|v| graph.degree(v) as u64).sum::<u64>(), "{search:?}");
    assert!(paths.iterations > 0, "{search:?}");
}

#[test]
fn every_generator_with_the_papers_weights() {
    let Some(device) = gpu("every_generator_with_the_papers_weights") else { return };
    for (name, edges) in all_edges() {
        println!("{name}");
        let edges = edges.random_weights(0..=1000, 5);
        for direction in DIRECTIONS {
            let graph = Graph::new(&edges, direction).unwrap();
            check(device, &graph, 0, &[]);
            check(device, &graph, graph.vertices() - 1, &[]);
        }
    }
}

#[test]
fn every_generator_with_real_weights() {
    let Some(device) = gpu("every_generator_with_real_weights") else { return };
    for (name, edges) in all_edges() {
        println!("{name}");
        let graph = Graph::new(&edges.random_weights(0..=1000, 5), Direction::Undirected).unwrap();
        check(device, &graph.map_weights(|weight| weight as f32 * 0.1).unwrap(), 0, &[]);
        // Sums so uneven that rounding swallows most of them.
        check(device, &graph.map_weights(|weight| (weight as f32 / 30.0).exp2()).unwrap(), 0, &[]);
    }
}

#[test]
fn weights_of_nothing() {
    let Some(device) = gpu("weights_of_nothing") else { return };
    for (name, edges) in all_edges() {
        println!("{name}");
        for (range, seed) in [(0..=0, 1), (0..=1, 2)] {
            let graph = Graph::new(&edges.clone().random_weights(range, seed), Direction::Undirected).unwrap();
            check(device, &graph, 0, &[]);
            check(device, &graph.map_weights(|weight| weight as f32).unwrap(), 0, &[]);
        }
    }
}

#[test]
fn buckets_of_every_width() {
    let Some(device) = gpu("buckets_of_every_width") else { return };
    let rmat = generate::rmat(1500, 12_000, [0.57, 0.19, 0.19, 0.05], 3).unwrap().random_weights(0..=1000, 1);
    let grid = generate::grid(30, 20).unwrap().random_weights(1..=1000, 2);
    for edges in [rmat, grid] {
        let graph = Graph::new(&edges, Direction::Undirected).unwrap();
        check(device, &graph, 7, &[10.0, 300.0, 1e9]);
        check(device, &graph.map_weights(|weight| weight as f32 * 1e-3).unwrap(), 7, &[0.04, 1e30]);
    }
}

#[test]
fn loops_parallel_edges_and_islands() {
    let Some(device) = gpu("loops_parallel_edges_and_islands") else { return };
    let arcs = vec![[0, 0], [0, 1], [0, 1], [1, 2], [2, 0], [3, 3], [3, 4], [2, 2], [5, 4]];
    let edges = EdgeList::weighted(7, arcs, vec![0u32, 9, 4, 0, 0, 1, 2, 3, 0]).unwrap();
    for direction in DIRECTIONS {
        let graph = Graph::new(&edges, direction).unwrap();
        (0..7).for_each(|source| check(device, &graph, source, &[1.0]));
    }
    for n in [1, 2] {
        let alone = Graph::new(&EdgeList::<u32>::weighted(n, vec![], vec![]).unwrap(), Direction::Directed).unwrap();
        check(device, &alone, n - 1, &[]);
    }
}

/// Far more vertices with very many arcs than a cube holds at once, and piles that are worth several splits.
#[test]
fn hubs_and_large_piles() {
    let Some(device) = gpu("hubs_and_large_piles") else { return };
    let hubs = generate::rmat(300, 40_000, [0.4, 0.2, 0.2, 0.2], 9).unwrap().random_weights(0..=1000, 4);
    check(device, &Graph::new(&hubs, Direction::Undirected).unwrap(), 3, &[]);
    let wide = generate::erdos_renyi(6000, 40_000, 8).unwrap().random_weights(0..=100_000, 4);
    check(device, &Graph::new(&wide, Direction::Undirected).unwrap(), 3, &[2000.0]);
}

/// Every vertex of a first layer offers those of the second a shorter way than the one before it: they come nearer
/// more often in one step than lists have room for entries, and the search has to begin again.
#[test]
fn nearer_again_and_again() {
    let Some(device) = gpu("nearer_again_and_again") else { return };
    let (layer, targets) = (100, 1000);
    let mut edges = vec![];
    let mut weights = vec![];
    for i in 0..layer {
        edges.push([0, 1 + i]);
        weights.push(i);
        for j in 0..targets {
            edges.push([1 + i, 1 + layer + j]);
            weights.push(2 * (layer - i));
        }
    }
    // From the last of them on, a path, which must not be forgotten.
    edges.extend((0..50).map(|i| [layer + targets + i, layer + targets + i + 1]));
    weights.extend([7; 50]);
    let edges = EdgeList::weighted(1 + layer + targets + 50, edges, weights).unwrap();
    let graph = Graph::new(&edges, Direction::Directed).unwrap();
    check(device, &graph, 0, &[1.0, 50.0, 1e9]);
    check(device, &graph.map_weights(|weight| weight as f32 * 0.5).unwrap(), 0, &[1e9]);

    // The first layer never comes nearer: its arcs are relaxed twice only if the search has begun again.
    let on_gpu = DeviceGraph::new(device, &graph).unwrap();
    let paths = Sssp::from(0).strategy(Strategy::Multisplit).delta(1e9).run_on(&on_gpu).unwrap();
    assert!(paths.relaxed >= 2 * u64::from(layer * targets), "{} arcs", paths.relaxed);
}

#[test]
fn distances_that_do_not_fit() {
    let Some(device) = gpu("distances_that_do_not_fit") else { return };
    let half = u32::MAX / 2;
    let long = |weights: Vec<u32>| {
        let arcs = (0..weights.len() as u32).map(|v| [v, v + 1]).collect();
        let edges = EdgeList::weighted(weights.len() as u32 + 1, arcs, weights).unwrap();
        Graph::new(&edges, Direction::Directed).unwrap()
    };
    check(device, &long(vec![half, half]), 0, &[1.0, 1e9]);
    for weights in [vec![half, half, 1], vec![u32::MAX], vec![1, u32::MAX - 1, 5]] {
        let graph = long(weights);
        let on_gpu = DeviceGraph::new(device, &graph).unwrap();
        for strategy in Strategy::ON_GPU {
            let error = Sssp::from(0).strategy(strategy).run_on(&on_gpu).unwrap_err();
            assert!(matches!(error, Error::DistanceOverflow { .. }), "{strategy}: {error}");
        }
    }
    // A longer way may fit where a shorter one in arcs does not.
    let arcs = vec![[0, 1], [1, 2], [0, 2]];
    let edges = EdgeList::weighted(3, arcs, vec![u32::MAX - 1, 7, 9]).unwrap();
    check(device, &Graph::new(&edges, Direction::Directed).unwrap(), 0, &[]);
    let real = long(vec![half, half]).map_weights(|_| f32::MAX).unwrap();
    let on_gpu = DeviceGraph::new(device, &real).unwrap();
    let error = Sssp::from(0).strategy(Strategy::Multisplit).run_on(&on_gpu).unwrap_err();
    assert!(matches!(error, Error::DistanceOverflow { vertex: 2, .. }), "{error}");
}

#[test]
fn what_is_wrong_is_said() {
    let Some(device) = gpu("what_is_wrong_is_said") else { return };
    let graph = Graph::new(&generate::path(3).unwrap().random_weights(1..=1, 0), Direction::Directed).unwrap();
    let on_gpu = DeviceGraph::new(device, &graph).unwrap();
    let search = Sssp::from(0).strategy(Strategy::NearFar);
    assert!(matches!(search.run(&graph).unwrap_err(), Error::WrongPlace { .. }));
    let error = Sssp::from(0).strategy(Strategy::Dijkstra).run_on(&on_gpu).unwrap_err();
    assert_eq!(error.to_string(), "dijkstra does not run on a GPU; it does on the CPU");
    let error = Sssp::from(3).strategy(Strategy::NearFar).run_on(&on_gpu).unwrap_err();
    assert!(matches!(error, Error::SourceOutOfRange { from: 3, vertices: 3 }));
    assert!(matches!(search.delta(f64::NAN).run_on(&on_gpu).unwrap_err(), Error::InvalidDelta(_)));
    assert!(matches!(DeviceGraph::new(&Device::cpu(), &graph).err(), Some(Error::Device(_))));
    let empty = Graph::<u32>::from_csr(vec![0], vec![], vec![]).unwrap();
    let on_gpu = DeviceGraph::new(device, &empty).unwrap();
    assert!(matches!(search.run_on(&on_gpu).unwrap_err(), Error::SourceOutOfRange { .. }));
}

#[test]
fn real_graph() {
    let Some(device) = gpu("real_graph") else { return };
    let Some(folder) = real_graphs() else { return };
    let Some(path) = ["email-enron.txt.gz", "email-Enron.txt.gz"]
        .map(|name| folder.join(name))
        .into_iter()
        .find(|path| path.exists())
    else {
        return;
    };
    if let AnyGraph::U32(graph) = GraphReader::new().open(&path).unwrap().graph {
        check(device, &graph, 0, &[]);
    }
}

/// Records the CUDA source of the kernels that this crate ships, as the library's test of this name does. They run, and
/// every strategy agrees with Dijkstra.
#[test]
#[ignore = "needs cuda-emulator in place of the CUDA driver; ./test runs it"]
fn cuda_kernels() {
    let folder = std::env::var_os("CUDA_EMULATOR_RECORD").expect("CUDA_EMULATOR_RECORD is not set");
    let name = std::path::Path::new(&folder).join("name");
    let device = Device::open("cuda:0").unwrap();
    let edges = generate::erdos_renyi(600, 4000, 8).unwrap().random_weights(0..=100_000, 4);
    let whole = Graph::new(&edges, Direction::Undirected).unwrap();
    let real = whole.map_weights(|weight| weight as f32).unwrap();
    let oracle = Sssp::from(0).strategy(Strategy::Dijkstra);
    for strategy in Strategy::ON_GPU {
        let search = Sssp::from(0).strategy(strategy);
        std::fs::write(&name, format!("sssp-{strategy}-u32")).unwrap();
        let found = search.run_on(&DeviceGraph::new(&device, &whole).unwrap()).unwrap();
        assert_eq!(found.distances, oracle.run(&whole).unwrap().distances, "{strategy}");
        std::fs::write(&name, format!("sssp-{strategy}-f32")).unwrap();
        let found = search.run_on(&DeviceGraph::new(&device, &real).unwrap()).unwrap();
        assert_eq!(found.distances, oracle.run(&real).unwrap().distances, "{strategy}");
    }
    // Few arcs, so that planes go on by themselves.
    let grid = Graph::new(&generate::grid(40, 30).unwrap().random_weights(1..=1000, 2), Direction::Undirected).unwrap();
    std::fs::write(&name, "sssp-multisplit-few-arcs-u32").unwrap();
    let search = Sssp::from(0).strategy(Strategy::Multisplit);
    let found = search.run_on(&DeviceGraph::new(&device, &grid).unwrap()).unwrap();
    assert_eq!(found.distances, oracle.run(&grid).unwrap().distances);
}
