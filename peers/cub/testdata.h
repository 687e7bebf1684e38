// Device-side helpers around the timed calls: make the input values, check the outputs.
#pragma once
#include "types.h"

// values[i] = i
template <class V>
void fill_indices(V* values, u32 n);

// How many of the n outputs are not what the reference order says: output i must be the key (and value) of input
// order[i], or of order[n - 1 - i] when the outputs are read backwards.
template <class K, class V>
u64 count_wrong(const K* keys_in, const u32* order, const K* keys_out, const V* values_out, u32 n, bool backwards);
