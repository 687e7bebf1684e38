// One onesweep digit pass of CUB's radix sort with a bucket function as its digit.
//
// CUB offers no public way to do this. But its kernels ask detail::radix::traits_t<Key> how to take a digit from a key,
// so a key type of our own, with its own specialisation of that trait, makes them ask the bucket function instead. The
// function travels in the place of CUB's "decomposer". These are internals, so this file is empty for versions of CUB
// that no longer have them.
//
// Compiled once for each pair of macros KEY (u32 or u64) and BUCKET (Delta, Identity or Splitters).
#include "cuda_util.h"
#include "methods.h"

#if CUB_PEER_HAS_ONESWEEP

#include <cub/device/device_radix_sort.cuh>

// The key type that our traits are attached to.
template <class K>
struct BucketKey {
    K bits;
};

CUB_NAMESPACE_BEGIN
namespace detail {
namespace radix {

template <class K>
struct traits_t<BucketKey<K>, false> {
    using bit_ordered_type = K;

    // Keys pass through unchanged: nothing is compared but the digit.
    struct bit_ordered_conversion_policy {
        template <class Bucket>
        static __host__ __device__ K to_bit_ordered(Bucket, K key) {
            return key;
        }
        template <class Bucket>
        static __host__ __device__ K from_bit_ordered(Bucket, K key) {
            return key;
        }
    };
    // Named by CUB even for ascending order, but never called there.
    struct bit_ordered_inversion_policy {};

    template <class Bucket>
    struct BucketDigit {
        Bucket bucket;
        __device__ u32 Digit(K key) const { return bucket(key); }
    };
    template <class, class Bucket>
    using digit_extractor_t = BucketDigit<Bucket>;

    template <class, class Bucket>
    static __device__ BucketDigit<Bucket> digit_extractor(int, int, Bucket bucket) {
        return {bucket};
    }
    // Fills up the last tile, so it has to be in the last bucket.
    template <class Bucket>
    static __host__ __device__ K max_raw_binary_key(Bucket) {
        return static_cast<K>(~K{0});
    }
    // Named by CUB for descending order.
    template <class Bucket>
    static __host__ __device__ K min_raw_binary_key(Bucket) {
        return 0;
    }
};

}  // namespace radix
}  // namespace detail
CUB_NAMESPACE_END

namespace {

template <class V>
struct CubValue {
    using type = V;
};
template <>
struct CubValue<None> {
    using type = cub::NullType;
};

template <class Base, int digit_bits>
struct WithDigitBits : Base {
    static constexpr int RADIX_BITS = digit_bits;
};

// CUB's own tuning of the pass for compute capability 9.0, with another digit width.
template <class K, class V, int digit_bits>
struct Tuning {
    using Cub = typename cub::detail::radix::policy_hub<BucketKey<K>, V, u32>::Policy900;

    struct MaxPolicy : Cub {
        using ActivePolicy = MaxPolicy;  // on every device
        static constexpr int ONESWEEP_RADIX_BITS = digit_bits;
        using HistogramPolicy = WithDigitBits<typename Cub::HistogramPolicy, digit_bits>;
        using ExclusiveSumPolicy = WithDigitBits<typename Cub::ExclusiveSumPolicy, digit_bits>;
        using OnesweepPolicy = WithDigitBits<typename Cub::OnesweepPolicy, digit_bits>;
    };
};

#if CUB_VERSION >= 300000
template <class Key, class V, class Bucket, class Tuning>
using Dispatch = cub::DispatchRadixSort<cub::SortOrder::Ascending, Key, V, u32, Bucket, Tuning>;
#else
template <class Key, class V, class Bucket, class Tuning>
using Dispatch = cub::DispatchRadixSort<false, Key, V, u32, Tuning, Bucket>;
#endif

template <int digit_bits, class K, class V, class Bucket>
void one_pass(void* temp, size_t& bytes, const Split<K, V>& split, Bucket bucket) {
    using Key = BucketKey<K>;
    using Value = typename CubValue<V>::type;
    using Tuned = Tuning<K, Value, digit_bits>;

    // CUB takes its double buffers without const, but leaves the input alone when overwriting is not allowed.
    cub::DoubleBuffer<Key> keys(reinterpret_cast<Key*>(const_cast<K*>(split.keys_in)),
                                reinterpret_cast<Key*>(split.keys_out));
    cub::DoubleBuffer<Value> values(reinterpret_cast<Value*>(const_cast<V*>(split.values_in)),
                                    reinterpret_cast<Value*>(split.values_out));
    const bool overwrite_okay = false;
    const cudaStream_t stream = nullptr;
    const int ptx_version = 0;  // unused here: the policy is chosen at compile time

    Dispatch<Key, Value, Bucket, Tuned> dispatch(temp, bytes, keys, values, split.n, 0, digit_bits, overwrite_okay,
                                                 stream, ptx_version, bucket);
    // Straight to onesweep: the usual entry would sort small inputs in a single tile, bit by bit.
#if CUB_VERSION >= 300100
    const auto policy = cub::detail::radix::MakeRadixSortPolicyWrapper(typename Tuned::MaxPolicy{});
    check_cuda(dispatch.InvokeOnesweep(policy), "onesweep");
#else
    check_cuda(dispatch.template InvokeOnesweep<typename Tuned::MaxPolicy>(), "onesweep");
#endif
}

}  // namespace

template <class K, class V, class Bucket>
void onesweep(void* temp, size_t& bytes, const Split<K, V>& split, Bucket bucket, u32 m) {
    // Narrow digits rank faster, but CUB's look-back needs at least a full warp of digits: 5 bits.
    if (m <= 32) {
        one_pass<5>(temp, bytes, split, bucket);
    } else {
        one_pass<8>(temp, bytes, split, bucket);
    }
}

#define INSTANTIATE(V) \
    template void onesweep<KEY, V, BUCKET<KEY>>(void*, size_t&, const Split<KEY, V>&, BUCKET<KEY>, u32);
INSTANTIATE(None)
INSTANTIATE(u32)
INSTANTIATE(u64)

#endif  // CUB_PEER_HAS_ONESWEEP
