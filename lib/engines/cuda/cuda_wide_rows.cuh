/* SPDX-License-Identifier: Apache-2.0 */
/* The two operands of kernels that compare pairs of rows. Rows pass in the chunks of a pipeline: as
 * doubles with their norms (widen_with_norms) or, for a filter, in half precision with their norms
 * (half_column). The others (queries, targets) pass in parts (operand_parts), as doubles and, for a
 * filter, in half precision too. */
#ifndef ALCORE__CUDA_WIDE_ROWS_CUH
#define ALCORE__CUDA_WIDE_ROWS_CUH

#include "cuda_filter.cuh"
#include "cuda_pairs.cuh"
#include "cuda_rows.cuh"

namespace alcore_cuda {

/* Rows on the device as doubles [count, dims], and their L2 norms (not squared) [count]. */
struct wide_operand {
    const double *rows, *norms;
    int64_t count;
};

/* Widens the rows of a chunk and computes their norms. matrix: the column of the rows; wide, norms:
 * scratch columns of dims doubles and of one. */
inline wide_operand widen_with_norms(call &c, const chunk &piece, const alcore_sys_rows *rows,
                                     int matrix, int wide, int norms) {
    conversion out = {piece.get<double>(wide),
                      piece.get<double>(norms),
                      {nullptr, nullptr} /* no halves */,
                      ALCORE_SYS_L2};
    convert_set(c, chunk_rows(piece, rows, matrix), rows->dtype, out);
    return {out.wide, out.norms, piece.count};
}

/* The rows of a pipeline in half precision, with their norms: what convert() has kept of them, or
 * scratch columns that are filled chunk by chunk. */
class half_column {
  public:
    /* Before the pipeline runs. */
    half_column(call &owner, pipeline &pass, const alcore_sys_rows *operand, int32_t filter_metric)
        : c(owner), rows(operand), kept(find_converted(owner, operand, filter_metric)) {
        if (kept.norms) return;
        norms = pass.scratch(sizeof(double));
        halves = pass.scratch(half_bytes(rows->dims));
    }

    /* Those of a chunk. set: its rows that take part; the entries of others are not to be used. */
    conversion of(const chunk &piece, const row_set &set) {
        if (kept.norms) return conversion_from(kept, piece.first, rows->dims);
        conversion made = kept;
        made.norms = piece.get<double>(norms);
        made.half = lay_out_halves(piece.get<char>(halves), piece.count, rows->dims);
        convert_set(c, set, rows->dtype, made);
        return made;
    }

  private:
    call &c;
    const alcore_sys_rows *rows;
    conversion kept;             /* of all rows; norms NULL: none was kept */
    int norms = -1, halves = -1; /* scratch columns */
};

/* The operand that every chunk of rows is compared with, one part (a run of its rows) after the
 * other, as doubles and, for a filter, in half precision too (cuda_filter.cuh). A part is at most a
 * quarter of the staging limit, the bytes of device memory that copies may occupy, and stays on the
 * device while the same part is asked for again, so that an operand of one part is converted once.
 */
class operand_parts {
  public:
    /* max_part: the most rows of a part; filters: the halves are wanted, for this metric;
     * extra_bytes: device memory for each row of a part that the owner uses (extra). */
    operand_parts(call &owner, const alcore_sys_rows *operand, int64_t max_part,
                  bool filters = false, int32_t filter_metric = ALCORE_SYS_L2,
                  size_t extra_bytes = 0);
    ~operand_parts() { c.deallocate(memory); }
    operand_parts(const operand_parts &) = delete;
    operand_parts &operator=(const operand_parts &) = delete;

    /* Makes the part that begins with row `first`, which the operand has, the current one; returns
     * how many rows it has. A new part is converted by a pipeline of its own, which asks the host
     * whether to stop, behind the kernels that still read the part before. */
    int64_t part(int64_t first);

    call &c;
    const alcore_sys_rows *rows; /* the operand */
    int64_t step;                /* capacity of a part, in rows; 1 or more, without rows too */
    half_rows half;              /* [step] rows of the current part; NULL without filters */
    double *wide, *norms;        /* [step, dims] the same as doubles, and their norms [step] */
    char *extra;                 /* [step, extra_bytes] the owner's */

  private:
    int32_t metric;       /* what half.stats serve */
    int64_t current = -1; /* first row of the current part; -1: none */
    void *memory;         /* all of these arrays */
};

} // namespace alcore_cuda

#endif
