// What one run of the program measures: the command line, checked.
#pragma once
#include "types.h"

#include <optional>
#include <string>
#include <vector>

enum class BucketKind { delta, identity, splitters, even, range };

struct Plan {
    std::string keys_path;
    std::string op = "split";  // or "histogram", "sort" or "partition"
    std::string key;           // "u32" or "u64"; "f32" for histograms
    u32 n = 0;
    std::vector<u32> buckets;  // the numbers of buckets, m
    std::string bucket;        // the name of kind
    BucketKind kind = BucketKind::delta;
    std::vector<std::string> splitter_paths;  // one per entry of buckets, or empty; for even bins one with both bounds
    std::vector<std::string> values;          // "none", "u32" or "u64"
    std::optional<std::string> dist;
    std::optional<std::string> device_name;
    int runs = 9;
};

constexpr u32 max_buckets = 1 << 24;
constexpr u32 max_bins = 1 << 24;
// CUB's partitions have two or three parts.
constexpr u32 max_parts = 3;

extern const char* const usage;

// Returns nothing when help was asked for; throws std::runtime_error when an argument is wrong.
std::optional<Plan> parse_arguments(int argc, char** argv);
