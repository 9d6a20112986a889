// SPDX-License-Identifier: Apache-2.0
// error.c - calling a slot of the plugin; its errors as statuses with a sentence; its events.
//
// An error is an object of the plugin: its message (not terminated) is copied, its code read, and it is destroyed.
// Codes are those of ch_status. What fails after a call has returned comes in an event, which is awaited and destroyed
// here.
#include "pjrt/pjrt.h"

#include <string.h>

static _Thread_local int pjrt_last_code;

int ch__pjrt_code(void) { return pjrt_last_code; }

static ch__err pjrt_row(int code) {
    switch (code) {
    case CH_CANCELLED: return CH__E_cancelled;
    case CH_INVALID_ARGUMENT:
    case CH_OUT_OF_RANGE:
    case CH_ALREADY_EXISTS: return CH__E_device_argument;
    case CH_UNKNOWN: // what a program that does not parse gives
        return CH__E_device_program;
    case CH_NOT_FOUND: return CH__E_device_target;
    case CH_RESOURCE_EXHAUSTED: return CH__E_device_memory;
    case CH_FAILED_PRECONDITION:
    case CH_UNAVAILABLE:
    case CH_ABORTED: return CH__E_device_state;
    case CH_UNIMPLEMENTED: return CH__E_device_unsupported;
    default: return CH__E_device_failed;
    }
}

static void pjrt_error_destroy(const ch_plugin *p, pj_error *e) {
    if (!ch__plugin_has(p, PJ_ERROR_DESTROY)) return;
    pj_error_destroy_args d = {PJ_ARGS(pj_error_destroy_args), .error = e};
    pj_void_fn destroy = (pj_void_fn)(void (*)(void))p->api->slot[PJ_ERROR_DESTROY];
    destroy(&d);
}

ch_status ch__pjrt_error(const ch_plugin *p, pj_error *e, const char *what) {
    if (e == NULL) return CH_OK;
    pj_error_get_code_args c = {PJ_ARGS(pj_error_get_code_args), .error = e, .code = CH_INTERNAL};
    pj_error_message_args m = {PJ_ARGS(pj_error_message_args), .error = e};
    if (ch__plugin_has(p, PJ_ERROR_GET_CODE)) {
        pj_error *again = p->api->slot[PJ_ERROR_GET_CODE](&c);
        if (again != NULL) pjrt_error_destroy(p, again);
    }
    if (ch__plugin_has(p, PJ_ERROR_MESSAGE)) {
        pj_void_fn message = (pj_void_fn)(void (*)(void))p->api->slot[PJ_ERROR_MESSAGE];
        message(&m);
    }
    size_t n = m.message == NULL ? 0 : m.message_size;
    while (n > 0 && (m.message[n - 1] == '\n' || m.message[n - 1] == ' ')) n--;
    int shown = n > CH__MESSAGE_BYTES ? CH__MESSAGE_BYTES : (int)n;
    ch_status s = ch__fail(pjrt_row(c.code), "%s: %.*s", what, shown, shown > 0 ? m.message : "");
    pjrt_last_code = c.code;
    pjrt_error_destroy(p, e);
    return s;
}

ch_status ch__pjrt_call(const ch_plugin *p, pj_slot slot, void *args, const char *what) {
    pjrt_last_code = 0;
    if (!ch__plugin_has(p, slot))
        return ch__fail(CH__E_device_unsupported, "%s: the plugin does not have %s — use a newer one", what,
                        ch__pjrt_slot_name(slot));
    return ch__pjrt_error(p, p->api->slot[slot](args), what);
}

void ch__pjrt_event_destroy(const ch_plugin *p, pj_event *event) {
    if (event == NULL || !ch__plugin_has(p, PJ_EVENT_DESTROY)) return;
    pj_event_destroy_args d = {PJ_ARGS(pj_event_destroy_args), .event = event};
    pj_error *e = p->api->slot[PJ_EVENT_DESTROY](&d);
    if (e != NULL) pjrt_error_destroy(p, e);
}

ch_status ch__pjrt_await(const ch_plugin *p, pj_event *event, const char *what) {
    if (event == NULL) return CH_OK;
    pj_event_await_args a = {PJ_ARGS(pj_event_await_args), .event = event};
    ch_status s = ch__pjrt_call(p, PJ_EVENT_AWAIT, &a, what);
    ch__pjrt_event_destroy(p, event);
    return s;
}

void ch__pjrt_quiet(const ch_plugin *p, pj_slot slot, void *args) {
    if (!ch__plugin_has(p, slot)) return;
    pj_error *e = p->api->slot[slot](args);
    if (e != NULL) pjrt_error_destroy(p, e);
}
