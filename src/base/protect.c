// SPDX-License-Identifier: Apache-2.0
// protect.c - raise and recover.
//
// Inside the compiler an error jumps to the public entry, so that passes need not pass statuses up. Each ch__protect
// is a frame on a stack of the thread. A frame lists the arenas made while it is innermost; a raise destroys them. When
// a nested frame ends well its arenas join the list of the frame around it, because that one may still fail.
//
// setjmp stands alone in a function that changes no local between setjmp and longjmp, so nothing has to be volatile.
#include "base/base.h"

#include <assert.h>
#include <setjmp.h>
#include <stdlib.h>

typedef struct protect_frame {
    jmp_buf jump;
    struct protect_frame *outer;
    ch__arena *arenas;
} protect_frame;

static _Thread_local protect_frame *protect_top;

static bool protect_run(protect_frame *f, void (*fn)(void *arg), void *arg) {
    if (setjmp(f->jump) != 0) return false;
    fn(arg);
    return true;
}

ch_status ch__protect(void (*fn)(void *arg), void *arg) {
    protect_frame f;
    f.outer = protect_top;
    f.arenas = NULL;
    protect_top = &f;
    bool ran = protect_run(&f, fn, arg);
    protect_top = f.outer;
    if (ran) {
        ch__arena_list_move(&f.arenas, f.outer ? &f.outer->arenas : NULL);
        return CH_OK;
    }
    if (!f.arenas) return ch__err_status(ch__error_current());
    // Deferred calls may set an error of their own; the one that was raised is the one to report.
    ch__error_copy raised;
    ch__error_save(&raised);
    ch__arena_list_destroy(&f.arenas);
    return ch__error_publish(&raised);
}

// The frame is left by protect_run. A raise outside of every frame is a bug in the library: there is nowhere to go.
CH_NORETURN static void protect_jump(void) {
    assert(protect_top && "raise outside of ch__protect");
    assert(ch__error_current() != CH__E_COUNT && "raise without an error");
    if (!protect_top) abort();
    longjmp(protect_top->jump, 1);
}

void ch__raise(ch__err id, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    ch__fail_v(id, fmt, ap);
    va_end(ap);
    protect_jump();
}

void ch__raise_current(void) { protect_jump(); }

void ch__raise_oom(void) {
    ch__fail_oom("compile");
    protect_jump();
}

bool ch__in_protect(void) { return protect_top != NULL; }

ch__arena **ch__protect_list(void) { return protect_top ? &protect_top->arenas : NULL; }
