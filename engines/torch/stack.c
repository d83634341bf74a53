/* SPDX-License-Identifier: Apache-2.0 */
/* stack.c: calls torch ops by name. A torch_op's argument string describes each slot of the stack with about one letter:
 *
 *   0 1 2 ..  that input                       [..]  a list of the tensors inside; * stands for all inputs,
 *                                                    0* 1* .. for those of one of the instruction's lists
 *   i         the next option, an int or bool  r     the next option, a float
 *   I         the next option, a list of ints  D     the dtype of the result
 *             or an int as a list of one       t f   true, false (or 0)
 *   n         None                             + -   1-d int64 one, minus one
 *   l         the text "L"                     s     the next option, a text
 *   o u w q   0-d of input 0's dtype: zero, one, two, NaN (zero where there is none)
 *   h         the same: only the highest bit, for unsigned numbers stored as signed
 *   ?         before an argument: the schema says it is optional
 *   >         ends the arguments; then a letter per result: T a tensor, L a list with one tensor, x ignored.
 *             Without it there is one tensor.
 *
 * torch checks neither the number nor the kind of arguments and fills in no defaults: the string must match the op's whole schema.
 * Arguments are consumed by the call, so inputs are passed as new handles. Only a call that does not find the op leaves them. */
#include "torch.h"

#include <math.h>
#include <string.h>

#define SCHEMA_ABI (UINT64_C(2) << 56 | UINT64_C(13) << 48) /* the argument strings follow the schemas of PyTorch 2.13 */

/* What a filled slot holds, to release it. */
typedef enum kind { PLAIN, TENSOR, INTS, TENSORS, WORDS, OPTIONAL } kind;

typedef struct stack {
    slot slots[STACK_SLOTS];
    kind kinds[STACK_SLOTS], inside[STACK_SLOTS]; /* inside: what an optional holds */
    int n;
} stack;

/* The constant for a letter. */
static const char number_letters[] = "ouwhq";
enum { NUMBERS = sizeof number_letters - 1 };
static tensor *numbers[VN_DTYPE_END][NUMBERS], *plus, *minus;

static slot of_pointer(const void *pointer)
{
    return (slot)(uintptr_t)pointer;
}

static void *to_pointer(slot value)
{
    return (void *)(uintptr_t)value;
}

/* A list does not own the handles in it. */
static void drop_tensors(list *l)
{
    size_t n = 0;
    slot item;
    if (torch.length(l, &n)) n = 0;
    for (size_t i = 0; i < n; i++)
        if (torch.item(l, i, &item) == 0 && item) torch.drop(to_pointer(item));
    torch.drop_list(l);
}

static void drop_value(kind k, slot value)
{
    if (k == TENSOR) torch.drop(to_pointer(value));
    if (k == TENSORS) drop_tensors(to_pointer(value));
    if (k == INTS) torch.drop_list(to_pointer(value));
    if (k == WORDS) torch.drop_text(to_pointer(value));
}

static void drop_stack(stack *s)
{
    for (int i = 0; i < s->n; i++) {
        slot value = s->slots[i];
        kind k = s->kinds[i];
        if (k == OPTIONAL) {
            slot *box = to_pointer(value);
            drop_value(s->inside[i], *box);
            torch.drop_optional(box);
        } else drop_value(k, value);
    }
}

static int new_handle(tensor *t, slot *value)
{
    tensor *copy = NULL;
    if (torch.share(t, &copy) || !copy) return 1;
    *value = of_pointer(copy);
    return 0;
}

static int append_tensor(list *l, tensor *t)
{
    slot value;
    if (new_handle(t, &value)) return 1;
    if (torch.append(l, value)) {
        torch.drop(to_pointer(value));
        return 1;
    }
    return 0;
}

/* The tensor for a letter, or NULL. */
static tensor *letter_tensor(char letter, const arguments *a)
{
    if (letter >= '0' && letter <= '9' && letter - '0' < a->n_in) return a->in[letter - '0'];
    const char *number = strchr(number_letters, letter);
    return number ? numbers[a->in_dtype][number - number_letters] : letter == '+' ? plus : letter == '-' ? minus : NULL;
}

/* From '[' to ']'. Moves *at to the closing bracket. */
static int tensor_list(const char **at, const arguments *a, slot *value)
{
    list *l = NULL;
    if (torch.new_list((size_t)a->n_in, &l) || !l) return 1;
    int bad = 0;
    for (const char *c = ++*at; *c != ']' && !bad; c = ++*at) {
        if (*c == '*' || c[1] == '*') {
            const int32_t n = *c == '*' ? a->n_in : a->n_list, from = *c == '*' ? 0 : (*c - '0') * n;
            for (int32_t k = from; k < from + n && !bad; k++) bad = k < a->n_in ? append_tensor(l, a->in[k]) : 1;
            *at += *c != '*';
            continue;
        }
        tensor *t = letter_tensor(*c, a);
        bad = t ? append_tensor(l, t) : 1;
    }
    if (bad) drop_tensors(l);
    *value = of_pointer(l);
    return bad;
}

static int int_list(const vn_option *option, slot *value)
{
    bool single = option->kind == VN_OPT_INT;
    const int64_t *items = single ? &option->u.i : option->u.is;
    int32_t n = single ? 1 : option->n;
    list *l = NULL;
    if (torch.new_list((size_t)n, &l) || !l) return 1;
    for (int32_t i = 0; i < n; i++)
        if (torch.append(l, (slot)items[i])) {
            torch.drop_list(l);
            return 1;
        }
    *value = of_pointer(l);
    return 0;
}

/* An option value for probing: the first axis; for images a window of 2 with everything else 1. */
static const vn_option *made_up(bool of_images, bool is_list, bool first)
{
    static const int64_t twos[] = {2, 2}, ones[] = {1, 1};
    static const vn_option axis = {.kind = VN_OPT_INT, .u.i = 0}, one = {.kind = VN_OPT_INT, .u.i = 1};
    static const vn_option window = {.kind = VN_OPT_INTS, .n = 2, .u.is = twos}, rest = {.kind = VN_OPT_INTS, .n = 2, .u.is = ones};
    return !of_images ? &axis : !is_list ? &one : first ? &window : &rest;
}

static int text(const char *of, slot *value, kind *k)
{
    words *t = NULL;
    if (torch.new_text(of, strlen(of), &t) || !t) return 1;
    *k = WORDS;
    *value = of_pointer(t);
    return 0;
}

/* One argument, without its '?'. Moves *at to its last letter and counts options. */
static int argument(const char **at, const arguments *a, int32_t *option, slot *value, kind *k)
{
    char letter = **at;
    *k = PLAIN;
    *value = 0;
    if (letter == 'n' || letter == 'f') return 0;
    if (letter == 't') {
        *value = 1;
        return 0;
    }
    if (letter == 'D') {
        *value = (uint32_t)torch.stored_as[a->out_dtype];
        return 0;
    }
    if (letter == 'l') return text("L", value, k);
    if (letter == '[') {
        *k = TENSORS;
        return tensor_list(at, a, value);
    }
    if (letter == 'i' || letter == 'r' || letter == 'I' || letter == 's') {
        if (a->options && *option >= a->n_options) return 1;
        const vn_option *o = a->options ? &a->options[*option] : made_up(a->of_images, letter == 'I', *option == 0);
        ++*option;
        if (letter == 's') return text(a->options ? o->u.s : "sum", value, k);
        if (letter == 'I') {
            *k = INTS;
            return int_list(o, value);
        }
        memcpy(value, &o->u, sizeof *value); /* an int as it is, a float as the bits of its double */
        return 0;
    }
    tensor *t = letter_tensor(letter, a);
    *k = TENSOR;
    return t ? new_handle(t, value) : 1;
}

/* Boxes an argument, which is how a present optional is passed. */
static int box(slot *value, kind *k, kind *inside)
{
    slot *boxed = NULL;
    if (torch.new_optional(&boxed) || !boxed) return 1;
    *boxed = *value;
    *value = of_pointer(boxed);
    *inside = *k;
    *k = OPTIONAL;
    return 0;
}

static int fill(stack *s, const char *notation, const arguments *a)
{
    int32_t option = 0;
    s->n = 0;
    for (const char *at = notation; *at && *at != '>'; at++) {
        bool optional = *at == '?';
        if (optional) at++;
        if (s->n == STACK_SLOTS) return 1;
        slot *value = &s->slots[s->n];
        kind *k = &s->kinds[s->n];
        if (argument(&at, a, &option, value, k)) return 1;
        if (optional && box(value, k, &s->inside[s->n])) {
            drop_value(*k, *value);
            return 1;
        }
        s->n++;
    }
    return 0;
}

static bool no_such_op(void)
{
    const char *text = torch.what();
    return text && strstr(text, "Could not find schema");
}

/* Pops the results: out[] gets the requested ones, in order; the others are dropped. */
static int results(const char *notation, slot *slots, int32_t n_out, tensor **out)
{
    const char *letter = strchr(notation, '>');
    letter = letter ? letter + 1 : "T";
    int32_t n = 0;
    for (int i = 0; letter[i]; i++) {
        slot value = slots[i];
        if (letter[i] == 'L') {
            list *l = to_pointer(value);
            if (!l || torch.item(l, 0, &value)) value = 0;
            if (l) torch.drop_list(l);
        }
        if (letter[i] != 'x' && n < n_out) out[n++] = to_pointer(value);
        else if (value) torch.drop(to_pointer(value));
    }
    bool whole = n == n_out;
    for (int32_t i = 0; i < n; i++) whole = whole && out[i];
    for (int32_t i = 0; i < n && !whole; i++)
        if (out[i]) torch.drop(out[i]);
    return !whole;
}

int dispatch(const char *op, const torch_op *call, const arguments *a, int32_t n_out, tensor **out)
{
    stack s;
    if (fill(&s, call->arguments, a)) {
        drop_stack(&s);
        return host->error(VN_E_ENGINE, "torch: %s: the arguments of %s cannot be created", op, call->name);
    }
    if (torch.call(call->name, call->overload, s.slots, SCHEMA_ABI)) {
        if (no_such_op()) drop_stack(&s);
        return failed(op);
    }
    if (results(call->arguments, s.slots, n_out, out)) return host->error(VN_E_ENGINE, "torch: %s: %s gave no result", op, call->name);
    return VN_OK;
}

static int constant(int32_t rank, int32_t dtype, double value, tensor **out)
{
    static const int64_t dims[] = {1, 1, 1, 1};
    tensor *t;
    int code = new_tensor(rank, dims, torch.stored_as[dtype], &t);
    if (code) return code;
    if (torch.fill(t, value)) {
        torch.drop(t);
        return failed("a constant");
    }
    *out = t;
    return VN_OK;
}

static void drop_constant(tensor **t)
{
    if (*t) torch.drop(*t);
    *t = NULL;
}

/* Tries the op on arrays of one element. Any error other than that it does not exist is fine, but costs milliseconds. */
bool is_missing(const torch_op *call, const probe *p)
{
    static const int8_t ranks[] = {[MATRIX] = 2, [SCALAR] = 0, [VECTOR] = 1, [IMAGE] = 4};
    tensor *x = NULL, *y = NULL;
    if (!call->name) return false;
    int code = constant(ranks[p->shape], p->dtype, !p->zeros, &x);
    if (!code) code = constant(ranks[p->shape], p->dtype, !p->zeros, &y);
    tensor *in[] = {x, y, y, y, y, y};
    arguments a = {in, NULL, (int32_t)(sizeof in / sizeof in[0]), 0, p->dtype, p->dtype, p->shape == IMAGE, 1};
    stack s;
    s.n = 0;
    bool missing = false;
    if (code || fill(&s, call->arguments, &a)) missing = true;
    else if (torch.call(call->name, call->overload, s.slots, SCHEMA_ABI) == 0) results(call->arguments, s.slots, 0, NULL);
    else missing = no_such_op();
    if (missing) drop_stack(&s);
    drop_constant(&x);
    drop_constant(&y);
    return missing;
}

static double number(char letter, int dtype)
{
    if (letter == 'q') return VN_BIT(dtype) & VN_INEXACT ? NAN : 0;
    if (letter != 'h') return letter == 'w' ? 2 : letter == 'u';
    return dtype == VN_U16 ? -0x1p15 : dtype == VN_U32 ? -0x1p31 : dtype == VN_U64 ? -0x1p63 : 0;
}

int open_constants(void)
{
    int code = constant(1, VN_I64, 1, &plus);
    if (!code) code = constant(1, VN_I64, -1, &minus);
    for (int i = 1; i < VN_DTYPE_END * NUMBERS && !code; i++) {
        int dtype = i / NUMBERS, k = i % NUMBERS;
        code = constant(0, dtype, number(number_letters[k], dtype), &numbers[dtype][k]);
    }
    if (code) close_constants();
    return code;
}

void close_constants(void)
{
    drop_constant(&plus);
    drop_constant(&minus);
    for (int i = 1; i < VN_DTYPE_END * NUMBERS; i++) drop_constant(&numbers[i / NUMBERS][i % NUMBERS]);
}
