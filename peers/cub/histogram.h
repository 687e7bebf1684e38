// Runs a plan of histograms: every number of bins.
#pragma once
#include "plan.h"

template <class K>
void run_histograms(const Plan& plan);
