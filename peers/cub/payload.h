// What a reduced-bit sort carries beside a label: the key alone, or the key and its value packed into one word.
#pragma once
#include "types.h"

// 16 bytes, for pairs that do not fit into 8.
struct alignas(16) WidePair {
    u64 key;
    u64 value;
};

inline __device__ u64 pack(u32 key, u32 value) { return static_cast<u64>(key) << 32 | value; }
inline __device__ WidePair pack(u32 key, u64 value) { return {key, value}; }
inline __device__ WidePair pack(u64 key, u32 value) { return {key, value}; }
inline __device__ WidePair pack(u64 key, u64 value) { return {key, value}; }

inline __device__ void unpack(u64 packed, u32& key, u32& value) {
    key = static_cast<u32>(packed >> 32);
    value = static_cast<u32>(packed);
}
template <class K, class V>
__device__ void unpack(WidePair packed, K& key, V& value) {
    key = static_cast<K>(packed.key);
    value = static_cast<V>(packed.value);
}
