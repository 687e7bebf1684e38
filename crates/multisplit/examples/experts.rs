//! Mixture-of-experts routing: the tokens of several sequences go to the experts that a router chose, sequence by
//! sequence, all in one call and without a copy to the host.
//!
//! `cargo run --example experts`

use multisplit::bucket::Identity;
use multisplit::{Column, Device, Multisplit, gather};

const EXPERTS: u32 = 8;
/// Activations of a token.
type Row = [f32; 16];

/// What a router might say of a token: an expert, and how much it is trusted.
fn route(token: u32) -> (u32, f32) {
    let hash = token.wrapping_mul(2_654_435_761) >> 12;
    (hash % EXPERTS, (hash % 100) as f32 / 100.0)
}

/// Routes 10,000 tokens of sequences of very different lengths, one of them empty.
pub fn run(device: &Device) -> multisplit::Result<()> {
    let lengths = [700usize, 4096, 0, 33, 5000, 171];
    let mut sequences = vec![0];
    sequences.extend(lengths.iter().scan(0, |sum, len| {
        *sum += len;
        Some(*sum)
    }));
    let tokens: Vec<u32> = (0..10_000).collect();
    let (experts, gates): (Vec<u32>, Vec<f32>) = tokens.iter().map(|&token| route(token)).unzip();
    let rows: Vec<Row> = tokens.iter().map(|&token| [token as f32; 16]).collect();

    // The layer before left all of this on the device.
    let (experts, gates, rows) = (device.upload(&experts)?, device.upload(&gates)?, device.upload(&rows)?);
    let n = tokens.len();
    let (mut experts_out, mut gates_out) = (device.alloc(n)?, device.alloc(n)?);
    let (mut permutation, mut rows_out) = (device.alloc(n)?, device.alloc::<Row>(n)?);

    // Once for all steps: room for as many tokens and sequences as there will be.
    let f = Identity::new(EXPERTS);
    let by = Multisplit::by(&f);
    let mut offsets = by.segment_offsets(device, lengths.len())?;
    let mut workspace = by.segment_workspace(device, n, lengths.len(), 2)?;

    // In each step, and nothing is waited for: the tokens of a sequence that go to one expert lie together.
    let columns = &mut [Column::new(&gates, &mut gates_out), Column::permutation(&mut permutation)];
    by.enqueue_segments(&experts, &sequences, &mut experts_out, columns, &mut offsets, &mut workspace)?;
    gather(&rows, &permutation, &mut rows_out)?;

    let offsets = offsets.read()?;
    let (gates, rows) = (gates_out.download()?, rows_out.download()?);
    println!("on {}:", device.info());
    for (s, len) in lengths.iter().enumerate() {
        let of_sequence = &offsets[s * EXPERTS as usize..=(s + 1) * EXPERTS as usize];
        let counts: Vec<usize> = of_sequence.windows(2).map(|pair| pair[1] - pair[0]).collect();
        println!("  sequence {s}: {len} tokens, for each expert {counts:?}");
        assert_eq!(counts.iter().sum::<usize>(), *len);
        for (expert, pair) in of_sequence.windows(2).enumerate() {
            let routed = pair[0]..pair[1];
            // In the order in which they came, each with its own weight and activations.
            assert!(rows[routed.clone()].is_sorted_by(|a, b| a[0] < b[0]));
            let theirs = rows[routed.clone()].iter().zip(&gates[routed]);
            assert!(theirs.into_iter().all(|(row, &gate)| route(row[0] as u32) == (expert as u32, gate)));
        }
    }
    Ok(())
}

#[allow(dead_code)] // the tests call `run`
fn main() -> multisplit::Result<()> {
    run(&Device::best())
}
