//! What a sort splits its rows between.

/// The most ranges of equal counts. With a bucket for each number that there are many of, it is a split of one pass.
const MOST_RANGES: u64 = 127;

/// Words of a sample. More would tell little more.
pub const MOST_SAMPLED: usize = 1 << 16;
/// Rows that are read together.
pub const BLOCK: usize = 64;

/// Returns the first words of all buckets but the first, for so many rows, so that most buckets have less than `piece`.
/// `sample` has some of the words in ascending order; all are from `least` to `most`. A word that the sample has more
/// than once gets a bucket of its own, and no bucket has all rows unless they are equal.
pub fn splitters(sample: &[u64], rows: u64, piece: usize, (least, most): (u64, u64)) -> Vec<u64> {
    // Half full on the average, since a sample is not exact.
    let ranges = (2 * rows.div_ceil(piece as u64)).clamp(2, MOST_RANGES) as usize;
    let mut found = Vec::new();
    for range in 1..ranges {
        let at = range * sample.len() / ranges;
        let word = sample[at];
        found.push(word);
        let again = (at > 0 && sample[at - 1] == word) || sample.get(at + 1) == Some(&word);
        if again && word < most {
            found.push(word + 1);
        }
    }
    found.sort_unstable();
    found.dedup();
    found.retain(|&word| word > least);
    found
}

/// Returns the least and the greatest word of each bucket.
pub fn ranges(splitters: &[u64], (least, most): (u64, u64)) -> Vec<(u64, u64)> {
    let starts = std::iter::once(least).chain(splitters.iter().copied());
    let ends = splitters.iter().map(|&word| word - 1).chain(std::iter::once(most));
    starts.zip(ends).collect()
}

/// Returns where the blocks of a sample begin, of so many rows.
pub fn blocks(rows: u64, piece: usize) -> Vec<u64> {
    let wanted = piece.clamp(4 * BLOCK, MOST_SAMPLED) as u64;
    if rows <= wanted {
        return (0..rows).step_by(BLOCK).collect();
    }
    let (count, last) = (wanted / BLOCK as u64, rows - BLOCK as u64);
    // The product may have more than 64 bits.
    (0..count).map(|i| (u128::from(last) * u128::from(i) / u128::from(count - 1)) as u64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_become_smaller() {
        assert_eq!(splitters(&[1, 2, 3, 4], 100, 100, (0, 9)), [3]);
        assert_eq!(splitters(&[5, 5, 5, 9], 100, 100, (5, 9)), [6], "those that are 5 are known to be equal");
        assert_eq!(splitters(&[5, 5, 5, 9], 100, 100, (0, 9)), [5, 6]);
        assert_eq!(splitters(&[7, 7], 100, 100, (0, 7)), [7]);
        assert_eq!(ranges(&[5, 6], (0, 9)), [(0, 4), (5, 5), (6, 9)]);
        let many: Vec<u64> = (0..1000).collect();
        let found = splitters(&many, 1 << 40, 1 << 10, (0, 999));
        assert!(found.len() <= 255 && found.is_sorted_by(|a, b| a < b), "{found:?}");
        let twice: Vec<u64> = (0..1000).map(|i| i / 2 * 3).collect();
        assert!(splitters(&twice, 1 << 40, 1 << 10, (0, u64::MAX)).len() <= 255);
    }

    #[test]
    fn samples_are_from_everywhere() {
        assert_eq!(blocks(130, 1000), [0, 64, 128]);
        let many = blocks(1 << 40, 1 << 20);
        assert_eq!((many.len(), many[0], many[1023]), (1024, 0, (1 << 40) - 64));
    }
}
