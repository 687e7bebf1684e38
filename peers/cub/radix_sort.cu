// CUB's radix sort, restricted to the bits that name the bucket.
//
// Compiled once for each value of the macro KEY (u32 or u64).
#include "cuda_util.h"
#include "methods.h"

#include <cub/device/device_radix_sort.cuh>

#include <type_traits>

template <class K, class V>
void radix_sort(void* temp, size_t& bytes, const Split<K, V>& split, int begin_bit, int end_bit) {
    cudaError_t status;
    if constexpr (std::is_same_v<V, None>) {
        status = cub::DeviceRadixSort::SortKeys(temp, bytes, split.keys_in, split.keys_out, split.n, begin_bit,
                                                end_bit);
    } else {
        status = cub::DeviceRadixSort::SortPairs(temp, bytes, split.keys_in, split.keys_out, split.values_in,
                                                 split.values_out, split.n, begin_bit, end_bit);
    }
    check_cuda(status, "radix sort");
}

#define INSTANTIATE(V) template void radix_sort<KEY, V>(void*, size_t&, const Split<KEY, V>&, int, int);
INSTANTIATE(None)
INSTANTIATE(u32)
INSTANTIATE(u64)
