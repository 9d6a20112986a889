// SPDX-License-Identifier: Apache-2.0
// hlo/emit_shard.c - shardings as Shardy's attributes (sdy.mesh, sdy.sharding, sdy.sharding_constraint).
//
// Each sharding names its mesh by itself; the text has every mesh once, at the top of the module. Two meshes of one
// name and other axes get two names.
#include "hlo/emit.h"

#include <string.h>

// The text of a mesh, `["x"=2, "y"=4], device_ids=[...]`.
static const char *mesh_axes(ch__emit *e, const ch__sharding *s) {
    ch__text t;
    ch__text_init(&t, e->scratch);
    ch__mesh_print(&t, s, "\"");
    return t.data;
}

static const char *mesh_name(ch__emit *e, const ch__sharding *s) {
    const char *axes = mesh_axes(e, s), *name = s->mesh;
    int taken = 0;
    for (int64_t i = 0; i < e->meshes.n; i++) {
        const ch__emit_mesh *m = &e->meshes.data[i];
        if (strcmp(m->base, s->mesh) != 0) continue;
        if (strcmp(m->axes, axes) == 0) return m->name;
        taken++;
    }
    if (taken > 0) name = ch__arena_printf(e->scratch, "%s_%d", s->mesh, taken);
    ch__emit_mesh m = {s->mesh, name, axes, ch__sharding_devices(s)};
    CH_PUSH(e->scratch, &e->meshes, m);
    return name;
}

// <@mesh, [{"x"}, {}]>
const char *ch__emit_sharding(ch__emit *e, const char *text) {
    const ch__sharding *s = ch__sharding_read(e->scratch, "ch_hlo_emit", text);
    ch__text t;
    ch__text_init(&t, e->scratch);
    ch__putf(&t, "<@%s, [", mesh_name(e, s));
    for (int i = 0; i < s->rank; i++) {
        if (i) ch__put(&t, ", ");
        ch__axis_parts_print(&t, s->dims[i].n, s->dims[i].parts, s->dims[i].open, "\"");
        if (s->dims[i].priority >= 0) ch__putf(&t, "p%" PRId64, s->dims[i].priority);
    }
    ch__putc(&t, ']');
    if (s->n_replicated) {
        ch__put(&t, ", replicated=");
        ch__axis_parts_print(&t, s->n_replicated, s->replicated, false, "\"");
    }
    ch__putc(&t, '>');
    return t.data;
}

void ch__emit_shard(ch__emit *e, const ch__op *op) {
    const char *sharding = ch__emit_sharding(e, ch__op_attr(op, CH__ATTR_sharding)->s);
    const ch__type *type = op->results[0].type;
    ch__emit_ref in = ch__emit_in(e, op, 0), out;
    if (e->generic) {
        ch__emit_attr(e, NULL, ch__arena_printf(e->scratch, "sharding = #sdy.sharding%s", sharding));
        out = ch__emit_line1(e, "sdy.sharding_constraint", CH__EMIT_GENERIC, 1, &in, type);
    } else {
        ch__emit_results(e, 1, &type, &out);
        ch__put(e->t, "sdy.sharding_constraint ");
        ch__emit_put_ref(e, in);
        ch__putf(e->t, " %s : ", sharding);
        ch__emit_type(e->t, type);
        ch__putc(e->t, '\n');
    }
    ch__emit_set(e, &op->results[0], out);
}

// ---------------------------------------------------------------- the module's part
static void meet_shard(void *arg, ch__op *op) {
    ch__emit *e = arg;
    if (op->code == CH_OP_shard) ch__emit_sharding(e, ch__op_attr(op, CH__ATTR_sharding)->s);
    int64_t n = ch__is_collective((ch__opcode)op->code) ? ch__op_replicas(op) : 0;
    if (n > 0 && e->replicas > 0 && n != e->replicas)
        ch__emit_refuse(
            e, op->loc, ch__op_name((ch__opcode)op->code),
            ch__arena_printf(e->scratch, "its groups are for %d replicas, others for %d", (int)n, (int)e->replicas));
    if (n > 0) e->replicas = n;
}

void ch__emit_meet_devices(ch__emit *e, const ch_func *f, bool entry) {
    const int64_t known = e->meshes.n; // of funcs before this one
    for (int i = 0; entry && i < f->body->n_params; i++)
        if (ch__param_sharding(f, i)) ch__emit_sharding(e, ch__param_sharding(f, i));
    for (int i = 0; entry && i < f->body->n_results; i++)
        if (ch__result_sharding(f, i)) ch__emit_sharding(e, ch__result_sharding(f, i));
    ch__walk(f->body, meet_shard, e);
    for (int64_t i = known > 0 ? known : 1; i < e->meshes.n; i++)
        if (e->meshes.data[i].devices != e->meshes.data[0].devices)
            ch__emit_refuse(e, f->loc, ch__arena_printf(e->scratch, "@%s", f->name),
                            ch__arena_printf(e->scratch, "its meshes have %d and %d devices",
                                             (int)e->meshes.data[0].devices, (int)e->meshes.data[i].devices));
}

// mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32; NULL: one device.
const char *ch__emit_module_attrs(ch__emit *e) {
    int64_t partitions = e->meshes.n > 0 ? e->meshes.data[0].devices : 1, replicas = e->replicas ? e->replicas : 1;
    if (e->meshes.n == 0 && e->replicas == 0) return NULL;
    return ch__arena_printf(e->scratch, "mhlo.num_partitions = %d : i32, mhlo.num_replicas = %d : i32", (int)partitions,
                            (int)replicas);
}

void ch__emit_meshes(ch__emit *e) {
    for (int64_t i = 0; i < e->meshes.n; i++) {
        const ch__emit_mesh *m = &e->meshes.data[i];
        ch__emit_indent(e);
        if (e->generic)
            ch__putf(e->t, "\"sdy.mesh\"() {mesh = #sdy.mesh<%s>, sym_name = \"%s\"} : () -> ()\n", m->axes, m->name);
        else
            ch__putf(e->t, "sdy.mesh @%s = <%s>\n", m->name, m->axes);
    }
}
