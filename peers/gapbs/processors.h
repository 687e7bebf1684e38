// Whether this program has its processors to itself while it searches.
//
// OpenMP's threads wait for each other by spinning. One without a processor keeps the others waiting, at each of the
// thousands of barriers of a search: beside a busy program, searches were seen to take a hundred times as long.
#pragma once

#include <sys/resource.h>
#include <sys/time.h>

#include <cstdio>

class Processors {
   public:
    explicit Processors(int threads) : threads_(threads) {}

    void start() { getrusage(RUSAGE_SELF, &before_); }

    // Ends a search that took so many milliseconds.
    void stop(double ms) {
        rusage now = {};
        getrusage(RUSAGE_SELF, &now);
        taken_away_ += now.ru_nivcsw - before_.ru_nivcsw;
        used_ms_ += used(now) - used(before_);
        ms_ += ms;
    }

    // Says so where they were shared. Threads that spin use all of their time, and those that sleep give it away.
    void warn() const {
        const double share = used_ms_ / (ms_ * threads_);
        if (taken_away_ > 3 && share < 0.9) {
            std::fprintf(stderr,
                         "gapbs-peer: its threads (%d) ran %.0f %% of the time, and lost their processors %ld times: "
                         "the machine is busy or has fewer, and these times are too long\n",
                         threads_, 100 * share, taken_away_);
        }
    }

   private:
    int threads_;
    rusage before_ = {};
    long taken_away_ = 0;
    double used_ms_ = 0;
    double ms_ = 0;

    static double used(const rusage& usage) { return milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime); }

    static double milliseconds(const timeval& time) { return 1e3 * time.tv_sec + 1e-3 * time.tv_usec; }
};
