/* SPDX-License-Identifier: Apache-2.0 */
/* demo.c: `vinea demo`: trains a network on handwritten digits, then shows that all engines agree. */
#include "training.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* The training of the first part: an ordinary `vinea train`. */
static int train_digits(const char *folder)
{
    char checkpoint[4096], report[4096];
    if (mkdir(folder, 0777) && errno != EEXIST) return complain("%s: cannot create the folder: %s", folder, strerror(errno));
    if (snprintf(checkpoint, sizeof checkpoint, "%s/digits.safetensors", folder) >= (int)sizeof checkpoint)
        return complain("%.100s...: the path is too long", folder);
    snprintf(report, sizeof report, "%s/digits.html", folder);
    char *words[] = {"convnet", "digits", "--epochs", "12",           "--batch",   "64",           "--optimizer",
                     "adamw",   "--lr",   "0.003",    "--schedule",   "one_cycle", "--validation", "360",
                     "--seed",  "0",      "--force",  "--checkpoint", checkpoint,  "--report",     report};
    int n = (int)(sizeof words / sizeof *words);
    puts("Handwritten digits: 1,437 images for training, 360 for validation. The same as:\n");
    printf("  %s train", program);
    for (int i = 0; i < n; i++) printf(" %s", words[i]);
    puts("\n");
    fflush(stdout);
    return run_command(&command_train, n, words);
}

static void print_next(const char *folder)
{
    printf("\nTo try next:\n"
           "  %s predict %s/digits.safetensors digits --out predicted.csv\n"
           "  %s train mlp digits --validation 360 --engine torch\n"
           "  %s models convnet > mine.json     (change it, then train it: %s train mine.json digits)\n"
           "  %s train --help\n",
           program, folder, program, program, program, program);
}

static int run(const command_args *args)
{
    const char *folder = text_of(args, "out", "vinea-demo");
    int code = train_digits(folder);
    if (code) return code;
    puts("");
    code = compare_engines(args->n, args->words);
    print_next(folder);
    return code;
}

const command command_demo = {
    .name = "demo",
    .summary = "train on handwritten digits, then a small model on every engine, or on those named",
    .details =
        "First a network learns to classify digits on the native engine. Then linear regression on 256 x 3 numbers, 101 steps of gradient\n"
        "descent, runs on the engines; the losses should be equal on all of them. Engines that are not installed are listed with how to\n"
        "install them; that is a failure only if they were named on the command line.\n",
    .words = (const command_option[]){{"ENGINE", OPTION_ENGINE, .about = "engines of the second part (all)"}, {0}},
    .required = 0,
    .max_words = -1,
    .options = (const command_option[]){{"out", OPTION_FILE, "FOLDER", .about = "for the checkpoint and the report (vinea-demo)"}, {0}},
    .run = run,
};
