// The oracle: the bucket functions and the stable split, computed on the host without any code of the device.
#pragma once
#include "plan.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

template <class K>
struct HostBuckets {
    BucketKind kind;
    u32 m;
    std::vector<K> splitters;

    u32 bucket_of(K key) const {
        switch (kind) {
            case BucketKind::delta:
                return static_cast<u32>(static_cast<unsigned __int128>(key) * m >> (8 * sizeof(K)));
            case BucketKind::identity:
                return static_cast<u32>(key);
            default:
                break;
        }
        return static_cast<u32>(std::upper_bound(splitters.begin(), splitters.end(), key) - splitters.begin());
    }

    // The smallest key whose bucket is at least `bucket`, for bucket from 1 to m - 1.
    K first_key_of(u32 bucket) const {
        switch (kind) {
            case BucketKind::delta: {
                const unsigned __int128 keys = static_cast<unsigned __int128>(1) << (8 * sizeof(K));
                return static_cast<K>((keys * bucket + m - 1) / m);
            }
            case BucketKind::identity:
                return static_cast<K>(bucket);
            default:
                break;
        }
        return splitters[bucket - 1];
    }
};

struct Reference {
    std::vector<u32> order;   // output position -> input position
    std::vector<u32> starts;  // bucket -> first output position; one more entry, n, at the end
};

// The stable order of the keys themselves.
template <class K>
Reference stable_sort(const std::vector<K>& keys) {
    Reference reference;
    reference.order.resize(keys.size());
    std::iota(reference.order.begin(), reference.order.end(), 0u);
    std::stable_sort(reference.order.begin(), reference.order.end(), [&](u32 a, u32 b) { return keys[a] < keys[b]; });
    return reference;
}

// A counting sort. Each thread takes one chunk of the input; within a bucket, chunks keep their order.
template <class K>
Reference stable_split(const std::vector<K>& keys, const HostBuckets<K>& buckets) {
    const size_t n = keys.size();
    const size_t m = buckets.m;
    const size_t chunks = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::vector<u32>> cursors(chunks, std::vector<u32>(m, 0));

    const auto for_each_chunk = [&](auto work) {
        std::vector<std::thread> threads;
        for (size_t chunk = 0; chunk < chunks; ++chunk) {
            threads.emplace_back(work, n * chunk / chunks, n * (chunk + 1) / chunks, std::ref(cursors[chunk]));
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
    };

    for_each_chunk([&](size_t begin, size_t end, std::vector<u32>& cursor) {
        for (size_t i = begin; i < end; ++i) {
            ++cursor[buckets.bucket_of(keys[i])];
        }
    });

    Reference reference;
    u32 position = 0;
    for (size_t bucket = 0; bucket < m; ++bucket) {
        reference.starts.push_back(position);
        for (std::vector<u32>& cursor : cursors) {
            const u32 count = cursor[bucket];
            cursor[bucket] = position;
            position += count;
        }
    }
    reference.starts.push_back(position);

    reference.order.resize(n);
    for_each_chunk([&](size_t begin, size_t end, std::vector<u32>& cursor) {
        for (size_t i = begin; i < end; ++i) {
            reference.order[cursor[buckets.bucket_of(keys[i])]++] = static_cast<u32>(i);
        }
    });
    return reference;
}
