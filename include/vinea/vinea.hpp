/* SPDX-License-Identifier: Apache-2.0 */
/* vinea.hpp: Vinea for C++11 and later: values with operators, scopes as objects, errors as exceptions. A thin layer:
 * everything else stays the C functions of vinea.h, which take and return what is here. ops.hpp has the ops by their names in namespace vn.
 *
 *     vn::session session("native");                             // or "torch", "jax" ...
 *     vn::array x = vn_random_normal(0, 1, VN_SHAPE(256, 3));
 *     vn::array y = vn::tanh(2 * x + 1);
 *     std::cout << vn::mean(y, VN_ALL).item() << '\n';
 *
 * Three rules:
 *
 *  1. Scopes own, as in C. A vn::array is a handle: copying one copies no values, and destroying one frees nothing. The array lives until the
 *     innermost vn::scope (or VN_SCOPE) closes; vn::pass hands it to the scope outside, vn::kept keeps it longer.
 *  2. What is in namespace vn throws, C functions do not. Whatever is called here ends with vn::check(): if the thread has an error, of this call
 *     or of a C function before it, it is cleared and thrown as a vn::error. Making a vn::array of a C function's result is such a call.
 *  3. No exception may pass through the library. The functions here that take a function of yours catch what it throws and throw it again when
 *     the library has returned; a callback given to a C function must catch everything itself. */
#ifndef VINEA_HPP
#define VINEA_HPP

#include <exception>
#include <initializer_list>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
#include <vinea/vinea.h>

namespace vn
{

/* ---- errors ------------------------------------------------------------------------------------------------------------------------ */

class error : public std::runtime_error
{
  public:
    error(vn_code code, const std::string &message) : std::runtime_error(message), code_(code) {}
    vn_code code() const noexcept { return code_; }

  private:
    vn_code code_;
};

/* Throws the thread's error, which is then no longer set. Does nothing if there is none. */
inline void check()
{
    const vn_code code = vn_status();
    if (code == VN_OK) return;
    const error failed(code, vn_message());
    vn_clear();
    throw failed;
}
/* The same after a call of a C function, and what it returned: vn::check(vn_step(sgd, p, grads)); vn_optim *sgd = vn::check(vn_sgd(.1)); */
template <typename T> T check(T result)
{
    check();
    return result;
}

/* ---- scopes ------------------------------------------------------------------------------------------------------------------------ */

typedef ::vn__scope_guard scope; /* vn::scope s; closes where its block ends, by an exception too */

/* The thread's use of the library, from vn_use to vn_close. Make it first, so that it is destroyed last. Where they nest, the outermost closes. */
class session
{
  public:
    explicit session(const char *engine = nullptr)
    {
        open()++;
        if (vn_use(engine) == VN_OK) return;
        const error failed(vn_status(), vn_message());
        vn_clear();
        leave();
        throw failed;
    }
    ~session() { leave(); }
    session(const session &) = delete;
    session &operator=(const session &) = delete;

  private:
    static int &open()
    {
        static thread_local int sessions = 0;
        return sessions;
    }
    static void leave()
    {
        if (--open() == 0) vn_close();
    }
};

namespace detail
{
#define VN__KEPT(type, keep_it, drop_it)              \
    inline type *keep(type *x) { return keep_it(x); } \
    inline void drop(type *x) { drop_it(x); }
VN__KEPT(vn_array, vn_keep, vn_drop)
VN__KEPT(vn_tree, vn_tree_keep, vn_tree_drop)
VN__KEPT(vn_module, vn_module_keep, vn_module_drop)
VN__KEPT(vn_optim, vn_optim_keep, vn_optim_drop)
VN__KEPT(vn_dataset, vn_dataset_keep, vn_dataset_drop)
VN__KEPT(vn_fn, vn_fn_keep, vn_fn_drop)
#undef VN__KEPT

/* Where a class may be given for a T * or const T * and for nothing else: no bool, no void *, no arithmetic on pointers. */
template <typename P, typename T>
using pointer_to = typename std::enable_if<std::is_same<typename std::remove_const<P>::type, T>::value, int>::type;
} // namespace detail

/* A reference that outlives scopes, for members of classes: vn::kept<vn_module> net; T is vn_array, vn_tree, vn_module, vn_optim, vn_fn or
 * vn_dataset. It must not outlive the session. */
template <typename T> class kept
{
  public:
    kept() : held(nullptr) {}
    kept(T *object) : held(nullptr)
    {
        check(); /* first: a constructor that throws leaves nothing to be dropped */
        if (object) held = check(detail::keep(object));
    }
    template <typename H, typename std::enable_if<std::is_convertible<const H &, T *>::value, int>::type = 0>
    kept(const H &handle) : kept(static_cast<T *>(handle)) /* a vn::array, a vn::tree */
    {
    }
    kept(const kept &other) : kept(other.held) {}
    kept(kept &&other) noexcept : held(other.held) { other.held = nullptr; }
    kept &operator=(kept other) noexcept
    {
        std::swap(held, other.held);
        return *this;
    }
    ~kept()
    {
        if (held) detail::drop(held);
    }
    T *get() const noexcept { return held; }
    template <typename P, detail::pointer_to<P, T> = 0> operator P *() const noexcept { return held; }

  private:
    T *held;
};

/* ---- arrays ------------------------------------------------------------------------------------------------------------------------ */

/* The dtype of a C++ type: float, double, bool and the integers. */
template <typename T> constexpr vn_dtype dtype_of()
{
    static_assert(std::is_arithmetic<T>::value && sizeof(T) <= 8, "arrays hold bool, integers, float and double");
    return std::is_same<T, bool>::value       ? VN_BOOL
           : std::is_floating_point<T>::value ? (sizeof(T) == 4 ? VN_F32 : VN_F64)
           : sizeof(T) == 1                   ? (std::is_signed<T>::value ? VN_I8 : VN_U8)
           : sizeof(T) == 2                   ? (std::is_signed<T>::value ? VN_I16 : VN_U16)
           : sizeof(T) == 4                   ? (std::is_signed<T>::value ? VN_I32 : VN_U32)
           : std::is_signed<T>::value         ? VN_I64
                                              : VN_U64;
}

/* A handle with operators. Numbers become weak scalars, which take the dtype of the other side. It can be given wherever a C function takes a
 * vn_array *, and what such a function returns can be given for it. It is no condition: write (a < b).item(), or x.get() for "is there one". */
class array
{
  public:
    array() noexcept : handle(nullptr) {} /* none yet */
    array(vn_array *x) : handle(check(x)) {}
    array(const kept<vn_array> &x) : handle(x.get()) {}
    template <typename T, typename std::enable_if<std::is_arithmetic<T>::value, int>::type = 0>
    array(T number) : handle(check(vn_scalar(static_cast<double>(number))))
    {
    }
    array(std::nullptr_t) = delete; /* a failed call is thrown, and an optional input that is absent is VN_NONE */

    vn_array *get() const noexcept { return handle; }
    template <typename P, detail::pointer_to<P, vn_array> = 0> operator P *() const noexcept { return handle; }
    vn_array **out() noexcept { return &handle; } /* for further results: vn::topk(x, 5, 0, NULL, index.out()) */

    int rank() const { return check(vn_rank(handle)); }
    int64_t dim(int axis) const { return check(vn_dim(handle, axis)); } /* negative axes count from the end */
    int64_t size() const { return check(vn_size(handle)); }
    vn_shape shape() const { return check(vn_shape_of(handle)); }
    vn_dtype dtype() const { return check(vn_dtype_of(handle)); }

    /* Values, computed if they are not yet. Of one element: */
    double item() const { return check(vn_item(handle)); }
    int64_t item_int() const { return check(vn_item_int(handle)); }
    /* Of all, row by row, cast to T as vn_cast does: std::vector<float> v = x.values<float>(). */
    template <typename T> std::vector<T> values() const
    {
        static_assert(!std::is_same<T, bool>::value, "std::vector<bool> has no memory to read into: use values<unsigned char>()");
        const array as_t = dtype() == dtype_of<T>() ? *this : array(vn_cast(handle, dtype_of<T>()));
        std::vector<T> to(static_cast<size_t>(size()));
        if (!to.empty()) check(vn_read(as_t, to.data(), to.size() * sizeof(T)));
        return to;
    }
    std::string text() const { return check(vn_text(handle)); } /* as NumPy prints it */

    /* Element i of the first axis, without that axis; negative numbers count from the end. x[1][0] for more axes. */
    array operator[](int64_t i) const { return vn_squeeze(rows(i < 0 ? i + dim(0) : i, 1), VN_AXES(0)); }
    /* `n` elements of the first axis from number `first` on. */
    array rows(int64_t first, int64_t n) const
    {
        vn_shape start = vn_shape(), part = shape();
        if (part.rank < 1) throw error(VN_E_SHAPE, "rows: a single number has no rows");
        start.rank = part.rank;
        start.dim[0] = first;
        part.dim[0] = n;
        return vn_slice_at(handle, start, part);
    }

  private:
    vn_array *handle;
};

/* Operators make new arrays. x += y is x = x + y: the variable names another array, and copies of it made before do not change. What a C function
 * returned has forms of its own, or else - and comparisons could mean those of pointers. */
#define VN__BINARY(symbol, function)                                                                                                  \
    inline array operator symbol(const array &x, const array &y) { return function(x, y); }                                           \
    template <typename P, detail::pointer_to<P, vn_array> = 0> array operator symbol(const array &x, P *y) { return function(x, y); } \
    template <typename P, detail::pointer_to<P, vn_array> = 0> array operator symbol(P *x, const array &y) { return function(x, y); }
#define VN__ASSIGN(symbol, function) \
    VN__BINARY(symbol, function)     \
    inline array &operator symbol##=(array &x, const array &y) { return x = function(x, y); }
VN__ASSIGN(+, vn_add)
VN__ASSIGN(-, vn_sub)
VN__ASSIGN(*, vn_mul)
VN__ASSIGN(/, vn_div)
VN__ASSIGN(%, vn_remainder)
VN__ASSIGN(&, vn_bitwise_and)
VN__ASSIGN(|, vn_bitwise_or)
VN__ASSIGN(^, vn_bitwise_xor)
VN__BINARY(==, vn_equal) /* elementwise: the results are bool arrays */
VN__BINARY(!=, vn_not_equal)
VN__BINARY(<, vn_less)
VN__BINARY(<=, vn_less_equal)
VN__BINARY(>, vn_greater)
VN__BINARY(>=, vn_greater_equal)
#undef VN__BINARY
#undef VN__ASSIGN
inline array operator-(const array &x) { return vn_neg(x); }
inline array operator+(const array &x) { return vn_positive(x); }
inline array operator~(const array &x) { return vn_bitwise_invert(x); }
template <typename C, typename Traits> std::basic_ostream<C, Traits> &operator<<(std::basic_ostream<C, Traits> &to, const array &x)
{
    return to << x.text().c_str();
}

/* Arrays from host data, which is copied: vn::from({2.f, -1.f, .5f}, VN_SHAPE(3, 1)), vn::from(vector). The dtype is that of T. */
template <typename T> array from(const T *data, size_t n, vn_shape shape)
{
    double size = 1; /* never overflows, and no count that fits into memory is rounded to that of another */
    for (int32_t i = 0; i < shape.rank && i < VN_MAX_RANK; i++) size *= static_cast<double>(shape.dim[i]);
    if (size < static_cast<double>(n) || size > static_cast<double>(n))
        throw error(VN_E_SHAPE, "from: the shape is not one of " + std::to_string(n) + " numbers");
    return vn_from_host(data, dtype_of<T>(), shape);
}
template <typename T> array from(std::initializer_list<T> data, vn_shape shape) { return from(data.begin(), data.size(), shape); }
template <typename T> array from(std::initializer_list<T> data) { return from(data, VN_SHAPE(data.size())); }
template <typename T> array from(const std::vector<T> &data, vn_shape shape) { return from(data.data(), data.size(), shape); }
template <typename T> array from(const std::vector<T> &data) { return from(data, VN_SHAPE(data.size())); }

/* Arrays for an op that takes any number: vn::concat({x, y}, 0), or a std::vector<vn::array>. */
class list
{
  public:
    list(std::initializer_list<array> arrays) : handles(arrays.begin(), arrays.end()) {}
    list(const std::vector<array> &arrays) : handles(arrays.begin(), arrays.end()) {}
    int size() const { return static_cast<int>(handles.size()); }
    vn_array *const *data() const { return handles.data(); }

  private:
    std::vector<vn_array *> handles;
};

/* Moves a result from the innermost scope to the one outside: return vn::pass(y); */
inline array pass(const array &x) { return vn_pass(x); }

} // namespace vn
#include <vinea/ops.hpp>
namespace vn
{

/* ---- trees ------------------------------------------------------------------------------------------------------------------------- */

/* A handle like array: names -> arrays. vn::tree p{{"w", w}, {"b", b}}; the entries are made in the order they are written, so that random ones
 * are the same with every compiler. */
class tree
{
  public:
    tree() : handle(check(vn_tree_new(nullptr))) {}
    tree(vn_tree *t) : handle(check(t)) {}
    tree(const kept<vn_tree> &t) : handle(t.get()) {}
    tree(std::initializer_list<std::pair<const char *, array>> entries) : tree()
    {
        for (const std::pair<const char *, array> &entry : entries) set(entry.first, entry.second);
    }
    tree(std::nullptr_t) = delete;

    vn_tree *get() const noexcept { return handle; }
    template <typename P, detail::pointer_to<P, vn_tree> = 0> operator P *() const noexcept { return handle; }
    vn_tree **out() noexcept { return &handle; }
    array operator[](const char *chain) const { return vn_tree_get(handle, chain); } /* throws where no array stands; set puts one there */
    array operator[](int) const = delete;                                            /* vn_tree_leaf(p, i) */
    void set(const char *chain, const array &x) { check(vn_tree_set(handle, chain, x)); }
    void set(const char *chain, const tree &sub) { check(vn_tree_set_tree(handle, chain, sub)); }
    bool has(const char *chain) const { return check(vn_tree_has(handle, chain)) == 1; }

  private:
    vn_tree *handle;
};

inline tree pass(const tree &t) { return vn_tree_pass(t); }

/* ---- gradients --------------------------------------------------------------------------------------------------------------------- */

typedef ::vn__no_grad_guard no_grad; /* vn::no_grad guard; ops record no history until its block ends */

namespace detail
{
/* A function of the caller's for C, and what it threw. */
template <typename F> class callback
{
  public:
    explicit callback(F &f) : fn(f) {}
    static vn_array *of_tree(const vn_tree *p, void *self) { return call<tree>(const_cast<vn_tree *>(p), static_cast<callback *>(self)); }
    static vn_array *of_array(vn_array *x, void *self) { return call<array>(x, static_cast<callback *>(self)); }
    void end() /* when the library has returned */
    {
        if (thrown) {
            vn_clear(); /* it only knows that the function failed */
            std::rethrow_exception(thrown);
        }
        check();
    }

  private:
    template <typename X, typename H> static vn_array *call(H *handle, callback *self) noexcept
    {
        try {
            return array(self->fn(X(handle))).get();
        } catch (...) {
            self->thrown = std::current_exception();
            return nullptr;
        }
    }
    F &fn;
    std::exception_ptr thrown;
};
} // namespace detail

struct graded {
    array loss;
    tree grads; /* like the parameters */
};

/* The loss that fn computes from the parameters, and its gradients: fn takes a vn::tree and returns an array, a scalar. */
template <typename F> graded value_and_grad(F &&fn, const tree &p)
{
    detail::callback<F> call(fn);
    vn_tree *grads = nullptr;
    vn_array *loss = vn_value_and_grad(call.of_tree, p, &call, &grads);
    call.end();
    return {loss, grads};
}

/* The gradient of fn, which makes a scalar of an array, at x. */
template <typename F> array grad(F &&fn, const array &x)
{
    detail::callback<F> call(fn);
    vn_array *gradient = vn_grad_of(call.of_array, x, &call);
    call.end();
    return gradient;
}

namespace detail
{
template <typename... A> struct has_array : std::false_type {
};
template <typename First, typename... A>
struct has_array<First, A...> : std::conditional<std::is_same<First, array>::value, std::true_type, has_array<A...>>::type {
};
} // namespace detail
} // namespace vn

/* C cannot know what it is given behind the dots: vn::tree p{{"w", w}}, or w.get(). */
template <typename... A>
typename std::enable_if<vn::detail::has_array<A...>::value, vn_tree *>::type vn_tree_of(const char *key, A... more) = delete;

#endif
