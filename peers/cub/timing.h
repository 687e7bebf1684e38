// Time per call by batch slope: the difference between a long and a short batch of back-to-back calls, so that the cost
// of the final synchronisation (the same in both) drops out.
#pragma once
#include "cuda_util.h"

#include <algorithm>
#include <chrono>
#include <vector>

constexpr int short_batch = 2;
constexpr int long_batch = 22;

template <class Call>
double batch_ms(Call call, int count) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) {
        call();
    }
    check_cuda(cudaDeviceSynchronize(), "timed call");
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// Median of `runs` slopes, after one long batch of warm-up.
template <class Call>
double milliseconds_per_call(Call call, int runs) {
    batch_ms(call, long_batch);
    std::vector<double> slopes;
    for (int run = 0; run < runs; ++run) {
        const double base = batch_ms(call, short_batch);
        slopes.push_back((batch_ms(call, long_batch) - base) / (long_batch - short_batch));
    }
    std::sort(slopes.begin(), slopes.end());
    const size_t middle = slopes.size() / 2;
    return slopes.size() % 2 == 1 ? slopes[middle] : (slopes[middle - 1] + slopes[middle]) / 2;
}
