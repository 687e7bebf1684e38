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

/// The least, the middle and the greatest of some numbers of arcs.
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
        let (least, most) = (*numbers.iter().min()?, *numbers.iter().max()?);
        let mut counts = vec![0; (most - least) as usize + 1];
        for number in numbers {
            counts[(number - least) as usize] += 1;
        }
        // The number at a place, if they were sorted.
        let at = |place: usize| {
            let mut before = 0;
            let value = counts.iter().position(|&count: &usize| {
                before += count;
                before > place
            });
            f64::from(least) + value.unwrap_or_default() as f64
        };
        let n = numbers.len();
        let median = (at((n - 1) / 2) + at(n / 2)) / 2.0;
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
        assert_eq!(of(&[9, 1, 4, 1000]), Some((1, 6.5, 1000)));
        assert_eq!(of(&[3; 8]), Some((3, 3.0, 3)));
    }
}
