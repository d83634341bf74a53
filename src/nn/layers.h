/* layers.h: the little that layers have in common. A layer is a struct of sizes and options, a forward function, variables if it has any,
 * a class that names them, and a constructor that checks its arguments. It stands on public functions, as a user's own would. */
#ifndef VN_NN_LAYERS_H
#define VN_NN_LAYERS_H

#include "nn/nn.h"
#include <vinea/module.h>

/* The initialiser that was chosen, or the layer's own. */
static inline vn_init vn__init_or(vn_init chosen, vn_init fallback)
{
    return chosen.kind ? chosen : fallback;
}

#endif
