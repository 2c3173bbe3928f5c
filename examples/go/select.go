// SPDX-License-Identifier: Apache-2.0

// A selection in Go: from a file, from arrays of the program, an error with its text, and a
// cancellation from another goroutine.
//
// build: go build -o select select.go   (pkg-config finds alcore)
// usage: select POOL.txt
//
// Three rules (docs/languages.md): the text of an error belongs to a thread, so a call and the
// question for its text run under runtime.LockOSThread; a handle is released by the goroutine that
// made it, with defer; C keeps no pointer into Go memory, since the calls used here copy.
package main

// #cgo pkg-config: alcore
// #include <stdlib.h>
// #include <alcore/alcore.h>
import "C"

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"
)

// Error is a call that failed: its status, and what the library says about it.
type Error struct {
	Status C.alcore_status
	Text   string
}

func (e *Error) Error() string { return e.Text }

// call runs a call of the library; the text of its error is that of the same thread.
func call(function func() C.alcore_status) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if status := function(); status != C.ALCORE_OK {
		return &Error{status, C.GoString(C.alcore_last_error())}
	}
	return nil
}

// withText lends a Go string to a call.
func withText(text string, function func(*C.char) C.alcore_status) func() C.alcore_status {
	return func() C.alcore_status {
		lent := C.CString(text)
		defer C.free(unsafe.Pointer(lent))
		return function(lent)
	}
}

func newPool(ctx *C.alcore_ctx) (pool *C.alcore_pool, err error) {
	err = call(func() C.alcore_status { return C.alcore_pool_new(ctx, nil, &pool) })
	return
}

// newRequest asks for a budget of rows of a pool, by a strategy or, with "", the recommended one.
func newRequest(ctx *C.alcore_ctx, pool *C.alcore_pool, budget, strategy string) (*C.alcore_request, error) {
	var request *C.alcore_request
	if err := call(func() C.alcore_status { return C.alcore_request_new(ctx, &request) }); err != nil {
		return nil, err
	}
	steps := []func() C.alcore_status{
		func() C.alcore_status {
			return C.alcore_request_set_pool(request, C.ALCORE_ROLE_CANDIDATES, pool)
		},
		withText(budget, func(value *C.char) C.alcore_status {
			name := C.CString("budget")
			defer C.free(unsafe.Pointer(name))
			return C.alcore_request_set(request, name, value)
		}),
	}
	if strategy != "" {
		steps = append(steps, withText(strategy, func(name *C.char) C.alcore_status {
			var made *C.alcore_strategy
			if status := C.alcore_strategy_new(ctx, name, &made); status != C.ALCORE_OK {
				return status
			}
			defer C.alcore_strategy_unref(made) // the request keeps a reference
			return C.alcore_request_set_strategy(request, made)
		}))
	}
	for _, step := range steps {
		if err := call(step); err != nil {
			C.alcore_request_unref(request)
			return nil, err
		}
	}
	return request, nil
}

// pick answers a request: the rows of its picks, best first.
func pick(request *C.alcore_request) ([]int64, error) {
	var picked *C.alcore_selection
	if err := call(func() C.alcore_status { return C.alcore_select(request, &picked) }); err != nil {
		return nil, err
	}
	defer C.alcore_selection_unref(picked)
	count := int(C.alcore_selection_count(picked))
	view := unsafe.Slice((*int64)(unsafe.Pointer(C.alcore_selection_rows(picked))), count)
	return append([]int64(nil), view...), nil // the view ends with the selection
}

// fromFile selects from the lines of a file.
func fromFile(ctx *C.alcore_ctx, path string) error {
	pool, err := newPool(ctx)
	if err != nil {
		return err
	}
	defer C.alcore_pool_unref(pool)
	err = call(withText(path, func(name *C.char) C.alcore_status { return C.alcore_pool_read(pool, name, nil) }))
	if err != nil {
		return err
	}
	request, err := newRequest(ctx, pool, "5", "")
	if err != nil {
		return err
	}
	defer C.alcore_request_unref(request)
	rows, err := pick(request)
	if err == nil {
		fmt.Println("file:", rows)
	}
	return err
}

// fromArrays selects by scores that the program has: the texts go in as one block of bytes.
func fromArrays(ctx *C.alcore_ctx, texts []string, scores []float64) error {
	pool, err := newPool(ctx)
	if err != nil {
		return err
	}
	defer C.alcore_pool_unref(pool)
	var bytes []byte
	offsets := []int64{0}
	for _, text := range texts {
		bytes = append(bytes, text...)
		offsets = append(offsets, int64(len(bytes)))
	}
	err = call(func() C.alcore_status {
		return C.alcore_pool_add_utf8(pool, (*C.char)(unsafe.Pointer(&bytes[0])),
			(*C.int64_t)(unsafe.Pointer(&offsets[0])), C.int64_t(len(texts)), nil)
	})
	if err != nil {
		return err
	}
	err = call(withText("scores", func(name *C.char) C.alcore_status {
		// A tensor holds pointers, so the array that it points to is C memory.
		size := C.size_t(len(scores)) * 8
		values := C.malloc(size)
		defer C.free(values)
		copy(unsafe.Slice((*float64)(values), len(scores)), scores)
		shape := (*C.int64_t)(C.malloc(8))
		defer C.free(unsafe.Pointer(shape))
		*shape = C.int64_t(len(scores))
		var tensor C.alcore_tensor
		if status := C.alcore_tensor_init(&tensor, values, C.ALCORE_FLOAT64, shape, 1); status != C.ALCORE_OK {
			return status
		}
		return C.alcore_pool_set_column(pool, name, &tensor, nil, nil)
	}))
	if err != nil {
		return err
	}
	request, err := newRequest(ctx, pool, "2", "nnll")
	if err != nil {
		return err
	}
	defer C.alcore_request_unref(request)
	rows, err := pick(request)
	if err == nil {
		fmt.Println("arrays:", rows)
	}
	return err
}

// showCancel cancels a request from another goroutine; the request can be answered afterwards.
func showCancel(ctx *C.alcore_ctx, path string) error {
	pool, err := newPool(ctx)
	if err != nil {
		return err
	}
	defer C.alcore_pool_unref(pool)
	err = call(withText(path, func(name *C.char) C.alcore_status { return C.alcore_pool_read(pool, name, nil) }))
	if err != nil {
		return err
	}
	request, err := newRequest(ctx, pool, "5", "")
	if err != nil {
		return err
	}
	defer C.alcore_request_unref(request)
	done := make(chan bool)
	go func() {
		C.alcore_request_cancel(request)
		done <- true
	}()
	<-done
	_, err = pick(request)
	var failed *Error
	if !errors.As(err, &failed) || failed.Status != C.ALCORE_E_CANCELLED {
		return fmt.Errorf("a cancelled request answered: %v", err)
	}
	fmt.Println("cancelled:", C.GoString(C.alcore_status_name(failed.Status)))
	C.alcore_request_cancel_clear(request)
	rows, err := pick(request)
	if err == nil {
		fmt.Println("again:", rows)
	}
	return err
}

func run(path string) error {
	var ctx *C.alcore_ctx
	if err := call(func() C.alcore_status { return C.alcore_ctx_new(nil, &ctx) }); err != nil {
		return err
	}
	defer C.alcore_ctx_unref(ctx)
	if err := fromFile(ctx, path); err != nil {
		return err
	}
	texts := []string{"the first text", "the second", "a third one", "the fourth"}
	if err := fromArrays(ctx, texts, []float64{0.1, 0.9, 0.5, 0.7}); err != nil {
		return err
	}
	if err := fromFile(ctx, "no/such/file.txt"); err != nil {
		fmt.Println("error:", err)
	}
	return showCancel(ctx, path)
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: select POOL.txt")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "select:", err)
		os.Exit(1)
	}
}
