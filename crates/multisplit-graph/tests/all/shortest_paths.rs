//! All strategies, on graphs of every generator, agree with Dijkstra and obey the rules.

use crate::common::{DIRECTIONS, all_edges, check, rules};
use multisplit_graph::read::Labels;
use multisplit_graph::{Direction, EdgeList, Error, Graph, NO_PREDECESSOR, Sssp, Strategy, auto_delta, generate};

#[test]
fn every_generator_with_the_papers_weights() {
    for (name, edges) in all_edges() {
        println!("{name}");
        let edges = edges.random_weights(0..=1000, 5);
        for direction in DIRECTIONS {
            let graph = Graph::new(&edges, direction).unwrap();
            check(&graph, 0);
            check(&graph, graph.vertices() - 1);
        }
    }
}

#[test]
fn every_generator_with_real_weights() {
    for (name, edges) in all_edges() {
        println!("{name}");
        let graph = Graph::new(&edges.random_weights(0..=1000, 5), Direction::Undirected).unwrap();
        check(&graph.map_weights(|weight| weight as f32 * 0.1).unwrap(), 0);
        // Sums so uneven that rounding swallows most of them.
        check(&graph.map_weights(|weight| (weight as f32 / 30.0).exp2()).unwrap(), 0);
    }
}

#[test]
fn weights_of_nothing() {
    for (name, edges) in all_edges() {
        println!("{name}");
        for (range, seed) in [(0..=0, 1), (0..=1, 2)] {
            let graph = Graph::new(&edges.clone().random_weights(range, seed), Direction::Undirected).unwrap();
            let paths = check(&graph, 0);
            check(&graph.map_weights(|weight| weight as f32).unwrap(), 0);
            assert_eq!(paths.predecessors.unwrap()[0], NO_PREDECESSOR);
        }
    }
}

#[test]
fn a_graph_without_vertices_has_no_source() {
    let edges = EdgeList::new(0, Vec::new()).unwrap().random_weights(0..=1, 0);
    let graph = Graph::new(&edges, Direction::Directed).unwrap();
    assert_eq!((graph.vertices(), graph.arcs(), graph.mean_weight()), (0, 0, 0.0));
    for strategy in Strategy::ON_CPU {
        let error = Sssp::from(0).strategy(strategy).run(&graph).unwrap_err();
        assert_eq!(error, Error::SourceOutOfRange { from: 0, vertices: 0 });
    }
}

#[test]
fn loops_parallel_edges_and_parts_that_cannot_be_reached() {
    let ends = vec![[0, 0], [0, 1], [0, 1], [1, 2], [2, 1], [4, 5], [5, 4], [2, 2]];
    let edges = EdgeList::weighted(6, ends, vec![0u32, 9, 4, 0, 0, 1, 1, 0]).unwrap();
    let graph = Graph::new(&edges, Direction::Directed).unwrap();
    let paths = check(&graph, 0);
    assert_eq!(paths.distances, [0, 4, 4, u32::MAX, u32::MAX, u32::MAX]);
    assert_eq!(paths.predecessors, Some(vec![NO_PREDECESSOR, 0, 1, NO_PREDECESSOR, NO_PREDECESSOR, NO_PREDECESSOR]));
    assert_eq!((paths.reached(), paths.to(2), paths.to(5), paths.to(99)), (3, Some(vec![0, 1, 2]), None, None));
    assert_eq!((paths.distance(2), paths.distance(3), paths.distance(99)), (Some(4), None, None));
}

#[test]
fn circles_of_weight_0_have_no_circles_of_predecessors() {
    // 0 -5-> 1, and a clique of weight 0 among 1 to 40, where the least number would choose itself a successor.
    let mut ends = vec![[0, 40]];
    ends.extend(generate::clique(40).unwrap().ends().iter().map(|&[u, v]| [u + 1, v + 1]));
    let weights = (0..ends.len()).map(|edge| if edge == 0 { 5u32 } else { 0 }).collect();
    let graph = Graph::new(&EdgeList::weighted(41, ends, weights).unwrap(), Direction::Undirected).unwrap();
    let paths = check(&graph, 0);
    assert_eq!(paths.to(7), Some(vec![0, 40, 7]));
}

#[test]
fn rounding_swallows_weights_and_makes_no_circles() {
    // Beyond 2^24, adding 1 changes nothing: arcs of weight 1 are flat.
    let ends = vec![[0, 3], [3, 2], [2, 1], [1, 3], [1, 4]];
    let edges = EdgeList::weighted(5, ends, vec![3e7f32, 1.0, 1.0, 1.0, 8.0]).unwrap();
    let graph = Graph::new(&edges, Direction::Undirected).unwrap();
    let paths = check(&graph, 0);
    assert_eq!(paths.distances, [0.0, 3e7, 3e7, 3e7, 3e7 + 8.0]);
}

#[test]
fn distances_that_do_not_fit_are_errors() {
    let far = u32::MAX / 2;
    let path = |weights: Vec<u32>| {
        let edges = EdgeList::weighted(4, vec![[0, 1], [1, 2], [2, 3]], weights).unwrap();
        Graph::new(&edges, Direction::Directed).unwrap()
    };
    for strategy in Strategy::ON_CPU {
        let run = |graph: &Graph<u32>| Sssp::from(0).strategy(strategy).run(graph);
        // The largest that fits, and one more.
        assert_eq!(run(&path(vec![far, far, 0])).unwrap().distances, [0, far, u32::MAX - 1, u32::MAX - 1]);
        let error = run(&path(vec![far, far, 1])).unwrap_err();
        assert_eq!(error, Error::DistanceOverflow { vertex: 3, limit: (u32::MAX - 1).to_string() });
        assert!(error.to_string().contains("vertex 3 is beyond 4294967294"), "{error}");
        assert!(matches!(run(&path(vec![far, far, far])), Err(Error::DistanceOverflow { vertex: 3, .. })));
        assert!(matches!(run(&path(vec![u32::MAX; 3])), Err(Error::DistanceOverflow { vertex: 1, .. })));

        let real = path(vec![3, 3, 3]).map_weights(|_| f32::MAX / 2.0).unwrap();
        let error = Sssp::from(0).strategy(strategy).run(&real).unwrap_err();
        assert!(matches!(error, Error::DistanceOverflow { vertex: 3, .. }), "{error}");
    }
    // A long way that does not fit matters to nobody if there is a short one.
    let edges = EdgeList::weighted(3, vec![[0, 1], [1, 2], [0, 2]], vec![u32::MAX - 1, u32::MAX, 5]).unwrap();
    let graph = Graph::new(&edges, Direction::Directed).unwrap();
    assert_eq!(check(&graph, 0).distances, [0, u32::MAX - 1, 5]);
}

#[test]
fn what_cannot_be_asked_for() {
    let edges = generate::path(5).unwrap().random_weights(0..=9, 1);
    let graph = Graph::new(&edges, Direction::Directed).unwrap();
    let error = Sssp::from(5).run(&graph).unwrap_err();
    assert_eq!(error.to_string(), "the source 5 is not in the graph, which has 5 vertices, numbered from 0");
    for delta in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(Sssp::from(0).delta(delta).run(&graph), Err(Error::InvalidDelta(_))), "{delta}");
    }
}

#[test]
fn widths_that_suit() {
    let path = Graph::new(&generate::path(9).unwrap().random_weights(0..=0, 1), Direction::Directed).unwrap();
    assert_eq!(auto_delta(&path), 1, "weights of 0 need some width too");
    assert!(auto_delta(&path.map_weights(|_| 0.0f32).unwrap()) > 0.0);
    let clique = Graph::new(&generate::clique(80).unwrap().random_weights(0..=100_000, 1), Direction::Undirected);
    assert!((500..800).contains(&auto_delta(&clique.unwrap())), "the mean weight by the degree");
}

#[test]
fn wrong_paths_are_found_out() {
    let edges = generate::grid(6, 6).unwrap().random_weights(0..=9, 1);
    let graph = Graph::new(&edges, Direction::Undirected).unwrap();
    let right = Sssp::from(0).predecessors().run(&graph).unwrap();
    rules(&graph, &right);
    let wrong = |change: &dyn Fn(&mut Vec<u32>, &mut Vec<u32>)| {
        let mut paths = right.clone();
        change(&mut paths.distances, paths.predecessors.as_mut().unwrap());
        let error = paths.verify(&graph).unwrap_err();
        assert!(error.to_string().starts_with("not shortest paths: "), "{error}");
    };
    for v in 0..36 {
        wrong(&|distances, _| distances[v] += 1);
        wrong(&|_, predecessors| predecessors[v] = v as u32);
        if v > 0 {
            wrong(&|distances, _| distances[v] = distances[v].wrapping_sub(1));
            wrong(&|distances, _| distances[v] = u32::MAX);
            wrong(&|_, predecessors| predecessors[v] = NO_PREDECESSOR);
        }
    }
    wrong(&|distances, _| distances.truncate(35));
    wrong(&|_, predecessors| predecessors.truncate(35));
    // Two that point at each other.
    wrong(&|_, predecessors| (predecessors[1], predecessors[2]) = (2, 1));
}

#[test]
fn wrong_paths_are_told_by_the_names_of_vertices() {
    let edges = EdgeList::weighted(3, vec![[0, 1], [1, 2]], vec![5u32, 7]).unwrap();
    let graph = Graph::new(&edges, Direction::Directed).unwrap();
    let right = Sssp::from(0).predecessors().run(&graph).unwrap();
    let said = |change: &dyn Fn(&mut Vec<u32>, &mut Vec<u32>)| {
        let mut paths = right.clone();
        change(&mut paths.distances, paths.predecessors.as_mut().unwrap());
        let error = paths.verify_named(&graph, &Labels::from(40, 3)).unwrap_err().to_string();
        error.strip_prefix("not shortest paths: ").unwrap().to_owned()
    };
    let far = said(&|distances, _| distances[1] = 6);
    assert_eq!(far, "vertex 41 is at distance 6, but 0 + 5 by the arc from vertex 40");
    assert_eq!(said(&|distances, _| distances[2] = 11), "no arc explains the distance 11 of vertex 42");
    let lost = said(&|_, before| before[2] = NO_PREDECESSOR);
    assert_eq!(lost, "the predecessors of vertex 42 do not lead to the source");
    assert_eq!(said(&|_, before| (before[1], before[2]) = (2, 1)), "the predecessors of vertex 41 form a cycle");
}

#[test]
fn distances_that_are_no_distances_are_found_out() {
    // Vertices 2 and 3 hold each other, at no cost, wherever they say they are.
    let ends = vec![[0, 1], [2, 3], [3, 2]];
    let edges = EdgeList::weighted(5, ends, vec![1.0f32, 0.0, 0.0]).unwrap();
    let graph = Graph::new(&edges, Direction::Directed).unwrap();
    for right in [Sssp::from(0).run(&graph).unwrap(), Sssp::from(0).predecessors().run(&graph).unwrap()] {
        right.verify(&graph).unwrap();
        for bad in [f32::NAN, -f32::NAN, -1.0, f32::NEG_INFINITY] {
            for vertices in [&[0][..], &[1], &[2, 3], &[4]] {
                let mut paths = right.clone();
                vertices.iter().for_each(|&v: &usize| paths.distances[v] = bad);
                let error = paths.verify(&graph).unwrap_err();
                assert!(error.to_string().starts_with("not shortest paths: "), "{bad} at {vertices:?}: {error}");
            }
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same() {
    let results: Vec<_> = [1, 2, 5]
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let edges = generate::rmat(3000, 40_000, [0.5, 0.1, 0.1, 0.3], 9).unwrap().random_weights(0..=1000, 9);
                let graph = Graph::new(&edges, Direction::Undirected).unwrap();
                let real = graph.map_weights(|weight| weight as f32 / 3.0).unwrap();
                let (paths, real_paths) = (check(&graph, 1), check(&real, 1));
                let deltas = (auto_delta(&graph), auto_delta(&real));
                (graph, deltas, paths.distances, paths.predecessors, real_paths.distances, real_paths.predecessors)
            })
        })
        .into();
    assert!(results.windows(2).all(|pair| pair[0] == pair[1]));
}
