/* SPDX-License-Identifier: Apache-2.0 */
/* prepare.c: makes a program ready to run on an engine, which compiles it or runs it kernel by kernel (interpret.c). What the engine cannot
 * do is refused here, so that no engine computes something else in silence. */
#include "core/state.h"
#include "core/trace.h"
#include "engine/engine.h"

static int refuse_unknown(const vn__engine *e, const vn_program *p)
{
    if (p->precision != VN_PRECISION_EXACT && (p->precision >= 32 || !(e->precisions & VN_BIT(p->precision))))
        return vn__fail(VN_E_UNSUPPORTED, "eval: precision %u of float32 products is not a mode that %s has", p->precision, e->name);
    for (int k = 0; k < p->n_instrs; k++) {
        const vn_instr *i = p->instrs[k];
        if (i->n_bodies) return vn__fail(VN_E_UNSUPPORTED, "%s: nested programs are not run by any engine yet (%s)", i->op, e->name);
    }
    return VN_OK;
}

int vn__engine_prepare(const vn__engine *e, const vn_program *p, vn_exe **exe, vn__runs **runs)
{
    int code = refuse_unknown(e, p);
    if (code) return code;
    if (!e->api.compile) return (*runs = vn__runs_new(e, p)) ? VN_OK : vn__no_memory("compile");
    if ((code = vn__engine_enter(e, "eval"))) return code;
    const vn__moment t = vn__trace_begin();
    code = e->api.compile(e->context, p, exe);
    vn__trace_end(t, (vn_profile_event){.what = "compile", .engine = e->name, .program = p->hash, .ops = p->n_instrs});
    vn__engine_leave(e);
    return code ? vn__engine_failed(e, code, "eval", "could not compile a program") : VN_OK;
}
