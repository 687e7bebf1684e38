//! What can be seen from a block of ids at a glance.

/// A vector of bytes, on any machine so far.
const GROUP: usize = 64;

/// Whether neighbours mostly agree: fewer than one change of bucket in 16 rows.
///
/// Both passes are slowest when one bucket gets many rows in a row, because each row must wait for
/// the counter that the row before it wrote. Sorted and constant input is like that throughout,
/// and can be handled a run at a time instead.
#[inline(always)]
pub(super) fn in_runs(ids: &[u8]) -> bool {
    let later = ids.get(1..).unwrap_or(&[]);
    let mut changes = 0;
    // Short pieces, so that the sums fit in bytes and vectors hold as many as possible; whole
    // vectors, because single ids at the end would take as long as all the others.
    for (a, b) in ids.as_chunks::<GROUP>().0.iter().zip(later.as_chunks::<GROUP>().0) {
        let changed: u8 = a.iter().zip(b).map(|(a, b)| u8::from(a != b)).sum();
        changes += usize::from(changed);
    }
    changes * 16 < ids.len()
}

/// Length of the run of equal ids at the start; 0 only without ids.
#[inline(always)]
pub(super) fn run(ids: &[u8]) -> usize {
    let Some(&first) = ids.first() else { return 0 };
    let mut length = 0;
    for group in ids.as_chunks::<GROUP>().0 {
        if group.iter().fold(0, |mixed, &id| mixed | (id ^ first)) != 0 {
            break;
        }
        length += group.len();
    }
    length + ids[length..].iter().take_while(|&&id| id == first).count()
}
