// CUB's two-way and three-way partition. Not stable: CUB writes the last part in reverse order.
//
// Compiled once for each value of the macro KEY (u32 or u64).
#include "below.h"
#include "cuda_util.h"
#include "methods.h"

#include <cub/device/device_partition.cuh>

template <class K, class V>
void partition_two_way(void* temp, size_t& bytes, const Split<K, V>& split, K pivot, u32* counts) {
    const auto in = elements(split.keys_in, split.values_in);
    const auto out = elements(split.keys_out, split.values_out);
    const int n = static_cast<int>(split.n);
    check_cuda(cub::DevicePartition::If(temp, bytes, in, out, counts, n, Below<K>{pivot}), "two-way partition");
}

template <class K, class V>
void partition_three_way(void* temp, size_t& bytes, const Split<K, V>& split, K pivot0, K pivot1, u32* counts) {
    const auto in = elements(split.keys_in, split.values_in);
    const auto first = elements(split.keys_out, split.values_out);
    const auto second = first + split.n;
    const auto third = second + split.n;
    const int n = static_cast<int>(split.n);
    check_cuda(cub::DevicePartition::If(temp, bytes, in, first, second, third, counts, n, Below<K>{pivot0},
                                        Below<K>{pivot1}),
               "three-way partition");
}

#define INSTANTIATE(V)                                                                             \
    template void partition_two_way<KEY, V>(void*, size_t&, const Split<KEY, V>&, KEY, u32*);      \
    template void partition_three_way<KEY, V>(void*, size_t&, const Split<KEY, V>&, KEY, KEY, u32*);
INSTANTIATE(None)
INSTANTIATE(u32)
INSTANTIATE(u64)
