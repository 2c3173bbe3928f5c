/* SPDX-License-Identifier: Apache-2.0 */
/* The other operand of pairs of rows (queries, targets): widened to doubles with their norms, in
 * parts that a quarter of the workspace holds, and kept while the same part is asked for again. */
#ifndef ALCORE__CUDA_SIDE_CUH
#define ALCORE__CUDA_SIDE_CUH

#include "cuda_pairs.cuh"
#include "cuda_rows.cuh"

namespace alcore_cuda {

class side {
  public:
    /* most: rows that one part may have; more: bytes for each of them that the owner uses. */
    side(call &owner, const alcore_sys_rows *given, int64_t most, size_t more = 0);
    ~side() {
        c.give_back(numbers);
        c.give_back(beside);
    }
    side(const side &) = delete;
    side &operator=(const side &) = delete;

    /* Makes the part that begins with row `first` the current one; returns its rows. */
    int64_t part(int64_t first);

    call &c;
    const alcore_sys_rows *rows;
    double *numbers = nullptr;  /* [step, dims] rows of the current part as doubles */
    double *norms = nullptr;    /* [step] */
    char *beside = nullptr;     /* [step, more] bytes that the owner uses */
    int64_t step, current = -1; /* rows of a part; first row of the current one, -1: none */
};

/* sqrt of each number. */
void roots_of(call &c, double *numbers, int64_t count);

} // namespace alcore_cuda

#endif
