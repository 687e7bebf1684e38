// The sorting step of the reduced-bit sort: labels as keys, payloads as values.
//
// Compiled once for each value of the macro LABEL (u8, u16 or u32).
#include "cuda_util.h"
#include "methods.h"
#include "payload.h"

#include <cub/device/device_radix_sort.cuh>

template <class Label, class Payload>
void sort_labels(void* temp, size_t& bytes, const Label* labels_in, Label* labels_out, const Payload* payload_in,
                 Payload* payload_out, u32 n, int bits) {
    check_cuda(cub::DeviceRadixSort::SortPairs(temp, bytes, labels_in, labels_out, payload_in, payload_out, n, 0, bits),
               "label sort");
}

#define INSTANTIATE(Payload)                                                                                     \
    template void sort_labels<LABEL, Payload>(void*, size_t&, const LABEL*, LABEL*, const Payload*, Payload*, u32, int);
INSTANTIATE(u32)
INSTANTIATE(u64)
INSTANTIATE(WidePair)
