#pragma once
#include "types.h"

// The number of bits that number m buckets.
inline int ceil_log2(u32 m) {
    int bits = 0;
    while ((u64{1} << bits) < m) {
        ++bits;
    }
    return bits;
}
