#include "bench.h"
#include "histogram.h"
#include "plan.h"

#include <cstdio>
#include <exception>

int main(int argc, char** argv) {
    try {
        const std::optional<Plan> plan = parse_arguments(argc, argv);
        if (!plan) {
            std::fputs(usage, stdout);
            return 0;
        }
        if (plan->op == "histogram") {
            if (plan->key == "f32") {
                run_histograms<float>(*plan);
            } else if (plan->key == "u32") {
                run_histograms<u32>(*plan);
            } else {
                run_histograms<u64>(*plan);
            }
        } else if (plan->key == "u32") {
            run_plan<u32>(*plan);
        } else {
            run_plan<u64>(*plan);
        }
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "cub-peer: %s\n", error.what());
        return 1;
    }
}
