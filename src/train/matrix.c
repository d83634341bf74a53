/* SPDX-License-Identifier: Apache-2.0 */
/* matrix.c: the report's confusion matrix, and precision, recall and f1 of each class. */
#include "train/train.h"

static void print_class(vn__text *t, int64_t c, const char *const *names)
{
    if (names && names[c]) vn__print_html(t, names[c]);
    else vn__print(t, "%lld", (long long)c);
}

static int64_t row_sum(const vn_evaluation *e, int64_t row)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < e->classes; i++) sum += e->confusion[row * e->classes + i];
    return sum;
}

static int64_t column_sum(const vn_evaluation *e, int64_t column)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < e->classes; i++) sum += e->confusion[i * e->classes + column];
    return sum;
}

static void print_counts(vn__text *t, const vn_evaluation *e, const char *const *names)
{
    vn__print(t, "<h3>Confusion matrix</h3>\n<p class=\"hint\">Rows are true classes, columns predicted ones; the colour is the share of "
                 "the row.</p>\n"
                 "<div class=\"scroll\" tabindex=\"0\"><table class=\"matrix\">\n<thead><tr><th scope=\"col\">true \\ predicted</th>");
    for (int64_t c = 0; c < e->classes; c++) {
        vn__print(t, "<th scope=\"col\">");
        print_class(t, c, names);
        vn__print(t, "</th>");
    }
    vn__print(t, "</tr></thead>\n<tbody>\n");
    for (int64_t r = 0; r < e->classes; r++) {
        int64_t sum = row_sum(e, r);
        vn__print(t, "<tr><th scope=\"row\">");
        print_class(t, r, names);
        vn__print(t, "</th>");
        for (int64_t c = 0; c < e->classes; c++) {
            int64_t count = e->confusion[r * e->classes + c];
            double share = sum ? (double)count / (double)sum : 0;
            vn__print(t, "<td style=\"--s:");
            vn__print_digits(t, share, 3);
            vn__print(t, "\">%lld", (long long)count);
            if (e->classes <= 20 && count) {
                vn__print(t, "<small>");
                vn__print_digits(t, share * 100, 3);
                vn__print(t, "%%</small>");
            }
            vn__print(t, "</td>");
        }
        vn__print(t, "</tr>\n");
    }
    vn__print(t, "</tbody></table></div>\n");
}

static void print_classes(vn__text *t, const vn_evaluation *e, const char *const *names)
{
    vn__print(t, "<h3>Classes</h3>\n<div class=\"scroll\" tabindex=\"0\"><table class=\"classes\">\n<thead><tr><th "
                 "scope=\"col\">class</th><th scope=\"col\">precision</th>"
                 "<th scope=\"col\">recall</th><th scope=\"col\">f1</th><th scope=\"col\">rows</th></tr></thead>\n<tbody>\n");
    for (int64_t c = 0; c < e->classes; c++) {
        double hits = (double)e->confusion[c * e->classes + c], actual = (double)row_sum(e, c), found = (double)column_sum(e, c);
        const double numbers[3] = {found > 0 ? hits / found : 0, actual > 0 ? hits / actual : 0,
                                   actual + found > 0 ? 2 * hits / (actual + found) : 0};
        vn__print(t, "<tr><th scope=\"row\">");
        print_class(t, c, names);
        vn__print(t, "</th>");
        for (int k = 0; k < 3; k++) {
            vn__print(t, "<td>");
            vn__print_digits(t, numbers[k], 4);
            vn__print(t, "</td>");
        }
        vn__print(t, "<td>%lld</td></tr>\n", (long long)row_sum(e, c));
    }
    vn__print(t, "</tbody></table></div>\n");
}

void vn__print_matrix(vn__text *t, const vn_evaluation *e, const char *const *class_names)
{
    if (!e->confusion || e->classes < 1) return;
    vn__print(t, "<div>\n");
    print_counts(t, e, class_names);
    print_classes(t, e, class_names);
    vn__print(t, "</div>\n");
}
