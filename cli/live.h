/* SPDX-License-Identifier: Apache-2.0 */
/* live.h: a page on this machine that shows a training while it runs (`vinea train --live`). */
#ifndef VN_LIVE_H
#define VN_LIVE_H

#include <vinea/vinea.h>

typedef struct live live;
/* Serves the report at this path, which the training writes after every epoch, on the loopback address; port 0: any that is free. NULL after
 * a message. Prints the page's address on stderr. */
live *live_begin(const char *report, int port);
int live_watch(const vn_fit_event *e, void *page); /* a vn_fit_fn; does nothing for NULL */
void live_end(live *page);

#endif
