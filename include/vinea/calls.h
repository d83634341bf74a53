/* SPDX-License-Identifier: Apache-2.0 */
/* calls.h: a call may end before what has a default: vn_cross_entropy(logits, labels) is vn_cross_entropy(logits, labels, VN_NONE, -1, NULL).
 * Headers write the defaults as VN_OR(-1). In C++ they are default arguments. In C a macro of the function's name counts what a call has
 * and adds the rest; the function itself has all parameters, as a pointer to it has. An argument in braces must stand in parentheses where
 * a call leaves something out: its commas count. vinea.h includes this header. */
#ifndef VINEA_CALLS_H
#define VINEA_CALLS_H

#ifdef __cplusplus
#define VN_OR(value) = value
#else
#define VN_OR(value)

/* The last 0 to 5 of five defaults; of those that must be given there is none, and the compiler finds the hole. */
#define VN__L0(a, b, c, d, e)
#define VN__L1(a, b, c, d, e) , e
#define VN__L2(a, b, c, d, e) , d, e
#define VN__L3(a, b, c, d, e) , c, d, e
#define VN__L4(a, b, c, d, e) , b, c, d, e
#define VN__L5(a, b, c, d, e) , a, b, c, d, e

/* Of a function with n parameters, VN__REST<n>(arguments): the macro above that adds what the arguments lack. */
#define VN__13TH(a, b, c, d, e, f, g, h, i, j, k, l, m, ...) m
#define VN__REST2(...) \
    VN__13TH(__VA_ARGS__, VN__L0, VN__L0, VN__L0, VN__L0, VN__L0, VN__L0, VN__L0, VN__L0, VN__L0, VN__L0, VN__L0, VN__L1, 0)
#define VN__REST3(...) \
    VN__13TH(__VA_ARGS__, VN__L0, VN__L0, VN__L0, VN__L0, VN__L0, VN__L0, VN__L0, VN__L0, VN__L0, VN__L0, VN__L1, VN__L2, 0)
#define VN__REST4(...) \
    VN__13TH(__VA_ARGS__, VN__L0, VN__L0, VN__L0, VN__L0, VN__L0, VN__L0, VN__L0, VN__L0, VN__L0, VN__L1, VN__L2, VN__L3, 0)
#define VN__REST5(...) \
    VN__13TH(__VA_ARGS__, VN__L0, VN__L0, VN__L0, VN__L0, VN__L0, VN__L0, VN__L0, VN__L0, VN__L1, VN__L2, VN__L3, VN__L4, 0)
#define VN__REST6(...) \
    VN__13TH(__VA_ARGS__, VN__L0, VN__L0, VN__L0, VN__L0, VN__L0, VN__L0, VN__L0, VN__L1, VN__L2, VN__L3, VN__L4, VN__L5, 0)
#define VN__REST7(...) \
    VN__13TH(__VA_ARGS__, VN__L0, VN__L0, VN__L0, VN__L0, VN__L0, VN__L0, VN__L1, VN__L2, VN__L3, VN__L4, VN__L5, VN__L5, 0)
#define VN__REST8(...) \
    VN__13TH(__VA_ARGS__, VN__L0, VN__L0, VN__L0, VN__L0, VN__L0, VN__L1, VN__L2, VN__L3, VN__L4, VN__L5, VN__L5, VN__L5, 0)
#endif

#endif
