/* SPDX-License-Identifier: Apache-2.0 */
/* Rows one by one, a warp a row: widen, dots, self_dots, sq_dists and the distances to the centroid
 * of a row's group. Lane l of the warp holds running sum l of spec 1.8, so that the bytes are the
 * CPU's. Cost: one read of the rows; two double operations a component, which on devices with slow
 * double precision take longer than the read. */
#include "cuda_rows.cuh"

#include "cuda_entries.h"

namespace alcore_cuda {

namespace {
struct widen_body {
    double *out;
    template <class Row> __device__ void operator()(const Row &row, int64_t i, int64_t dims) const {
        for (int64_t j = lane_here(); j < dims; j += CUDA_LANES) out[i * dims + j] = row[j];
    }
};

struct dots_body {
    const double *vector;
    double *out;
    template <class Row> __device__ void operator()(const Row &row, int64_t i, int64_t dims) const {
        double dot = row_dot(row, vector, dims);
        if (lane_here() == 0) out[i] = dot;
    }
};

struct self_dots_body {
    double *out;
    template <class Row> __device__ void operator()(const Row &row, int64_t i, int64_t dims) const {
        double dot = row_self_dot(row, dims);
        if (lane_here() == 0) out[i] = dot;
    }
};

struct sq_dists_body {
    const double *vector;
    double *out;
    template <class Row> __device__ void operator()(const Row &row, int64_t i, int64_t dims) const {
        double sq_dist = row_sq_dist(row, vector, dims);
        if (lane_here() == 0) out[i] = sq_dist;
    }
};

struct group_sq_dists_body {
    const int32_t *group;
    const double *centroids;
    double *out;
    template <class Row> __device__ void operator()(const Row &row, int64_t i, int64_t dims) const {
        double sq_dist = row_sq_dist(row, centroids + group[i] * dims, dims);
        if (lane_here() == 0) out[i] = sq_dist;
    }
};

struct group_cosine_body {
    const int32_t *group;
    const double *centroids, *centroid_dots;
    double *out;
    template <class Row> __device__ void operator()(const Row &row, int64_t i, int64_t dims) const {
        double dot = row_dot(row, centroids + group[i] * dims, dims);
        double norm = sqrt(row_self_dot(row, dims));
        if (lane_here() == 0) out[i] = 1.0 - cosine_of(dot, norm, sqrt(centroid_dots[group[i]]));
    }
};

/* What the entries of this file have in common: a number per row. */
template <class Make>
alcore_status number_per_row(const alcore_sys_work *work, const alcore_sys_rows *rows,
                             const uint8_t *mask, size_t bytes, double *out, const Make &make) {
    return guarded(work, [&](call &c) {
        c.check_rows(rows);
        auto body = make(c);
        pipeline pass(c, rows->count);
        int matrix = pass.rows(rows), mask_column = pass.row_mask(mask), to = pass.out(out, bytes);
        pass.run([&](const chunk &piece) {
            body.out = piece.get<double>(to);
            launch_rows(rows_of(piece, rows, matrix, mask_column, -1), rows->dtype, piece.stream,
                        body);
        });
    });
}
} // namespace

/* The group of each row in host memory, group [rows], copied to `memory` if it is on the device;
 * throws when one is not below `groups`. Negative groups mean: no group, the row is left out. */
const int32_t *checked_groups(call &c, const alcore_sys_rows *rows, const int32_t *group,
                              int64_t groups, std::vector<int32_t> *memory) {
    c.check_rows(rows);
    if (groups < 0) fail(c.work, ALCORE_E_INVALID, "a kernel was called with a negative shape");
    const int32_t *own = c.on_host(group, rows->count, memory);
    for (int64_t i = 0; i < rows->count; i++) {
        if (own[i] >= groups)
            fail(c.work, ALCORE_E_INVALID, "a row's group is not below the number of groups");
    }
    return own;
}

void widen_chunk(const chunk &piece, const alcore_sys_rows *rows, int matrix, double *out) {
    widen_body body = {out};
    launch_rows(rows_of(piece, rows, matrix, -1, -1), rows->dtype, piece.stream, body);
}

/* Rows first .. first + count - 1 as doubles: out [count, dims] on the device. */
void widen_range(call &c, const alcore_sys_rows *rows, int64_t first, int64_t count, double *out) {
    static const int64_t number[] = {0, 2, 2, 4, 8};
    alcore_sys_rows part = *rows;
    part.data = (const char *)rows->data + first * rows->stride * number[rows->dtype];
    part.count = count;
    pipeline pass(c, count);
    int matrix = pass.rows(&part);
    pass.run([&](const chunk &piece) {
        widen_chunk(piece, &part, matrix, out + piece.first * rows->dims);
    });
}

void self_dots_of(call &c, const double *rows, int64_t count, int64_t dims, double *out) {
    self_dots_body body = {out};
    row_set set = {rows, count, dims, dims, nullptr, nullptr, 0};
    launch_rows(set, ALCORE_FLOAT64, c.compute, body);
    c.launched();
}

/* Kernel table: out [rows, dims] gets the rows in double; rows that the mask [rows] leaves out are
 * not written. */
alcore_status widen(const alcore_sys_work *work, const alcore_sys_rows *rows, const uint8_t *mask,
                    double *out) {
    size_t bytes = rows ? (size_t)rows->dims * sizeof *out : 0;
    return number_per_row(work, rows, mask, bytes, out, [](call &) { return widen_body{nullptr}; });
}

/* Kernel table: out [rows] = row . vector, vector [dims]; rows that the mask leaves out are not
 * written. */
alcore_status dots(const alcore_sys_work *work, const alcore_sys_rows *rows, const uint8_t *mask,
                   const double *vector, double *out) {
    return number_per_row(work, rows, mask, sizeof *out, out, [&](call &c) {
        return dots_body{c.whole(vector, rows->dims), nullptr};
    });
}

alcore_status self_dots(const alcore_sys_work *work, const alcore_sys_rows *rows,
                        const uint8_t *mask, double *out) {
    return number_per_row(work, rows, mask, sizeof *out, out,
                          [](call &) { return self_dots_body{nullptr}; });
}

/* Kernel table: out [rows] = |row - vector|^2, vector [dims]; rows that the mask leaves out are not
 * written. */
alcore_status sq_dists(const alcore_sys_work *work, const alcore_sys_rows *rows,
                       const uint8_t *mask, const double *vector, double *out) {
    return number_per_row(work, rows, mask, sizeof *out, out, [&](call &c) {
        return sq_dists_body{c.whole(vector, rows->dims), nullptr};
    });
}

/* Kernel table: out [rows] = 1 - cos(row, centroid of its group). group [rows], below 0: out is not
 * written; centroids [groups, dims]. */
alcore_status group_cosine(const alcore_sys_work *work, const alcore_sys_rows *rows,
                           const int32_t *group, int64_t groups, const double *centroids,
                           double *out) {
    return guarded(work, [&](call &c) {
        std::vector<int32_t> memory;
        const int32_t *own = checked_groups(c, rows, group, groups, &memory);
        const double *all = c.whole(centroids, groups * rows->dims);
        double *centroid_dots = c.device_array<double>(groups);
        self_dots_of(c, all, groups, rows->dims, centroid_dots);
        pipeline pass(c, rows->count);
        pass.leave_out(own);
        int matrix = pass.rows(rows), of = pass.in(group, sizeof *group);
        int to = pass.out(out, sizeof *out);
        pass.run([&](const chunk &piece) {
            row_set set = rows_of(piece, rows, matrix, -1, of);
            group_cosine_body body = {set.group, all, centroid_dots, piece.get<double>(to)};
            launch_rows(set, rows->dtype, piece.stream, body);
        });
    });
}

/* Kernel table: out [rows] = |row - centroid of its group|^2. group [rows], below 0: out is not
 * written; centroids [groups, dims]. The groups are needed twice: on the host, where the pipeline
 * leaves entries out, and as a column on the device. */
alcore_status group_sq_dists(const alcore_sys_work *work, const alcore_sys_rows *rows,
                             const int32_t *group, int64_t groups, const double *centroids,
                             double *out) {
    return guarded(work, [&](call &c) {
        std::vector<int32_t> memory;
        const int32_t *own = checked_groups(c, rows, group, groups, &memory);
        const double *all = c.whole(centroids, groups * rows->dims);
        pipeline pass(c, rows->count);
        pass.leave_out(own);
        int matrix = pass.rows(rows), of = pass.in(group, sizeof *group);
        int to = pass.out(out, sizeof *out);
        pass.run([&](const chunk &piece) {
            row_set set = rows_of(piece, rows, matrix, -1, of);
            group_sq_dists_body body = {set.group, all, piece.get<double>(to)};
            launch_rows(set, rows->dtype, piece.stream, body);
        });
    });
}

} // namespace alcore_cuda
