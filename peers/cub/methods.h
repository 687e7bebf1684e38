// The ways to split with CUB. Each follows CUB's own calling convention: with temp == nullptr it only writes to bytes
// how much scratch memory it needs; otherwise it enqueues the work on the default stream. Errors are thrown.
//
// The definitions are in one .cu file per method and instantiated there, so that this header costs nothing to include
// and the slow templates compile in parallel.
#pragma once
#include "buckets.h"
#include "types.h"

#include <cub/version.cuh>

// From version 3.3 on, CUB keeps its tuning structs where the onesweep pass cannot be given another digit width.
#define CUB_PEER_HAS_ONESWEEP (CUB_VERSION < 300300)

// One digit pass of CUB's radix sort with the bucket as the digit. At most 256 buckets.
constexpr u32 max_onesweep_buckets = 256;

template <class K, class V, class Bucket>
void onesweep(void* temp, size_t& bytes, const Split<K, V>& split, Bucket bucket, u32 m);

// CUB's radix sort over bits [begin_bit, end_bit) of the keys.
template <class K, class V>
void radix_sort(void* temp, size_t& bytes, const Split<K, V>& split, int begin_bit, int end_bit);

// Label every key with its bucket, then sort the labels and carry the keys (and values) along.
template <class K, class V, class Bucket>
void reduced_bit_sort(void* temp, size_t& bytes, const Split<K, V>& split, Bucket bucket, u32 m);

// The sorting step of reduced_bit_sort; it moves payloads of 4, 8 or 16 bytes whatever they hold.
template <class Label, class Payload>
void sort_labels(void* temp, size_t& bytes, const Label* labels_in, Label* labels_out, const Payload* payload_in,
                 Payload* payload_out, u32 n, int bits);

// DevicePartition by "key < pivot". Two-way: keys_out holds the keys below the pivot, then the others in reverse order.
template <class K, class V>
void partition_two_way(void* temp, size_t& bytes, const Split<K, V>& split, K pivot, u32* counts);

// Three-way: part i starts at position i * n of the outputs, which must have room for 3 * n elements; the last part is
// in reverse order.
template <class K, class V>
void partition_three_way(void* temp, size_t& bytes, const Split<K, V>& split, K pivot0, K pivot1, u32* counts);

// DeviceSelect by "key < pivot": keys_out begins with the keys below the pivot, in their order.
template <class K, class V>
void select_below(void* temp, size_t& bytes, const Split<K, V>& split, K pivot, u32* count);
