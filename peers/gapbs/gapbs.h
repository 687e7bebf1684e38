// GAPBS's kernel, from the folder that it was cloned to, and graphs as it has them in memory.
#pragma once

// Its kernel comes with a program of its own.
#define main main_of_gapbs
#include "sssp.cc"
#undef main

#include "input.h"

#include <omp.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

// How far away a vertex is that no path leads to, in the files.
const uint32_t UNREACHABLE = 0xffffffff;

// A vertex to start from, and the right distances.
struct Source {
    NodeID vertex;
    std::vector<uint32_t> distances;
};

inline void use_threads(int threads) {
    omp_set_dynamic(0);
    omp_set_num_threads(threads);
    int used = 0;
#pragma omp parallel
#pragma omp single
    used = omp_get_num_threads();
    if (used != threads) {
        throw std::runtime_error("OpenMP gives it " + std::to_string(used) + " threads of " + std::to_string(threads));
    }
}

// Arcs keep their order. The graph is said to be directed whatever it is, since its arcs are counted exactly then;
// those in reverse are not used by shortest paths.
inline WGraph read_graph(const std::string& folder) {
    const std::vector<uint32_t> offsets = read_numbers(folder + "/offsets");
    const std::vector<uint32_t> targets = read_numbers(folder + "/targets");
    const std::vector<uint32_t> weights = read_numbers(folder + "/weights");
    const size_t arcs = targets.size();
    if (offsets.empty() || offsets.back() != arcs || weights.size() != arcs) {
        throw std::runtime_error("offsets, targets and weights do not fit together");
    }
    const int64_t vertices = static_cast<int64_t>(offsets.size()) - 1;
    WNode* const neighbours = new WNode[arcs];
#pragma omp parallel for
    for (int64_t arc = 0; arc < static_cast<int64_t>(arcs); ++arc) {
        neighbours[arc] = WNode(static_cast<NodeID>(targets[arc]), static_cast<WeightT>(weights[arc]));
    }
    WNode** const index = new WNode*[vertices + 1];
#pragma omp parallel for
    for (int64_t v = 0; v <= vertices; ++v) {
        index[v] = neighbours + offsets[v];
    }
    return WGraph(vertices, index, neighbours, nullptr, nullptr);
}

inline Source read_source(const std::string& folder, NodeID vertex, int64_t vertices) {
    Source source = {vertex, read_numbers(folder + "/distances-" + std::to_string(vertex))};
    if (vertex < 0 || vertex >= vertices || source.distances.size() != static_cast<size_t>(vertices)) {
        throw std::runtime_error("the distances from " + std::to_string(vertex) + " are not those of the vertices");
    }
    return source;
}
