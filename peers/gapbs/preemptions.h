// How often the system takes the processors away from this program, for another one.
//
// OpenMP's threads wait for each other by spinning. One without a processor keeps the others waiting, at each of the
// thousands of barriers of a search: beside a busy program, searches were seen to take a hundred times as long.
#pragma once

#include <sys/resource.h>

#include <cstdio>

class Preemptions {
   public:
    void start() { before_ = so_far(); }

    void stop(double ms) {
        times_ += so_far() - before_;
        ms_ += ms;
    }

    // Says so where times are those of a busy machine.
    void warn() const {
        if (times_ > 3 && times_ * MS_FOR_ONE > ms_) {
            std::fprintf(stderr,
                         "gapbs-peer: other programs took its processors away %ld times in %.2f s: these times are not "
                         "its own, run it again when the machine is quiet\n",
                         times_, 1e-3 * ms_);
        }
    }

   private:
    // As many milliseconds for one are nothing to speak of.
    static constexpr double MS_FOR_ONE = 50;

    long times_ = 0;
    double ms_ = 0;
    long before_ = 0;

    static long so_far() {
        rusage usage = {};
        getrusage(RUSAGE_SELF, &usage);
        return usage.ru_nivcsw;
    }
};
