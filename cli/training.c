/* training.c: shared by `vinea train` and `vinea predict`. */
#include "training.h"

#include "base/base.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
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

char *training_write(const training *t)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to) return complain("out of memory"), NULL;
    fprintf(to, "%smodel: %s\ntarget: %s\nclasses: %" PRId64 "\noutputs: %" PRId64 "\nexample:", first_line, t->model, t->target,
            t->classes, t->outputs);
    for (int i = 0; i < t->example.rank; i++) fprintf(to, " %" PRId64, t->example.dim[i]);
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

int training_read(training *t, const char *config, const char *path)
{
    char classes[32], outputs[32], example[512];
    size_t n = strlen(first_line);
    const char *end = config && !strncmp(config, first_line, n) ? strstr(config, "\n\n") : NULL;
    *t = (training){.text = end ? end + 2 : NULL};
    if (!end) return complain("%s: this checkpoint was not written by `vinea train`: it does not contain its model", path);
    end++; /* the newline of the last line */
    if (line_value(config, end, "model", t->model, sizeof t->model) && line_value(config, end, "target", t->target, sizeof t->target) &&
        line_value(config, end, "classes", classes, sizeof classes) && whole(classes, 0, &t->classes) &&
        line_value(config, end, "outputs", outputs, sizeof outputs) && whole(outputs, 1, &t->outputs) &&
        line_value(config, end, "example", example, sizeof example) && read_example(&t->example, example))
        return EXIT_GOOD;
    return complain("%s: the checkpoint's description of its model is damaged", path);
}

/* ---- data that comes with Vinea ---- */

const char *const data_words[] = {"digits", NULL};

/* The folder of this program; "" if unknown. */
static void own_folder(char *to, size_t room)
{
    ssize_t n = readlink("/proc/self/exe", to, room - 1);
    to[n > 0 ? n : 0] = 0;
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
    complain("there is no data '%.100s'%s (file names contain a '.' or '/'; VINEA_DATA is the folder of the data that comes with Vinea)",
             word, did_you_mean(word, data_words, hint));
    return NULL;
}

/* ---- the rest ---- */

int library_failed(void)
{
    return complain("%s", vn_message());
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

int use_memory(const command_args *args)
{
    double gibibytes = number_of(args, "memory", 0);
    if (!(gibibytes >= 0 && gibibytes <= 1e6))
        return misuse(args->command, "--memory %g: 0 (no limit) to 1000000 gibibytes are allowed", gibibytes);
    return vn_memory_limit((int64_t)(gibibytes * 0x1p30)) ? library_failed() : EXIT_GOOD;
}

int use_precision(const command_args *args)
{
    return vn_matmul_precision(text_of(args, "precision", NULL)) ? misuse(args->command, "--precision: %s", vn_message()) : EXIT_GOOD;
}

void print_scores(FILE *to, const vn_evaluation *e, const char *what)
{
    const char *between = "";
    for (int i = 0; i < e->n_scores; i++) {
        int part = !strcmp(e->scores[i].name, "accuracy");
        if (e->classes && e->n_scores > 1 && !strcmp(e->scores[i].name, "loss")) continue;
        fprintf(to, part ? "%s%s %.2f %%" : "%s%s %.6g", between, e->scores[i].name, e->scores[i].value * (part ? 100 : 1));
        between = ", ";
    }
    fprintf(to, " on %" PRId64 " %s\n", e->rows, what);
}
