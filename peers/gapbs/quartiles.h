// The median of some times, and the quartiles around it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

struct Quartiles {
    double low;
    double median;
    double high;
};

// As those of the other rows: each is one of the times, and of fewer than five times the outer ones are the extremes.
// There must be times.
inline Quartiles quartiles(std::vector<double> times) {
    std::sort(times.begin(), times.end());
    const size_t last = times.size() - 1;
    return {times[last / 4], times[times.size() / 2], times[last - last / 4]};
}
