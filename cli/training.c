/* SPDX-License-Identifier: Apache-2.0 */
/* training.c: shared by `vinea train` and `vinea predict`. */
#include "training.h"

#include "base/base.h"
#include "base/minmax.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the text of a checkpoint: a first line, "key: value" lines, an empty line, the model's JSON ---- */

static const char first_line[] = "vinea train 1\n";

void training_name(char *to, size_t room, const char *name)
{
    snprintf(to, room, "%s", name);
    int foreign = !vn__is_utf8(to); /* also if truncation split a character */
    for (char *c = to; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f || (foreign && (unsigned char)*c >= 0x80)) *c = '?';
    }
}

char *training_write(const training *t, const command_args *args, const char *const *options)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to) return complain("out of memory"), NULL;
    fprintf(to, "%smodel: %s\ntarget: %s\nclasses: %" PRId64 "\noutputs: %" PRId64 "\nexample:", first_line, t->model, t->target,
            t->classes, t->outputs);
    for (int i = 0; i < t->example.rank; i++) fprintf(to, " %" PRId64, t->example.dim[i]);
    if (t->schema) fprintf(to, "\nschema: %s", t->schema);
    char word[512];
    training_name(word, sizeof word, args->words[1]);
    fprintf(to, "\ndata: %s\nengine: %s", word, text_of(args, "engine", "native"));
    fputs("\noptions: 1", to);
    for (; *options; options++) {
        if (!given(args, *options)) continue;
        training_name(word, sizeof word, text_of(args, *options, ""));
        fprintf(to, "\noption %s: %s", *options, word);
    }
    fprintf(to, "\n\n%s", t->text);
    int failed = ferror(to);
    if (!fclose(to) && !failed) return text;
    free(text);
    return complain("out of memory"), NULL;
}

/* The value of a key in the lines up to `end`, into `to`. */
static int line_value(const char *lines, const char *end, const char *key, char *to, size_t room)
{
    size_t n = strlen(key);
    for (const char *at = lines; at < end;) {
        size_t length = strcspn(at, "\n");
        if (length > n && !strncmp(at, key, n) && at[n] == ':') {
            size_t skip = n + 1 + (at[n + 1] == ' ');
            snprintf(to, room, "%.*s", (int)(length > skip ? length - skip : 0), at + skip);
            return 1;
        }
        at += length + 1;
    }
    return 0;
}

static int whole(const char *text, int64_t least, int64_t *to)
{
    char *end;
    *to = strtoll(text, &end, 10);
    return end != text && !*end && *to >= least;
}

static int read_example(vn_shape *s, const char *text)
{
    for (s->rank = 0; *text; s->rank++) {
        char *end;
        if (s->rank == VN_MAX_RANK - 1) return 0;
        s->dim[s->rank] = strtoll(text, &end, 10);
        if (end == text || s->dim[s->rank] < 1) return 0;
        text = end + strspn(end, " ");
    }
    return 1;
}

/* A value of any length, which the caller frees; NULL: there is none. */
static char *long_value(const char *lines, const char *end, const char *key)
{
    char word[64];
    snprintf(word, sizeof word, "\n%s: ", key);
    const char *at = strstr(lines, word);
    if (!at || at >= end) return NULL;
    at += strlen(word);
    return strndup(at, strcspn(at, "\n"));
}

int is_training(const char *config)
{
    return !strncmp(config, first_line, strlen(first_line));
}

int training_read(training *t, const char *config, const char *path)
{
    char classes[32], outputs[32], example[512];
    const char *end = config && is_training(config) ? strstr(config, "\n\n") : NULL;
    *t = (training){.text = end ? end + 2 : NULL, .config = config};
    if (!end) return complain("%s: this checkpoint was not written by `vinea train`: it does not contain its model", path);
    end++; /* the newline of the last line */
    if (line_value(config, end, "model", t->model, sizeof t->model) && line_value(config, end, "target", t->target, sizeof t->target) &&
        line_value(config, end, "classes", classes, sizeof classes) && whole(classes, 0, &t->classes) &&
        line_value(config, end, "outputs", outputs, sizeof outputs) && whole(outputs, 1, &t->outputs) &&
        line_value(config, end, "example", example, sizeof example) && read_example(&t->example, example)) {
        t->schema = long_value(config, end, "schema");
        return EXIT_GOOD;
    }
    return complain("%s: the checkpoint's description of its model is damaged", path);
}

void training_free(training *t)
{
    free(t->schema);
    t->schema = NULL;
}

const char *training_option(const training *t, const char *option, char *to, size_t room, int *known)
{
    char key[64], yes[4];
    const char *end = strstr(t->config, "\n\n") + 1;
    snprintf(key, sizeof key, "option %s", option);
    *known = line_value(t->config, end, "options", yes, sizeof yes);
    return line_value(t->config, end, key, to, room) ? to : NULL;
}

vn_module *training_net(const char *path, training *t)
{
    vn_checkpoint c = {.size = sizeof c};
    if (vn_checkpoint_load(path, &c)) return library_failed(), NULL;
    if (training_read(t, c.config, path)) return NULL;
    vn_checkpoint full = {.size = sizeof full, .module = vn_model_parse(t->text, t->model, t->example, t->outputs)};
    if (!full.module || vn_checkpoint_load(path, &full) || vn_module_train(full.module, 0)) return library_failed(), NULL;
    return full.module;
}

/* ---- data that comes with Vinea ---- */

const char *const data_words[] = {"digits", "iris", "houses", NULL};

/* The folder of this program; "" if unknown. */
static void own_folder(char *to, size_t room)
{
    ssize_t n = readlink("/proc/self/exe", to, room - 1);
    to[vn__max(n, 0)] = 0;
    char *last = strrchr(to, '/');
    if (last) *last = 0;
}

const char *data_path(const char *word, char *to, size_t room)
{
    if (strpbrk(word, "./")) return word;
    const char *set = secure_getenv("VINEA_DATA");
    char here[3072], hint[100];
    own_folder(here, sizeof here);
    static const char *const places[] = {"../share/vinea/data", "data"}; /* installed; in the build folder */
    for (size_t i = 0; i < 2 + (set != NULL); i++) {
        if (set && !i) snprintf(to, room, "%s/%s.csv", set, word);
        else snprintf(to, room, "%s/%s/%s.csv", here, places[i - (set != NULL)], word);
        if (!access(to, R_OK)) return to;
    }
    struct stat st;
    if (!stat(word, &st) && S_ISDIR(st.st_mode)) return word;
    complain("there is no data '%.100s'%s (file names contain a '.' or '/'; VINEA_DATA is the folder of the data that comes with Vinea)",
             word, did_you_mean(word, data_words, hint));
    return NULL;
}

/* ---- the rest ---- */

static const command *speaking;

void speak_for(const command *c)
{
    speaking = c;
}

/* What the command calls an option of the library; NULL: it has none. */
static const char *option_name(const char *name, size_t n)
{
    static const char *const others[][2] = {{"kind", "task"}, {"y_path", "labels"}, {"height", "size"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strlen(others[i][0]) == n && !strncmp(others[i][0], name, n)) name = others[i][1], n = strlen(name);
    for (const command_option *o = speaking ? speaking->options : NULL; o && o->name; o++)
        if (strlen(o->name) == n && !strncmp(o->name, name, n)) return o->name;
    return NULL;
}

/* Prints a text of the library: "option missing" as "--missing", without "(option ...)" for one that the command does not have, and
 * without the name of the function at its beginning. */
static void print_words(const char *text)
{
    static const char *const functions[] = {
        "dataset_of_table: ", "dataset_load: ", "checkpoint_load: ",         "read_table: ", "run_load: ",
        "report_runs: ",      "load: ",         "value_and_grad: callback: "};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        size_t n = strlen(functions[i]);
        if (!strncmp(text, functions[i], n)) text += n;
    }
    for (const char *at; (at = strstr(text, "option ")); text = at) {
        const char *name = at + strlen("option ");
        size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz_");
        const char *own = option_name(name, n);
        const int aside = !own && at - text > 1 && at[-1] == '(' && name[n] == ')'; /* nothing that can be done here */
        fprintf(stderr, "%.*s", (int)(at - text) - (aside ? 2 : 0), text);
        if (own) fprintf(stderr, "--%s", own);
        else if (!aside) fprintf(stderr, "%.*s", (int)(name + n - at), at);
        at = name + n + aside;
    }
    fprintf(stderr, "%s\n", text);
}

int library_failed(void)
{
    fputs("vinea: ", stderr);
    print_words(vn_message());
    return EXIT_FAILED;
}

int rank_failed(int rank, const char *message)
{
    fprintf(stderr, "vinea: rank %d: ", rank);
    print_words(message);
    return EXIT_FAILED;
}

void print_note(const char *note)
{
    fputs("vinea: note: ", stderr);
    print_words(note);
}

int64_t count_elements(const vn_shape *s)
{
    int64_t n = 1;
    for (int i = 0; i < s->rank; i++) n *= s->dim[i];
    return n;
}

void use_threads(const command_args *args)
{
    const char *threads = text_of(args, "threads", NULL);
    if (threads) setenv("VINEA_THREADS", threads, 1);
}

static int use_memory(const command_args *args)
{
    double gibibytes = number_of(args, "memory", 0);
    if (!(gibibytes >= 0 && gibibytes <= 1e6))
        return misuse(args->command, "--memory %g: 0 (no limit) to 1000000 gibibytes are allowed", gibibytes);
    return vn_memory_limit((int64_t)(gibibytes * 0x1p30)) ? library_failed() : EXIT_GOOD;
}

static int use_precision(const command_args *args)
{
    return vn_matmul_precision(text_of(args, "precision", NULL)) ? misuse(args->command, "--precision: %s", vn_message()) : EXIT_GOOD;
}

static int use_autocast(const command_args *args)
{
    const char *name = text_of(args, "autocast", NULL);
    if (!name) return EXIT_GOOD;
    vn_dtype dtype = dtype_named(name);
    if (!dtype) return misuse(args->command, "--autocast: '%s' is not a dtype; bfloat16 or float16 is needed", name);
    return vn_autocast(dtype) ? misuse(args->command, "--autocast: %s", vn_message()) : EXIT_GOOD;
}

int use_run_options(const command_args *args)
{
    use_threads(args);
    speak_for(args->command);
    int code = use_engine(text_of(args, "engine", "native"));
    if (!code) code = use_memory(args);
    if (!code) code = use_precision(args);
    return code ? code : use_autocast(args);
}

int run_trained(const command_args *args, int (*body)(const command_args *args, training *t))
{
    if (count_of(args, "batch", 1) < 1) return misuse(args->command, "--batch 0: 1 or more is needed");
    training t = {.schema = NULL};
    int code = use_run_options(args);
    if (!code) {
        VN_SCOPE;
        code = body(args, &t);
    }
    training_free(&t);
    vn_close();
    return code;
}

void print_scores(FILE *to, const vn_evaluation *e, int standardized, const char *kind, const char *note)
{
    const char *between = "";
    for (int i = 0; i < e->n_scores; i++) {
        int part = !strcmp(e->scores[i].name, "accuracy");
        if ((e->classes || standardized) && e->n_scores > 1 && !strcmp(e->scores[i].name, "loss")) continue;
        fprintf(to, part ? "%s%s %.2f %%" : "%s%s %.6g", between, e->scores[i].name, e->scores[i].value * (part ? 100 : 1));
        between = ", ";
    }
    fprintf(to, " on %" PRId64 " %srow%s%s\n", e->rows, kind, e->rows == 1 ? "" : "s", note);
}
