// What partitions and selections ask of an element, and how a key and its value are one.
//
// Every bucket function here grows with the key, so "bucket < b" is "key < the smallest key of bucket b". A comparison
// with each pivot is the least that CUB can be asked to do.
#pragma once
#include "types.h"

#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <type_traits>

template <class K>
struct Below {
    K pivot;

    __host__ __device__ bool operator()(K key) const { return key < pivot; }
    template <class V>
    __host__ __device__ bool operator()(const thrust::tuple<K, V>& pair) const {
        return thrust::get<0>(pair) < pivot;
    }
};

// Keys alone, or keys zipped with their values.
template <class K, class V>
auto elements(K* keys, V* values) {
    if constexpr (std::is_same_v<std::remove_const_t<V>, None>) {
        return keys;
    } else {
        return thrust::make_zip_iterator(thrust::make_tuple(keys, values));
    }
}
