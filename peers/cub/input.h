// Reads raw arrays of keys. The files are little-endian, as is every machine that runs CUDA.
#pragma once
#include "types.h"

#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

template <class K>
std::vector<K> read_keys(const std::string& path, size_t count) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) {
        throw std::runtime_error("cannot open '" + path + "'");
    }
    const u64 expected = count * sizeof(K);
    const u64 size = static_cast<u64>(file.tellg());
    if (size != expected) {
        throw std::runtime_error("'" + path + "' has " + std::to_string(size) + " bytes, expected " +
                                 std::to_string(expected) + " (" + std::to_string(count) + " keys)");
    }
    std::vector<K> keys(count);
    file.seekg(0);
    if (!file.read(reinterpret_cast<char*>(keys.data()), static_cast<std::streamsize>(expected))) {
        throw std::runtime_error("cannot read '" + path + "'");
    }
    return keys;
}
