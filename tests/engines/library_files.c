/* SPDX-License-Identifier: Apache-2.0 */
/* library_files.c: what is looked at in the file of a library before it is opened (os/elf.c): its headers, and the libraries that its own search path
 * leads to. The files are made here, entry by entry, so that each of them can be wrong. */
/* ctest: sanitize */
#include "folder.h"
#include "os/os.h"
#include <elf.h>
#include <limits.h>
#include <link.h>

enum { ENTRIES = 160, TEXTS = 1 << 13, PLACE = 0x1000 }; /* PLACE: where the file's bytes are in memory */

typedef struct {
    ElfW(Ehdr) head;
    ElfW(Phdr) headers[3];
    ElfW(Dyn) entries[ENTRIES];
    char texts[TEXTS];
} library;

static library file;
static int n_entries;
static size_t n_texts;

static void add_entry(int64_t tag, uint64_t value)
{
    file.entries[n_entries].d_tag = tag;
    file.entries[n_entries++].d_un.d_val = value;
}

static void add_text(int64_t tag, const char *text)
{
    memcpy(file.texts + n_texts, text, strlen(text) + 1);
    add_entry(tag, n_texts);
    n_texts += strlen(text) + 1;
}

/* A library without entries. */
static void begin(void)
{
    memset(&file, 0, sizeof file);
    n_entries = 0, n_texts = 1;
    memcpy(file.head.e_ident, ELFMAG, SELFMAG);
    file.head.e_ident[EI_CLASS] = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
    file.head.e_phentsize = sizeof *file.headers;
    file.head.e_phnum = 3, file.head.e_phoff = offsetof(library, headers);
    file.headers[0] = (ElfW(Phdr)){.p_type = PT_NOTE, .p_offset = UINT32_MAX, .p_filesz = 1}; /* not looked at */
    file.headers[1] = (ElfW(Phdr)){.p_type = PT_LOAD, .p_vaddr = PLACE, .p_filesz = sizeof file};
    file.headers[2] = (ElfW(Phdr)){.p_type = PT_DYNAMIC, .p_offset = offsetof(library, entries), .p_filesz = sizeof file.entries};
    add_entry(DT_STRTAB, PLACE + offsetof(library, texts));
}

/* What is said of it: "" if it is fine. */
static const char *verdict(void)
{
    static char why[800];
    write_bytes(in_folder("lib.so"), &file, sizeof file);
    why[0] = 0;
    return vn__library_fine(in_folder("lib.so"), why, sizeof why) ? "" : why;
}

/* A dependency that is refused where it is found: it is truncated. */
static void bad_library(const char *name)
{
    ElfW(Ehdr) head = {.e_phentsize = sizeof(ElfW(Phdr)), .e_phnum = 9};
    memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
    write_bytes(in_folder(name), &head, sizeof head);
}

TEST(headers)
{
    begin();
    CHECK(!strcmp(verdict(), ""));
    file.head.e_ident[EI_CLASS] = ELFCLASSNONE; /* left to the system */
    CHECK(!strcmp(verdict(), ""));
    begin(), file.head.e_phentsize++;
    CHECK(!strcmp(verdict(), ""));
    begin(), file.head.e_ident[0] = 'x';
    CHECK(!strcmp(verdict(), ""));
    begin(), file.head.e_phnum = 300;
    CHECK(strstr(verdict(), "has 300 program headers, more than any library needs"));
    begin(), file.headers[1].p_filesz++;
    CHECK(strstr(verdict(), "lib.so is truncated: its headers need more than its "));
    begin(), file.headers[2].p_offset = sizeof file + 1;
    CHECK(strstr(verdict(), "is truncated"));
    begin(), file.head.e_phoff = sizeof file - 1;
    CHECK(strstr(verdict(), "is truncated"));
}

/* Which folders of a search path a dependency is looked for in. */
TEST(search_paths)
{
    char absolute[64];
    snprintf(absolute, sizeof absolute, "/nowhere:%s", folder);
    const struct {
        int64_t tag;
        const char *path;
        bool found;
    } cases[] = {{DT_RUNPATH, "$ORIGIN", true},       {DT_RUNPATH, "${ORIGIN}", true},
                 {DT_RPATH, "$ORIGIN", true},         {DT_RUNPATH, "/nowhere:$ORIGIN/.", true},
                 {DT_RUNPATH, absolute, true},        {DT_RUNPATH, "", false},
                 {DT_RUNPATH, ":::", false},          {DT_RUNPATH, "relative", false},
                 {DT_RUNPATH, "$ORIGIN/$LIB", false}, {DT_RUNPATH, "$LIB", false},
                 {DT_RUNPATH, "$ORIGIN/none", false}};
    bad_library("dependency.so");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        begin();
        add_text(cases[k].tag, cases[k].path);
        add_text(DT_NEEDED, "dependency.so");
        const char *why = verdict();
        CHECK(cases[k].found ? strstr(why, "dependency.so is truncated") != NULL : !*why);
    }
    /* The newer kind of path hides the older one, wherever it stands. */
    for (int order = 0; order < 2; order++) {
        begin();
        add_text(order ? DT_RUNPATH : DT_RPATH, order ? "/nowhere" : "$ORIGIN");
        add_text(order ? DT_RPATH : DT_RUNPATH, order ? "$ORIGIN" : "/nowhere");
        add_text(DT_NEEDED, "dependency.so");
        CHECK(!*verdict());
    }
}

TEST(dependencies)
{
    bad_library("dependency.so");
    begin(), add_text(DT_RUNPATH, "$ORIGIN"), add_text(DT_NEEDED, "./dependency.so"); /* a path is left to the system */
    CHECK(!*verdict());
    begin(), add_text(DT_RUNPATH, "$ORIGIN"), add_text(DT_NEEDED, "lib.so"), add_text(DT_NEEDED, "lib.so"); /* itself */
    CHECK(!*verdict());
    begin(), add_text(DT_RUNPATH, "$ORIGIN"), add_entry(DT_NULL, 0), add_text(DT_NEEDED, "dependency.so"); /* after the last */
    CHECK(!*verdict());
    char name[PATH_MAX], file_name[16];
    memset(name, 'x', sizeof name - 1), name[sizeof name - 1] = 0; /* longer than any path */
    begin(), add_text(DT_RUNPATH, "$ORIGIN"), add_text(DT_NEEDED, name);
    CHECK(!*verdict());
    begin(), add_text(DT_RUNPATH, name), add_text(DT_NEEDED, "dependency.so");
    CHECK(!*verdict());
    begin(), add_text(DT_RUNPATH, "$ORIGIN");
    for (int k = 0; k < 140; k++) {
        snprintf(file_name, sizeof file_name, "d%d.so", k);
        write_bytes(in_folder(file_name), "", 0);
        add_text(DT_NEEDED, file_name);
    }
    CHECK(strstr(verdict(), "lib.so: it has more than 128 dependencies"));
}

/* Texts that are nowhere: what they would say is not known. */
TEST(texts)
{
    static const uint64_t tables[] = {0, PLACE - 1, PLACE + sizeof file, UINT64_MAX / 2};
    bad_library("dependency.so");
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
        begin();
        file.entries[0].d_un.d_ptr = tables[k];
        add_text(DT_RUNPATH, "$ORIGIN"), add_text(DT_NEEDED, "dependency.so");
        CHECK(!*verdict());
    }
    static const uint64_t places[] = {sizeof file, INT64_MAX, TEXTS - 4};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        begin();
        memset(file.texts + TEXTS - 4, 'x', 4); /* without an end */
        add_text(DT_RUNPATH, "$ORIGIN"), add_entry(DT_NEEDED, places[k]);
        CHECK(!*verdict());
        begin();
        memset(file.texts + TEXTS - 4, 'x', 4);
        add_entry(DT_RUNPATH, places[k]), add_text(DT_NEEDED, "dependency.so");
        CHECK(!*verdict());
    }
}

FOLDER_TEST_MAIN
