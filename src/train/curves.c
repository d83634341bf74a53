/* SPDX-License-Identifier: Apache-2.0 */
/* curves.c: the charts of a report: for each score one chart with its training and its validation line, and one of the learning rate. */
#include "train/train.h"
#include <string.h>

bool vn__rate_is_constant(const vn_fit_result *r)
{
    return vn__chart_constant(&(vn__chart){.series = &(vn__series){.result = r, .score = -1}, .n = 1});
}

int vn__find_score(const vn_fit_result *r, const char *name)
{
    const vn_epoch *e = r->n_history ? &r->history[0] : NULL;
    for (int i = 0; e && i < e->n_scores; i++)
        if (!strcmp(e->scores[i].name, name)) return i;
    return -1;
}

void vn__print_curves(vn__text *t, const vn_fit_result *r)
{
    if (!r->n_history) {
        vn__print(t, "<p>No epoch was finished.</p>\n");
        return;
    }
    vn__print_charts_head(t);
    for (int i = 0; i < r->history[0].n_scores; i++) {
        char other[128];
        const char *name = r->history[0].scores[i].name;
        if (!strncmp(name, "val_", 4) && vn__find_score(r, name + 4) >= 0) continue; /* it is drawn with its training score */
        snprintf(other, sizeof other, "val_%.100s", name);
        const int beside = vn__find_score(r, other);
        const vn__series series[] = {{name, r, i, 0}, {other, r, beside, 1}};
        const vn__chart c = {.name = name, .series = series, .n = beside < 0 ? 1 : 2};
        if (r->n_history == 1 || !vn__chart_constant(&c))
            vn__print_chart(t, &c); /* the numbers above the charts have what does not change */
    }
    const vn__series rate = {"lr", r, -1, 0};
    if (!vn__rate_is_constant(r)) vn__print_chart(t, &(vn__chart){.name = "lr", .series = &rate, .n = 1});
    vn__print(t, "</div>\n</section>\n");
}
