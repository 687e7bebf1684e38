// Times one method after another on one problem and one value type.
#pragma once
#include "cuda_util.h"
#include "methods.h"
#include "reference.h"
#include "report.h"
#include "testdata.h"
#include "timing.h"

#include <cstdio>
#include <string>
#include <type_traits>
#include <vector>

// One number of buckets over the given keys. The pointers are device pointers.
template <class K>
struct Problem {
    const Plan& plan;
    const std::string& device;
    const HostBuckets<K>& buckets;
    const std::vector<u32>& starts;  // of the reference
    const u32* order;                // of the reference
    const K* keys;
    const K* splitters;

    u32 m() const { return buckets.m; }
};

template <class V>
const char* value_name() {
    if constexpr (std::is_same_v<V, None>) {
        return nullptr;
    }
    return std::is_same_v<V, u32> ? "u32" : "u64";
}

// One problem with one value type: owns the buffers, times a method, checks its outputs and prints the row.
template <class K, class V>
class Runner {
  public:
    explicit Runner(const Problem<K>& problem)
        : problem_(problem),
          n_(problem.plan.n),
          values_in_(keys_only ? 0 : n_),
          keys_out_(outputs()),
          values_out_(keys_only ? 0 : outputs()),
          counts_(2) {
        if constexpr (!keys_only) {
            fill_indices(values_in_.data(), n_);
        }
    }

    Split<K, V> split() const { return {problem_.keys, keys_out_.data(), values_in_.data(), values_out_.data(), n_}; }

    // A stable method: the whole output must follow the reference.
    template <class Call>
    void stable(const char* method, Call call, const char* op = "split") {
        const Quartiles ms = time(call);
        report(op, method, ms, wrong_in_part(0, n_, 0, false));
    }

    void partition() {
        const Split<K, V> s = split();
        const K pivot0 = problem_.buckets.first_key_of(1);
        if (problem_.m() == 2) {
            const Quartiles ms =
                time([&](void* temp, size_t& bytes) { partition_two_way(temp, bytes, s, pivot0, counts_.data()); });
            report("partition", "partition", ms, wrong_in_partition(false));
        } else {
            const K pivot1 = problem_.buckets.first_key_of(2);
            const Quartiles ms = time([&](void* temp, size_t& bytes) {
                partition_three_way(temp, bytes, s, pivot0, pivot1, counts_.data());
            });
            report("partition", "partition", ms, wrong_in_partition(true));
        }
    }

    // The first of two buckets; what lies behind it in the outputs is not looked at.
    void select() {
        const Split<K, V> s = split();
        const K pivot = problem_.buckets.first_key_of(1);
        const Quartiles ms =
            time([&](void* temp, size_t& bytes) { select_below(temp, bytes, s, pivot, counts_.data()); });
        const u32 selected = problem_.starts[1];
        const u64 wrong_count = counts_.to_host()[0] != selected ? 1 : 0;
        report("select", "select", ms, wrong_count + wrong_in_part(0, selected, 0, false));
    }

  private:
    static constexpr bool keys_only = std::is_same_v<V, None>;

    // The three-way partition needs an output of full length for each part.
    size_t outputs() const { return problem_.m() == 3 ? size_t{3} * n_ : n_; }

    template <class Call>
    Quartiles time(Call call) {
        size_t bytes = 0;
        call(nullptr, bytes);
        const DeviceArray<char> temp(bytes);
        keys_out_.poison();
        values_out_.poison();
        counts_.poison();
        return milliseconds_per_call([&] { call(temp.data(), bytes); }, problem_.plan.runs);
    }

    // Compares the outputs from position `at` on with the reference positions [begin, end).
    u64 wrong_in_part(u32 begin, u32 end, size_t at, bool backwards) const {
        const V* values = keys_only ? nullptr : values_out_.data() + at;
        return count_wrong(problem_.keys, problem_.order + begin, keys_out_.data() + at, values, end - begin,
                           backwards);
    }

    // CUB promises order in every part but the last, which it reverses. The last part counts as right in either order,
    // so that a version that keeps it in order is not called wrong.
    u64 wrong_in_partition(bool separate_outputs) const {
        const std::vector<u32>& starts = problem_.starts;
        const std::vector<u32> counts = counts_.to_host();
        u64 wrong = 0;
        for (u32 part = 0; part < problem_.m(); ++part) {
            const u32 begin = starts[part];
            const u32 end = starts[part + 1];
            const size_t at = separate_outputs ? size_t{part} * n_ : begin;
            const bool last = part + 1 == problem_.m();
            if (!last && counts[part] != end - begin) {
                ++wrong;
            }
            u64 wrong_here = wrong_in_part(begin, end, at, false);
            if (last && wrong_here > 0) {
                wrong_here = wrong_in_part(begin, end, at, true);
            }
            wrong += wrong_here;
        }
        return wrong;
    }

    void report(const char* op, const char* method, Quartiles ms, u64 wrong) const {
        const Plan& plan = problem_.plan;
        const char* value = value_name<V>();
        if (wrong > 0) {
            std::fprintf(stderr, "cub-peer: %s, %s buckets, m = %u, key %s, value %s: %llu results are wrong\n", method,
                         plan.bucket.c_str(), problem_.m(), plan.key.c_str(), value != nullptr ? value : "none",
                         static_cast<unsigned long long>(wrong));
        }
        print_row(plan, problem_.device, Row{op, method, problem_.m(), value, ms, wrong == 0});
    }

    const Problem<K>& problem_;
    u32 n_;
    DeviceArray<V> values_in_;
    DeviceArray<K> keys_out_;
    DeviceArray<V> values_out_;
    DeviceArray<u32> counts_;
};
