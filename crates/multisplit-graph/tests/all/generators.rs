//! Generators: what they promise, and that a seed is all that they depend on.

use multisplit_graph::{EdgeList, Error, generate};

const PAPER: [f64; 4] = [0.5, 0.1, 0.1, 0.3];

/// Everything random, from a seed.
fn random(seed: u64) -> Vec<EdgeList<u32>> {
    let edges = [generate::rmat(1000, 5000, PAPER, seed), generate::erdos_renyi(1000, 5000, seed)];
    edges.map(|edges| edges.unwrap().random_weights(0..=1000, seed)).into()
}

#[test]
fn the_seed_decides_and_the_threads_do_not() {
    let with_threads = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| random(7))
    };
    assert_eq!(with_threads(1), with_threads(3));
    assert_ne!(random(7), random(8));
}

#[test]
fn a_seed_gives_the_same_forever() {
    let edges = generate::rmat(1 << 20, 3, PAPER, 42).unwrap();
    assert_eq!(edges.ends(), RMAT);
    assert_eq!(edges.random_weights(0..=1000, 42).weights(), WEIGHTS);
    assert_eq!(generate::erdos_renyi(1 << 20, 3, 42).unwrap().ends(), UNIFORM);

    // Of many more: a sum that depends on each of them and on their order. A number of vertices that is no power of two
    // has edges drawn again.
    fn sum<'a>(words: impl IntoIterator<Item = &'a u32>) -> u64 {
        words.into_iter().fold(0, |sum, &word| sum.rotate_left(7).wrapping_add(word.into()))
    }
    let edges = generate::rmat(5000, 20_000, PAPER, 7).unwrap();
    let uniform = generate::erdos_renyi(5000, 20_000, 7).unwrap();
    let sums = [sum(edges.ends().as_flattened()), sum(uniform.ends().as_flattened())];
    assert_eq!((sums, sum(edges.random_weights(0..=1000, 7).weights())), (SUMS, SUM_OF_WEIGHTS));
}

const RMAT: [[u32; 2]; 3] = [[791802, 951705], [564408, 57040], [642256, 642753]];
const WEIGHTS: [u32; 3] = [602, 230, 452];
const UNIFORM: [[u32; 2]; 3] = [[753652, 301659], [91432, 29727], [106785, 946215]];
const SUMS: [u64; 2] = [16_584_675_038_936_535_653, 592_097_093_294_894_607];
const SUM_OF_WEIGHTS: u64 = 14_405_840_677_670_841_752;

#[test]
fn weights_cover_their_range() {
    let edges = generate::clique(300).unwrap().random_weights(3..=5, 1);
    let count = |weight| edges.weights().iter().filter(|&&one| one == weight).count();
    let third = edges.weights().len() / 3;
    assert!([3, 4, 5].iter().all(|&weight| count(weight).abs_diff(third) < third / 20));
    assert!(edges.weights().iter().all(|weight| (3..=5).contains(weight)));
    let wide = generate::path(100_000).unwrap().random_weights(0..=u32::MAX, 1);
    assert!(wide.weights().iter().any(|&weight| weight > u32::MAX - 1_000_000));
}

#[test]
fn shapes_without_chance() {
    let count = |edges: multisplit_graph::Result<EdgeList>| edges.unwrap().ends().len();
    assert_eq!([0, 1, 2, 5].map(|n| count(generate::star(n))), [0, 0, 1, 4]);
    assert_eq!([0, 1, 2, 5].map(|n| count(generate::path(n))), [0, 0, 1, 4]);
    assert_eq!([0, 1, 2, 5].map(|n| count(generate::clique(n))), [0, 0, 1, 10]);
    assert_eq!([(0, 9), (1, 1), (3, 2), (5, 5)].map(|(w, h)| count(generate::grid(w, h))), [0, 0, 7, 40]);
    assert_eq!(generate::grid(2, 2).unwrap().ends(), [[0, 1], [0, 2], [1, 3], [2, 3]]);
}

#[test]
fn what_cannot_be_made() {
    assert!(matches!(generate::erdos_renyi(0, 1, 1), Err(Error::InvalidGenerator(_))));
    assert!(matches!(generate::erdos_renyi(1, 1 << 32, 1), Err(Error::TooManyArcs { .. })));
    assert!(matches!(generate::clique(100_000), Err(Error::TooManyArcs { .. })));
    assert!(matches!(generate::grid(1 << 16, 1 << 16), Err(Error::TooManyVertices { vertices: 4_294_967_296 })));
}
