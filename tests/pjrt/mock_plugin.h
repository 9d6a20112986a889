// SPDX-License-Identifier: Apache-2.0
// mock_plugin.h - what a test can ask of the mock plugin, and what it counts.
//
// The mock is a PJRT plugin for the CPU whose programs run on this project's interpreter. What a plugin is (which
// version, which slots it has) is said in $MOCK_PLUGIN when its table is first asked for: words separated by blanks,
//
//   minor=104     an older plugin: its number, its shorter table; what its structs did not have is not written
//   missing=49,76 slots that are NULL
//   platform=cuda what it calls itself, and so which options it takes; its handlers get addresses of mock_cuda.c's
//   devices=2     how many there are when nobody says (4)
//   name=b        nothing; what differs in these words is another plugin's, and its serialized programs are foreign
//   fails=55      a slot that always fails, with code=8 (13)
//   noffi         no extension to register handlers with
//   no-table      there is no table
//   short-table   one of 16 bytes
//   strange       one more device than asked for, of a kind with 300 letters
//
// and everything else by the fields of mock_state, which a test gets from mock_plugin_state() of the loaded file.
// A copy of the file is another plugin with a state of its own. What would end the process in a real plugin, or is
// against the rules (a handle that is none or is dead, a client destroyed before what it owns), is a misuse: the call
// fails and it is counted, with the first one's sentence.
#ifndef CHAAC_TESTS_MOCK_PLUGIN_H
#define CHAAC_TESTS_MOCK_PLUGIN_H

#include <pthread.h>
#include <stdatomic.h>

#include "pjrt/abi.h"

#define MOCK_CUDA_ADDRESS (1ULL << 62) // set in what handlers are given
#define MOCK_CUDA_STREAM ((void *)0x57)

typedef enum {
    MOCK_ERROR,
    MOCK_EVENT,
    MOCK_CLIENT,
    MOCK_LOADED,
    MOCK_EXECUTABLE,
    MOCK_BUFFER,
    MOCK_SERIALIZED,
    MOCK_CONTEXT,
    MOCK_KINDS
} mock_kind;

typedef struct mock_state {
    // ---- set by tests; 0 is off
    atomic_llong fail_at;       // the n-th call from now gives an error (1: the next), after having done nothing
    atomic_llong fail_event_at; // the n-th event made from now ends in an error
    atomic_int fail_code;       // of these errors; 0: 13
    atomic_int fail_slot;       // number + 1 of a slot that always fails
    atomic_int late_us;         // transfers and results are done by a thread, so many microseconds later
    atomic_int run_fails;       // programs fail after Execute said ok: only events tell
    atomic_int execute_fails;   // 1: Execute fails before anything; 2: after donated inputs were consumed
    atomic_int transposed;      // results of rank 2 lie column after column
    atomic_int more_bytes;      // what ToHostBuffer says an array has, more than it does
    atomic_int more_outputs;    // what an executable says it gives, more than it does
    atomic_int no_statistics;   // Device_MemoryStats is not implemented
    atomic_int no_serialize;    // Executable_Serialize is not implemented
    atomic_int refuse_load;     // DeserializeAndLoad gives an error
    atomic_int compile_us;      // a compile takes at least so long
    atomic_llong memory_limit;  // bytes of all buffers; more is RESOURCE_EXHAUSTED
    // ---- counted
    atomic_llong calls, of_slot[PJ_SLOTS];
    atomic_llong live[MOCK_KINDS], made[MOCK_KINDS];
    atomic_llong bytes_live, bytes_peak, bytes_up, bytes_down;
    atomic_llong copies_by_pointer; // addresses of device memory that were asked for
    atomic_llong misuses, overlaps; // overlaps: a program that was run while it ran
    atomic_llong foreign;           // serialized programs that this plugin did not make, or that were damaged
    pthread_mutex_t lock;           // of the texts below
    char misuse[256];               // the first
    char create_options[512];       // of the last client: "cpu_device_count=2 preallocate=false"
    char compile_flags[512];        // overrides of the last compile: "xla_a=b"
} mock_state;
typedef mock_state *(*mock_plugin_state_fn)(void); // dlsym(file, "mock_plugin_state")

#endif
