use crate::random::Random;

/// Random words.
pub fn uniform(n: usize, seed: u64) -> Vec<u32> {
    let mut random = Random::new(seed);
    (0..n).map(|_| random.next_u32()).collect()
}

/// Random ids of `m` buckets, the same every time.
pub fn ids(n: usize, m: u32) -> Vec<u32> {
    let mut random = Random::new(m.into());
    (0..n).map(|_| random.below(m)).collect()
}

/// Ids of `m` buckets by distribution, each with its name.
pub fn distributions(n: usize, m: u32, seed: u64) -> Vec<(&'static str, Vec<u32>)> {
    let mut random = Random::new(seed);
    let mut each =
        |f: &mut dyn FnMut(&mut Random, usize) -> u32| -> Vec<u32> { (0..n).map(|i| f(&mut random, i)).collect() };
    let last = m - 1;
    let mut sorted = each(&mut |r, _| r.below(m));
    sorted.sort_unstable();
    let reversed = sorted.iter().rev().copied().collect();
    vec![
        ("uniform", each(&mut |r, _| r.below(m))),
        ("first bucket", vec![0; n]),
        ("last bucket", vec![last; n]),
        ("alternating", each(&mut |_, i| if i % 2 == 0 { 0 } else { last })),
        ("cyclic", each(&mut |_, i| i as u32 % m)),
        ("sorted", sorted),
        ("reversed", reversed),
        ("binomial", each(&mut |r, _| (0..last).map(|_| r.next_u32() & 1).sum())),
        ("a quarter uniform, the rest in one", each(&mut |r, _| if r.below(4) == 0 { r.below(m) } else { last / 2 })),
        (
            "zipf",
            each(&mut |r, _| {
                let u = f64::from(r.next_u32()) / 4_294_967_296.0;
                ((f64::from(m + 1)).powf(u) - 1.0).min(f64::from(last)) as u32
            }),
        ),
        ("first and last empty", each(&mut |r, _| if m > 2 { 1 + r.below(m - 2) } else { r.below(m) })),
    ]
}

/// Floats that are easily got wrong, among random ones: NaN, infinities, both zeros, subnormal numbers.
pub fn floats(n: usize, seed: u64) -> Vec<f32> {
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        f32::NAN,
        -f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MIN,
        f32::MAX,
        f32::MIN_POSITIVE,
        -f32::MIN_POSITIVE,
        f32::from_bits(1),
        f32::from_bits(0x8000_0001),
    ];
    let mut random = Random::new(seed);
    (0..n)
        .map(|_| match random.below(4) {
            0 => special[random.below(special.len() as u32) as usize],
            1 => f32::from_bits(random.next_u32()),
            _ => (random.next_u32() as f32 / 4e9 - 0.5) * 40.0,
        })
        .collect()
}
