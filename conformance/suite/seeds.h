/* SPDX-License-Identifier: Apache-2.0 */
/* seeds.h: the tests of the seed suite, by family. seeds.c has them as rows. */
#ifndef VN_SEEDS_H
#define VN_SEEDS_H

#include "suite.h"

/* seeds_steps.c */
void seed_descent(trial *t); /* data: the op */
void seed_adam_step(trial *t);
void seed_adam_update(trial *t);
void seed_lars_update(trial *t);
void seed_lamb_update(trial *t);

/* seeds_gradients.c */
void seed_bind_custom_gradient(trial *t);
void seed_stop_gradient(trial *t);
void seed_grad(trial *t);
void seed_jac(trial *t);
void seed_value_and_grad(trial *t);
void seed_execute_with_gradients(trial *t);
void seed_with_grads(trial *t);
void seed_set_with_grads(trial *t);
void seed_unset_with_grads(trial *t);

/* seeds_random.c */
void seed_random_uniform(trial *t);
void seed_random_normal(trial *t);
void seed_multinomial(trial *t);
void seed_shuffle(trial *t);
void seed_dropout(trial *t);

/* seeds_layers.c */
void seed_linear(trial *t);
void seed_scaled_dot_product_attention(trial *t);
void seed_multi_head_attention(trial *t);
void seed_lstm_update(trial *t);

/* seeds_conv.c; data: a convolution */
typedef enum manner { FORWARD, TRANSPOSED, DEPTHWISE } manner;
typedef struct convolution {
    const char *op;
    int axes; /* 0: 1, 2 and 3 in turn */
    manner how;
    bool general; /* groups, a bias, and dilated inputs */
} convolution;
void seed_convolution(trial *t);

/* seeds_training.c */
void seed_module_training(trial *t);
void seed_module_w_list_training(trial *t);
void seed_module_w_dict_training(trial *t);
void seed_module_training_with_duplicate(trial *t);
void seed_module_w_partial_v(trial *t);
void seed_module_w_none_attribute(trial *t);
void seed_with_custom_var_structure(trial *t);

/* seeds_modules.c */
void seed_top_variables(trial *t);
void seed_top_module(trial *t);
void seed_v_with_top_v_key_chains(trial *t);
void seed_module_depth(trial *t);
void seed_module_height(trial *t);
void seed_sub_modules(trial *t);
void seed_module_track_submod_rets(trial *t);
void seed_module_check_submod_rets(trial *t);
void seed_module_track_submod_call_order(trial *t);

#endif
