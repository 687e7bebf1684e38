// Runs a plan: every number of buckets, every value type, every method that applies.
#pragma once
#include "plan.h"

template <class K>
void run_plan(const Plan& plan);
