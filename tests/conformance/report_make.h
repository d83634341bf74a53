/* SPDX-License-Identifier: Apache-2.0 */
/* report_make.h: synthetic reports for the tests of the dashboard: every state, every field, names that try to break out of the page. The
 * same settings give the same bytes. */
#ifndef VN_REPORT_MAKE_H
#define VN_REPORT_MAKE_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct made {
    int tests;        /* rows beside those of the seeds */
    const char *seed; /* seed_matrix.csv: its 50 rows come first; NULL: none */
    int day;          /* of the run; other days have other verdicts in a few cells */
    bool clean;       /* everything passes */
    bool hostile;     /* texts with markup in them */
} made;

enum { MADE_ENGINES = 5 };
static const char *const made_engines[] = {"torch", "native", "jax", "numpy",
                                           "tensorflow"}; /* native is not the first, as it is among the columns */
static const char *const made_versions[] = {"2.9.1", "0.1.0", "0.8.0", "2.3.4", "2.20.0"};

/* A number that depends on nothing but its arguments. */
static inline uint32_t made_number(uint32_t a, uint32_t b)
{
    uint32_t x = a * 2654435761u + b * 40503u + 12345u;
    x ^= x >> 15;
    x *= 2246822519u;
    return x ^ x >> 13;
}

static inline void made_text(FILE *f, const char *s)
{
    fputc('"', f);
    for (; *s; s++) {
        if (*s == '"' || *s == '\\') fprintf(f, "\\%c", *s);
        else if ((unsigned char)*s < 0x20) fprintf(f, "\\u%04x", *s);
        else fputc(*s, f);
    }
    fputc('"', f);
}

static inline const char *made_state(const made *m, uint32_t test, uint32_t engine)
{
    static const char *const states[] = {"fail", "error", "flaky", "known", "unsupported", "skipped"};
    uint32_t n = made_number(test, engine);
    if (engine == 4 && m->day % 2 == 0 && !m->clean) return "not_run";
    if (m->clean || engine == 1) return "pass";
    if (n % 17 == 3) return states[n / 17 % 6];
    return n % 41 == (uint32_t)m->day % 41 ? "fail" : "pass"; /* these differ from day to day */
}

static inline void made_failure(FILE *f, const made *m, const char *engine, const char *state, uint32_t n)
{
    static const char *const reasons[] = {"value", "gradient", "crash", "timeout", "dtype", "nonfinite"};
    bool bad = strchr("fe", *state) != NULL;
    fprintf(f, ", \"reason\": \"%s\", \"message\": ", bad ? reasons[n % 6] : "missing_feature");
    made_text(f, m->hostile ? "</script><script>window.broken=1</script> \" ' & \xe2\x80\xa8 ]]>"
                 : bad      ? "1 of 6 elements outside tolerance"
                            : "the framework has no such kernel");
    if (!bad) return;
    fprintf(f,
            ", \"worst\": {\"case\": %" PRIu32 ", \"dtype\": \"float32\", \"check\": \"value\", \"index\": \"[0, 3]\", \"expected\": "
            "0.125, \"got\": \"nan\", \"abs\": \"nan\", \"rel\": 0.13, \"ulp\": 91234}",
            n % 25);
    fprintf(f, ", \"snippet\": \"#include <vinea/vinea.h>\\nint main(void) { vn_use(\\\"%s\\\"); return vn_close(); }\\n\"", engine);
    fprintf(f, ", \"input\": ");
    made_text(f, "x = float32(2, 3) {3, 0, -inf, 1.5, nan, 0}\ny = float16() {0.1}");
    fprintf(f, ", \"case_file\": \"cases/made-%" PRIu32 ".json\"", n % 1000);
}

static inline void made_cell(FILE *f, const made *m, const char *id, uint32_t test, uint32_t engine, const char *outcome)
{
    const char *state = made_state(m, test, engine);
    uint32_t n = made_number(test + 7, engine);
    bool runs = strcmp(state, "not_run") != 0, pass = !strcmp(state, "pass"), bad = strchr("fe", *state) != NULL;
    double ratio = bad ? 1 + n % 50 : (double)(1 + n % 900) / (n % 5 ? 1e6 : 1e3);
    fprintf(f, "%s{\"engine\": \"%s\", \"state\": \"%s\", \"cases\": %d, \"assertions\": %d, \"duration_ms\": %.1f",
            engine ? ",\n    " : "\n    ", made_engines[engine], state, runs ? 25 : 0, runs ? 150 : 0,
            runs ? (double)(n % 400) / 10 * (engine == 2 ? 12 : 1) + 0.4 : 0);
    if (!runs) {
        fprintf(f, "}");
        return;
    }
    fprintf(f, ", \"max_abs\": %g, \"max_rel\": %g, \"max_ulp\": %" PRIu32 ", \"error_ratio\": %g", ratio * 1e-6, ratio * 3e-6, n % 9000,
            ratio);
    fprintf(f, ", \"strict_state\": \"%s\", \"strict_ratio\": %g", n % 11 ? "pass" : "fail", n % 11 ? ratio / 10 : 4.5);
    fprintf(f,
            ", \"checks\": {\"value\": \"%s\", \"dtype\": \"pass\", \"shape\": \"pass\", \"gradient\": \"pass\", \"out\": \"pass\", "
            "\"tree\": \"pass\"}",
            bad ? state : "pass");
    fprintf(f, ", \"dtypes\": {\"float16\": \"%s\", \"float32\": \"%s\", \"float64\": \"pass\"}", n % 9 ? "pass" : "unsupported",
            bad ? state : "pass");
    fprintf(f, ", \"excluded\": [%s]", n % 6 ? "" : "{\"what\": \"bfloat16\", \"why\": \"the engine lacks the kernel\"}");
    fprintf(f, ", \"computed_by\": \"%s\"", engine != 1 && n % 13 == 0 ? "vinea" : "engine");
    if (!pass) made_failure(f, m, made_engines[engine], state, n);
    if (outcome) fprintf(f, ", \"seed_dashboard\": \"%s\"", outcome);
    fprintf(f, ", \"repro\": ");
    char repro[512];
    snprintf(repro, sizeof repro, "vinea check --test %s --engine %s --case %" PRIu32 " --seed 20240901 --dtype float32", id,
             made_engines[engine], n % 25);
    made_text(f, repro);
    fprintf(f, "}");
}

static inline void made_test(FILE *f, const made *m, const char *suite, const char *id, const char *name, uint32_t test,
                             char *const outcomes[4])
{
    static const char *const truths[] = {"closed", "golden", "difference", "agreement"};
    static const int columns[] = {3, -1, 0, 2, 1}; /* of the seeds' file, by engine */
    fprintf(f, "%s{\"suite\": \"%s\", \"id\": ", test ? ",\n  " : "\n  ", suite);
    made_text(f, id);
    fprintf(f, ", \"name\": ");
    made_text(f, name);
    fprintf(f, ", \"function\": ");
    made_text(f, strncmp(name, "test_", 5) ? name : name + 5);
    fprintf(f, ", \"truth\": \"%s\", \"what\": ", truths[test % 4]);
    made_text(f,
              m->hostile ? "<img src=x onerror=window.broken=2> **bold** | `code`" : "one step against the closed formula, with gradients");
    fprintf(f, ", \"rtol\": %s, \"atol\": 1e-5, \"strict\": {\"k\": 8, \"depth\": %" PRIu32 "}, \"cells\": [", test % 5 ? "1e-5" : "0.1",
            1 + test % 30);
    for (uint32_t e = 0; e < MADE_ENGINES; e++) made_cell(f, m, id, test, e, outcomes && columns[e] >= 0 ? outcomes[columns[e]] : NULL);
    fprintf(f, "]}");
}

/* The rows of the seeds, from their table. */
static inline uint32_t made_seeds(FILE *f, const made *m)
{
    char line[256];
    uint32_t n = 0;
    FILE *csv = fopen(m->seed, "r");
    if (!csv || !fgets(line, sizeof line, csv)) exit(fprintf(stderr, "%s cannot be read\n", m->seed));
    while (fgets(line, sizeof line, csv)) {
        char *fields[6], *at = line, suite[32], id[128];
        line[strcspn(line, "\r\n")] = 0;
        for (int i = 0; i < 6; i++) fields[i] = strsep(&at, ",");
        snprintf(suite, sizeof suite, "seeds/%s", fields[0]);
        snprintf(id, sizeof id, "%s/%s", fields[0], fields[1] + 5);
        made_test(f, m, suite, id, fields[1], n++, fields + 2);
    }
    fclose(csv);
    return n;
}

static inline void made_write(const char *path, const made *m)
{
    FILE *f = fopen(path, "w");
    if (!f) exit(fprintf(stderr, "%s cannot be written\n", path));
    fprintf(f,
            "{\"schema\": \"vinea-report/1\",\n\"run\": {\"utc\": \"2026-%02d-%02dT10:00:00Z\", \"commit\": \"%08x\", \"dirty\": false, "
            "\"vinea\": \"0.1.0\", \"seed\": 20240901, \"examples\": 25, \"tier\": "
            "\"quick\", \"host\": {\"os\": \"linux\", \"cpu\": \"x86_64\", \"threads\": 8}, \"duration_ms\": 81234},\n\"engines\": [",
            1 + m->day / 28 % 12, 1 + m->day % 28, made_number((uint32_t)m->day, 99));
    for (int e = 0; e < MADE_ENGINES; e++) {
        bool there = e != 4 || m->day % 2 || m->clean;
        fprintf(f, "%s{\"name\": \"%s\", \"version\": %s%s%s, \"present\": %s, \"device\": \"%s\", \"load_error\": %s}",
                e ? ",\n  " : "\n  ", made_engines[e], there ? "\"" : "", there ? made_versions[e] : "null", there ? "\"" : "",
                there ? "true" : "false", e == 0 ? "cuda:0" : "cpu", there ? "null" : "\"tensorflow: there is no module of that name\"");
    }
    fprintf(f, "],\n\"tests\": [");
    uint32_t n = m->seed ? made_seeds(f, m) : 0;
    for (int i = 0; i < m->tests; i++) {
        char id[128], name[128], suite[32];
        snprintf(suite, sizeof suite, i % 3 ? "ops/element" : "nn");
        snprintf(id, sizeof id, "%s/made_function_%03d", suite, i);
        snprintf(name, sizeof name, m->hostile && !i ? "~test_</script><script>window.broken=3</script>" : "test_made_function_%03d", i);
        made_test(f, m, suite, id, name, n++, NULL);
    }
    fprintf(f, "]}\n");
    if (fclose(f)) exit(fprintf(stderr, "%s cannot be written\n", path));
}

#endif
