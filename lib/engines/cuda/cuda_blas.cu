/* SPDX-License-Identifier: Apache-2.0 */
/* Finds cuBLAS and multiplies with it (cuda_blas.cuh). CUDA_LIBRARY and CUDA_SYMBOL are dlopen()
 * and dlsym(), or the emulation's; a library that was found stays loaded until the process ends. */
#include "cuda_blas.cuh"

#include <cstdio>
#include <cstdlib>

#include "cuda_stream.cuh"

namespace alcore_cuda {

namespace {
enum { LOG_INFO = 20 }; /* ALCORE_LOG_INFO of alcore/context.h, which modules do not see */

/* Bytes that cuBLAS may use beside the operands of a product, what NVIDIA recommends: on devices
 * from compute capability 9.0 on, Hopper and Blackwell, its fastest algorithms need more. */
const size_t BLAS_WORKSPACE_BYTES = (size_t)4 << 20, BLAS_WORKSPACE_BYTES_9 = (size_t)32 << 20;

/* cuBLAS as it was found. */
struct blas_library {
    blas_functions functions;
    void *opened;   /* NULL: there is none, or it lacks a function */
    char name[200]; /* its file; for messages, so a longer one is cut */
    bool always;    /* $ALCORE_CUBLAS_ALWAYS: also where this engine would rather multiply */
};

/* Resolves all functions of an opened library into *out, by their names of the C interface; false
 * when one is missing, and *out is then not to be used. */
bool resolve(void *opened, blas_functions *out) {
    const struct {
        void *function; /* of the member */
        const char *name;
    } wanted[] = {
        {&out->create, "cublasCreate_v2"},          {&out->destroy, "cublasDestroy_v2"},
        {&out->set_stream, "cublasSetStream_v2"},   {&out->set_workspace, "cublasSetWorkspace_v2"},
        {&out->set_math_mode, "cublasSetMathMode"}, {&out->multiply, "cublasGemmEx"},
        {&out->property, "cublasGetProperty"},      {&out->status_name, "cublasGetStatusName"},
    };
    for (const auto &one : wanted) {
        void *function = CUDA_SYMBOL(opened, one.name);
        if (!function) return false;
        memcpy(one.function, &function, sizeof function);
    }
    return true;
}

/* Tries a file, of which `loaded` wants a copy that is in the process; false: it is not that. */
bool try_library(blas_library *out, const char *file, bool loaded) {
    void *opened = CUDA_LIBRARY(file, loaded);
    if (!opened || !resolve(opened, &out->functions)) return false;
    out->opened = opened;
    snprintf(out->name, sizeof out->name, "%s", CUDA_SYMBOL_FILE(opened, out->functions.multiply));
    return true;
}

/* Looks for cuBLAS in the order of cuda_blas.cuh. $ALCORE_CUBLAS counts in no set-user-id program,
 * because it names code that is run. */
blas_library find_blas() {
    static const char *const sonames[] = {"libcublas.so.13", "libcublas.so.12"};
    static const char *const toolkit = "/usr/local/cuda/lib64/libcublas.so.13";
    const char *wish = secure_getenv("ALCORE_CUBLAS");
    const char *always = secure_getenv("ALCORE_CUBLAS_ALWAYS");
    blas_library found;
    memset(&found, 0, sizeof found);
    if (wish && strcmp(wish, "none") == 0) return found;
    found.always = always && strcmp(always, "1") == 0;
    for (const char *name : sonames)
        if (try_library(&found, name, true /* in the process */)) return found;
    if (wish && try_library(&found, wish, false)) return found;
    for (const char *name : sonames)
        if (try_library(&found, name, false)) return found;
    try_library(&found, toolkit, false);
    return found;
}

/* cuBLAS, looked for once; NULL: absent. */
const blas_library *blas() {
    static const blas_library found = find_blas();
    return device_multiplies(found.opened != nullptr) ? &found : nullptr;
}

/* The value of cuBLAS for a type of components. */
int blas_type(int32_t dtype) {
    return dtype == ALCORE_FLOAT16    ? BLAS_FLOAT16
           : dtype == ALCORE_BFLOAT16 ? BLAS_BFLOAT16
                                      : BLAS_FLOAT32;
}

/* Writes to the host's log which cuBLAS multiplies, when a stream slot gets its handle: the process
 * may have a library of its own, which is then used. A part of its version that it does not tell is
 * 0. */
void log_library(const call &c, const blas_library &library) {
    int version[3] = {0, 0, 0};
    char text[300];
    const alcore_sys_host *host = c.work->host;
    if (!host || !host->log) return;
    for (int part = BLAS_MAJOR_VERSION; part <= BLAS_PATCH_LEVEL; part++)
        if (library.functions.property(part, &version[part]) != BLAS_SUCCESS) version[part] = 0;
    snprintf(text, sizeof text, "cuBLAS %d.%d.%d multiplies on cuda:%d: %s", version[0], version[1],
             version[2], c.streams->device, library.name);
    host->log(c.work->host_user, LOG_INFO, "cuda", text);
}
} // namespace

/* The slot's handle is made in the device's context, which is current, and kept only when it is
 * whole. cublasSetStream() resets the workspace to that of cuBLAS, so the other comes second, and
 * without memory for it cuBLAS has its own (whose bytes cuda_blas.cuh tells apart). */
blas_product::blas_product(call &owner, bool replaceable) : c(owner), functions(nullptr) {
    const blas_library *library = blas();
    if (!library || (replaceable && !library->always)) return;
    functions = &library->functions;
    if (!c.streams->blas) {
        void *made = nullptr;
        check(functions->create(&made), "making a handle");
        int status = functions->set_math_mode(made, BLAS_DEFAULT_MATH);
        if (status != BLAS_SUCCESS) functions->destroy(made);
        check(status, "setting the precision");
        c.streams->blas = made;
        log_library(c, *library);
    }
    check(functions->set_stream(c.streams->blas, c.compute), "setting the stream");
    char *memory;
    const size_t bytes =
        major_of(c.streams->device) >= 9 ? BLAS_WORKSPACE_BYTES_9 : BLAS_WORKSPACE_BYTES;
    try {
        memory = (char *)c.allocate(bytes + BLAS_WORKSPACE_ALIGN);
    } catch (const no_memory &) {
        return;
    }
    memory += BLAS_WORKSPACE_ALIGN - (uintptr_t)memory % BLAS_WORKSPACE_ALIGN;
    check(functions->set_workspace(c.streams->blas, memory, bytes), "setting the workspace");
}

/* cuBLAS stores matrices by columns, so what is [r, j] here is [j, r] there: out^T = others rows^T
 * becomes a product of the transposed `others` with `rows` as it is. */
void blas_product::multiply(const matrix_view &rows, const matrix_view &others, int64_t dims,
                            float *out, int64_t stride) const {
    const float one = 1.0f, zero = 0.0f;
    int type = blas_type(rows.dtype);
    check(functions->multiply(c.streams->blas, BLAS_TRANSPOSED, BLAS_AS_IT_IS, (int)others.count,
                              (int)rows.count, (int)dims, &one, others.data, type,
                              (int)others.stride, rows.data, type, (int)rows.stride, &zero, out,
                              BLAS_FLOAT32, (int)stride, BLAS_SUMS_IN_FLOAT, BLAS_ANY_ALGORITHM),
          "multiplying");
}

/* Throws unless status is success; the text names the status and how to do without cuBLAS. */
void blas_product::check(int status, const char *what) const {
    if (status == BLAS_SUCCESS) return;
    fail(c.work, status == BLAS_ALLOC_FAILED ? ALCORE_E_NOMEM : ALCORE_E_INTERNAL,
         "cuBLAS failed while %s: %s (ALCORE_CUBLAS=none in the environment does without it)", what,
         functions->status_name(status));
}

} // namespace alcore_cuda
