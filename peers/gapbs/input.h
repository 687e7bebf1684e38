// Reads files of 32-bit numbers. They are little-endian, as are the machines that this is run on.
#pragma once

#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

inline std::vector<uint32_t> read_numbers(const std::string& path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) {
        throw std::runtime_error("cannot open '" + path + "'");
    }
    const std::streamoff bytes = file.tellg();
    std::vector<uint32_t> numbers(static_cast<size_t>(bytes) / sizeof(uint32_t));
    file.seekg(0);
    if (!file.read(reinterpret_cast<char*>(numbers.data()), numbers.size() * sizeof(uint32_t))) {
        throw std::runtime_error("cannot read '" + path + "'");
    }
    return numbers;
}
