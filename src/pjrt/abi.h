// SPDX-License-Identifier: Apache-2.0
// abi.h - the PJRT C API as this project uses it: structs, slots of the function table, numbers.
//
// Written from published tables of sizes and offsets, not copied: the layouts of API 0.114 for 64-bit machines, which
// older plugins (from 0.57) and newer ones (0.116) take as they are, since structs grow only at their ends. abi.c
// checks every offset at compile time. Two rules of the API rule everything here:
//
//   - struct_size is the end of the last field, not sizeof: some plugins compare for equality. PJ_ARGS(type) fills it
//     in and zeroes the rest.
//   - a slot of the table exists when the table is long enough and the pointer is not NULL: ch__pjrt_has (pjrt.h).
//
// What an args struct gives back is marked by a comment. FFI, the calls back from programs, is abi_ffi.h.
#ifndef CHAAC_PJRT_ABI_H
#define CHAAC_PJRT_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PJ_API_MAJOR 0
#define PJ_API_MINOR 114
#define PJ_API_MINOR_OLDEST 57 // the table was arranged differently before

// Fields that every args struct begins with, the extent that is sent, and what sizeof has to be.
#define PJ_HEAD                                                                                                        \
    size_t struct_size;                                                                                                \
    pj_extension *extension_start
#define PJ_SIZE(type, last, extent, whole)                                                                             \
    enum { type##_size = offsetof(type, last) + sizeof(((type *)0)->last) };                                           \
    _Static_assert(type##_size == (extent) && sizeof(type) == (whole), #type)
#define PJ_AT(type, field, offset) _Static_assert(offsetof(type, field) == (offset), #type "." #field)
#define PJ_ARGS(type) .struct_size = type##_size

// Objects of the plugin.
typedef struct pj_error pj_error;
typedef struct pj_event pj_event;
typedef struct pj_client pj_client;
typedef struct pj_device pj_device;
typedef struct pj_device_description pj_device_description;
typedef struct pj_memory pj_memory;
typedef struct pj_executable pj_executable;
typedef struct pj_loaded_executable pj_loaded_executable;
typedef struct pj_serialized_executable pj_serialized_executable;
typedef struct pj_buffer pj_buffer;
typedef struct pj_execute_context pj_execute_context;

// A chain of these hangs at the table.
typedef struct pj_extension {
    size_t struct_size;
    int type;
    struct pj_extension *next;
} pj_extension;
PJ_SIZE(pj_extension, next, 24, 24);

// ---------------------------------------------------------------- numbers
typedef enum { // element types of buffers; FFI has numbers of its own
    PJ_INVALID = 0,
    PJ_PRED = 1,
    PJ_S8 = 2,
    PJ_S16 = 3,
    PJ_S32 = 4,
    PJ_S64 = 5,
    PJ_U8 = 6,
    PJ_U16 = 7,
    PJ_U32 = 8,
    PJ_U64 = 9,
    PJ_F16 = 10,
    PJ_F32 = 11,
    PJ_F64 = 12,
    PJ_BF16 = 13,
    PJ_C64 = 14,
    PJ_C128 = 15,
    PJ_F8E5M2 = 16,
    PJ_F8E4M3FN = 17,
    PJ_F8E4M3B11FNUZ = 18,
    PJ_F8E5M2FNUZ = 19,
    PJ_F8E4M3FNUZ = 20,
    PJ_S4 = 21,
    PJ_U4 = 22,
    PJ_TOKEN = 23,
    PJ_S2 = 24,
    PJ_U2 = 25
} pj_type;
enum { // how long host memory is read by an upload
    PJ_HOST_DURING_CALL = 0,
    PJ_HOST_UNTIL_TRANSFER = 1,
    PJ_HOST_IMMUTABLE_ZERO_COPY = 2,
    PJ_HOST_MUTABLE_ZERO_COPY = 3
};
enum { PJ_NAMED_STRING = 0, PJ_NAMED_INT64 = 1, PJ_NAMED_INT64_LIST = 2, PJ_NAMED_FLOAT = 3, PJ_NAMED_BOOL = 4 };
enum { PJ_LAYOUT_TILED = 0, PJ_LAYOUT_STRIDES = 1 };
enum { // codes of errors, those of ch_status
    PJ_CODE_INVALID_ARGUMENT = 3,
    PJ_CODE_NOT_FOUND = 5,
    PJ_CODE_RESOURCE_EXHAUSTED = 8,
    PJ_CODE_FAILED_PRECONDITION = 9,
    PJ_CODE_UNIMPLEMENTED = 12,
    PJ_CODE_INTERNAL = 13
};
enum { // types of extensions
    PJ_EXT_GPU_CUSTOM_CALL = 0,
    PJ_EXT_PROFILER = 1,
    PJ_EXT_CUSTOM_PARTITIONER = 2,
    PJ_EXT_STREAM = 3,
    PJ_EXT_LAYOUTS = 4,
    PJ_EXT_FFI = 5,
    PJ_EXT_MEMORY_DESCRIPTIONS = 6,
    PJ_EXT_TRITON = 7,
    PJ_EXT_RAW_BUFFER = 8,
    PJ_EXT_PHASE_COMPILE = 9,
    PJ_EXT_CROSS_HOST_TRANSFERS = 12,
    PJ_EXT_EXECUTABLE_METADATA = 13,
    PJ_EXT_CALLBACK = 14,
    PJ_EXT_HOST_ALLOCATOR = 15,
    PJ_EXT_SHARDINGS = 19,
    PJ_EXT_ABI_VERSION = 20,
    PJ_EXT_COLLECTIVES = 21,
    PJ_EXT_XLA_TRANSFORM = 24
};

// ---------------------------------------------------------------- the table
// Every slot takes its args as void *; Error_Destroy and Error_Message give nothing, the others an error or NULL.
typedef pj_error *(*pj_fn)(void *args);
typedef void (*pj_void_fn)(void *args);

enum { PJ_SLOTS = 138 };
typedef enum {
    PJ_ERROR_DESTROY = 0,
    PJ_ERROR_MESSAGE = 1,
    PJ_ERROR_GET_CODE = 2,
    PJ_PLUGIN_INITIALIZE = 3,
    PJ_PLUGIN_ATTRIBUTES = 4,
    PJ_EVENT_DESTROY = 5,
    PJ_EVENT_IS_READY = 6,
    PJ_EVENT_ERROR = 7,
    PJ_EVENT_AWAIT = 8,
    PJ_EVENT_ON_READY = 9,
    PJ_CLIENT_CREATE = 10,
    PJ_CLIENT_DESTROY = 11,
    PJ_CLIENT_PLATFORM_NAME = 12,
    PJ_CLIENT_PROCESS_INDEX = 13,
    PJ_CLIENT_PLATFORM_VERSION = 14,
    PJ_CLIENT_DEVICES = 15,
    PJ_CLIENT_ADDRESSABLE_DEVICES = 16,
    PJ_CLIENT_LOOKUP_DEVICE = 17,
    PJ_CLIENT_LOOKUP_ADDRESSABLE_DEVICE = 18,
    PJ_CLIENT_ADDRESSABLE_MEMORIES = 19,
    PJ_CLIENT_COMPILE = 20,
    PJ_CLIENT_DEFAULT_DEVICE_ASSIGNMENT = 21,
    PJ_CLIENT_BUFFER_FROM_HOST_BUFFER = 22,
    PJ_DEVICE_DESCRIPTION_ID = 23,
    PJ_DEVICE_DESCRIPTION_PROCESS_INDEX = 24,
    PJ_DEVICE_DESCRIPTION_ATTRIBUTES = 25,
    PJ_DEVICE_DESCRIPTION_KIND = 26,
    PJ_DEVICE_DESCRIPTION_DEBUG_STRING = 27,
    PJ_DEVICE_DESCRIPTION_TO_STRING = 28,
    PJ_DEVICE_GET_DESCRIPTION = 29,
    PJ_DEVICE_IS_ADDRESSABLE = 30,
    PJ_DEVICE_LOCAL_HARDWARE_ID = 31,
    PJ_DEVICE_ADDRESSABLE_MEMORIES = 32,
    PJ_DEVICE_DEFAULT_MEMORY = 33,
    PJ_DEVICE_MEMORY_STATS = 34,
    PJ_EXECUTABLE_DESTROY = 40,
    PJ_EXECUTABLE_NAME = 41,
    PJ_EXECUTABLE_NUM_REPLICAS = 42,
    PJ_EXECUTABLE_NUM_PARTITIONS = 43,
    PJ_EXECUTABLE_NUM_OUTPUTS = 44,
    PJ_EXECUTABLE_SIZE_OF_GENERATED_CODE_IN_BYTES = 45,
    PJ_EXECUTABLE_GET_COST_ANALYSIS = 46,
    PJ_EXECUTABLE_OUTPUT_MEMORY_KINDS = 47,
    PJ_EXECUTABLE_OPTIMIZED_PROGRAM = 48,
    PJ_EXECUTABLE_SERIALIZE = 49,
    PJ_LOADED_EXECUTABLE_DESTROY = 50,
    PJ_LOADED_EXECUTABLE_GET_EXECUTABLE = 51,
    PJ_LOADED_EXECUTABLE_ADDRESSABLE_DEVICES = 52,
    PJ_LOADED_EXECUTABLE_DELETE = 53,
    PJ_LOADED_EXECUTABLE_IS_DELETED = 54,
    PJ_LOADED_EXECUTABLE_EXECUTE = 55,
    PJ_EXECUTABLE_DESERIALIZE_AND_LOAD = 56,
    PJ_LOADED_EXECUTABLE_FINGERPRINT = 57,
    PJ_BUFFER_DESTROY = 58,
    PJ_BUFFER_ELEMENT_TYPE = 59,
    PJ_BUFFER_DIMENSIONS = 60,
    PJ_BUFFER_UNPADDED_DIMENSIONS = 61,
    PJ_BUFFER_DYNAMIC_DIMENSION_INDICES = 62,
    PJ_BUFFER_GET_MEMORY_LAYOUT = 63,
    PJ_BUFFER_ON_DEVICE_SIZE_IN_BYTES = 64,
    PJ_BUFFER_DEVICE = 65,
    PJ_BUFFER_MEMORY = 66,
    PJ_BUFFER_DELETE = 67,
    PJ_BUFFER_IS_DELETED = 68,
    PJ_BUFFER_COPY_TO_DEVICE = 69,
    PJ_BUFFER_TO_HOST_BUFFER = 70,
    PJ_BUFFER_IS_ON_CPU = 71,
    PJ_BUFFER_READY_EVENT = 72,
    PJ_BUFFER_UNSAFE_POINTER = 73,
    PJ_BUFFER_INCREASE_EXTERNAL_REFERENCE_COUNT = 74,
    PJ_BUFFER_DECREASE_EXTERNAL_REFERENCE_COUNT = 75,
    PJ_BUFFER_OPAQUE_DEVICE_MEMORY_DATA_POINTER = 76,
    PJ_EXECUTABLE_OUTPUT_ELEMENT_TYPES = 90,
    PJ_EXECUTABLE_OUTPUT_DIMENSIONS = 91,
    PJ_CLIENT_CREATE_VIEW_OF_DEVICE_BUFFER = 93,
    PJ_EXECUTABLE_FINGERPRINT = 94,
    PJ_EXECUTABLE_GET_COMPILED_MEMORY_STATS = 96,
    PJ_EXECUTE_CONTEXT_CREATE = 98,
    PJ_EXECUTE_CONTEXT_DESTROY = 99,
    PJ_BUFFER_COPY_RAW_TO_HOST = 100,
    PJ_CLIENT_CREATE_UNINITIALIZED_BUFFER = 112,
    PJ_EXECUTABLE_GET_COMPILE_OPTIONS = 124,
    PJ_DEVICE_CLEAR_MEMORY_STATS = 135
} pj_slot;

typedef struct pj_version {
    PJ_HEAD;
    int major;
    int minor;
} pj_version;
PJ_SIZE(pj_version, minor, 24, 24);

typedef struct pj_api {
    PJ_HEAD;
    pj_version version;
    pj_fn slot[PJ_SLOTS];
} pj_api;
PJ_SIZE(pj_api, slot, 1144, 1144);
typedef const pj_api *(*pj_get_api)(void); // GetPjrtApi

// ---------------------------------------------------------------- errors
typedef struct pj_error_destroy_args {
    PJ_HEAD;
    pj_error *error;
} pj_error_destroy_args;
PJ_SIZE(pj_error_destroy_args, error, 24, 24);

typedef struct pj_error_message_args {
    PJ_HEAD;
    pj_error *error;
    const char *message;
    size_t message_size;
} pj_error_message_args;
PJ_SIZE(pj_error_message_args, message_size, 40, 40);

typedef struct pj_error_get_code_args {
    PJ_HEAD;
    pj_error *error;
    int code;
} pj_error_get_code_args;
PJ_SIZE(pj_error_get_code_args, code, 28, 32);

// ---------------------------------------------------------------- plugin
typedef struct pj_named_value {
    PJ_HEAD;
    const char *name;
    size_t name_size;
    int type;
    union {
        const char *string_value;
        int64_t int64_value;
        const int64_t *int64_array_value;
        float float_value;
        bool bool_value;
    } value;
    size_t value_size;
} pj_named_value;
PJ_SIZE(pj_named_value, value_size, 56, 56);

typedef struct pj_plugin_initialize_args {
    PJ_HEAD;
} pj_plugin_initialize_args;
PJ_SIZE(pj_plugin_initialize_args, extension_start, 16, 16);

typedef struct pj_plugin_attributes_args {
    PJ_HEAD;
    const pj_named_value *attributes;
    size_t num_attributes;
} pj_plugin_attributes_args;
PJ_SIZE(pj_plugin_attributes_args, num_attributes, 32, 32);

// ---------------------------------------------------------------- events
typedef struct pj_event_destroy_args {
    PJ_HEAD;
    pj_event *event;
} pj_event_destroy_args;
PJ_SIZE(pj_event_destroy_args, event, 24, 24);

typedef struct pj_event_is_ready_args {
    PJ_HEAD;
    pj_event *event;
    bool is_ready;
} pj_event_is_ready_args;
PJ_SIZE(pj_event_is_ready_args, is_ready, 25, 32);

typedef struct pj_event_error_args {
    PJ_HEAD;
    pj_event *event;
} pj_event_error_args;
PJ_SIZE(pj_event_error_args, event, 24, 24);

typedef struct pj_event_await_args {
    PJ_HEAD;
    pj_event *event;
} pj_event_await_args;
PJ_SIZE(pj_event_await_args, event, 24, 24);

typedef struct pj_event_on_ready_args {
    PJ_HEAD;
    pj_event *event;
    void (*callback)(pj_error *error, void *user_arg);
    void *user_arg;
} pj_event_on_ready_args;
PJ_SIZE(pj_event_on_ready_args, user_arg, 40, 40);

// ---------------------------------------------------------------- layouts
typedef struct pj_memory_layout_tiled {
    PJ_HEAD;
    const int64_t *minor_to_major;
    size_t minor_to_major_size;
    const int64_t *tile_dims;
    const size_t *tile_dim_sizes;
    size_t num_tiles;
} pj_memory_layout_tiled;
PJ_SIZE(pj_memory_layout_tiled, num_tiles, 56, 56);

typedef struct pj_memory_layout_strides {
    PJ_HEAD;
    const int64_t *byte_strides;
    size_t num_byte_strides;
} pj_memory_layout_strides;
PJ_SIZE(pj_memory_layout_strides, num_byte_strides, 32, 32);

typedef struct pj_buffer_memory_layout {
    PJ_HEAD;
    union {
        pj_memory_layout_tiled tiled;
        pj_memory_layout_strides strides;
    } layout;
    int type;
} pj_buffer_memory_layout;
PJ_SIZE(pj_buffer_memory_layout, type, 76, 80);

// ---------------------------------------------------------------- client
typedef struct pj_client_create_args {
    PJ_HEAD;
    const pj_named_value *create_options;
    size_t num_options;
    void *kv_get_callback;
    void *kv_get_user_arg;
    void *kv_put_callback;
    void *kv_put_user_arg;
    pj_client *client;
    void *kv_try_get_callback;
    void *kv_try_get_user_arg;
} pj_client_create_args;
PJ_SIZE(pj_client_create_args, kv_try_get_user_arg, 88, 88);

typedef struct pj_client_destroy_args {
    PJ_HEAD;
    pj_client *client;
} pj_client_destroy_args;
PJ_SIZE(pj_client_destroy_args, client, 24, 24);

typedef struct pj_client_platform_name_args {
    PJ_HEAD;
    pj_client *client;
    const char *platform_name;
    size_t platform_name_size;
} pj_client_platform_name_args;
PJ_SIZE(pj_client_platform_name_args, platform_name_size, 40, 40);

typedef struct pj_client_platform_version_args {
    PJ_HEAD;
    pj_client *client;
    const char *platform_version;
    size_t platform_version_size;
} pj_client_platform_version_args;
PJ_SIZE(pj_client_platform_version_args, platform_version_size, 40, 40);

typedef struct pj_client_devices_args {
    PJ_HEAD;
    pj_client *client;
    pj_device *const *devices;
    size_t num_devices;
} pj_client_devices_args;
PJ_SIZE(pj_client_devices_args, num_devices, 40, 40);

typedef struct pj_client_addressable_devices_args {
    PJ_HEAD;
    pj_client *client;
    pj_device *const *devices;
    size_t num_devices;
} pj_client_addressable_devices_args;
PJ_SIZE(pj_client_addressable_devices_args, num_devices, 40, 40);

typedef struct pj_program {
    PJ_HEAD;
    char *code;
    size_t code_size;
    const char *format;
    size_t format_size;
} pj_program;
PJ_SIZE(pj_program, format_size, 48, 48);

typedef struct pj_client_compile_args {
    PJ_HEAD;
    pj_client *client;
    const pj_program *program;
    const char *compile_options;
    size_t compile_options_size;
    pj_loaded_executable *executable;
} pj_client_compile_args;
PJ_SIZE(pj_client_compile_args, executable, 56, 56);

typedef struct pj_client_buffer_from_host_buffer_args {
    PJ_HEAD;
    pj_client *client;
    const void *data;
    int type;
    const int64_t *dims;
    size_t num_dims;
    const int64_t *byte_strides;
    size_t num_byte_strides;
    int host_buffer_semantics;
    pj_device *device;
    pj_memory *memory;
    pj_buffer_memory_layout *device_layout;
    pj_event *done_with_host_buffer;
    pj_buffer *buffer;
} pj_client_buffer_from_host_buffer_args;
PJ_SIZE(pj_client_buffer_from_host_buffer_args, buffer, 120, 120);

typedef struct pj_client_create_view_of_device_buffer_args {
    PJ_HEAD;
    pj_client *client;
    void *device_buffer_ptr;
    const int64_t *dims;
    size_t num_dims;
    int element_type;
    pj_buffer_memory_layout *layout;
    pj_device *device;
    void (*on_delete_callback)(void *device_buffer_ptr, void *user_arg);
    void *on_delete_callback_arg;
    intptr_t stream;
    pj_buffer *buffer;
    pj_memory *memory;
} pj_client_create_view_of_device_buffer_args;
PJ_SIZE(pj_client_create_view_of_device_buffer_args, memory, 112, 112);

typedef struct pj_client_create_uninitialized_buffer_args {
    PJ_HEAD;
    pj_client *client;
    const int64_t *shape_dims;
    size_t shape_num_dims;
    int shape_element_type;
    pj_buffer_memory_layout *shape_layout;
    pj_device *device;
    pj_memory *memory;
    pj_buffer *buffer;
} pj_client_create_uninitialized_buffer_args;
PJ_SIZE(pj_client_create_uninitialized_buffer_args, buffer, 80, 80);

// ---------------------------------------------------------------- devices
typedef struct pj_device_get_description_args {
    PJ_HEAD;
    pj_device *device;
    pj_device_description *device_description;
} pj_device_get_description_args;
PJ_SIZE(pj_device_get_description_args, device_description, 32, 32);

typedef struct pj_device_description_id_args {
    PJ_HEAD;
    pj_device_description *device_description;
    int id;
} pj_device_description_id_args;
PJ_SIZE(pj_device_description_id_args, id, 28, 32);

typedef struct pj_device_description_kind_args {
    PJ_HEAD;
    pj_device_description *device_description;
    const char *device_kind;
    size_t device_kind_size;
} pj_device_description_kind_args;
PJ_SIZE(pj_device_description_kind_args, device_kind_size, 40, 40);

typedef struct pj_device_description_to_string_args {
    PJ_HEAD;
    pj_device_description *device_description;
    const char *to_string;
    size_t to_string_size;
} pj_device_description_to_string_args;
PJ_SIZE(pj_device_description_to_string_args, to_string_size, 40, 40);

typedef struct pj_device_description_debug_string_args {
    PJ_HEAD;
    pj_device_description *device_description;
    const char *debug_string;
    size_t debug_string_size;
} pj_device_description_debug_string_args;
PJ_SIZE(pj_device_description_debug_string_args, debug_string_size, 40, 40);

typedef struct pj_device_local_hardware_id_args {
    PJ_HEAD;
    pj_device *device;
    int local_hardware_id;
} pj_device_local_hardware_id_args;
PJ_SIZE(pj_device_local_hardware_id_args, local_hardware_id, 28, 32);

typedef struct pj_device_default_memory_args {
    PJ_HEAD;
    pj_device *device;
    pj_memory *memory;
} pj_device_default_memory_args;
PJ_SIZE(pj_device_default_memory_args, memory, 32, 32);

typedef struct pj_device_memory_stats_args {
    PJ_HEAD;
    pj_device *device;
    int64_t bytes_in_use;
    int64_t peak_bytes_in_use;
    bool peak_bytes_in_use_is_set;
    int64_t num_allocs;
    bool num_allocs_is_set;
    int64_t largest_alloc_size;
    bool largest_alloc_size_is_set;
    int64_t bytes_limit;
    bool bytes_limit_is_set;
    int64_t bytes_reserved;
    bool bytes_reserved_is_set;
    int64_t peak_bytes_reserved;
    bool peak_bytes_reserved_is_set;
    int64_t bytes_reservable_limit;
    bool bytes_reservable_limit_is_set;
    int64_t largest_free_block_bytes;
    bool largest_free_block_bytes_is_set;
    int64_t pool_bytes;
    bool pool_bytes_is_set;
    int64_t peak_pool_bytes;
    bool peak_pool_bytes_is_set;
    int64_t peak_allocated_bytes;
    bool peak_allocated_bytes_is_set;
} pj_device_memory_stats_args;
PJ_SIZE(pj_device_memory_stats_args, peak_allocated_bytes_is_set, 201, 208);

// ---------------------------------------------------------------- executables
typedef struct pj_execute_context_create_args {
    PJ_HEAD;
    pj_execute_context *context;
} pj_execute_context_create_args;
PJ_SIZE(pj_execute_context_create_args, context, 24, 24);

typedef struct pj_execute_context_destroy_args {
    PJ_HEAD;
    pj_execute_context *context;
} pj_execute_context_destroy_args;
PJ_SIZE(pj_execute_context_destroy_args, context, 24, 24);

typedef struct pj_loaded_executable_destroy_args {
    PJ_HEAD;
    pj_loaded_executable *executable;
} pj_loaded_executable_destroy_args;
PJ_SIZE(pj_loaded_executable_destroy_args, executable, 24, 24);

typedef struct pj_executable_destroy_args {
    PJ_HEAD;
    pj_executable *executable;
} pj_executable_destroy_args;
PJ_SIZE(pj_executable_destroy_args, executable, 24, 24);

typedef struct pj_loaded_executable_get_executable_args {
    PJ_HEAD;
    pj_loaded_executable *loaded_executable;
    pj_executable *executable;
} pj_loaded_executable_get_executable_args;
PJ_SIZE(pj_loaded_executable_get_executable_args, executable, 32, 32);

typedef struct pj_executable_num_outputs_args {
    PJ_HEAD;
    pj_executable *executable;
    size_t num_outputs;
} pj_executable_num_outputs_args;
PJ_SIZE(pj_executable_num_outputs_args, num_outputs, 32, 32);

typedef struct pj_executable_output_element_types_args {
    PJ_HEAD;
    pj_executable *executable;
    int *output_types;
    size_t num_output_types;
} pj_executable_output_element_types_args;
PJ_SIZE(pj_executable_output_element_types_args, num_output_types, 40, 40);

typedef struct pj_executable_output_dimensions_args {
    PJ_HEAD;
    pj_executable *executable;
    size_t num_outputs;
    const int64_t *dims;
    const size_t *dim_sizes;
} pj_executable_output_dimensions_args;
PJ_SIZE(pj_executable_output_dimensions_args, dim_sizes, 48, 48);

typedef struct pj_executable_output_memory_kinds_args {
    PJ_HEAD;
    pj_executable *executable;
    size_t num_outputs;
    const char *const *memory_kinds;
    const size_t *memory_kind_sizes;
} pj_executable_output_memory_kinds_args;
PJ_SIZE(pj_executable_output_memory_kinds_args, memory_kind_sizes, 48, 48);

typedef struct pj_executable_get_compiled_memory_stats_args {
    PJ_HEAD;
    pj_executable *executable;
    int64_t generated_code;
    int64_t argument;
    int64_t output;
    int64_t alias;
    int64_t temp;
    int64_t host_generated_code;
    int64_t host_argument;
    int64_t host_output;
    int64_t host_alias;
    int64_t host_temp;
    int64_t peak_memory;
    int64_t total_size;
    int64_t total_allocation_bytes;
    int64_t indefinite_allocations;
    int64_t peak_unpadded_heap;
} pj_executable_get_compiled_memory_stats_args;
PJ_SIZE(pj_executable_get_compiled_memory_stats_args, peak_unpadded_heap, 144, 144);

typedef struct pj_executable_serialize_args {
    PJ_HEAD;
    const pj_executable *executable;
    const char *serialized_bytes;
    size_t serialized_bytes_size;
    pj_serialized_executable *serialized_executable;
    void (*deleter)(pj_serialized_executable *serialized);
} pj_executable_serialize_args;
PJ_SIZE(pj_executable_serialize_args, deleter, 56, 56);

typedef struct pj_executable_fingerprint_args {
    PJ_HEAD;
    pj_executable *executable;
    const char *fingerprint;
    size_t fingerprint_size;
} pj_executable_fingerprint_args;
PJ_SIZE(pj_executable_fingerprint_args, fingerprint_size, 40, 40);

typedef struct pj_executable_optimized_program_args {
    PJ_HEAD;
    pj_executable *executable;
    pj_program *program;
} pj_executable_optimized_program_args;
PJ_SIZE(pj_executable_optimized_program_args, program, 32, 32);

typedef struct pj_load_options {
    size_t struct_size;
    const char *computation_origin;
    size_t computation_origin_size;
    void *multi_slice_config;
} pj_load_options;
PJ_SIZE(pj_load_options, multi_slice_config, 32, 32);

typedef struct pj_executable_deserialize_and_load_args {
    PJ_HEAD;
    pj_client *client;
    const char *serialized_executable;
    size_t serialized_executable_size;
    pj_loaded_executable *loaded_executable;
    const char *overridden_serialized_compile_options;
    size_t overridden_serialized_compile_options_size;
    pj_load_options *load_options;
} pj_executable_deserialize_and_load_args;
PJ_SIZE(pj_executable_deserialize_and_load_args, load_options, 72, 72);

typedef struct pj_execute_options {
    PJ_HEAD;
    void *send_callbacks;
    void *recv_callbacks;
    size_t num_send_ops;
    size_t num_recv_ops;
    int launch_id;
    const int64_t *non_donatable_input_indices;
    size_t num_non_donatable_input_indices;
    pj_execute_context *context;
    const char *call_location;
    size_t num_tasks;
    int *task_ids;
    int64_t *incarnation_ids;
    void *multi_slice_config;
    bool use_major_to_minor_data_layout_for_callbacks;
    void *hlo_output_callbacks;
    size_t num_hlo_output_callbacks;
} pj_execute_options;
PJ_SIZE(pj_execute_options, num_hlo_output_callbacks, 144, 144);

typedef struct pj_loaded_executable_execute_args {
    PJ_HEAD;
    pj_loaded_executable *executable;
    pj_execute_options *options;
    pj_buffer *const *const *argument_lists;
    size_t num_devices;
    size_t num_args;
    pj_buffer **const *output_lists;
    pj_event **device_complete_events;
    pj_device *execute_device;
} pj_loaded_executable_execute_args;
PJ_SIZE(pj_loaded_executable_execute_args, execute_device, 80, 80);

// ---------------------------------------------------------------- buffers
typedef struct pj_buffer_destroy_args {
    PJ_HEAD;
    pj_buffer *buffer;
} pj_buffer_destroy_args;
PJ_SIZE(pj_buffer_destroy_args, buffer, 24, 24);

typedef struct pj_buffer_delete_args {
    PJ_HEAD;
    pj_buffer *buffer;
} pj_buffer_delete_args;
PJ_SIZE(pj_buffer_delete_args, buffer, 24, 24);

typedef struct pj_buffer_is_deleted_args {
    PJ_HEAD;
    pj_buffer *buffer;
    bool is_deleted;
} pj_buffer_is_deleted_args;
PJ_SIZE(pj_buffer_is_deleted_args, is_deleted, 25, 32);

typedef struct pj_buffer_element_type_args {
    PJ_HEAD;
    pj_buffer *buffer;
    int type;
} pj_buffer_element_type_args;
PJ_SIZE(pj_buffer_element_type_args, type, 28, 32);

typedef struct pj_buffer_dimensions_args {
    PJ_HEAD;
    pj_buffer *buffer;
    const int64_t *dims;
    size_t num_dims;
} pj_buffer_dimensions_args;
PJ_SIZE(pj_buffer_dimensions_args, num_dims, 40, 40);

typedef struct pj_buffer_get_memory_layout_args {
    PJ_HEAD;
    pj_buffer *buffer;
    pj_buffer_memory_layout layout;
} pj_buffer_get_memory_layout_args;
PJ_SIZE(pj_buffer_get_memory_layout_args, layout, 104, 104);

typedef struct pj_buffer_on_device_size_in_bytes_args {
    PJ_HEAD;
    pj_buffer *buffer;
    size_t on_device_size_in_bytes;
} pj_buffer_on_device_size_in_bytes_args;
PJ_SIZE(pj_buffer_on_device_size_in_bytes_args, on_device_size_in_bytes, 32, 32);

typedef struct pj_buffer_to_host_buffer_args {
    PJ_HEAD;
    pj_buffer *src;
    pj_buffer_memory_layout *host_layout;
    void *dst;
    size_t dst_size;
    pj_event *event;
} pj_buffer_to_host_buffer_args;
PJ_SIZE(pj_buffer_to_host_buffer_args, event, 56, 56);

typedef struct pj_buffer_copy_raw_to_host_args {
    PJ_HEAD;
    pj_buffer *buffer;
    void *dst;
    int64_t offset;
    int64_t transfer_size;
    pj_event *event;
} pj_buffer_copy_raw_to_host_args;
PJ_SIZE(pj_buffer_copy_raw_to_host_args, event, 56, 56);

typedef struct pj_buffer_copy_to_device_args {
    PJ_HEAD;
    pj_buffer *buffer;
    pj_device *dst_device;
    pj_buffer *dst_buffer;
} pj_buffer_copy_to_device_args;
PJ_SIZE(pj_buffer_copy_to_device_args, dst_buffer, 40, 40);

typedef struct pj_buffer_ready_event_args {
    PJ_HEAD;
    pj_buffer *buffer;
    pj_event *event;
} pj_buffer_ready_event_args;
PJ_SIZE(pj_buffer_ready_event_args, event, 32, 32);

typedef struct pj_buffer_opaque_device_memory_data_pointer_args {
    PJ_HEAD;
    pj_buffer *buffer;
    void *device_memory_ptr;
} pj_buffer_opaque_device_memory_data_pointer_args;
PJ_SIZE(pj_buffer_opaque_device_memory_data_pointer_args, device_memory_ptr, 32, 32);

#endif
