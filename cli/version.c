/* version.c: `vinea version`: the version of the library that is loaded, which may be newer than the one this command was built with. */
#include "command.h"

#include <vinea/vinea.h>

int command_version(const command_args *args)
{
    (void)args;
    printf("vinea %s\n", vn_version());
    return EXIT_GOOD;
}
