/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a kernel: the blocks one after another, the threads of a block as fibres (emu_fibre.h) that
 * run in turn. A fibre runs until it reaches a barrier, a warp operation or its end; then the next
 * ready one runs. The order of blocks, of threads and of those that a barrier releases is
 * ascending, descending or random (settings.order). A block in which no thread is ready before all
 * have ended is broken: some thread waits for one that never comes. */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "emu_fibre.h"
#include "emu_state.h"

namespace emu {
place here;

namespace {
/* POISON: the byte that shared memory is filled with. */
enum { LANES = 32, MAX_THREADS = 1024, POISON = 0xff };

/* What a thread is doing; RUNS: it runs or is ready to. */
enum waiting { RUNS, AT_BARRIER, AT_WARP, ENDED };

/* An asynchronous copy to shared memory that has begun and not arrived. */
struct copying {
    void *to;
    const void *from;
    size_t bytes;
    int group;
};

/* A thread of the running block; "site" is a line of the source everywhere here. */
struct thread {
    fibre own;
    waiting state;
    int site;                    /* of the barrier or warp operation that it waits at */
    uint64_t result;             /* of its last warp operation */
    dim3 index;                  /* threadIdx */
    std::vector<copying> copies; /* that have not arrived */
    int group;                   /* of the copies that begin now */
};

/* A warp operation that some lanes of a warp have reached. */
struct meeting {
    bool open; /* some have arrived, and not all */
    kind what;
    uint32_t mask, arrived; /* lanes that take part, and that are here */
    int site;
    uint64_t value[LANES];      /* what each lane of the mask brings */
    int argument[LANES], width; /* of shuffles */
};

/* The running block. */
struct block {
    int threads = 0, at_barrier = 0,
        ended = 0;                 /* how many there are, wait at a barrier, have ended */
    int site = 0;                  /* of the barrier that they wait at */
    std::vector<int> ready;        /* threads, the next one last */
    std::vector<meeting> meetings; /* [warps] */
    std::vector<storage> shared;
    std::vector<void *> hidden; /* words of shared memory with an atomic since the last barrier */
    void *dynamic = nullptr;    /* dynamic shared memory */
    bool broken = false;        /* an error was reported: no thread goes on */
    int current = 0;            /* the running thread */
};

/* [the most threads of a block so far] Never freed: making stacks is expensive. */
std::vector<thread *> &threads = *new std::vector<thread *>();
fibre scheduler; /* the stack of run_block() */
block now;
const std::function<void()> *kernel; /* the running kernel, arguments bound */
const char *kernel_name;

/* Called by a thread that waits or has ended: switches to the next ready thread, or to the
 * scheduler when there is none or the block is broken. */
void give_way() {
    int self = now.current;
    fibre *next = &scheduler;
    if (!now.broken && !now.ready.empty()) {
        now.current = now.ready.back();
        now.ready.pop_back();
        if (now.current == self) return;
        here.thread = threads[(size_t)now.current]->index;
        next = &threads[(size_t)now.current]->own;
    }
    fibre_switch(&threads[(size_t)self]->own, next);
}

/* What a fibre runs. */
void thread_main() {
    fibre_begun();
    (*kernel)();
    threads[(size_t)now.current]->state = ENDED;
    now.ended++;
    give_way();
    abort(); /* never reached: nobody switches to a thread that has ended */
}

/* Puts the entries of a list from number `begin` on, which are ascending, into the order of the
 * settings; the last entry goes first. */
void order(std::vector<int> *list, size_t begin) {
    const auto first = list->begin() + (ptrdiff_t)begin;
    if (settings.order == EMU_ASCENDING) {
        std::reverse(first, list->end());
    } else if (settings.order != EMU_DESCENDING) {
        for (size_t i = list->size() - begin; i > 1; i--)
            std::swap(first[(ptrdiff_t)i - 1], first[(ptrdiff_t)(next_random() % i)]);
    }
}

/* Makes the threads first .. first + count - 1 that are in state `from` ready. */
void release(waiting from, int first, int count) {
    const size_t begin = now.ready.size();
    for (int t = first; t < first + count; t++) {
        if (threads[(size_t)t]->state != from) continue;
        threads[(size_t)t]->state = RUNS;
        now.ready.push_back(t);
    }
    order(&now.ready, begin);
}

/* Reports an error of the kernel, once a block; the launch fails. */
void break_off(const char *text) {
    if (!now.broken) fprintf(stderr, "emulation: kernel %s: %s\n", kernel_name, text);
    now.broken = true;
    settings.error = cudaErrorLaunchFailure;
}

/* The lane whose value `lane` gets in a shuffle; -1: one that takes no part. */
int source_of(const meeting *m, int lane) {
    int begin = lane / m->width * m->width, at = m->argument[lane];
    int from = lane;
    if (m->what == SHFL) from = begin + at % m->width;
    if (m->what == SHFL_DOWN) from = lane + at < begin + m->width ? lane + at : lane;
    if (m->what == SHFL_UP) from = lane - at >= begin ? lane - at : lane;
    if (m->what == SHFL_XOR) from = (lane ^ at) < begin + m->width ? lane ^ at : lane;
    return from >= 0 && from < LANES && (m->mask >> from & 1) ? from : -1;
}

/* What a lane brings to tensor_step(), laid out as in cuda_tensor.cuh. */
struct fragments {
    float *sum;
    const uint32_t *a, *b;
    bool bfloat16; /* the numbers of a and b; else float16 */
    /* The lower or upper number of a word of a or b, widened. */
    double number(const uint32_t *words, int word, int upper) const {
        uint32_t bits = words[word] >> 16 * upper & 0xffff;
        return (double)(bfloat16 ? value_of<float>(bits << 16) : float_of_half((uint16_t)bits));
    }
};

/* Completes a tensor operation: gathers the fragments of all lanes into A and B and updates their
 * sums, all 16 products at once or 8 and then 8, as older devices do, with an error as large as the
 * bound of cuda_filter.cuh allows. */
void step_tensors(const meeting *m) {
    const fragments *lanes[LANES];
    double a[16][16], b[16][8];
    for (int lane = 0; lane < LANES; lane++) {
        const fragments *own = lanes[lane] = (const fragments *)(uintptr_t)m->value[lane];
        int g = lane / 4, t = lane % 4;
        for (int word = 0; word < 4; word++)
            for (int upper = 0; upper < 2; upper++)
                a[g + word % 2 * 8][2 * t + upper + word / 2 * 8] =
                    own->number(own->a, word, upper);
        for (int word = 0; word < 2; word++)
            for (int upper = 0; upper < 2; upper++)
                b[2 * t + upper + word * 8][g] = own->number(own->b, word, upper);
    }
    int way = (int)(next_random() % 3), halves = 1 + (int)(next_random() % 2);
    for (int lane = 0; lane < LANES; lane++) {
        for (int r = 0; r < 4; r++) {
            int row = lane / 4 + r / 2 * 8, column = 2 * (lane % 4) + r % 2;
            float *sum = &lanes[lane]->sum[r];
            for (int half = 0; half < halves; half++) {
                double terms[17] = {(double)*sum};
                for (int k = 0; k < 16 / halves; k++) {
                    int at = half * 8 + k;
                    terms[k + 1] = a[row][at] * b[at][column];
                }
                *sum = aligned_sum(terms, 16 / halves + 1, way);
            }
        }
    }
}

/* What a lane brings to load_parts(): the line of a part that it points to, and where its words of
 * the four parts go. */
struct part_line {
    uint32_t *part;
    const char *line;
};

/* Completes such a load: lane 8 r + g has line g of part r, of which lane 4 g + t gets word t. */
void load_words(const meeting *m) {
    const part_line *lanes[LANES];
    for (int lane = 0; lane < LANES; lane++)
        lanes[lane] = (const part_line *)(uintptr_t)m->value[lane];
    for (int lane = 0; lane < LANES; lane++)
        for (int r = 0; r < 4; r++)
            memcpy(lanes[lane]->part + r, lanes[8 * r + lane / 4]->line + lane % 4 * 4, 4);
}

/* All lanes of the mask have arrived: computes the result of each. first: thread of lane 0. */
void complete(meeting *m, int first) {
    joined(first / LANES);
    if (m->what == TENSOR || m->what == PARTS) {
        m->what == TENSOR ? step_tensors(m) : load_words(m);
        m->open = false;
        return;
    }
    uint32_t votes = 0;
    for (int lane = 0; lane < LANES; lane++)
        if ((m->mask >> lane & 1) && m->value[lane]) votes |= 1u << lane;
    for (int lane = 0; lane < LANES; lane++) {
        if (!(m->mask >> lane & 1)) continue;
        uint64_t *result = &threads[(size_t)(first + lane)]->result;
        *result = votes;
        if (m->what == BALLOT || m->what == SYNC) continue;
        int from = source_of(m, lane);
        if (from < 0) {
            break_off("a shuffle reads a lane that takes no part");
            from = lane;
        }
        *result = m->value[from];
    }
    m->open = false;
}

/* At a barrier: words that had an atomic may be read again. */
void show_words() {
    for (void *word : now.hidden) __asan_unpoison_memory_region(word, 4);
    now.hidden.clear();
}

/* Runs one block to its end, or until it is broken. index: blockIdx; size: blockDim; blocks:
 * gridDim; dynamic: bytes of dynamic shared memory. */
void run_block(dim3 index, dim3 size, dim3 blocks, size_t dynamic) {
    int count = (int)(size.x * size.y * size.z);
    now = block();
    now.threads = count;
    watch(kernel_name, &now.shared);
    now.meetings.resize((size_t)(count + LANES - 1) / LANES);
    for (meeting &m : now.meetings) m.open = false;
    if (dynamic) {
        now.dynamic = malloc(dynamic);
        memset(now.dynamic, POISON, dynamic);
    }
    now.ready.resize((size_t)count);
    std::iota(now.ready.begin(), now.ready.end(), 0);
    order(&now.ready, 0);
    while (threads.size() < (size_t)count) threads.push_back(new thread());
    for (int t = 0; t < count; t++) {
        unsigned at = (unsigned)t;
        const bool given_up = threads[(size_t)t]->state != ENDED;
        threads[(size_t)t]->index = dim3(at % size.x, at / size.x % size.y, at / size.x / size.y);
        threads[(size_t)t]->state = RUNS;
        threads[(size_t)t]->copies.clear();
        threads[(size_t)t]->group = 0;
        fibre_prepare(&threads[(size_t)t]->own, thread_main, given_up);
    }
    here.block = index;
    here.threads = size;
    here.blocks = blocks;
    scheduler = fibre();
    while (!now.ready.empty() && !now.broken) {
        now.current = now.ready.back();
        now.ready.pop_back();
        thread *next = threads[(size_t)now.current];
        here.thread = next->index;
        fibre_switch(&scheduler, &next->own);
    }
    if (!now.broken && now.ended < count) {
        char text[160];
        int t = 0;
        while (threads[(size_t)t]->state == ENDED) t++;
        snprintf(text, sizeof text, "thread %d waits at line %d for one that never comes", t,
                 threads[(size_t)t]->site);
        break_off(text);
    }
    joined(-1);
    show_words();
    free(now.dynamic);
    for (const storage &s : now.shared) free(s.memory);
}
} // namespace

/* The sum of terms [count], aligned to the largest of them and cut there, as Fasi, Higham, Mikaitis
 * and Pranesh (Numerical behavior of NVIDIA tensor cores, PeerJ Comput. Sci. 2021) found tensor
 * cores to do. way: cut towards zero (0), down (1) or up (2), the last two worse than any device.
 */
float aligned_sum(const double *terms, int count, int way) {
    double largest = 0.0, sum = 0.0;
    for (int k = 0; k < count; k++) largest = std::max(largest, std::fabs(terms[k]));
    if (!(largest > 0.0) || !std::isfinite(largest)) {
        for (int k = 0; k < count; k++) sum += terms[k];
        return (float)sum;
    }
    double unit = std::ldexp(1.0, std::ilogb(largest) - 22), inverse = 1.0 / unit;
    for (int k = 0; k < count; k++) {
        double units = terms[k] * inverse;
        sum += way == 0 ? std::trunc(units) : way == 1 ? std::floor(units) : std::ceil(units);
    }
    sum *= unit;
    float rounded = (float)sum;
    if (std::fabs((double)rounded) > std::fabs(sum)) rounded = std::nextafter(rounded, 0.0f);
    return rounded;
}

void atomic_begin(void *word, size_t bytes) {
    if ((uintptr_t)word % 8 == 4 && bytes == 4) __asan_unpoison_memory_region(word, bytes);
}

void atomic_end(void *word, size_t bytes) {
    if ((uintptr_t)word % 8 != 4 || bytes != 4) return;
    for (const storage &s : now.shared) {
        if ((char *)word < s.memory || (char *)word >= s.memory + s.bytes) continue;
        __asan_poison_memory_region(word, bytes);
        now.hidden.push_back(word);
    }
}

/* The last thread to arrive releases all of them. Barriers at different lines are an error, even if
 * the counts match. */
void barrier(int site) {
    settings.arrivals++;
    thread *self = threads[(size_t)now.current];
    self->site = site;
    if (now.at_barrier == 0) now.site = site;
    if (now.site != site) break_off("threads of a block wait at different barriers");
    now.at_barrier++;
    self->state = AT_BARRIER;
    if (now.at_barrier == now.threads) {
        now.at_barrier = 0;
        joined(-1);
        show_words();
        release(AT_BARRIER, 0, now.threads);
    }
    give_way();
}

/* The first lane to arrive opens the meeting of its warp; the others must come with the same
 * operation, mask and line; the last one completes it and releases all. */
uint64_t warp(kind what, uint32_t mask, uint64_t value, int argument, int width, int site) {
    settings.arrivals++;
    int warp_number = now.current / LANES, lane = now.current % LANES;
    meeting *m = &now.meetings[(size_t)warp_number];
    thread *self = threads[(size_t)now.current];
    self->site = site;
    if (!m->open) {
        m->open = true;
        m->what = what;
        m->mask = mask;
        m->arrived = 0;
        m->site = site;
        m->width = width;
    }
    if (m->what != what || m->mask != mask || m->site != site || m->width != width)
        break_off("lanes of a warp meet in different operations");
    if (!(mask >> lane & 1)) break_off("a lane is not in its own mask");
    m->arrived |= 1u << lane;
    m->value[lane] = value;
    m->argument[lane] = argument;
    self->state = AT_WARP;
    if (m->arrived == m->mask) {
        int first = warp_number * LANES;
        complete(m, first);
        release(AT_WARP, first, std::min((int)LANES, now.threads - first));
    }
    give_way();
    return self->result;
}

void tensor_step(float *sum, const uint32_t *a, const uint32_t *b, bool bfloat16, int site) {
    fragments own = {sum, a, b, bfloat16};
    warp(TENSOR, 0xffffffffu, (uint64_t)(uintptr_t)&own, 0, LANES, site);
}

void load_parts(uint32_t *part, const void *line, int site) {
    const int self = now.current;
    bool shared = false;
    for (const storage &s : now.shared)
        shared =
            shared || ((const char *)line >= s.memory && (const char *)line < s.memory + s.bytes);
    if ((uintptr_t)line % 16 || !shared)
        complain("a part's line that is not aligned, or not in shared memory");
    accessed(self, line, 16, __builtin_return_address(0));
    part_line own = {part, (const char *)line};
    warp(PARTS, 0xffffffffu, (uint64_t)(uintptr_t)&own, 0, LANES, site);
}

void copy_begin(void *shared, const void *from, size_t bytes) {
    thread *self = threads[(size_t)now.current];
    if ((uintptr_t)shared % bytes || (uintptr_t)from % bytes)
        complain("a copy to shared memory that is not aligned");
    accessed(now.current, shared, bytes, __builtin_return_address(0));
    self->copies.push_back({shared, from, bytes, self->group});
    for (size_t i = 0; i < bytes / 2; i++) /* float16 numbers between 1024 and 2048 */
        ((uint16_t *)shared)[i] = (uint16_t)(0x6400u | (next_random() & 0x83ffu));
}

void copy_group() {
    threads[(size_t)now.current]->group++;
}

/* Copies of all groups but the last `left` arrive now. */
void copy_wait(int left) {
    thread *self = threads[(size_t)now.current];
    size_t kept = 0;
    for (const copying &c : self->copies) {
        if (c.group < self->group - left)
            memcpy(c.to, c.from, c.bytes);
        else
            self->copies[kept++] = c;
    }
    self->copies.resize(kept);
}

void count(int event) {
    settings.events[event]++;
}

int running_thread() {
    return now.current;
}

void *shared_storage(size_t bytes, size_t alignment, const char *name, int site) {
    for (const storage &s : now.shared)
        if (s.site == site) return s.memory;
    storage made = {site, bytes, alignment, name, (char *)malloc(bytes)};
    memset(made.memory, POISON, bytes);
    now.shared.push_back(made);
    return made.memory;
}

void *dynamic_storage() {
    return now.dynamic;
}

void complain(const char *text) {
    break_off(text);
    give_way();
}

/* Refuses launches beyond the limits of devices, and runs the blocks one after the other until an
 * error. */
void run_grid(dim3 blocks, dim3 size, size_t shared, const char *name,
              const std::function<void()> &body) {
    unsigned count = blocks.x * blocks.y * blocks.z, threads_of = size.x * size.y * size.z;
    kernel = &body;
    kernel_name = name;
    now.broken = false;
    if (count == 0 || threads_of == 0 || threads_of > MAX_THREADS || blocks.y > 65535 ||
        blocks.z > 65535 || shared > (48u << 10)) {
        break_off("a grid that no device takes");
        return;
    }
    std::vector<int> list(count);
    std::iota(list.begin(), list.end(), 0);
    order(&list, 0);
    for (; !list.empty() && !settings.error; list.pop_back()) {
        unsigned b = (unsigned)list.back();
        run_block(dim3(b % blocks.x, b / blocks.x % blocks.y, b / blocks.x / blocks.y), size,
                  blocks, shared);
    }
}

double perturbed(double value) {
    if (!settings.perturb || !std::isfinite(value) || value == 0.0) return value;
    for (int steps = (int)(next_random() % 5) - 2; steps != 0; steps += steps < 0 ? 1 : -1)
        value = std::nextafter(value, steps < 0 ? -INFINITY : INFINITY);
    return value;
}

float perturbed(float value) {
    if (!settings.perturb || !std::isfinite(value) || value == 0.0f) return value;
    for (int steps = (int)(next_random() % 5) - 2; steps != 0; steps += steps < 0 ? 1 : -1)
        value = std::nextafter(value, steps < 0 ? -INFINITY : INFINITY);
    return value;
}
} // namespace emu
