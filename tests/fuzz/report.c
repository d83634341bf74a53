/* SPDX-License-Identifier: Apache-2.0 */
/* report.c: the report of a conformance run. */
/* ctest: links vinea_report */
#include "target.h"

#include "conformance/report/report.h"

static void read_file(const char *path)
{
    report_problem p = {""};
    report *r = report_read(path, &p);
    must(r || *p.text);
    report_free(r);
}
