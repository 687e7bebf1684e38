#include "plan.h"

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>

const char* const usage =
    "Times the ways to split an array into buckets, to count it in bins, to sort it, or to part it, with NVIDIA's CUB\n"
    "and prints one JSON object per line.\n"
    "\n"
    "usage: cub-peer --keys FILE --key u32|u64 --n N --buckets M,... --bucket KIND [options]\n"
    "\n"
    "  --op split|histogram|sort|partition\n"
    "                       what to time (default split); a sort makes nothing of its buckets; a partition into two\n"
    "                       is also a selection of the first\n"
    "  --keys FILE          N raw little-endian keys\n"
    "  --key u32|u64|f32    key type; f32 for histograms only\n"
    "  --n N                number of keys, 1 to 2^31 - 1\n"
    "  --buckets M,...      numbers of buckets, each 2 to 2^24; of parts, 2 or 3; of bins, each 1 to 2^24\n"
    "  --bucket KIND        delta (the high word of key * m), identity (the key, which must be below m)\n"
    "                       or splitters (how many splitters are at most the key); for histograms even or range\n"
    "  --splitters FILE,... for --bucket splitters: one file per M in the same order, each with M - 1 raw\n"
    "                       little-endian keys in ascending order; may be given several times;\n"
    "                       for --bucket range M + 1 levels each, for --bucket even one file with both bounds\n"
    "  --values TYPE,...    value types to time: none, u32, u64 (default none); a value is its key's index\n"
    "  --dist NAME          echoed as \"dist\"\n"
    "  --device-name TEXT   echoed as \"device\" (default: what CUDA calls it)\n"
    "  --runs R             samples per median (default 9)\n"
    "  --help               this text\n";

namespace {

[[noreturn]] void fail(const std::string& message) { throw std::runtime_error(message); }

u64 parse_number(const std::string& option, const std::string& text, u64 low, u64 high) {
    const bool digits = !text.empty() && text.size() <= 18 && text.find_first_not_of("0123456789") == std::string::npos;
    const u64 number = digits ? std::stoull(text) : 0;
    if (!digits || number < low || number > high) {
        fail(option + " takes numbers from " + std::to_string(low) + " to " + std::to_string(high) + ", not '" + text +
             "'");
    }
    return number;
}

std::string parse_word(const std::string& option, const std::string& text, const std::vector<std::string>& allowed) {
    if (std::find(allowed.begin(), allowed.end(), text) == allowed.end()) {
        std::string list;
        for (const std::string& word : allowed) {
            list += (list.empty() ? "" : ", ") + word;
        }
        fail(option + " takes one of " + list + ", not '" + text + "'");
    }
    return text;
}

std::vector<std::string> split_commas(const std::string& text) {
    std::vector<std::string> parts;
    size_t start = 0;
    while (true) {
        const size_t comma = text.find(',', start);
        parts.push_back(text.substr(start, comma - start));
        if (comma == std::string::npos) {
            return parts;
        }
        start = comma + 1;
    }
}

const std::map<std::string, BucketKind> split_kinds = {
    {"delta", BucketKind::delta}, {"identity", BucketKind::identity}, {"splitters", BucketKind::splitters}};
const std::map<std::string, BucketKind> histogram_kinds = {{"even", BucketKind::even}, {"range", BucketKind::range}};

// What depends on the operation, which may be named last.
void check_operation(Plan& plan) {
    const bool histogram = plan.op == "histogram";
    const auto& kinds = histogram ? histogram_kinds : split_kinds;
    std::vector<std::string> names;
    for (const auto& [name, kind] : kinds) {
        names.push_back(name);
    }
    plan.kind = kinds.at(parse_word("--bucket", plan.bucket, names));
    if (!histogram) {
        parse_word("--key", plan.key, {"u32", "u64"});
    }
    const u32 least = histogram ? 1 : 2;
    const u32 most = histogram ? max_bins : plan.op == "partition" ? max_parts : max_buckets;
    for (const u32 m : plan.buckets) {
        parse_number("--buckets", std::to_string(m), least, most);
    }
}

// The files of splitters or levels that the bins need.
size_t wanted_files(const Plan& plan) {
    switch (plan.kind) {
        case BucketKind::splitters:
        case BucketKind::range:
            return plan.buckets.size();
        case BucketKind::even:
            return 1;
        default:
            return 0;
    }
}

void require(bool given, const char* option) {
    if (!given) {
        fail(std::string(option) + " is missing (see --help)");
    }
}

void check_complete(Plan& plan) {
    require(!plan.keys_path.empty(), "--keys");
    require(!plan.key.empty(), "--key");
    require(plan.n > 0, "--n");
    require(!plan.buckets.empty(), "--buckets");
    require(!plan.bucket.empty(), "--bucket");
    check_operation(plan);
    const size_t wanted = wanted_files(plan);
    if (plan.splitter_paths.size() != wanted) {
        fail("--splitters: " + std::to_string(wanted) + " files expected, " +
             std::to_string(plan.splitter_paths.size()) + " given");
    }
}

}  // namespace

std::optional<Plan> parse_arguments(int argc, char** argv) {
    Plan plan;
    for (int i = 1; i < argc; ++i) {
        const std::string option = argv[i];
        if (option == "--help" || option == "-h") {
            return std::nullopt;
        }
        const auto argument = [&]() -> std::string {
            if (i + 1 == argc) {
                fail(option + " needs an argument");
            }
            return argv[++i];
        };
        if (option == "--keys") {
            plan.keys_path = argument();
        } else if (option == "--key") {
            plan.key = parse_word(option, argument(), {"u32", "u64", "f32"});
        } else if (option == "--op") {
            plan.op = parse_word(option, argument(), {"split", "histogram", "sort", "partition"});
        } else if (option == "--n") {
            plan.n = static_cast<u32>(parse_number(option, argument(), 1, std::numeric_limits<int>::max()));
        } else if (option == "--buckets") {
            for (const std::string& m : split_commas(argument())) {
                plan.buckets.push_back(static_cast<u32>(parse_number(option, m, 1, max_bins)));
            }
        } else if (option == "--bucket") {
            plan.bucket = argument();
        } else if (option == "--splitters") {
            for (const std::string& path : split_commas(argument())) {
                plan.splitter_paths.push_back(path);
            }
        } else if (option == "--values") {
            for (const std::string& value : split_commas(argument())) {
                plan.values.push_back(parse_word(option, value, {"none", "u32", "u64"}));
            }
        } else if (option == "--dist") {
            plan.dist = argument();
        } else if (option == "--device-name") {
            plan.device_name = argument();
        } else if (option == "--runs") {
            plan.runs = static_cast<int>(parse_number(option, argument(), 1, 1000));
        } else {
            fail("unknown option '" + option + "' (see --help)");
        }
    }
    check_complete(plan);
    if (plan.values.empty()) {
        plan.values.push_back("none");
    }
    return plan;
}
