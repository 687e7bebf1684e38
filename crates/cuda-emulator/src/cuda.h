// CUDA's device side, as far as CubeCL's kernels need it, for a C++ compiler of the CPU.
//
// The threads of a block are fibers of one thread of the CPU. A fiber runs until it waits for others, and the order in
// which they go on is random, from a fixed seed: a barrier that is missing shows. Blocks run one after the other, from a
// random one on. Asynchronous copies are made as late as they may be. Shared memory is full of garbage when a block
// begins. A block whose threads wait for each other forever ends the process with a message.

// The standard library's containers would take longer to compile than most kernels.

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifndef __x86_64__
#include <ucontext.h>
#endif

#define __global__
#define __device__
#define __shared__
#define __grid_constant__
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))

struct uint3 {
    unsigned x, y, z;
};

// Kernels see halves as bits, and compute with floats.
struct __half {
    uint16_t bits;
};
struct __nv_bfloat16 {
    uint16_t bits;
};

inline uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return {x, y, z}; }

// Of the thread that runs.
static uint3 threadIdx, blockIdx, blockDim, gridDim;
constexpr unsigned warpSize = 32;

// The kernels declare it.
__attribute__((aligned(1024))) unsigned char dynamic_shared_mem[256 << 10];

namespace emulator {

// Fibers. The system's own (ucontext) ask the kernel about signals at every switch, so where that is known they are
// switched by hand.

constexpr size_t STACK = 512 << 10;

#ifdef __x86_64__

using Context = void *; // Its stack, with the registers that a function must keep on top.

extern "C" void emulator_switch(Context *from, Context to);
asm(R"(
.text
.hidden emulator_switch
.globl emulator_switch
emulator_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
)");

inline void switch_to(Context &from, Context &to) { emulator_switch(&from, to); }

inline void prepare(Context &context, unsigned char *stack, void (*enter)()) {
    // The function is returned to, and finds the stack as if it had been called.
    void **top = reinterpret_cast<void **>(stack + STACK) - 2;
    *top = reinterpret_cast<void *>(enter);
    context = top - 6;
}

#else

using Context = ucontext_t;

inline void switch_to(Context &from, Context &to) { swapcontext(&from, &to); }

inline void prepare(Context &context, unsigned char *stack, void (*enter)()) {
    getcontext(&context);
    context.uc_stack.ss_sp = stack;
    context.uc_stack.ss_size = STACK;
    context.uc_link = nullptr;
    makecontext(&context, enter, 0);
}

#endif

// Threads that wait for each other: all that have not ended.
struct Group {
    unsigned alive = 0, waiting = 0;
    uint32_t round = 0;

    // The last to come lets all go on.
    void go_on_if_all_wait() {
        if (waiting == alive) {
            waiting = 0;
            round++;
        }
    }
};

struct Warp : Group {
    // What each lane brings, in even and odd rounds.
    uint64_t values[2][warpSize];
    unsigned lanes[2] = {0, 0};
    const void *operation[2];
};

constexpr unsigned MOST_THREADS = 1024, MOST_COPIES = 128;

struct Copy {
    void *to;
    const void *from;
    size_t bytes;
};

struct Thread {
    Context context;
    uint3 index;
    unsigned number;
    bool ended = false;
    // It waits while the word has this value.
    const uint32_t *word = nullptr;
    uint32_t value = 0;
    // Copies that it has started, and those of them that a barrier is to wait for.
    unsigned started = 0, committed = 0;
    Copy copies[MOST_COPIES];
};

static Thread threads[MOST_THREADS];
static Warp warps[MOST_THREADS / warpSize];
static unsigned count; // of threads
static Group block;
static Thread *running;
static Context scheduler;
static uint64_t randomness = 1;

inline unsigned random_below(unsigned limit) {
    randomness = randomness * 6364136223846793005u + 1442695040888963407u;
    return (randomness >> 33) % limit;
}

[[noreturn]] inline void fail(const char *what) {
    fprintf(stderr, "CUDA emulator: %s (block %u, thread %u)\n", what, blockIdx.x, running ? running->number : 0);
    abort();
}

inline void wait_while(const uint32_t &word, uint32_t value) {
    running->word = &word;
    running->value = value;
    switch_to(running->context, scheduler);
}

inline void wait_for(Group &group) {
    uint32_t round = group.round;
    group.waiting++;
    group.go_on_if_all_wait();
    if (group.round == round) wait_while(group.round, round);
}

// What all lanes of the warp bring to the same operation.
template <class T> inline T exchange(const void *operation, T value, unsigned from, unsigned *lanes = nullptr) {
    static_assert(sizeof(T) <= 8);
    Warp &warp = warps[running->number / warpSize];
    unsigned lane = running->number % warpSize, at = warp.round & 1;
    if (warp.waiting == 0) {
        warp.lanes[at] = 0;
        warp.operation[at] = operation;
    }
    if (warp.operation[at] != operation) fail("the lanes of a warp are at different operations");
    memcpy(&warp.values[at][lane], &value, sizeof value);
    warp.lanes[at] |= 1u << lane;
    wait_for(warp);
    if (lanes) *lanes = warp.lanes[at];
    T other = value;
    if (from < warpSize && (warp.lanes[at] >> from & 1)) memcpy(&other, &warp.values[at][from], sizeof other);
    return other;
}

inline void leave(Group &group) {
    group.alive--;
    if (group.alive > 0) group.go_on_if_all_wait();
}

inline void end() {
    running->ended = true;
    leave(warps[running->number / warpSize]);
    leave(block);
}

inline void start_copy(void *to, const void *from, size_t bytes) {
    if (running->started == MOST_COPIES) fail("a thread has started too many copies");
    running->copies[running->started++] = {to, from, bytes};
}

// Makes the copies that a barrier waits for.
inline void make_copies() {
    for (unsigned i = 0; i < count; i++) {
        Thread &thread = threads[i];
        for (unsigned j = 0; j < thread.committed; j++) {
            memcpy(thread.copies[j].to, thread.copies[j].from, thread.copies[j].bytes);
        }
        thread.started -= thread.committed;
        memmove(thread.copies, thread.copies + thread.committed, thread.started * sizeof(Copy));
        thread.committed = 0;
    }
}

template <size_t... I> struct Indices {};
template <size_t N, size_t... I> struct Count : Count<N - 1, N - 1, I...> {};
template <size_t... I> struct Count<0, I...> {
    using All = Indices<I...>;
};

template <class... Arguments, size_t... I>
void call(void (*kernel)(Arguments...), void **arguments, Indices<I...>) {
    kernel(*static_cast<Arguments *>(arguments[I])...);
}

static void (*body)();

inline void enter() {
    body();
    end();
    switch_to(running->context, scheduler);
}

inline void run_block(unsigned char *stacks, unsigned shared_memory) {
    memset(dynamic_shared_mem, 0xa7, shared_memory);
    for (Warp &warp : warps) warp = Warp();
    block = Group();
    block.alive = count;
    unsigned order[MOST_THREADS];
    for (unsigned i = 0; i < count; i++) {
        Thread &thread = threads[i];
        thread.number = i;
        thread.index = {i % blockDim.x, i / blockDim.x % blockDim.y, i / (blockDim.x * blockDim.y)};
        thread.ended = false;
        thread.word = nullptr;
        thread.started = thread.committed = 0;
        prepare(thread.context, stacks + i * STACK, enter);
        warps[i / warpSize].alive++;
        unsigned place = random_below(i + 1);
        order[i] = order[place];
        order[place] = i;
    }
    for (bool progress = true; progress;) {
        progress = false;
        for (unsigned i = 0; i < count; i++) {
            Thread &thread = threads[order[i]];
            if (thread.ended || (thread.word && *thread.word == thread.value)) continue;
            thread.word = nullptr;
            running = &thread;
            threadIdx = thread.index;
            switch_to(scheduler, thread.context);
            progress = true;
        }
    }
    for (unsigned i = 0; i < count; i++) {
        running = &threads[i];
        if (!running->ended) fail("threads wait for each other forever");
    }
    running = nullptr;
}

// Runs all blocks of a launch.
template <class... Arguments> void launch(void (*kernel)(Arguments...), void **arguments, const unsigned *shape) {
    gridDim = {shape[0], shape[1], shape[2]};
    blockDim = {shape[3], shape[4], shape[5]};
    if (shape[6] > sizeof dynamic_shared_mem) fail("a block asks for too much shared memory");
    static void (*entry)(Arguments...);
    static void **values;
    entry = kernel;
    values = arguments;
    body = [] { call(entry, values, typename Count<sizeof...(Arguments)>::All()); };
    count = blockDim.x * blockDim.y * blockDim.z;
    if (count > MOST_THREADS) fail("a block has too many threads");
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *stacks = mmap(nullptr, count * STACK, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (stacks == MAP_FAILED) fail("there is no memory for stacks");
    uint64_t blocks = uint64_t(gridDim.x) * gridDim.y * gridDim.z, first = random_below(1 << 30) % blocks;
    for (uint64_t i = 0; i < blocks; i++) {
        uint64_t number = (first + i) % blocks;
        blockIdx = {unsigned(number % gridDim.x), unsigned(number / gridDim.x % gridDim.y),
                    unsigned(number / gridDim.x / gridDim.y)};
        run_block(static_cast<unsigned char *>(stacks), shape[6]);
    }
    munmap(stacks, count * STACK);
}

} // namespace emulator

// Barriers and the exchange of values. Masks are those of all lanes.

inline void __syncthreads() { emulator::wait_for(emulator::block); }

inline void __syncwarp(unsigned = ~0u) {
    static const char operation = 0;
    emulator::exchange(&operation, 0u, 0);
}

inline unsigned emulated_lane() { return emulator::running->number % warpSize; }

template <class T> inline T __shfl_sync(unsigned, T value, unsigned lane) {
    static const char operation = 0;
    return emulator::exchange(&operation, value, lane % warpSize);
}

template <class T> inline T __shfl_up_sync(unsigned, T value, unsigned by) {
    static const char operation = 0;
    unsigned lane = emulated_lane();
    return emulator::exchange(&operation, value, lane >= by ? lane - by : lane);
}

template <class T> inline T __shfl_down_sync(unsigned, T value, unsigned by) {
    static const char operation = 0;
    unsigned lane = emulated_lane();
    return emulator::exchange(&operation, value, lane + by < warpSize ? lane + by : lane);
}

template <class T> inline T __shfl_xor_sync(unsigned, T value, unsigned by) {
    static const char operation = 0;
    return emulator::exchange(&operation, value, emulated_lane() ^ by);
}

inline unsigned __ballot_sync(unsigned, bool vote) {
    static const char operation = 0;
    emulator::Warp &warp = emulator::warps[emulator::running->number / warpSize];
    unsigned at = warp.round & 1, lanes = 0, votes = 0;
    emulator::exchange(&operation, uint64_t(vote), 0, &lanes);
    for (unsigned lane = 0; lane < warpSize; lane++) {
        if (lanes >> lane & 1) votes |= unsigned(warp.values[at][lane] != 0) << lane;
    }
    return votes;
}

inline bool __any_sync(unsigned mask, bool vote) { return __ballot_sync(mask, vote) != 0; }
inline bool __all_sync(unsigned mask, bool vote) { return __ballot_sync(mask, !vote) == 0; }

// Atomic operations. One thread runs at a time.

template <class T, class V> inline T atomicAdd(T *to, V value) {
    T before = *to;
    *to = before + T(value);
    return before;
}

template <class T> inline T replace(T *to, T value) {
    T before = *to;
    *to = value;
    return before;
}

template <class T, class V> inline T atomicSub(T *to, V value) { return atomicAdd(to, T(0) - T(value)); }
template <class T, class V> inline T atomicExch(T *to, V value) { return replace(to, T(value)); }
template <class T, class V> inline T atomicMin(T *to, V value) { return replace(to, T(value) < *to ? T(value) : *to); }
template <class T, class V> inline T atomicMax(T *to, V value) { return replace(to, *to < T(value) ? T(value) : *to); }
template <class T, class V> inline T atomicAnd(T *to, V value) { return replace(to, T(*to & value)); }
template <class T, class V> inline T atomicOr(T *to, V value) { return replace(to, T(*to | value)); }
template <class T, class V> inline T atomicXor(T *to, V value) { return replace(to, T(*to ^ value)); }

template <class T, class C, class V> inline T atomicCAS(T *to, C compare, V value) {
    T before = *to;
    if (before == T(compare)) *to = T(value);
    return before;
}

inline void __threadfence() {}

// Arithmetic.

inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline int __popcll(unsigned long long bits) { return __builtin_popcountll(bits); }
inline int __clz(unsigned bits) { return bits ? __builtin_clz(bits) : 32; }
inline int __clzll(unsigned long long bits) { return bits ? __builtin_clzll(bits) : 64; }
inline int __ffs(unsigned bits) { return __builtin_ffs(int(bits)); }
inline int __ffsll(unsigned long long bits) { return __builtin_ffsll((long long)(bits)); }

inline unsigned __brev(unsigned bits) {
    unsigned reversed = 0;
    for (int i = 0; i < 32; i++) reversed |= (bits >> i & 1) << (31 - i);
    return reversed;
}

inline unsigned __umulhi(unsigned a, unsigned b) { return unsigned(uint64_t(a) * b >> 32); }

inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)(a)*b >> 64);
}

template <class A, class B> inline auto min(A a, B b) -> decltype(true ? A() : B()) {
    decltype(true ? A() : B()) first = a, second = b;
    return second < first ? second : first;
}

template <class A, class B> inline auto max(A a, B b) -> decltype(true ? A() : B()) {
    decltype(true ? A() : B()) first = a, second = b;
    return first < second ? second : first;
}

inline unsigned __float_as_uint(float value) {
    unsigned bits;
    memcpy(&bits, &value, 4);
    return bits;
}

inline float __uint_as_float(unsigned bits) {
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

// Inline PTX: `asm volatile("…" : "=r"(done) : "r"(to), "l"(from) : "memory")` comes here as
// `emulator::ptx("…", &(done), (to), (from))`.

inline void __nanosleep(unsigned) {}

inline size_t __cvta_generic_to_shared(const void *pointer) {
    return static_cast<const unsigned char *>(pointer) - dynamic_shared_mem;
}

namespace emulator {

// A barrier in shared memory.
struct Barrier {
    uint16_t expected, pending;
    uint32_t phase;
};

inline Barrier &barrier(unsigned at) {
    if (at % 8 != 0) fail("a barrier is not aligned to 8 bytes");
    return *reinterpret_cast<Barrier *>(dynamic_shared_mem + at);
}

inline bool is(const char *instruction, const char *other) { return strcmp(instruction, other) == 0; }

// Copies are made when all threads have arrived at the barrier that waits for them, and not before.
inline void ptx(const char *instruction, unsigned at) {
    if (!is(instruction, "cp.async.mbarrier.arrive.noinc.shared.b64 [%0];")) fail(instruction);
    Barrier &there = barrier(at);
    running->committed = running->started;
    if (--there.pending == 0) {
        make_copies();
        there.pending = there.expected;
        there.phase++;
    }
}

inline void ptx(const char *instruction, unsigned at, unsigned value) {
    if (!is(instruction, "mbarrier.init.shared.b64 [%0], %1;")) fail(instruction);
    barrier(at) = {uint16_t(value), uint16_t(value), 0};
}

inline void ptx(const char *instruction, unsigned *done, unsigned at, unsigned parity) {
    if (!is(instruction, "{.reg .pred done; mbarrier.test_wait.parity.shared.b64 done, [%1], %2; "
                         "selp.u32 %0, 1, 0, done;}")) {
        fail(instruction);
    }
    Barrier &there = barrier(at);
    if ((there.phase & 1) == parity) wait_while(there.phase, there.phase);
    *done = 1;
}

// Blocks run one after the other.
inline void ptx(const char *instruction) {
    if (!is(instruction, "fence.acq_rel.gpu;")) fail(instruction);
}

inline void ptx(const char *instruction, unsigned *to, const unsigned *from) {
    if (!is(instruction, "ld.relaxed.gpu.global.u32 %0, [%1];")) fail(instruction);
    *to = *from;
}

inline void ptx(const char *instruction, unsigned to, const void *from) {
    unsigned bytes = is(instruction, "cp.async.cg.shared.global [%0], [%1], 16;")  ? 16
                     : is(instruction, "cp.async.ca.shared.global [%0], [%1], 8;") ? 8
                     : is(instruction, "cp.async.ca.shared.global [%0], [%1], 4;") ? 4
                                                                                   : 0;
    if (bytes == 0) fail(instruction);
    if (to % bytes != 0 || uintptr_t(from) % bytes != 0) fail("a copy is not aligned to its bytes");
    start_copy(dynamic_shared_mem + to, from, bytes);
}

} // namespace emulator
