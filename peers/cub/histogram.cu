// CUB's histograms: even bins and range bins. They count no samples outside their levels, and neither does the oracle.
//
// Compiled once for each value of the macro KEY (u32, u64 or float).
#include "cuda_util.h"
#include "histogram.h"
#include "input.h"
#include "report.h"
#include "timing.h"

#include <cub/device/device_histogram.cuh>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <thread>
#include <type_traits>
#include <vector>

namespace {

// The bins of one histogram: m + 1 levels, or the first and the last of them where they are even.
template <class K>
struct Bins {
    BucketKind kind;
    u32 m;
    std::vector<K> levels;

    bool inside(K key) const { return key >= levels.front() && key < levels.back(); }

    u32 bin_of(K key) const {
        if (kind == BucketKind::range) {
            return static_cast<u32>(std::upper_bound(levels.begin(), levels.end(), key) - levels.begin()) - 1;
        }
        const K distance = key - levels.front();
        const K span = levels.back() - levels.front();
        if constexpr (std::is_floating_point_v<K>) {
            return std::min(static_cast<u32>(distance * (static_cast<K>(m) / span)), m - 1);
        } else {
            return static_cast<u32>(static_cast<unsigned __int128>(distance) * m / span);
        }
    }
};

// How many keys each bin holds, counted on the host.
template <class K>
std::vector<u32> reference_counts(const std::vector<K>& keys, const Bins<K>& bins) {
    const size_t parts = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::vector<u32>> counts(parts, std::vector<u32>(bins.m, 0));
    std::vector<std::thread> threads;
    for (size_t part = 0; part < parts; ++part) {
        threads.emplace_back([&keys, &bins, &mine = counts[part], part, parts] {
            for (size_t i = keys.size() * part / parts; i < keys.size() * (part + 1) / parts; ++i) {
                if (bins.inside(keys[i])) {
                    ++mine[bins.bin_of(keys[i])];
                }
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (size_t part = 1; part < parts; ++part) {
        std::transform(counts[0].begin(), counts[0].end(), counts[part].begin(), counts[0].begin(), std::plus<u32>());
    }
    return counts[0];
}

template <class K>
Bins<K> read_bins(const Plan& plan, size_t i) {
    const u32 m = plan.buckets[i];
    const bool even = plan.kind == BucketKind::even;
    Bins<K> bins{plan.kind, m, read_keys<K>(plan.splitter_paths[even ? 0 : i], even ? 2 : size_t{m} + 1)};
    if (!std::is_sorted(bins.levels.begin(), bins.levels.end())) {
        throw std::runtime_error("the levels for " + std::to_string(m) + " bins are not ascending");
    }
    return bins;
}

// Follows CUB's calling convention: with temp == nullptr it only writes to bytes how much scratch memory it needs.
template <class K>
void histogram(void* temp, size_t& bytes, const K* keys, u32 n, const Bins<K>& bins, const K* levels, u32* counts) {
    const int samples = static_cast<int>(n);
    const int num_levels = static_cast<int>(bins.m) + 1;
    if (bins.kind == BucketKind::even) {
        check_cuda(cub::DeviceHistogram::HistogramEven(temp, bytes, keys, counts, num_levels, bins.levels.front(),
                                                       bins.levels.back(), samples),
                   "even histogram");
    } else {
        check_cuda(cub::DeviceHistogram::HistogramRange(temp, bytes, keys, counts, num_levels, levels, samples),
                   "range histogram");
    }
}

}  // namespace

template <class K>
void run_histograms(const Plan& plan) {
    const std::vector<K> host_keys = read_keys<K>(plan.keys_path, plan.n);
    const std::string device = plan.device_name.value_or(cuda_device_name());
    const DeviceArray<K> keys(host_keys);
    for (size_t i = 0; i < plan.buckets.size(); ++i) {
        const Bins<K> bins = read_bins<K>(plan, i);
        const DeviceArray<K> levels(bins.levels);
        const DeviceArray<u32> counts(bins.m);
        const auto call = [&](void* temp, size_t& bytes) {
            histogram(temp, bytes, keys.data(), plan.n, bins, levels.data(), counts.data());
        };
        size_t bytes = 0;
        call(nullptr, bytes);
        const DeviceArray<char> temp(bytes);
        counts.poison();
        const Quartiles ms = milliseconds_per_call([&] { call(temp.data(), bytes); }, plan.runs);
        const bool right = counts.to_host() == reference_counts(host_keys, bins);
        if (!right) {
            std::fprintf(stderr, "cub-peer: histogram, %s bins, m = %u, key %s: the counts are wrong\n",
                         plan.bucket.c_str(), bins.m, plan.key.c_str());
        }
        print_row(plan, device, Row{"histogram", "histogram", bins.m, nullptr, ms, right});
    }
}

template void run_histograms<KEY>(const Plan&);
