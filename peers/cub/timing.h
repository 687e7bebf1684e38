// Time per call by batch slope: the difference between a long and a short batch of back-to-back calls, so that the cost
// of the final synchronisation (the same in both) drops out.
#pragma once
#include "cuda_util.h"
#include "quartiles.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

constexpr int short_batch = 2;
// A long batch takes about this long, some 100 times of what the wait varies by.
constexpr double long_ms = 10;

template <class Call>
double batch_ms(Call call, int count) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) {
        call();
    }
    check_cuda(cudaDeviceSynchronize(), "timed call");
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// Quartiles of `runs` slopes, after a batch of warm-up.
template <class Call>
Quartiles milliseconds_per_call(Call call, int runs) {
    batch_ms(call, 20);
    std::vector<double> slopes;
    for (int run = 0; run < runs; ++run) {
        const double base = batch_ms(call, short_batch);
        const int more = std::clamp(static_cast<int>(long_ms * short_batch / base), 20, 200);
        slopes.push_back((batch_ms(call, short_batch + more) - base) / more);
    }
    return quartiles(std::move(slopes));
}
