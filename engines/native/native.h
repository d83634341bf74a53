/* SPDX-License-Identifier: Apache-2.0 */
/* native.h: the entry point of the native engine, which is linked into the library. */
#ifndef VN_NATIVE_H
#define VN_NATIVE_H

#include <vinea/engine.h>

/* Corresponds to a plugin's vinea_engine_main. NULL, with host->error set, if the host is too old. */
const vn_plugin *vn__native_main(const vn_host *host);

#endif
