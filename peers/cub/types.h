// The vocabulary shared by every file: integer names, the empty value, and one split problem.
#pragma once
#include <cstddef>
#include <cstdint>

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

// The value type of a keys-only split. Keys only is pairs with nothing in the value, so every method is written once.
struct None {};

// Device pointers of one split. The value pointers are null when V is None.
template <class K, class V>
struct Split {
    const K* keys_in;
    K* keys_out;
    const V* values_in;
    V* values_out;
    u32 n;
};
