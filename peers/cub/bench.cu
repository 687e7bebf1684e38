#include "bench.h"

#include "input.h"
#include "log2.h"
#include "runner.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

namespace {

struct BitRange {
    int begin;
    int end;
};

// The bits of the key that are its bucket number, where there are such bits.
template <class K>
std::optional<BitRange> bucket_bits(const HostBuckets<K>& buckets) {
    const int bits = ceil_log2(buckets.m);
    const int key_bits = 8 * sizeof(K);
    if (buckets.kind == BucketKind::identity) {
        return BitRange{0, bits};
    }
    const bool power_of_two = (buckets.m & (buckets.m - 1)) == 0;
    if (buckets.kind == BucketKind::delta && power_of_two) {
        return BitRange{key_bits - bits, key_bits};
    }
    return std::nullopt;
}

template <class K, class V, class Bucket>
void run_methods(const Problem<K>& problem, Bucket bucket) {
    Runner<K, V> runner(problem);
    const Split<K, V> split = runner.split();
    const u32 m = problem.m();

#if CUB_PEER_HAS_ONESWEEP
    if (m <= max_onesweep_buckets) {
        runner.stable("onesweep", [&](void* temp, size_t& bytes) { onesweep(temp, bytes, split, bucket, m); });
    }
#endif
    if (const std::optional<BitRange> bits = bucket_bits(problem.buckets)) {
        runner.stable("radix-sort",
                      [&](void* temp, size_t& bytes) { radix_sort(temp, bytes, split, bits->begin, bits->end); });
    }
    runner.stable("reduced-bit-sort",
                  [&](void* temp, size_t& bytes) { reduced_bit_sort(temp, bytes, split, bucket, m); });
    if (m <= 3) {
        runner.partition();
    }
}

// CUB's radix sort of the whole key.
template <class K, class V>
void run_sort(const Problem<K>& problem) {
    Runner<K, V> runner(problem);
    const Split<K, V> split = runner.split();
    runner.stable("radix-sort", [&](void* temp, size_t& bytes) { radix_sort(temp, bytes, split, 0, 8 * sizeof(K)); },
                  "sort");
}

// CUB's partition, and its selection of the first of two parts.
template <class K, class V>
void run_partition(const Problem<K>& problem) {
    Runner<K, V> runner(problem);
    runner.partition();
    if (problem.m() == 2) {
        runner.select();
    }
}

template <class K, class V>
void run_bucket(const Problem<K>& problem) {
    if (problem.plan.op == "sort") {
        return run_sort<K, V>(problem);
    }
    if (problem.plan.op == "partition") {
        return run_partition<K, V>(problem);
    }
    const u32 m = problem.m();
    switch (problem.buckets.kind) {
        case BucketKind::delta:
            return run_methods<K, V>(problem, Delta<K>{m});
        case BucketKind::identity:
            return run_methods<K, V>(problem, Identity<K>{m - 1});
        default:
            break;
    }
    const u32 count = m - 1;
    u32 top_step = 1;
    while (top_step <= count / 2) {
        top_step *= 2;
    }
    run_methods<K, V>(problem, Splitters<K>{problem.splitters, count, top_step});
}

// Reads the bucket parameters of every m before anything is timed, so that bad input is found at once.
template <class K>
std::vector<HostBuckets<K>> read_buckets(const Plan& plan, const std::vector<K>& keys) {
    std::vector<HostBuckets<K>> all;
    const K largest = *std::max_element(keys.begin(), keys.end());
    for (size_t i = 0; i < plan.buckets.size(); ++i) {
        HostBuckets<K> buckets{plan.kind, plan.buckets[i], {}};
        if (plan.kind == BucketKind::identity && largest >= buckets.m) {
            throw std::runtime_error("identity buckets: key " + std::to_string(largest) + " is not below m = " +
                                     std::to_string(buckets.m));
        }
        if (plan.kind == BucketKind::splitters) {
            buckets.splitters = read_keys<K>(plan.splitter_paths[i], buckets.m - 1);
            if (!std::is_sorted(buckets.splitters.begin(), buckets.splitters.end())) {
                throw std::runtime_error("the splitters in '" + plan.splitter_paths[i] + "' are not ascending");
            }
        }
        all.push_back(std::move(buckets));
    }
    return all;
}

}  // namespace

template <class K>
void run_plan(const Plan& plan) {
    const std::vector<K> host_keys = read_keys<K>(plan.keys_path, plan.n);
    const std::vector<HostBuckets<K>> all_buckets = read_buckets(plan, host_keys);
    const std::string device = plan.device_name.value_or(cuda_device_name());
    const DeviceArray<K> keys(host_keys);
#if !CUB_PEER_HAS_ONESWEEP
    if (plan.op == "split") {
        std::fputs("cub-peer: this version of CUB hides its onesweep pass, so there are no rows for it\n", stderr);
    }
#endif

    for (const HostBuckets<K>& buckets : all_buckets) {
        const Reference reference = plan.op == "sort" ? stable_sort(host_keys) : stable_split(host_keys, buckets);
        const DeviceArray<u32> order(reference.order);
        const DeviceArray<K> splitters(buckets.splitters);
        const Problem<K> problem{plan,         device,      buckets,         reference.starts,
                                 order.data(), keys.data(), splitters.data()};
        for (const std::string& value : plan.values) {
            if (value == "none") {
                run_bucket<K, None>(problem);
            } else if (value == "u32") {
                run_bucket<K, u32>(problem);
            } else {
                run_bucket<K, u64>(problem);
            }
        }
    }
}

template void run_plan<u32>(const Plan&);
template void run_plan<u64>(const Plan&);
