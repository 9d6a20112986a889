// SPDX-License-Identifier: Apache-2.0
// rooms.c - memory that products need while they run, kept for the next one: a slot for each thread that has had some.
//
// No lock: a process that forks while another thread multiplies leaves its child nothing that is held for ever.
#include "native/native.h"

void *ch__native_room_take(ch__native_rooms *r, size_t bytes) {
    for (int i = 0; i < CH__ROOMS; i++) {
        if (atomic_load_explicit(&r->slots[i], memory_order_relaxed) == NULL) continue;
        void *room = atomic_exchange(&r->slots[i], NULL);
        if (room != NULL) return room;
    }
    return ch__alloc_aligned(bytes, 64);
}

void ch__native_room_give_back(ch__native_rooms *r, void *room) {
    if (room == NULL) return;
    for (int i = 0; i < CH__ROOMS; i++) {
        void *none = NULL;
        if (atomic_compare_exchange_strong(&r->slots[i], &none, room)) return;
    }
    ch__free_aligned(room); // more threads at once than slots
}
