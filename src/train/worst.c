/* SPDX-License-Identifier: Apache-2.0 */
/* worst.c: the rows of the data that were predicted worst, on the page: pictures of images, otherwise rows of the table. */
#include "train/images.h"
#include "train/schema.h"
#include "core/memory.h"
#include "core/state.h"
#include <math.h>

static const char who[] = "fit";
enum { MAX_COLUMNS = 12 };

static void print_value(vn__text *t, const vn__examples *e, double x, const char *const *classes)
{
    if (e->classes && classes) vn__print_html(t, classes[(int64_t)x]);
    else vn__print_digits(t, x, 6);
}

/* The row's file, or its number in the file of a table, or in the data. */
static void print_row_name(vn__text *t, const vn__examples *e, int64_t row)
{
    const vn__dataset *d = vn__dataset_of(e->data), *whole = vn__dataset_whole(e->data);
    if (d->index) row = d->index[row];
    if (whole->images) vn__print_html(t, whole->images->names[row]);
    else vn__print(t, "%lld", (long long)(whole->labels.rows ? whole->labels.rows[row] : row));
}

/* ---- pictures ---- */

static int print_pictures(vn__text *t, const vn__examples *e, vn_array *x, const char *const *classes)
{
    const int64_t height = vn_dim(x, 1), width = vn_dim(x, 2), channels = vn_dim(x, 3), size = height * width * channels;
    const float *pixels = vn_data(x);
    int code = pixels ? VN_OK : (int)vn_status();
    vn__print(t, "<div class=\"pictures\">\n");
    for (int i = 0; i < e->n && !code; i++) {
        const vn__example *w = &e->worst[i];
        vn__print(t, "<figure><img alt=\"\" src=\"");
        code = vn__print_picture(t, pixels + i * size, height, width, (int)channels, who);
        vn__print(t, "\"><figcaption><b>");
        print_value(t, e, w->truth, classes);
        vn__print(t, "</b> as ");
        print_value(t, e, w->predicted, classes);
        if (e->classes) vn__print(t, "<small>%.2g%% ", w->probability * 100);
        else vn__print(t, "<small>");
        print_row_name(t, e, w->row);
        vn__print(t, "</small></figcaption></figure>\n");
    }
    vn__print(t, "</div>\n");
    return code;
}

/* ---- rows of a table ---- */

/* A field as the table had it. */
static void print_field(vn__text *t, const vn__feature *f, const float *x)
{
    if (!f->n_classes) {
        vn__print_digits(t, (double)x[0] * f->deviation + f->mean, 6);
        return;
    }
    for (int64_t c = 0; c < f->n_classes; c++) {
        if (x[c] != 1) continue;
        if (f->classes) vn__print_html(t, f->classes[c]);
        else vn__print(t, "%lld", (long long)c);
        return;
    }
    vn__print(t, "&ndash;"); /* a missing value */
}

static void print_names(vn__text *t, const vn__examples *e, const vn__schema *s, int64_t width)
{
    const int64_t n = s ? s->n : width;
    vn__print(t,
              "<thead><tr><th scope=\"col\">row</th><th scope=\"col\">true</th><th scope=\"col\">predicted</th><th scope=\"col\">%s</th>",
              e->classes ? "probability of the true class" : "off by");
    for (int64_t i = 0; i < n && i < MAX_COLUMNS; i++) {
        vn__print(t, "<th scope=\"col\">");
        if (s) vn__print_html(t, s->features[i].name);
        else vn__print(t, "x[%lld]", (long long)i);
        vn__print(t, "</th>");
    }
    vn__print(t, "%s</tr></thead>\n", n > MAX_COLUMNS ? "<th scope=\"col\">&hellip;</th>" : "");
}

static void print_fields(vn__text *t, const vn__schema *s, const float *x, int64_t width)
{
    for (int64_t i = 0, at = 0; i < (s ? s->n : width) && i < MAX_COLUMNS; i++) {
        vn__print(t, "<td>");
        if (s) print_field(t, &s->features[i], x + at);
        else vn__print_digits(t, (double)x[at], 6);
        vn__print(t, "</td>");
        at += s && s->features[i].n_classes ? s->features[i].n_classes : 1;
    }
}

static int print_rows(vn__text *t, const vn__examples *e, vn_array *x, const char *const *classes)
{
    const vn__labels *l = &vn__dataset_whole(e->data)->labels;
    const int64_t width = vn_size(x) / e->n;
    const float *data = vn_data(x);
    vn__schema schema, *s = NULL;
    const vn__origin from = {.who = who};
    if (!data) return vn_status();
    if (l->schema) {
        if (vn__schema_read(l->schema, &from, &schema)) return vn_status();
        int64_t features = 0;
        for (int i = 0; i < schema.n; i++) features += schema.features[i].n_classes ? schema.features[i].n_classes : 1;
        if (features == width) s = &schema;
    }
    vn__print(t, "<div class=\"scroll\" tabindex=\"0\"><table class=\"worst%s\">\n", e->classes ? " of-classes" : "");
    print_names(t, e, s, width);
    vn__print(t, "<tbody>\n");
    for (int i = 0; i < e->n; i++) {
        const vn__example *w = &e->worst[i];
        vn__print(t, "<tr%s><th scope=\"row\">", e->classes && w->truth != w->predicted ? " class=\"wrong\"" : "");
        print_row_name(t, e, w->row);
        vn__print(t, "</th><td>");
        print_value(t, e, w->truth, classes);
        vn__print(t, "</td><td>");
        print_value(t, e, w->predicted, classes);
        vn__print(t, "</td><td>");
        vn__print_digits(t, e->classes ? w->probability : w->predicted - w->truth, e->classes ? 3 : 6);
        vn__print(t, "</td>");
        print_fields(t, s, data + i * width, width);
        vn__print(t, "</tr>\n");
    }
    vn__print(t, "</tbody></table></div>\n");
    return VN_OK;
}

int vn__print_worst(vn__text *t, const vn__examples *e, const char *const *classes)
{
    if (!e->n) return VN_OK;
    VN_SCOPE;
    int64_t rows[VN__WORST];
    for (int i = 0; i < e->n; i++) rows[i] = e->worst[i].row;
    vn_array *x;
    if (vn_dataset_rows(e->data, rows, e->n, &x, NULL) || !(x = vn_cast(x, VN_F32))) return vn_status();
    const bool pictures = vn_rank(x) == 4 && (vn_dim(x, 3) == 1 || vn_dim(x, 3) == 3);
    vn__print(t, "<div>\n<h3>Worst examples</h3>\n<p class=\"hint\">%s</p>\n",
              e->classes ? "The rows whose true class got the smallest probability." : "The rows whose number was missed by most.");
    const int code = pictures ? print_pictures(t, e, x, classes) : print_rows(t, e, x, classes);
    vn__print(t, "</div>\n");
    return code;
}
