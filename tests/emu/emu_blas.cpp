/* SPDX-License-Identifier: Apache-2.0 */
/* The few functions of cuBLAS that lib/engines/cuda/cuda_blas.cu looks up, on the emulated devices.
 * Each is as strict as NVIDIA's documentation allows: operands in memory of the handle's device,
 * strides that hold the rows, a stream of the device. A product runs when its stream does, adds in
 * another order than the engine's own kernels, loses what tensor cores lose, and scribbles over its
 * workspace. The handle of another library is not recognized. */
#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "emu_state.h"

namespace emu {
namespace {
enum { SUCCESS = 0, NOT_INITIALIZED = 1, INVALID_VALUE = 7, EXECUTION_FAILED = 13 };
enum { FLOAT32 = 0, FLOAT16 = 2, BFLOAT16 = 14 };

struct handle {
    int device;
    cudaStream_t stream;
    char *workspace; /* NULL: its own */
    size_t workspace_bytes;
};

std::recursive_mutex lock;
typedef std::lock_guard<std::recursive_mutex> guard;
std::set<handle *> handles;
std::string loaded_name, file_name = "libcublas.so.13", opened_name;
int allowed = 1, failing_status;
int64_t failing_call;
uint64_t products;
size_t last_workspace; /* of the last product */

/* The status that a test has wished for this call, else SUCCESS; complains about an unknown
 * handle. */
int enter(const void *given) {
    if (failing_call > 0 && --failing_call == 0) return failing_status;
    return handles.count((handle *)given) ? SUCCESS : NOT_INITIALIZED;
}

int refuse(const char *text) {
    fprintf(stderr, "emulation: cuBLAS: %s\n", text);
    return INVALID_VALUE;
}

int create(void **out) {
    guard held(lock);
    *out = nullptr;
    if (failing_call > 0 && --failing_call == 0) return failing_status;
    handle *made = new handle{device_now(), nullptr, nullptr, 0};
    handles.insert(made);
    *out = made;
    return SUCCESS;
}
int destroy(void *given) {
    guard held(lock);
    int status = enter(given);
    if (status == SUCCESS) {
        handles.erase((handle *)given);
        delete (handle *)given;
    }
    return status;
}
/* Forgets the workspace, as cublasSetStream() does. */
int set_stream(void *given, cudaStream_t stream) {
    guard held(lock);
    if (int status = enter(given)) return status;
    *(handle *)given = {((handle *)given)->device, stream, nullptr, 0};
    return SUCCESS;
}
int set_workspace(void *given, void *memory, size_t bytes) {
    guard held(lock);
    if (int status = enter(given)) return status;
    handle *own = (handle *)given;
    if ((uintptr_t)memory % 256 != 0 || !device_has(own->device, memory, bytes))
        return refuse("a workspace that is not aligned, or not of the device");
    own->workspace = (char *)memory;
    own->workspace_bytes = bytes;
    return SUCCESS;
}
int set_math_mode(void *given, int mode) {
    guard held(lock);
    if (int status = enter(given)) return status;
    return mode == 0 ? SUCCESS : refuse("a precision that this engine does not want");
}

/* One operand: `lines` lines of `length` entries, adjacent in memory, `stride` apart. */
struct operand {
    const char *data;
    int type, lines, length, stride;
    size_t entry_bytes() const { return type == FLOAT32 ? 4 : 2; }
    size_t bytes() const {
        return ((size_t)(lines - 1) * (size_t)stride + (size_t)length) * entry_bytes();
    }
    double at(int line, int j) const {
        size_t index = (size_t)line * (size_t)stride + (size_t)j;
        uint32_t bits = 0;
        float x;
        memcpy(&bits, data + index * entry_bytes(), entry_bytes());
        if (type == FLOAT16) return (double)float_of_half((uint16_t)bits);
        if (type == BFLOAT16) bits <<= 16;
        memcpy(&x, &bits, sizeof x);
        return (double)x;
    }
};

/* The product of two lines. float32: from the last component to the first, in eight sums; 16 bits:
 * 16 products at a time, as a tensor core adds them. */
float product(const operand &a, int line, const operand &b, int other, int way) {
    float eight[8] = {}, sum = 0.0f;
    if (a.type == FLOAT32) {
        for (int j = a.length - 1; j >= 0; j--)
            eight[j % 8] += (float)a.at(line, j) * (float)b.at(other, j);
        for (int k = 7; k >= 0; k--) sum += eight[k];
        return sum;
    }
    for (int j = 0; j < a.length; j += 16) {
        double terms[17] = {(double)sum};
        int count = 1;
        for (; count <= 16 && j + count - 1 < a.length; count++)
            terms[count] = a.at(line, j + count - 1) * b.at(other, j + count - 1);
        sum = aligned_sum(terms, count, way);
    }
    return sum;
}

/* cublasGemmEx() for a transposed, b as it is, C = A^T B with C by columns; alpha 1, beta 0. */
int multiply(void *given, int a_form, int b_form, int m, int n, int k, const void *alpha,
             const void *a, int a_type, int a_stride, const void *b, int b_type, int b_stride,
             const void *beta, void *c, int c_type, int c_stride, int sums, int algorithm) {
    guard held(lock);
    if (int status = enter(given)) return status;
    handle own = *(handle *)given;
    operand left = {(const char *)a, a_type, m, k, a_stride};
    operand right = {(const char *)b, b_type, n, k, b_stride};
    float factors[2];
    memcpy(&factors[0], alpha, sizeof(float));
    memcpy(&factors[1], beta, sizeof(float));
    if (m < 0 || n < 0 || k < 0 || a_stride < k || b_stride < k || c_stride < m || a_stride < 1)
        return refuse("a stride that does not hold a row");
    if (a_form != 1 || b_form != 0 || a_type != b_type || c_type != FLOAT32 || sums != 68 ||
        algorithm != -1 || factors[0] != 1.0f || factors[1] != 0.0f ||
        (a_type != FLOAT32 && a_type != FLOAT16 && a_type != BFLOAT16))
        return refuse("a product that the emulation does not know");
    if (m == 0 || n == 0 || k == 0) return refuse("a product of nothing");
    if ((uintptr_t)a % left.entry_bytes() || (uintptr_t)b % right.entry_bytes() || (uintptr_t)c % 4)
        return refuse("an operand that is not aligned");
    size_t c_bytes = ((size_t)(n - 1) * (size_t)c_stride + (size_t)m) * sizeof(float);
    if (own.device != device_now() || !device_has(own.device, a, left.bytes()) ||
        !device_has(own.device, b, right.bytes()) || !device_has(own.device, c, c_bytes))
        return refuse("an operand that is not in memory of the device");
    products++;
    last_workspace = own.workspace ? own.workspace_bytes : 0;
    cudaError_t error = queue_work(own.stream, [=] {
        int way = (int)(next_random() % 3);
        memset(own.workspace, 0x7f, own.workspace ? own.workspace_bytes : 0);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++)
                ((float *)c)[(size_t)j * (size_t)c_stride + (size_t)i] =
                    product(left, i, right, j, way);
    });
    return error == cudaSuccess ? SUCCESS : EXECUTION_FAILED;
}

int property(int what, int *value) {
    if (what < 0 || what > 2) return INVALID_VALUE;
    *value = what == 0 ? 13 : what;
    return SUCCESS;
}
const char *status_name(int status) {
    return status == 3    ? "CUBLAS_STATUS_ALLOC_FAILED"
           : status == 7  ? "CUBLAS_STATUS_INVALID_VALUE"
           : status == 13 ? "CUBLAS_STATUS_EXECUTION_FAILED"
                          : "another status of cuBLAS";
}
} // namespace

bool multiplies() {
    guard held(lock);
    return allowed != 0;
}

void *library(const char *name, bool only_loaded) {
    guard held(lock);
    if (loaded_name != name && (only_loaded || file_name != name)) return nullptr;
    opened_name = only_loaded ? "in the process: " + std::string(name) : name;
    return &opened_name;
}

const char *library_name(void *opened) {
    return ((std::string *)opened)->c_str();
}

void *library_function(void *, const char *name) {
    const struct {
        const char *name;
        void *function;
    } functions[] = {
        {"cublasCreate_v2", (void *)create},
        {"cublasDestroy_v2", (void *)destroy},
        {"cublasSetStream_v2", (void *)set_stream},
        {"cublasSetWorkspace_v2", (void *)set_workspace},
        {"cublasSetMathMode", (void *)set_math_mode},
        {"cublasGemmEx", (void *)multiply},
        {"cublasGetProperty", (void *)property},
        {"cublasGetStatusName", (void *)status_name},
    };
    for (const auto &one : functions)
        if (strcmp(one.name, name) == 0) return one.function;
    return nullptr;
}
} // namespace emu

using namespace emu;

void alcore_emu_blas(int use) {
    guard held(lock);
    allowed = use;
}
void alcore_emu_blas_fail(int64_t number, int status) {
    guard held(lock);
    failing_call = number;
    failing_status = status;
}
void alcore_emu_blas_names(const char *loaded, const char *file) {
    guard held(lock);
    loaded_name = loaded ? loaded : "";
    file_name = file ? file : "";
}
size_t alcore_emu_blas_workspace(void) {
    guard held(lock);
    return last_workspace;
}
uint64_t alcore_emu_blas_products(void) {
    guard held(lock);
    return products;
}
