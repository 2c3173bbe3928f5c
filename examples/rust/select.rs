// SPDX-License-Identifier: Apache-2.0

//! A selection in Rust: from a file, from arrays of the program, an error with its text, and a
//! cancellation from another thread.
//!
//! build: bindgen --allowlist-item 'alcore_.*|ALCORE_.*' --no-prepend-enum-name \
//!            "$(pkg-config --variable=includedir alcore)/alcore/alcore.h" -o alcore_sys.rs
//!        rustc -O select.rs $(pkg-config --libs-only-L alcore) -l alcore
//! usage: select POOL.txt
//!
//! What must be known (docs/languages.md): the text of an error belongs to the thread of the call;
//! handles are counted and may be shared and released on any thread, but calls that change one must
//! not overlap; a panic must not leave a callback, which catch_unwind stops.
#[allow(non_camel_case_types, non_snake_case, non_upper_case_globals, dead_code)]
mod sys {
    include!("alcore_sys.rs");
}

use std::ffi::{c_char, c_void, CStr, CString};
use std::{fmt, process, ptr, slice, thread};

/// A call that failed: its status, and what the library says about it.
struct Error {
    status: sys::alcore_status,
    text: String,
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(&self.text)
    }
}

/// Turns a status into a result; called on the thread that made the call, right after it.
fn check(status: sys::alcore_status) -> Result<(), Error> {
    if status == sys::ALCORE_OK as sys::alcore_status {
        return Ok(());
    }
    let text = unsafe { CStr::from_ptr(sys::alcore_last_error()) };
    Err(Error { status, text: text.to_string_lossy().into_owned() })
}

/// One reference of a handle, dropped by its `_unref` function.
struct Handle<T>(*mut T, unsafe extern "C" fn(*mut T));

// The library counts references atomically, and its cancel functions may be called from any thread.
unsafe impl<T> Send for Handle<T> {}
unsafe impl<T> Sync for Handle<T> {}

impl<T> Drop for Handle<T> {
    fn drop(&mut self) {
        unsafe { (self.1)(self.0) }
    }
}

/// Calls a function that makes a handle.
fn make<T>(
    unref: unsafe extern "C" fn(*mut T),
    function: impl FnOnce(*mut *mut T) -> sys::alcore_status,
) -> Result<Handle<T>, Error> {
    let mut out = ptr::null_mut();
    check(function(&mut out))?;
    Ok(Handle(out, unref))
}

fn text(value: &str) -> CString {
    CString::new(value).expect("no NUL in texts that are passed as such")
}

type Ctx = Handle<sys::alcore_ctx>;
type Pool = Handle<sys::alcore_pool>;
type Request = Handle<sys::alcore_request>;

fn new_pool(ctx: &Ctx) -> Result<Pool, Error> {
    make(sys::alcore_pool_unref, |out| unsafe { sys::alcore_pool_new(ctx.0, ptr::null(), out) })
}

fn read_pool(ctx: &Ctx, path: &str) -> Result<Pool, Error> {
    let pool = new_pool(ctx)?;
    check(unsafe { sys::alcore_pool_read(pool.0, text(path).as_ptr(), ptr::null()) })?;
    Ok(pool)
}

/// Asks for a budget of rows of a pool, by a strategy or, with None, the recommended one.
fn new_request(ctx: &Ctx, pool: &Pool, budget: &str, strategy: Option<&str>) -> Result<Request, Error> {
    let request = make(sys::alcore_request_unref, |out| unsafe { sys::alcore_request_new(ctx.0, out) })?;
    unsafe {
        check(sys::alcore_request_set_pool(request.0, sys::ALCORE_ROLE_CANDIDATES as i32, pool.0))?;
        check(sys::alcore_request_set(request.0, text("budget").as_ptr(), text(budget).as_ptr()))?;
        if let Some(name) = strategy {
            let made = make(sys::alcore_strategy_unref, |out| {
                sys::alcore_strategy_new(ctx.0, text(name).as_ptr(), out)
            })?;
            check(sys::alcore_request_set_strategy(request.0, made.0))?; // it keeps a reference
        }
    }
    Ok(request)
}

/// Answers a request: the rows of its picks, best first.
fn pick(request: &Request) -> Result<Vec<i64>, Error> {
    let picked = make(sys::alcore_selection_unref, |out| unsafe { sys::alcore_select(request.0, out) })?;
    unsafe {
        let count = sys::alcore_selection_count(picked.0) as usize;
        let rows = sys::alcore_selection_rows(picked.0);
        Ok(if count == 0 { Vec::new() } else { slice::from_raw_parts(rows, count).to_vec() })
    }
}

fn from_file(ctx: &Ctx, path: &str) -> Result<(), Error> {
    let pool = read_pool(ctx, path)?;
    println!("file: {:?}", pick(&new_request(ctx, &pool, "5", None)?)?);
    Ok(())
}

/// Selects by scores that the program has: the texts go in as one block of bytes.
fn from_arrays(ctx: &Ctx, texts: &[&str], scores: &mut [f64]) -> Result<(), Error> {
    let pool = new_pool(ctx)?;
    let bytes = texts.concat();
    let mut offsets = vec![0i64];
    for text in texts {
        offsets.push(offsets[offsets.len() - 1] + text.len() as i64);
    }
    unsafe {
        check(sys::alcore_pool_add_utf8(
            pool.0, bytes.as_ptr() as *const c_char, offsets.as_ptr(), texts.len() as i64, ptr::null_mut(),
        ))?;
        let mut shape = scores.len() as i64;
        let mut tensor = std::mem::zeroed();
        let values = scores.as_mut_ptr() as *mut c_void;
        check(sys::alcore_tensor_init(&mut tensor, values, sys::ALCORE_FLOAT64 as i32, &mut shape, 1))?;
        check(sys::alcore_pool_set_column(
            pool.0, text("scores").as_ptr(), &tensor, ptr::null(), ptr::null(),
        ))?;
    }
    println!("arrays: {:?}", pick(&new_request(ctx, &pool, "2", Some("nnll"))?)?);
    Ok(())
}

/// Cancels a request from another thread; the request can be answered afterwards.
fn show_cancel(ctx: &Ctx, path: &str) -> Result<(), Error> {
    let pool = read_pool(ctx, path)?;
    let request = new_request(ctx, &pool, "5", None)?;
    thread::scope(|threads| {
        let shared = &request;
        threads.spawn(move || unsafe { sys::alcore_request_cancel(shared.0) });
    });
    match pick(&request) {
        Err(error) if error.status == sys::ALCORE_E_CANCELLED as sys::alcore_status => {
            let name = unsafe { CStr::from_ptr(sys::alcore_status_name(error.status)) };
            println!("cancelled: {}", name.to_string_lossy());
        }
        Err(error) => return Err(error),
        Ok(_) => panic!("a cancelled request answered"),
    }
    unsafe { sys::alcore_request_cancel_clear(request.0) };
    println!("again: {:?}", pick(&request)?);
    Ok(())
}

fn run(path: &str) -> Result<(), Error> {
    let ctx = make(sys::alcore_ctx_unref, |out| unsafe { sys::alcore_ctx_new(ptr::null(), out) })?;
    from_file(&ctx, path)?;
    let texts = ["the first text", "the second", "a third one", "the fourth"];
    from_arrays(&ctx, &texts, &mut [0.1, 0.9, 0.5, 0.7])?;
    if let Err(error) = from_file(&ctx, "no/such/file.txt") {
        println!("error: {error}");
    }
    show_cancel(&ctx, path)
}

fn main() {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: select POOL.txt");
        process::exit(2);
    };
    if let Err(error) = run(&path) {
        eprintln!("select: {error}");
        process::exit(1);
    }
}
