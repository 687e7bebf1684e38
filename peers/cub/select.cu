// CUB's selection: the elements below a pivot, in their order. Stable, and what is not selected is not written.
//
// Compiled once for each value of the macro KEY (u32 or u64).
#include "below.h"
#include "cuda_util.h"
#include "methods.h"

#include <cub/device/device_select.cuh>

template <class K, class V>
void select_below(void* temp, size_t& bytes, const Split<K, V>& split, K pivot, u32* count) {
    const auto in = elements(split.keys_in, split.values_in);
    const auto out = elements(split.keys_out, split.values_out);
    const int n = static_cast<int>(split.n);
    check_cuda(cub::DeviceSelect::If(temp, bytes, in, out, count, n, Below<K>{pivot}), "selection");
}

#define INSTANTIATE(V) template void select_below<KEY, V>(void*, size_t&, const Split<KEY, V>&, KEY, u32*);
INSTANTIATE(None)
INSTANTIATE(u32)
INSTANTIATE(u64)
