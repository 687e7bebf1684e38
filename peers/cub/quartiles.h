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

// There must be times.
inline Quartiles quartiles(std::vector<double> times) {
    std::sort(times.begin(), times.end());
    const size_t last = times.size() - 1;
    const size_t middle = times.size() / 2;
    const double median = times.size() % 2 == 1 ? times[middle] : (times[middle - 1] + times[middle]) / 2;
    return {times[last / 4], median, times[last - last / 4]};
}
