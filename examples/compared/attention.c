/* attention.c: causal self-attention of four heads. docs/compared.md has this program in four libraries. */
#include <stdio.h>
#include <vinea/vinea.h>

int main(void)
{
    vn_array *x = vn_reshape(vn_sin(vn_arange(0, 192)), VN_SHAPE(2, 6, 16)), *qkv[3];
    vn_array *w = vn_reshape(vn_sin(vn_arange(0, 768)), VN_SHAPE(16, 48));
    vn_unstack(vn_permute_dims(vn_reshape(vn_matmul(x, w), VN_SHAPE(2, 6, 3, 4, 4)), VN_AXES(2, 0, 3, 1, 4)), 3, 0, qkv);
    vn_array *y = vn_attention(qkv[0], qkv[1], qkv[2], VN_NONE, VN_OPTS(attention, .causal = 1));
    const float *merged = vn_data(vn_reshape(vn_permute_dims(y, VN_AXES(0, 2, 1, 3)), VN_SHAPE(2, 6, 16)));
    for (int t = 0; merged && t < 6; t++) printf("%d  %.5f\n", t, merged[t * 16]);
    if (vn_status()) fprintf(stderr, "attention: %s\n", vn_message());
    return vn_close();
}
