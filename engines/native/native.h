/* native.h: the way into the native engine, which is linked into the library instead of being loaded. */
#ifndef VN_NATIVE_H
#define VN_NATIVE_H

#include <vinea/engine.h>

/* What vinea_engine_main is to a plugin. NULL, with host->error set, if the host is too old. */
const vn_plugin *vn__native_main(const vn_host *host);

#endif
