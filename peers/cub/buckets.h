// The bucket functions as the device kernels call them. The host oracle in reference.h states them a second time, on
// purpose, so that a mistake here cannot hide.
//
// All three send the all-ones key to the last bucket. The onesweep pass needs that: it pads its last tile with it.
#pragma once
#include "types.h"

// floor(key * m / 2^bits)
template <class K>
struct Delta {
    u32 m;

    __device__ u32 operator()(K key) const {
        if constexpr (sizeof(K) == 4) {
            return __umulhi(key, m);
        } else {
            return static_cast<u32>(__umul64hi(key, m));
        }
    }
};

// The key itself. The input holds keys below m only; the clamp is there for the padding key.
template <class K>
struct Identity {
    u32 last;

    __device__ u32 operator()(K key) const { return key < last ? static_cast<u32>(key) : last; }
};

// How many of the ascending splitters are at most the key.
template <class K>
struct Splitters {
    const K* table;
    u32 count;
    u32 top_step;  // the largest power of two that is at most count

    __device__ u32 operator()(K key) const {
        u32 below = 0;
        for (u32 step = top_step; step > 0; step /= 2) {
            const u32 next = below + step;
            if (next <= count && __ldg(table + next - 1) <= key) {
                below = next;
            }
        }
        return below;
    }
};
