//! How many arcs leave and reach each vertex.

use multisplit_graph::AnyGraph;

/// The numbers of arcs of each vertex.
pub struct Degrees {
    pub out: Vec<u32>,
    pub into: Vec<u32>,
    /// Arcs from a vertex to itself.
    pub loops: usize,
    /// Arcs that follow one with the same ends, where arcs are sorted.
    pub parallel: usize,
}

/// The least, the middle and the greatest of some numbers.
pub struct Spread {
    pub least: u32,
    pub median: f64,
    pub most: u32,
}

impl Degrees {
    /// Counts the arcs of a graph.
    pub fn of(graph: &AnyGraph) -> Self {
        let n = graph.vertices() as usize;
        let (mut out, mut into) = (Vec::with_capacity(n), vec![0; n]);
        let (mut loops, mut parallel) = (0, 0);
        for (v, row) in graph.offsets().windows(2).enumerate() {
            out.push(row[1] - row[0]);
            let targets = &graph.targets()[row[0] as usize..row[1] as usize];
            for &to in targets {
                into[to as usize] += 1;
                loops += usize::from(to as usize == v);
            }
            parallel += targets.windows(2).filter(|pair| pair[0] == pair[1]).count();
        }
        Self { out, into, loops, parallel }
    }

    /// Returns how many vertices have no arc at all.
    pub fn isolated(&self) -> usize {
        self.out.iter().zip(&self.into).filter(|&(&out, &into)| out == 0 && into == 0).count()
    }
}

impl Spread {
    /// The spread of numbers, if there are some.
    pub fn of(numbers: &[u32]) -> Option<Self> {
        let mut sorted = numbers.to_vec();
        sorted.sort_unstable();
        let (least, most) = (*sorted.first()?, *sorted.last()?);
        let half = sorted.len() / 2;
        let median = match sorted.len() % 2 {
            1 => f64::from(sorted[half]),
            _ => (f64::from(sorted[half - 1]) + f64::from(sorted[half])) / 2.0,
        };
        Some(Self { least, median, most })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_some_numbers() {
        let of = |numbers: &[u32]| Spread::of(numbers).map(|spread| (spread.least, spread.median, spread.most));
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[7]), Some((7, 7.0, 7)));
        assert_eq!(of(&[9, 1, 4]), Some((1, 4.0, 9)));
        assert_eq!(of(&[9, 1, 4, u32::MAX]), Some((1, 6.5, u32::MAX)));
    }
}
