//! Buckets as the work of threads: batches of neighbours, and those that are too large.

use super::rows::Rows;
use crate::error::Result;
use crate::memory::allocate;
use bytemuck::Pod;

/// Neighbouring parts of a table.
pub(super) struct Batch<'a, 'b, K> {
    pub rows: Rows<'a, K>,
    /// Where the parts begin in the table, and where the last one ends.
    pub offsets: &'b [usize],
}

impl<'a, K: Pod + Send + Sync> Rows<'a, K> {
    /// The table cut at the inner offsets: batches of neighbouring parts of at most `most` rows, and the larger parts.
    /// A batch takes parts until it has at least `enough` rows.
    pub(super) fn cut<'b>(
        mut self,
        offsets: &'b [usize],
        most: usize,
        enough: usize,
    ) -> Result<(Vec<Batch<'a, 'b, K>>, Vec<Self>)> {
        let is_large = |part: usize| offsets[part + 1] - offsets[part] > most;
        let parts = offsets.len() - 1;
        let count = (0..parts).filter(|&part| is_large(part)).count();
        let (mut batches, mut large) = (allocate::with_room(parts - count)?, allocate::with_room(count)?);
        let mut start = 0;
        while start < parts {
            let mut end = start + 1;
            if !is_large(start) {
                end += (end..parts).take_while(|&p| !is_large(p) && offsets[p] - offsets[start] < enough).count();
            }
            let rows = self.take_first(offsets[end] - offsets[start])?;
            if is_large(start) {
                large.push(rows);
            } else {
                batches.push(Batch { rows, offsets: &offsets[start..=end] });
            }
            start = end;
        }
        Ok((batches, large))
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::DoubleSlice;
    use super::*;

    /// The lengths of the parts of each batch, and of the larger parts.
    fn cut(offsets: &[usize], most: usize, enough: usize) -> (Vec<Vec<usize>>, Vec<usize>) {
        let n = offsets[offsets.len() - 1];
        let (mut data, mut room): (Vec<usize>, _) = ((0..n).collect(), vec![0; n]);
        let rows = Rows { keys: DoubleSlice { data: &mut data, room: &mut room }, values: Vec::new() };
        let (batches, large) = rows.cut(offsets, most, enough).unwrap();
        for batch in &batches {
            let ends = batch.offsets[0]..batch.offsets[batch.offsets.len() - 1];
            assert!(batch.rows.keys.data.iter().copied().eq(ends.clone()));
            assert_eq!(batch.rows.keys.room.len(), ends.len());
        }
        let lengths = |batch: &Batch<'_, '_, usize>| batch.offsets.windows(2).map(|pair| pair[1] - pair[0]).collect();
        (batches.iter().map(lengths).collect(), large.iter().map(|rows| rows.keys.data.len()).collect())
    }

    #[test]
    fn batches_are_of_neighbours() {
        assert_eq!(cut(&[0, 2, 4, 6, 7], 5, 4), (vec![vec![2, 2], vec![2, 1]], vec![]));
        assert_eq!(cut(&[0, 2, 10, 10, 13, 20], 5, 4), (vec![vec![2], vec![0, 3]], vec![8, 7]));
        assert_eq!(cut(&[0, 3, 6], 5, 0), (vec![vec![3], vec![3]], vec![]));
        assert_eq!(cut(&[0, 3, 6], 5, 100), (vec![vec![3, 3]], vec![]));
        assert_eq!(cut(&[0, 6, 12], 5, 100), (vec![], vec![6, 6]));
        assert_eq!(cut(&[0, 0], 5, 0), (vec![vec![0]], vec![]));
    }
}
