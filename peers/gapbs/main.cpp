// Times the shortest paths of the GAP Benchmark Suite, compares them with known ones, and prints a row for each delta.
//
// It says when it has read the graph. A line of standard input is a vertex to start from, and is printed again when the
// searches from it are done. So the caller can take turns with this program. The rows follow when the input ends.
#include "gapbs.h"  // first: it is what may not be there

#include "plan.h"
#include "processors.h"
#include "quartiles.h"

#include <chrono>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

// The searches with one delta.
struct Searches {
    WeightT delta;
    std::vector<double> ms;
    bool right;
};

// Searches once, compares the distances, and returns the milliseconds of the search. As in GAPBS's own benchmark they
// are those of the whole call, with the memory that it allocates.
double search(const WGraph& graph, const Source& source, Searches& searches, Processors& processors) {
    processors.start();
    const auto start = std::chrono::steady_clock::now();
    const pvector<WeightT> found = DeltaStep(graph, source.vertex, searches.delta);
    const auto end = std::chrono::steady_clock::now();
    const double ms = std::chrono::duration<double, std::milli>(end - start).count();
    processors.stop(ms);
    const std::vector<uint32_t>& expected = source.distances;
    for (size_t v = 0; v < expected.size() && searches.right; ++v) {
        const uint32_t distance = found[v] == kDistInf ? UNREACHABLE : static_cast<uint32_t>(found[v]);
        if (distance != expected[v]) {
            std::fprintf(stderr, "gapbs-peer: WRONG: delta %d, from %d: vertex %zu is at %u, not at %u\n",
                         searches.delta, source.vertex, v, distance, expected[v]);
            searches.right = false;
        }
    }
    return ms;
}

void print_row(const WGraph& graph, const Searches& searches) {
    const Quartiles ms = quartiles(searches.ms);
    const double rate = graph.num_edges_directed() / (ms.median * 1e6);  // 1e9 arcs per second
    std::printf(
        "{\"op\":\"sssp\",\"impl\":\"gapbs\",\"method\":\"delta-stepping\",\"bucket\":null,\"dist\":null,"
        "\"graph\":null,\"device\":\"cpu\",\"n\":%lld,\"m\":null,\"key\":\"u32\",\"value\":null,\"delta\":%d,"
        "\"ms\":%.6g,\"rate\":%.6g,\"verified\":%s,\"ms_low\":%.6g,\"ms_high\":%.6g}\n",
        static_cast<long long>(graph.num_edges_directed()), searches.delta, ms.median, rate,
        searches.right ? "true" : "false", ms.low, ms.high);
}

void run(const Plan& plan) {
    use_threads(plan.threads);
    const WGraph graph = read_graph(plan.folder);
    Processors processors(plan.threads);
    std::vector<Searches> all;
    for (const WeightT delta : plan.deltas) {
        all.push_back({delta, {}, true});
    }
    std::puts("ready");
    std::fflush(stdout);
    for (std::string line; std::getline(std::cin, line);) {
        const Source source = read_source(plan.folder, parse_list("a source", line, 0).front(), graph.num_nodes());
        for (Searches& searches : all) {
            search(graph, source, searches, processors);  // warms up caches, clocks and memory
            for (int run = 0; run < plan.runs; ++run) {
                searches.ms.push_back(search(graph, source, searches, processors));
            }
        }
        std::printf("%d\n", source.vertex);
        std::fflush(stdout);
    }
    for (const Searches& searches : all) {
        if (searches.ms.empty()) {
            throw std::runtime_error("no vertices to start from on standard input");
        }
        print_row(graph, searches);
    }
    processors.warn();
}

}  // namespace

int main(int count, char** arguments) {
    try {
        run(parse(count, arguments));
        return 0;
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "gapbs-peer: not enough memory\n");
    } catch (const std::exception& error) {
        std::fprintf(stderr, "gapbs-peer: %s\n", error.what());
    }
    return 1;
}
