/* SPDX-License-Identifier: Apache-2.0 */
/* version.c: `vinea version`: the version of the loaded library, which may be newer than the one this command was built with. */
#include "command.h"

#include <vinea/vinea.h>

static int run(const command_args *args)
{
    (void)args;
    printf("vinea %s\n", vn_version());
    return EXIT_GOOD;
}

const command command_version = {.name = "version", .summary = "print the version", .details = "", .run = run};
