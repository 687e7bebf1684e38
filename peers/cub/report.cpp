#include "report.h"

#include <cstdio>

namespace {

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            char code[8];
            std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
            out += code;
        } else {
            out += c;
        }
    }
    return out + '"';
}

}  // namespace

void print_row(const Plan& plan, const std::string& device, const Row& row) {
    const std::string dist = plan.dist ? quoted(*plan.dist) : "null";
    const std::string value = row.value != nullptr ? quoted(row.value) : "null";
    const bool sort = plan.op == "sort";  // of which buckets are no part
    const std::string bucket = sort ? "null" : quoted(plan.bucket);
    const std::string m = sort ? "null" : std::to_string(row.m);
    const double rate = plan.n / (row.ms.median * 1e6);  // 1e9 elements per second
    std::printf(
        "{\"op\":\"%s\",\"impl\":\"cub\",\"method\":\"%s\",\"bucket\":%s,\"dist\":%s,\"graph\":null,\"device\":%s,"
        "\"n\":%u,\"m\":%s,\"key\":%s,\"value\":%s,\"ms\":%.6g,\"rate\":%.6g,\"verified\":%s,"
        "\"ms_low\":%.6g,\"ms_high\":%.6g}\n",
        row.op, row.method, bucket.c_str(), dist.c_str(), quoted(device).c_str(), plan.n, m.c_str(),
        quoted(plan.key).c_str(), value.c_str(), row.ms.median, rate, row.verified ? "true" : "false", row.ms.low,
        row.ms.high);
    std::fflush(stdout);
}
