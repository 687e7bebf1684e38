#!/bin/bash
# Builds build/gapbs-peer from main.cpp and the sources of the GAP Benchmark Suite, a folder that GAPBS names.
# Overridable: CXX, CXXFLAGS (by default what GAPBS's own Makefile has) and BUILD (the folder of the program).
set -euo pipefail
GAPBS=$(cd "${GAPBS:?name the folder of GAPBS, a clone of https://github.com/sbeamer/gapbs}" && pwd)
cd "$(dirname "$0")"

CXX=${CXX:-c++}
CXXFLAGS=${CXXFLAGS:--std=c++11 -O3}
BUILD=${BUILD:-build}
mkdir -p "$BUILD"

# A compiler without OpenMP would complain of our files, and some ignore the option and use one thread.
openmp='#include <omp.h>
#ifndef _OPENMP
#error "-fopenmp does nothing"
#endif
int main() { return omp_get_max_threads() == 0; }'
if ! $CXX -fopenmp -x c++ - -o "$BUILD/openmp" <<<"$openmp"; then
    echo "'$CXX' does not compile programs with OpenMP: install that, or set CXX to a compiler that has it" >&2
    exit 1
fi
rm -f "$BUILD/openmp"

# Under its name only when it is whole.
# shellcheck disable=SC2086
$CXX $CXXFLAGS -fopenmp -I "$GAPBS/src" main.cpp -o "$BUILD/gapbs-peer.new"
mv "$BUILD/gapbs-peer.new" "$BUILD/gapbs-peer"
echo "built $BUILD/gapbs-peer" >&2
