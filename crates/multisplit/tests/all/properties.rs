//! Properties, on random inputs of random shape.

use crate::common::{Way, all_cases, check, check_keys, gpu};
use multisplit::bucket::{Hash, Splitters};
use multisplit::{Device, Method, Policy};
use proptest::prelude::*;

/// So many cases, unless `MULTISPLIT_PROPERTY_CASES` says how many.
fn configuration(cases: u32) -> ProptestConfig {
    let said = std::env::var("MULTISPLIT_PROPERTY_CASES").ok();
    let cases = said.map_or(cases, |text| text.parse().unwrap_or_else(|_| panic!("MULTISPLIT_PROPERTY_CASES: {text}")));
    // Failures are printed; they need not be kept in a file.
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Keys per unit: what is unrolled for each takes software devices long to compile.
fn most_items() -> u32 {
    if all_cases() { 8 } else { 4 }
}

fn methods() -> impl Strategy<Value = Method> {
    prop::sample::select(vec![Method::Auto, Method::Direct, Method::WarpLevel, Method::BlockLevel])
}

proptest! {
    #![proptest_config(configuration(48))]

    #[test]
    fn any_input_any_shape_on_the_cpu(keys in prop::collection::vec(any::<u32>(), 0..20_000), m in 1u32..=256) {
        check(&Way::new(&Device::cpu(), Method::Auto), &keys, &Hash::new(m, 1));
    }

    #[test]
    fn splitters_agree_with_a_linear_search(
        mut splitters in prop::collection::vec(any::<i32>(), 0..255),
        keys in prop::collection::vec(any::<i32>(), 0..50),
    ) {
        use multisplit::bucket::BucketFn;
        splitters.sort_unstable();
        let f = Splitters::new(&splitters).unwrap();
        for key in keys.into_iter().chain(splitters.clone()) {
            prop_assert_eq!(f.bucket(key) as usize, splitters.iter().filter(|&&s| s <= key).count());
        }
    }
}

// Nearly every shape is another kernel, which takes seconds to compile.
proptest! {
    #![proptest_config(configuration(8))]

    #[test]
    fn any_input_any_shape_on_the_gpu(
        keys in prop::collection::vec(any::<u32>(), 0..4000),
        m in 1u32..=256,
        method in methods(),
        planes in 1u32..4,
        items in 1..=most_items(),
        cubes in 1u32..5,
        digit_bits in 4u32..=7,
    ) {
        if let Some(device) = gpu("any_input_any_shape_on_the_gpu") {
            let mut policy = Policy::new(planes, items, cubes);
            policy.digit_bits = digit_bits;
            let way = Way::new(device, method).shaped(policy);
            // With fewer columns, fewer kernels.
            let check = if all_cases() { check } else { check_keys };
            check(&way, &keys, &Hash::new(m.min(way.max_buckets()), 1));
        }
    }
}
