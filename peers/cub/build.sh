#!/bin/bash
# Builds build/cub-peer, its translation units in parallel. Overridable: NVCC, NVCC_FLAGS, JOBS and BUILD (the folder of
# the object files and the program).
set -euo pipefail
cd "$(dirname "$0")"

NVCC=${NVCC:-nvcc}
NVCC_FLAGS=${NVCC_FLAGS:--O3 -std=c++17 -arch=native}
JOBS=${JOBS:-$(nproc)}
BUILD=${BUILD:-build}
mkdir -p "$BUILD"
rm -f "$BUILD"/*.o

# One line per object: its name, its source, the types to compile it for. The slow ones come first.
units() {
    for key in u32 u64; do
        echo "partition-$key partition.cu -DKEY=$key"
        echo "select-$key select.cu -DKEY=$key"
        for bucket in Delta Identity Splitters; do
            echo "onesweep-$key-$bucket onesweep.cu -DKEY=$key -DBUCKET=$bucket"
        done
        echo "radix_sort-$key radix_sort.cu -DKEY=$key"
    done
    for key in u32 u64 float; do
        echo "histogram-$key histogram.cu -DKEY=$key"
    done
    for label in u8 u16 u32; do
        echo "label_sort-$label label_sort.cu -DLABEL=$label"
    done
    for source in bench.cu reduced_bit_sort.cu testdata.cu plan.cpp report.cpp main.cpp; do
        echo "${source%.*} $source"
    done
}

export NVCC NVCC_FLAGS BUILD
# shellcheck disable=SC2016
units | xargs -P "$JOBS" -L 1 bash -c '$NVCC $NVCC_FLAGS "${@:2}" -c "$1" -o "$BUILD/$0.o"'
$NVCC $NVCC_FLAGS "$BUILD"/*.o -o "$BUILD/cub-peer"
echo "built $BUILD/cub-peer" >&2
