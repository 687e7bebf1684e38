//! What is connected with what.

use super::csr::AnyGraph;
use super::memory;
use crate::error::Result;

/// The connected components of a graph, where every arc can be taken both ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// One vertex of the component that each vertex is in.
    roots: Vec<u32>,
    /// The number of vertices of a component, at its root.
    sizes: Vec<u32>,
}

impl Components {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.sizes.iter().filter(|&&size| size > 0).count()
    }

    /// How many vertices the component of a vertex has: none, if there is no such vertex.
    pub fn size_of(&self, v: u32) -> u32 {
        self.roots.get(v as usize).map_or(0, |&root| self.sizes[root as usize])
    }

    /// A vertex of the largest component; of several, of the one with the least vertex.
    pub fn largest(&self) -> Option<u32> {
        (0..self.roots.len() as u32).reduce(|best, v| if self.size_of(v) > self.size_of(best) { v } else { best })
    }

    /// Whether two vertices are in the same one.
    pub fn are_together(&self, u: u32, v: u32) -> bool {
        self.roots.get(u as usize).is_some_and(|root| self.roots.get(v as usize) == Some(root))
    }
}

impl AnyGraph {
    /// Finds the connected components, where every arc can be taken both ways.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn components(&self) -> Result<Components> {
        let n = self.vertices();
        let mut roots = memory::with_room(n as usize)?;
        roots.extend(0..n);
        for (v, row) in self.offsets().windows(2).enumerate() {
            for &to in &self.targets()[row[0] as usize..row[1] as usize] {
                let (a, b) = (root(&mut roots, v as u32), root(&mut roots, to));
                // The least vertex is the root.
                roots[a.max(b) as usize] = a.min(b);
            }
        }
        let mut sizes = memory::repeated(0u32, n as usize)?;
        for v in 0..n {
            let root = root(&mut roots, v);
            roots[v as usize] = root;
            sizes[root as usize] += 1;
        }
        Ok(Components { roots, sizes })
    }

    /// Counts the vertices that paths lead to from a vertex, itself included: none, if there is no such vertex.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn reachable(&self, from: u32) -> Result<usize> {
        let mut found = memory::repeated(false, self.vertices() as usize)?;
        let Some(first) = found.get_mut(from as usize) else { return Ok(0) };
        *first = true;
        let (mut waiting, mut count) = (vec![from], 0);
        while let Some(v) = waiting.pop() {
            count += 1;
            let row = self.offsets()[v as usize] as usize..self.offsets()[v as usize + 1] as usize;
            for &to in &self.targets()[row] {
                if !std::mem::replace(&mut found[to as usize], true) {
                    memory::push(&mut waiting, to)?;
                }
            }
        }
        Ok(count)
    }
}

/// The root of a vertex. Ways to it are halved as they are gone.
fn root(roots: &mut [u32], mut v: u32) -> u32 {
    while roots[v as usize] != v {
        let next = roots[roots[v as usize] as usize];
        roots[v as usize] = next;
        v = next;
    }
    v
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Direction, EdgeList, Graph};
    use crate::{Sssp, generate};

    fn graph(vertices: u32, ends: Vec<[u32; 2]>) -> AnyGraph {
        let edges = EdgeList::new(vertices, ends).unwrap().random_weights(0..=9, 1);
        AnyGraph::U32(Graph::new(&edges, Direction::Directed).unwrap())
    }

    #[test]
    fn components_of_a_few_vertices() {
        let parts = graph(8, vec![[1, 0], [2, 1], [5, 3], [6, 7], [7, 6], [5, 5], [3, 6]]).components().unwrap();
        assert_eq!((parts.count(), parts.largest()), (3, Some(3)));
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7, 8].map(|v| parts.size_of(v)), [3, 3, 3, 4, 1, 4, 4, 4, 0]);
        assert!(parts.are_together(0, 2) && parts.are_together(5, 7) && parts.are_together(4, 4));
        assert!(!parts.are_together(2, 3) && !parts.are_together(4, 8) && !parts.are_together(8, 8));
        let nothing = graph(0, vec![]).components().unwrap();
        assert_eq!((nothing.count(), nothing.largest()), (0, None));
    }

    #[test]
    fn components_are_what_searches_reach() {
        for edges in [0, 50, 300, 900] {
            let list = generate::erdos_renyi(400, edges, edges).unwrap().random_weights(0..=9, 2);
            for direction in [Direction::Directed, Direction::Undirected] {
                let one = Graph::new(&list, direction).unwrap();
                let any = AnyGraph::U32(one.clone());
                let parts = any.components().unwrap();
                for source in [0, 7, 399] {
                    let reached = Sssp::from(source).run(&one).unwrap().reached();
                    assert_eq!(any.reachable(source).unwrap(), reached);
                    let together = (0..400).filter(|&v| parts.are_together(source, v)).count();
                    assert_eq!(parts.size_of(source) as usize, together);
                    assert!(reached <= together && (direction == Direction::Directed || reached == together));
                }
                assert_eq!((0..400).map(|v| parts.size_of(v)).max(), parts.largest().map(|v| parts.size_of(v)));
            }
        }
        assert_eq!(graph(3, vec![]).reachable(3), Ok(0));
    }
}
