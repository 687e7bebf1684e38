// Reduced-bit sort: write each key's bucket into an array of labels, sort the labels over ceil(log2 m) bits and carry
// the keys along. A key-value pair is packed into one word before the sort and unpacked after it.
#include "cuda_util.h"
#include "log2.h"
#include "methods.h"
#include "payload.h"

#include <type_traits>
#include <utility>

namespace {

constexpr u32 block_threads = 256;
constexpr u32 items_per_thread = 4;  // several loads in flight for each thread
constexpr u32 block_items = block_threads * items_per_thread;

u32 blocks_for(u32 n) { return (n + block_items - 1) / block_items; }

// Calls f(i) for the elements of this thread, neighbouring threads on neighbouring elements.
template <class F>
__device__ void for_each_item(u32 n, F f) {
    const u32 first = blockIdx.x * block_items + threadIdx.x;
#pragma unroll
    for (u32 item = 0; item < items_per_thread; ++item) {
        const u32 i = first + item * block_threads;
        if (i < n) {
            f(i);
        }
    }
}

template <class K, class Label, class Bucket>
__global__ void label_keys(const K* __restrict__ keys, Label* __restrict__ labels, u32 n, Bucket bucket) {
    for_each_item(n, [=](u32 i) { labels[i] = static_cast<Label>(bucket(keys[i])); });
}

template <class K, class V, class Label, class Packed, class Bucket>
__global__ void label_and_pack(const K* __restrict__ keys, const V* __restrict__ values, Label* __restrict__ labels,
                               Packed* __restrict__ packed, u32 n, Bucket bucket) {
    for_each_item(n, [=](u32 i) {
        const K key = keys[i];
        labels[i] = static_cast<Label>(bucket(key));
        packed[i] = pack(key, values[i]);
    });
}

template <class K, class V, class Packed>
__global__ void unpack_pairs(const Packed* __restrict__ packed, K* __restrict__ keys, V* __restrict__ values, u32 n) {
    for_each_item(n, [=](u32 i) { unpack(packed[i], keys[i], values[i]); });
}

// Hands out aligned pieces of the scratch memory; with a null base it only adds up their sizes.
struct Scratch {
    char* base;
    size_t used = 0;

    template <class T>
    T* take(size_t count) {
        T* piece = base == nullptr ? nullptr : reinterpret_cast<T*>(base + used);
        used += (count * sizeof(T) + 255) / 256 * 256;
        return piece;
    }
    void* rest() const { return base == nullptr ? nullptr : base + used; }
};

template <class Label, class K, class V, class Bucket>
void sort_by_label(void* temp, size_t& bytes, const Split<K, V>& split, Bucket bucket, int bits) {
    const u32 n = split.n;
    Scratch scratch{static_cast<char*>(temp)};
    Label* labels_in = scratch.take<Label>(n);
    Label* labels_out = scratch.take<Label>(n);

    // Measures the sort's own scratch memory in the first phase, runs the sort in the second.
    auto sort = [&](const auto* payload_in, auto* payload_out) {
        size_t sort_bytes = temp == nullptr ? 0 : bytes - scratch.used;
        sort_labels(scratch.rest(), sort_bytes, labels_in, labels_out, payload_in, payload_out, n, bits);
        bytes = scratch.used + sort_bytes;
    };

    if constexpr (std::is_same_v<V, None>) {
        if (temp != nullptr) {
            label_keys<<<blocks_for(n), block_threads>>>(split.keys_in, labels_in, n, bucket);
        }
        sort(split.keys_in, split.keys_out);
    } else {
        using Packed = decltype(pack(std::declval<K>(), std::declval<V>()));
        Packed* packed_in = scratch.take<Packed>(n);
        Packed* packed_out = scratch.take<Packed>(n);
        if (temp != nullptr) {
            label_and_pack<<<blocks_for(n), block_threads>>>(split.keys_in, split.values_in, labels_in, packed_in, n,
                                                             bucket);
        }
        sort(packed_in, packed_out);
        if (temp != nullptr) {
            unpack_pairs<<<blocks_for(n), block_threads>>>(packed_out, split.keys_out, split.values_out, n);
        }
    }
    check_cuda(cudaGetLastError(), "reduced-bit sort");
}

}  // namespace

template <class K, class V, class Bucket>
void reduced_bit_sort(void* temp, size_t& bytes, const Split<K, V>& split, Bucket bucket, u32 m) {
    // The narrowest label that holds m buckets: every label is written once and moved once per pass.
    if (m <= 256) {
        sort_by_label<u8>(temp, bytes, split, bucket, ceil_log2(m));
    } else if (m <= 65536) {
        sort_by_label<u16>(temp, bytes, split, bucket, ceil_log2(m));
    } else {
        sort_by_label<u32>(temp, bytes, split, bucket, ceil_log2(m));
    }
}

#define INSTANTIATE(K, V, Bucket) \
    template void reduced_bit_sort<K, V, Bucket<K>>(void*, size_t&, const Split<K, V>&, Bucket<K>, u32);
#define INSTANTIATE_KEY(K, Bucket) \
    INSTANTIATE(K, None, Bucket)   \
    INSTANTIATE(K, u32, Bucket)    \
    INSTANTIATE(K, u64, Bucket)
#define INSTANTIATE_BUCKET(Bucket) \
    INSTANTIATE_KEY(u32, Bucket)   \
    INSTANTIATE_KEY(u64, Bucket)
INSTANTIATE_BUCKET(Delta)
INSTANTIATE_BUCKET(Identity)
INSTANTIATE_BUCKET(Splitters)
