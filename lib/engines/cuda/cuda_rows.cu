/* SPDX-License-Identifier: Apache-2.0 */
/* Entries that compute one value, or one vector, of each row, a warp a row: widen, dots, self_dots,
 * sq_dists and the cosine distance to the centroid of the group of a row. Thread l of the warp
 * holds running sum l of spec 1.8, so that the bytes are the CPU's. Cost: one read of the rows; one
 * to three double operations a component, which on devices with slow double precision take longer
 * than the read. */
#include "cuda_rows.cuh"

#include "cuda_entries.h"

namespace alcore_cuda {

namespace {
/* Bodies of each_row (cuda_rows.cuh): what the warp of row i of a chunk writes. All arrays are on
 * the device, in double: out [chunk]; vector [dims]; centroids [groups, dims]; group [chunk] is
 * int32 and not negative for rows that get here.
 * Every thread of the warp has the result, thread 0 writes it. */
struct dots_body { /* dot(row, vector) */
    const double *vector;
    double *out;
    template <class Row> __device__ void operator()(const Row &row, int64_t i, int64_t dims) const {
        double dot = row_dot(row, vector, dims);
        if (lane_id() == 0) out[i] = dot;
    }
};

struct self_dots_body { /* dot(row, row) */
    double *out;
    template <class Row> __device__ void operator()(const Row &row, int64_t i, int64_t dims) const {
        double dot = row_self_dot(row, dims);
        if (lane_id() == 0) out[i] = dot;
    }
};

struct sq_dists_body { /* |row - vector|^2 */
    const double *vector;
    double *out;
    template <class Row> __device__ void operator()(const Row &row, int64_t i, int64_t dims) const {
        double sq_dist = row_sq_dist(row, vector, dims);
        if (lane_id() == 0) out[i] = sq_dist;
    }
};

/* Body of finished_rows: 1 - cos(row, centroid of its group), spec 1.5. */
struct group_cosine_body {
    struct alignas(sizeof(loaded_unit)) sums { /* one instruction reads it */
        double dot, self;
    };
    const int32_t *group;
    const double *centroids, *centroid_norms; /* L2, not squared */
    double *out;
    template <int> __device__ sums *memory() const {
        CUDA_SHARED(sums, of_rows, FINISHED_ROWS);
        return of_rows;
    }
    template <class Row> __device__ sums operator()(const Row &row, int64_t i, int64_t dims) const {
        sums found;
        found.dot = row_dots(row, centroids + group[i] * dims, dims, &found.self);
        return found;
    }
    __device__ void finish(int64_t i, const sums &of_row) const {
        out[i] = 1.0 - cosine_of(of_row.dot, sqrt(of_row.self), centroid_norms[group[i]]);
    }
};

/* The pass of widen, dots, self_dots and sq_dists: make(c), called after the check of the rows,
 * returns the body, whose member `out`, NULL until then, is set for each chunk; out: the caller's
 * array, `bytes` bytes a row; mask [rows]: 0 is not written; NULL: all are. */
template <class Make>
alcore_status value_per_row(const alcore_sys_work *work, const alcore_sys_rows *rows,
                            const uint8_t *mask, size_t bytes, double *out, const Make &make) {
    return guarded(work, [&](call &c) {
        c.check_rows(rows);
        auto body = make(c);
        pipeline pass(c, rows->count);
        int matrix = pass.rows(rows), mask_column = pass.row_mask(mask),
            out_column = pass.out(out, bytes);
        pass.run([&](const chunk &piece) {
            body.out = piece.get<double>(out_column);
            launch_rows(chunk_rows(piece, rows, matrix, mask_column), rows->dtype, piece.stream,
                        body);
        });
    });
}
} // namespace

/* Called by the entries that have groups, before their pass: the pipeline and the sums need the
 * groups on the host, and a group out of range must not reach a kernel. */
const int32_t *checked_groups(call &c, const alcore_sys_rows *rows, const int32_t *group,
                              int64_t groups, std::vector<int32_t> *memory) {
    c.check_rows(rows);
    c.check_count(groups);
    const int32_t *host_group = c.to_host(group, rows->count, memory);
    for (int64_t i = 0; i < rows->count; i++) {
        if (host_group[i] >= groups) fail(c.work, ALCORE_E_INVALID, GROUP_OUT_OF_RANGE);
    }
    return host_group;
}

/* Sorts the rows of a chunk by group, by counting. It is stable, since sums depend on the order of
 * the rows within a group. next [groups + 1]: next[g + 1] counts the rows of group g at first;
 * after the second loop next[g] is where the next row of group g goes in `order`. */
void group_rows(const int32_t *group, int64_t count, int64_t groups, grouping *out) {
    std::vector<int32_t> next((size_t)groups + 1);
    auto group_of = [&](int64_t i) { return group ? group[i] : 0; };
    for (int64_t i = 0; i < count; i++)
        if (group_of(i) >= 0) next[(size_t)group_of(i) + 1]++;
    out->groups.clear();
    out->starts.clear();
    for (int64_t g = 0; g < groups; g++) {
        if (next[(size_t)g + 1] > 0) {
            out->groups.push_back((int32_t)g);
            out->starts.push_back(next[(size_t)g]);
        }
        next[(size_t)g + 1] += next[(size_t)g];
    }
    out->starts.push_back(next[(size_t)groups]);
    out->order.resize((size_t)next[(size_t)groups]);
    for (int64_t i = 0; i < count; i++)
        if (group_of(i) >= 0) out->order[(size_t)next[(size_t)group_of(i)]++] = (int32_t)i;
}

/* Kernel table: out [rows, dims] gets the rows in double; rows that the mask [rows] leaves out are
 * not written. `bytes` is computed before the rows are checked, hence the test for NULL. */
alcore_status widen(const alcore_sys_work *work, const alcore_sys_rows *rows, const uint8_t *mask,
                    double *out) {
    size_t bytes = rows ? (size_t)rows->dims * sizeof *out : 0;
    return value_per_row(work, rows, mask, bytes, out, [](call &) { return widen_body{nullptr}; });
}

/* Kernel table: out [rows] = row . vector, vector [dims]; rows that the mask leaves out are not
 * written. */
alcore_status dots(const alcore_sys_work *work, const alcore_sys_rows *rows, const uint8_t *mask,
                   const double *vector, double *out) {
    return value_per_row(work, rows, mask, sizeof *out, out, [&](call &c) {
        return dots_body{c.to_device(vector, rows->dims), nullptr};
    });
}

/* Kernel table: out [rows] = dot(row, row); rows that the mask leaves out are not written. */
alcore_status self_dots(const alcore_sys_work *work, const alcore_sys_rows *rows,
                        const uint8_t *mask, double *out) {
    return value_per_row(work, rows, mask, sizeof *out, out,
                         [](call &) { return self_dots_body{nullptr}; });
}

/* Kernel table: out [rows] = |row - vector|^2, vector [dims]; rows that the mask leaves out are not
 * written. */
alcore_status sq_dists(const alcore_sys_work *work, const alcore_sys_rows *rows,
                       const uint8_t *mask, const double *vector, double *out) {
    return value_per_row(work, rows, mask, sizeof *out, out, [&](call &c) {
        return sq_dists_body{c.to_device(vector, rows->dims), nullptr};
    });
}

/* Kernel table: out [rows] = 1 - cos(row, centroid of its group). group [rows], below 0: out is not
 * written; centroids [groups, dims]. */
alcore_status group_cosine(const alcore_sys_work *work, const alcore_sys_rows *rows,
                           const int32_t *group, int64_t groups, const double *centroids,
                           double *out) {
    return guarded(work, [&](call &c) {
        std::vector<int32_t> memory;
        const int32_t *host_group = checked_groups(c, rows, group, groups, &memory);
        const double *device_centroids = c.to_device(centroids, groups * rows->dims);
        double *centroid_norms = c.allocate_array<double>(groups);
        launch_rows({device_centroids, groups, rows->dims, rows->dims /* stride */,
                     nullptr /* no mask */, nullptr /* no groups */, 0 /* not unit */},
                    ALCORE_FLOAT64, c.compute, norms_body{centroid_norms});
        pipeline pass(c, rows->count);
        pass.skip_ungrouped(host_group);
        int matrix = pass.rows(rows), group_column = pass.in(group, sizeof *group);
        int out_column = pass.out(out, sizeof *out);
        pass.run([&](const chunk &piece) {
            row_set set = chunk_rows(piece, rows, matrix, -1 /* no mask */, group_column);
            group_cosine_body body = {set.group, device_centroids, centroid_norms,
                                      piece.get<double>(out_column)};
            launch_finished_rows(set, rows->dtype, piece.stream, body);
        });
    });
}

} // namespace alcore_cuda
