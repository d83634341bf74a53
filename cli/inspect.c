/* SPDX-License-Identifier: Apache-2.0 */
/* inspect.c: `vinea inspect`: what is in a file of arrays. */
#include "command.h"

#include <inttypes.h>
#include <string.h>
#include <vinea/vinea.h>

/* "2x3", "0-d" */
static const char *shape_text(const vn_shape *s, char *to, size_t room)
{
    size_t at = (size_t)snprintf(to, room, "%s", s->rank ? "" : "0-d");
    for (int i = 0; i < s->rank && at < room; i++) at += (size_t)snprintf(to + at, room - at, "%s%" PRId64, i ? "x" : "", s->dim[i]);
    return to;
}

static int64_t total(const vn_file_info *f)
{
    int64_t bytes = 0;
    for (int i = 0; i < f->n_arrays; i++) bytes += f->arrays[i].bytes;
    return bytes;
}

static void print_file_json(const char *path, const vn_file_info *f)
{
    fputs("{\"path\": ", stdout);
    print_json(path);
    printf(", \"format\": \"%s\", \"bytes\": %" PRId64 ", \"total\": %" PRId64 ", \"arrays\": [", f->format, f->bytes, total(f));
    for (int i = 0; i < f->n_arrays; i++) {
        const vn_file_array *a = &f->arrays[i];
        fputs(i ? ",\n  {\"name\": " : "\n  {\"name\": ", stdout);
        print_json(a->name);
        printf(", \"dtype\": \"%s\", \"shape\": [", vn_dtype_name(a->dtype));
        for (int k = 0; k < a->shape.rank; k++) printf("%s%" PRId64, k ? ", " : "", a->shape.dim[k]);
        printf("], \"bytes\": %" PRId64 ", \"stored\": %" PRId64 "}", a->bytes, a->stored);
    }
    fputs("], \"notes\": {", stdout);
    for (int i = 0; i < f->n_notes; i++) {
        fputs(i ? ",\n  " : "\n  ", stdout);
        print_json(f->notes[i].key);
        fputs(": ", stdout);
        print_json(f->notes[i].value);
    }
    puts("}}");
}

/* A note in one line; names and notes of a file may hold what would confuse a terminal. */
static void clean(char *to, size_t room, const char *text)
{
    size_t n = 0;
    for (; *text && n + 4 < room; text++) to[n++] = (unsigned char)*text < 0x20 || *text == 0x7f ? ' ' : *text;
    if (*text) {
        while (n && ((unsigned char)*text & 0xc0) == 0x80) n--, text--; /* not inside a character */
        memcpy(to + n, "...", 3);
        n += 3;
    }
    to[n] = 0;
}

static int print_file(const char *path, const vn_file_info *f)
{
    table *arrays = table_new(4), *notes = table_new(2);
    int code = table_row(arrays, (const char *[]){"NAME", "DTYPE", "SHAPE", "BYTES"});
    for (int i = 0; i < f->n_arrays && !code; i++) {
        char name[256], shape[400], bytes[32];
        clean(name, sizeof name, f->arrays[i].name);
        snprintf(bytes, sizeof bytes, "%" PRId64, f->arrays[i].bytes);
        code = table_row(
            arrays, (const char *[]){name, vn_dtype_name(f->arrays[i].dtype), shape_text(&f->arrays[i].shape, shape, sizeof shape), bytes});
    }
    for (int i = 0; i < f->n_notes && !code; i++) {
        char key[128], value[256];
        clean(key, sizeof key, f->notes[i].key);
        clean(value, sizeof value, f->notes[i].value);
        code = table_row(notes, (const char *[]){key, value});
    }
    if (!code) {
        printf("%s: %s, %" PRId64 " bytes\n\n", path, f->format, f->bytes);
        table_print(arrays);
        printf("\n%d arrays, %" PRId64 " bytes\n", f->n_arrays, total(f));
        if (f->n_notes) puts("\nNotes:");
        table_print(notes);
    }
    table_free(arrays);
    table_free(notes);
    return code;
}

static int run(const command_args *args)
{
    int code = EXIT_GOOD;
    vn_file_info f = {.size = sizeof f};
    if (vn_inspect(args->words[0], &f)) code = complain("%s", vn_message());
    else if (given(args, "json")) print_file_json(args->words[0], &f);
    else code = print_file(args->words[0], &f);
    vn_close();
    return code;
}

const command command_inspect = {
    .name = "inspect",
    .summary = "list the arrays of a safetensors, npy or npz file",
    .details = "Names, dtypes, shapes and sizes of the arrays, and the notes (metadata) of the file; checkpoints are such files. "
               "Everything about\n"
               "the file but the values is checked.\n",
    .words = (const command_option[]){{"FILE", OPTION_FILE, .about = "the file"}, {0}},
    .required = 1,
    .max_words = 1,
    .options = (const command_option[]){{.name = "json", .about = "print JSON"}, {0}},
    .run = run,
};
