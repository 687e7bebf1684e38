#include "testdata.h"

#include "cuda_util.h"

#include <type_traits>

namespace {

constexpr u32 block_threads = 256;

u32 blocks_for(u32 n) { return (n + block_threads - 1) / block_threads; }

template <class V>
__global__ void write_indices(V* values, u32 n) {
    const u32 i = blockIdx.x * block_threads + threadIdx.x;
    if (i < n) {
        values[i] = i;
    }
}

template <class K, class V>
__global__ void compare(const K* keys_in, const u32* order, const K* keys_out, const V* values_out, u32 n,
                        bool backwards, unsigned long long* wrong) {
    const u32 i = blockIdx.x * block_threads + threadIdx.x;
    if (i >= n) {
        return;
    }
    const u32 source = order[backwards ? n - 1 - i : i];
    bool good = keys_out[i] == keys_in[source];
    if constexpr (!std::is_same_v<V, None>) {
        good = good && values_out[i] == source;
    }
    if (!good) {
        atomicAdd(wrong, 1ull);
    }
}

}  // namespace

template <class V>
void fill_indices(V* values, u32 n) {
    write_indices<<<blocks_for(n), block_threads>>>(values, n);
    check_cuda(cudaGetLastError(), "filling the values");
}

template <class K, class V>
u64 count_wrong(const K* keys_in, const u32* order, const K* keys_out, const V* values_out, u32 n, bool backwards) {
    if (n == 0) {
        return 0;
    }
    const DeviceArray<unsigned long long> wrong(std::vector<unsigned long long>{0});
    compare<<<blocks_for(n), block_threads>>>(keys_in, order, keys_out, values_out, n, backwards, wrong.data());
    check_cuda(cudaGetLastError(), "comparing with the reference");
    return wrong.to_host()[0];
}

template void fill_indices<u32>(u32*, u32);
template void fill_indices<u64>(u64*, u32);

#define INSTANTIATE(K, V) template u64 count_wrong<K, V>(const K*, const u32*, const K*, const V*, u32, bool);
INSTANTIATE(u32, None)
INSTANTIATE(u32, u32)
INSTANTIATE(u32, u64)
INSTANTIATE(u64, None)
INSTANTIATE(u64, u32)
INSTANTIATE(u64, u64)
