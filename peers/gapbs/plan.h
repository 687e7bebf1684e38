// The command line.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

const char* const USAGE =
    "usage: gapbs-peer --folder FOLDER --deltas WIDTH,... [--runs N] [--threads N], with a vertex to start from on "
    "each line of standard input; README.md says what is in FOLDER";

struct Plan {
    std::string folder;
    std::vector<int32_t> deltas;
    int runs = 3;
    int threads = 1;
};

// Parses numbers from `least` to 2^31 - 1, separated by commas.
inline std::vector<int32_t> parse_list(const std::string& name, const std::string& text, long least) {
    std::vector<int32_t> list;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) {
        char* end = nullptr;
        const long number = std::strtol(word.c_str(), &end, 10);
        if (word.empty() || *end != '\0' || number < least || number > INT32_MAX) {
            throw std::runtime_error(name + ": '" + word + "' is not a number from " + std::to_string(least));
        }
        list.push_back(static_cast<int32_t>(number));
    }
    if (list.empty()) {
        throw std::runtime_error(name + " is empty");
    }
    return list;
}

inline Plan parse(int count, char** arguments) {
    Plan plan;
    for (int i = 1; i < count; i += 2) {
        const std::string name = arguments[i];
        if (i + 1 == count) {
            throw std::runtime_error(USAGE);
        }
        const std::string value = arguments[i + 1];
        if (name == "--folder") {
            plan.folder = value;
        } else if (name == "--deltas") {
            plan.deltas = parse_list(name, value, 1);
        } else if (name == "--runs") {
            plan.runs = parse_list(name, value, 1).front();
        } else if (name == "--threads") {
            plan.threads = parse_list(name, value, 1).front();
        } else {
            throw std::runtime_error(USAGE);
        }
    }
    if (plan.folder.empty() || plan.deltas.empty()) {
        throw std::runtime_error(USAGE);
    }
    return plan;
}
