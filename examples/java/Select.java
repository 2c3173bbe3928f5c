// SPDX-License-Identifier: Apache-2.0

import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A selection in Java by JNA: from a file, from arrays of the program, an error with its text, and a
 * cancellation from another thread.
 *
 * <p>build: javac -cp /usr/share/java/jna.jar Select.java (Debian: libjna-java)<br>
 * usage: java -cp /usr/share/java/jna.jar:. Select POOL.txt (LD_LIBRARY_PATH finds libalcore.so.1)
 *
 * <p>What must be known (docs/languages.md): the text of an error belongs to the thread of the call,
 * so it is asked for right after it, on the same thread; a handle is released once by its unref
 * function, in try and finally, not by a finalizer; the calls used here copy what they are given.
 */
public final class Select {
    /** The calls that this program needs, with the types of alcore/alcore.h. */
    public interface Alcore extends Library {
        Alcore LIBRARY = Native.load("libalcore.so.1", Alcore.class);

        int OK = 0;
        int CANCELLED = -62; // ALCORE_E_CANCELLED

        String alcore_last_error();

        String alcore_status_name(int status);

        int alcore_ctx_new(Pointer options, PointerByReference out);

        void alcore_ctx_unref(Pointer ctx);

        int alcore_pool_new(Pointer ctx, Pointer options, PointerByReference out);

        void alcore_pool_unref(Pointer pool);

        int alcore_pool_read(Pointer pool, String path, Pointer options);

        int alcore_pool_add_utf8(Pointer pool, byte[] bytes, long[] offsets, long count, Pointer outFirst);

        int alcore_tensor_init(Pointer tensor, Pointer data, int dtype, Pointer shape, int dimensions);

        int alcore_pool_set_column(Pointer pool, String name, Pointer values, Pointer offsets, Pointer options);

        int alcore_strategy_new(Pointer ctx, String name, PointerByReference out);

        void alcore_strategy_unref(Pointer strategy);

        int alcore_request_new(Pointer ctx, PointerByReference out);

        void alcore_request_unref(Pointer request);

        int alcore_request_set_pool(Pointer request, int role, Pointer pool);

        int alcore_request_set_strategy(Pointer request, Pointer strategy);

        int alcore_request_set(Pointer request, String name, String value);

        void alcore_request_cancel(Pointer request);

        void alcore_request_cancel_clear(Pointer request);

        int alcore_select(Pointer request, PointerByReference out);

        long alcore_selection_count(Pointer selection);

        Pointer alcore_selection_rows(Pointer selection);

        void alcore_selection_unref(Pointer selection);
    }

    /** A call that failed: its status, and what the library says about it. */
    public static final class Failure extends Exception {
        final int status;

        Failure(int status) {
            super(Alcore.LIBRARY.alcore_last_error());
            this.status = status;
        }
    }

    /** A call that makes a handle. */
    private interface Maker {
        int make(PointerByReference out);
    }

    private static final Alcore AL = Alcore.LIBRARY;

    private static void check(int status) throws Failure {
        if (status != Alcore.OK) {
            throw new Failure(status);
        }
    }

    private static Pointer make(Maker maker) throws Failure {
        PointerByReference out = new PointerByReference();
        check(maker.make(out));
        return out.getValue();
    }

    /** Asks for a budget of rows of a pool, by a strategy or, with null, the recommended one. */
    private static Pointer newRequest(Pointer ctx, Pointer pool, String budget, String strategy) throws Failure {
        Pointer request = make(out -> AL.alcore_request_new(ctx, out));
        try {
            check(AL.alcore_request_set_pool(request, 1701 /* ALCORE_ROLE_CANDIDATES */, pool));
            check(AL.alcore_request_set(request, "budget", budget));
            if (strategy != null) {
                Pointer made = make(out -> AL.alcore_strategy_new(ctx, strategy, out));
                try {
                    check(AL.alcore_request_set_strategy(request, made)); // the request keeps a reference
                } finally {
                    AL.alcore_strategy_unref(made);
                }
            }
            return request;
        } catch (Failure failure) {
            AL.alcore_request_unref(request);
            throw failure;
        }
    }

    /** Answers a request: the rows of its picks, best first. */
    private static long[] pick(Pointer request) throws Failure {
        Pointer picked = make(out -> AL.alcore_select(request, out));
        try {
            int count = (int) AL.alcore_selection_count(picked);
            return count == 0 ? new long[0] : AL.alcore_selection_rows(picked).getLongArray(0, count);
        } finally {
            AL.alcore_selection_unref(picked);
        }
    }

    private static void fromFile(Pointer ctx, String path) throws Failure {
        Pointer pool = make(out -> AL.alcore_pool_new(ctx, null, out));
        try {
            check(AL.alcore_pool_read(pool, path, null));
            Pointer request = newRequest(ctx, pool, "5", null);
            try {
                System.out.println("file: " + Arrays.toString(pick(request)));
            } finally {
                AL.alcore_request_unref(request);
            }
        } finally {
            AL.alcore_pool_unref(pool);
        }
    }

    /** Selects by scores that the program has: the texts go in as one block of bytes. */
    private static void fromArrays(Pointer ctx, String[] texts, double[] scores) throws Failure {
        Pointer pool = make(out -> AL.alcore_pool_new(ctx, null, out));
        try {
            byte[] bytes = String.join("", texts).getBytes(StandardCharsets.UTF_8);
            long[] offsets = new long[texts.length + 1];
            for (int i = 0; i < texts.length; i++) {
                offsets[i + 1] = offsets[i] + texts[i].getBytes(StandardCharsets.UTF_8).length;
            }
            check(AL.alcore_pool_add_utf8(pool, bytes, offsets, texts.length, null));
            Memory values = new Memory(8L * scores.length);
            values.write(0, scores, 0, scores.length);
            Memory shape = new Memory(8);
            shape.setLong(0, scores.length);
            Memory tensor = new Memory(48); // sizeof(alcore_tensor)
            check(AL.alcore_tensor_init(tensor, values, 104 /* ALCORE_FLOAT64 */, shape, 1));
            check(AL.alcore_pool_set_column(pool, "scores", tensor, null, null));
            Pointer request = newRequest(ctx, pool, "2", "nnll");
            try {
                System.out.println("arrays: " + Arrays.toString(pick(request)));
            } finally {
                AL.alcore_request_unref(request);
            }
        } finally {
            AL.alcore_pool_unref(pool);
        }
    }

    /** Cancels a request from another thread; the request can be answered afterwards. */
    private static void showCancel(Pointer ctx, String path) throws Failure, InterruptedException {
        Pointer pool = make(out -> AL.alcore_pool_new(ctx, null, out));
        try {
            check(AL.alcore_pool_read(pool, path, null));
            Pointer request = newRequest(ctx, pool, "5", null);
            try {
                Thread other = new Thread(() -> AL.alcore_request_cancel(request));
                other.start();
                other.join();
                try {
                    pick(request);
                    throw new IllegalStateException("a cancelled request answered");
                } catch (Failure failure) {
                    if (failure.status != Alcore.CANCELLED) {
                        throw failure;
                    }
                    System.out.println("cancelled: " + AL.alcore_status_name(failure.status));
                }
                AL.alcore_request_cancel_clear(request);
                System.out.println("again: " + Arrays.toString(pick(request)));
            } finally {
                AL.alcore_request_unref(request);
            }
        } finally {
            AL.alcore_pool_unref(pool);
        }
    }

    private static void run(String path) throws Failure, InterruptedException {
        Pointer ctx = make(out -> AL.alcore_ctx_new(null, out));
        try {
            fromFile(ctx, path);
            String[] texts = {"the first text", "the second", "a third one", "the fourth"};
            fromArrays(ctx, texts, new double[] {0.1, 0.9, 0.5, 0.7});
            try {
                fromFile(ctx, "no/such/file.txt");
            } catch (Failure failure) {
                System.out.println("error: " + failure.getMessage());
            }
            showCancel(ctx, path);
        } finally {
            AL.alcore_ctx_unref(ctx);
        }
    }

    /** Runs the program: Select POOL.txt. */
    public static void main(String[] arguments) throws InterruptedException {
        if (arguments.length != 1) {
            System.err.println("usage: Select POOL.txt");
            System.exit(2);
        }
        try {
            run(arguments[0]);
        } catch (Failure failure) {
            System.err.println("Select: " + failure.getMessage());
            System.exit(1);
        }
    }
}
