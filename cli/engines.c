/* SPDX-License-Identifier: Apache-2.0 */
/* engines.c: `vinea engines`: lists the engines, whether they are available, and how to install them. */
#include "command.h"

#include <vinea/vinea.h>

static int print_entry(const vn_engine_info *e, int first, int verbose)
{
    printf("%s\n  {\"name\": ", first ? "" : ",");
    print_json(e->name);
    printf(", \"available\": %s, \"version\": ", e->available ? "true" : "false");
    print_json(e->version);
    fputs(", \"where\": ", stdout);
    print_json(e->where);
    fputs(", \"about\": ", stdout);
    print_json(e->about);
    fputs(", \"how\": ", stdout);
    print_json(e->how);
    fputs(", \"message\": ", stdout);
    print_json(e->message);
    int code = verbose ? print_engine(e, 1) : EXIT_GOOD;
    putchar('}');
    return code;
}

/* Visits the engines in order: adds rows to t, and collects the reasons why some are missing. */
static int list(table *t, table *reasons)
{
    for (int i = 0; i < vn_engine_count(); i++) { /* loading a plugin may add engines */
        vn_engine_info e = {.size = sizeof e};
        if (vn_engine_at(i, &e)) return complain("engine %d: %s", i, vn_message());
        if (table_row(t, (const char *[]){e.name, e.available ? "yes" : "no", e.version, e.where, e.available ? NULL : e.how}))
            return EXIT_FAILED;
        if (!e.available && table_row(reasons, (const char *[]){"", e.message})) return EXIT_FAILED;
    }
    return EXIT_GOOD;
}

/* One by one, as JSON or as detailed text. */
static int list_each(int json, int verbose)
{
    int code = EXIT_GOOD;
    if (json) fputs("[", stdout);
    for (int i = 0; i < vn_engine_count() && !code; i++) {
        vn_engine_info e = {.size = sizeof e};
        if (vn_engine_at(i, &e)) code = complain("engine %d: %s", i, vn_message());
        else code = json ? print_entry(&e, i == 0, verbose) : print_engine(&e, 0);
    }
    if (json) puts("\n]");
    return code;
}

static int list_table(void)
{
    table *t = table_new(5), *reasons = table_new(2);
    int code = table_row(t, (const char *[]){"NAME", "AVAILABLE", "VERSION", "WHERE", "HOW TO INSTALL"});
    if (!code) code = list(t, reasons);
    if (!code) {
        table_print(t);
        if (table_rows(reasons)) puts("\nNot available:");
        table_print(reasons);
    }
    table_free(t);
    table_free(reasons);
    return code;
}

static int list_names(void)
{
    const char *name;
    for (int i = 0; (name = engine_name(i)); i++) puts(name);
    return EXIT_GOOD;
}

static int run(const command_args *args)
{
    int json = given(args, "json"), verbose = given(args, "verbose");
    int code = given(args, "names") ? list_names() : json || verbose ? list_each(json, verbose) : list_table();
    vn_close();
    return code;
}

const command command_engines = {
    .name = "engines",
    .summary = "list the engines: which are available, and how to install the others",
    .details = "An engine is found in the folders of VINEA_ENGINE_PATH, in engines/ next to the library, or in vinea/engines/ under its\n"
               "folder. Listing tries to load each, so it takes as long as the frameworks take to start.\n",
    .options =
        (const command_option[]){
            {.name = "verbose", .about = "add device, threads, route, program cache, and what native kernels compute in its place"},
            {.name = "json", .about = "print JSON"},
            {.name = "names", .about = "print the names alone, a line each, and load none"},
            {0}},
    .run = run,
};

const char *engine_name(int i)
{
    return i < vn_engine_count() ? vn_engine_name(i) : NULL;
}

int use_engine(const char *name)
{
    if (!vn_use(name)) return EXIT_GOOD;
    complain("%s", vn_message()); /* which says what is there, or how to get it */
    return EXIT_MISSING;
}
