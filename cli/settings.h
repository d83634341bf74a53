/* SPDX-License-Identifier: Apache-2.0 */
/* settings.h: `--set NAME=VALUE`: options of a training that have no word of their own (settings.c). */
#ifndef VN_SETTINGS_H
#define VN_SETTINGS_H

#include "training.h"

enum { MAX_SETTINGS = 32 };
typedef struct settings {
    const command_args *args;
    int n;
    struct {
        char name[64], value[128];
        int used;
    } all[MAX_SETTINGS];
} settings;
/* All values of --set in a command line, separated by commas; NULL: there are none, or after a message. The caller frees it. */
char *join_settings(const command_args *args);
int read_settings(settings *s, const command_args *args, const char *text); /* "a=1,b=2", or NULL; returns an exit code */
/* Adds those that are options of an optimizer or schedule to the list. */
int settings_of_object(settings *s, const char *family, const char *name, vn_option *to, int room, int *n);
/* Those of the loop: accumulate, clip_value, and fields of vn_fit_opts. */
int settings_of_fit(settings *s, vn_fit_opts *to);
int settings_of_optimizer(settings *s, vn_optim *o);
int settings_all_used(const settings *s, const char *optimizer, const char *schedule); /* otherwise says what there is */

#endif
