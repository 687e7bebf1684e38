// One result as one line of JSON.
#pragma once
#include "plan.h"
#include "quartiles.h"

struct Row {
    const char* op;
    const char* method;
    u32 m;
    const char* value;  // null for keys only
    Quartiles ms;
    bool verified;
};

// Prints the row to stdout and flushes it.
void print_row(const Plan& plan, const std::string& device, const Row& row);
