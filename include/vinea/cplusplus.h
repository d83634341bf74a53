/* SPDX-License-Identifier: Apache-2.0 */
/* cplusplus.h: the macros of vinea.h, tree.h and module.h that C++ writes in another way. vinea.h includes it; nothing here is for C.
 *
 * VN_OPTS and VN_KEYS make a temporary, which lives until the end of the full expression, so write them in the call that reads them. (In C
 * they live until the end of the block.) VN_SCOPE and VN_NO_GRAD are objects, so that they also end when an exception is thrown. */
#ifndef VINEA_CPLUSPLUS_H
#define VINEA_CPLUSPLUS_H

#include <vinea/vinea.h>

#ifdef __cplusplus
#include <initializer_list>

#if defined(__clang__) /* warns where the pointer outlives the temporary; gcc sees that by itself */
#define VN__TEMPORARY __attribute__((lifetimebound))
#else
#define VN__TEMPORARY
#endif

/* ---- shapes and axes ------------------------------------------------------------------------------------------------------------- */

template <typename T> static inline int64_t vn__whole(T number)
{
    static_assert(static_cast<T>(.5) == static_cast<T>(0), "shapes and axes are integers");
    return static_cast<int64_t>(number);
}
template <typename... T> static inline vn_shape vn__shape_of(T... sizes)
{
    const int64_t dim[] = {vn__whole(sizes)...};
    return vn__shape(dim, sizeof...(sizes));
}
template <typename... T> static inline vn_axes vn__axes_of(int keep, T... axes)
{
    const int64_t axis[] = {vn__whole(axes)...};
    return vn__axes(axis, sizeof...(axes), keep);
}
#define VN_SHAPE(...) vn__shape_of(__VA_ARGS__)
#define VN_AXES(...) vn__axes_of(0, __VA_ARGS__)
#define VN_KEEP(...) vn__axes_of(1, __VA_ARGS__)

/* ---- lists: made in the order they are written, whatever the compiler ---------------------------------------------------------------- */

static inline const char *const *vn__keys(std::initializer_list<const char *> keys VN__TEMPORARY)
{
    return keys.begin();
}
/* `make` is vn_nn_sequential, which module.h may declare later than this. */
template <typename Module, typename Options>
static inline Module *vn__sequential(Module *(*make)(Module *const *, int, const Options *), std::initializer_list<Module *> modules)
{
    return make(modules.begin(), static_cast<int>(modules.size()), NULL);
}
#define VN_KEYS(...) vn__keys({__VA_ARGS__, NULL})
/* `make` is vn_chain or vn_groups. */
template <typename Optim> static inline Optim *vn__optims(Optim *(*make)(int, Optim *const *), std::initializer_list<Optim *> parts)
{
    return make(static_cast<int>(parts.size()), parts.begin());
}
#define VN_CHAIN(...) vn__optims(vn_chain, {__VA_ARGS__})
#define VN_GROUPS(...) vn__optims(vn_groups, {__VA_ARGS__})
#define VN_SEQUENTIAL(...) vn__sequential(vn_nn_sequential, {__VA_ARGS__})

/* ---- scopes ------------------------------------------------------------------------------------------------------------------------ */

class vn__scope_guard
{
  public:
    vn__scope_guard() : scope(vn_scope_begin())
    {
    }
    ~vn__scope_guard()
    {
        vn__scope_leave(&scope);
    }
    vn__scope_guard(const vn__scope_guard &) = delete;
    vn__scope_guard &operator=(const vn__scope_guard &) = delete;

  private:
    vn_scope scope;
};

class vn__no_grad_guard
{
  public:
    vn__no_grad_guard() : pushed(!vn_set_with_grads(0)), done(false)
    {
    }
    ~vn__no_grad_guard()
    {
        if (pushed) vn_unset_with_grads();
    }
    vn__no_grad_guard(const vn__no_grad_guard &) = delete;
    vn__no_grad_guard &operator=(const vn__no_grad_guard &) = delete;
    bool once()
    {
        const bool first = pushed && !done;
        done = true;
        return first;
    }

  private:
    bool pushed, done;
};

#define VN_SCOPE vn__scope_guard VN__JOIN(vn__scope_, __LINE__)
#define VN__NO_GRAD(on) for (vn__no_grad_guard on; on.once();)
#define VN_NO_GRAD VN__NO_GRAD(VN__JOIN(vn__no_grad_, __LINE__))

/* ---- options ----------------------------------------------------------------------------------------------------------------------- */

template <typename T> static inline T vn__init()
{
    T opts = T();
    opts.size = sizeof opts;
    return opts;
}
template <typename T> static inline const T *vn__opts(const T &opts VN__TEMPORARY)
{
    return &opts;
}
#define VN_INIT(name) vn__init<vn_##name##_opts>()

/* Designators are C++20's; __extension__ allows them in older standards. In C++11 fields have no VN_UNSET, and only a macro of a system
 * header keeps gcc from warning of those that are not named. This is the last macro here because the rest of the file becomes one. */
#if __cplusplus < 201402L && !defined(__clang__)
#pragma GCC system_header
#endif
#define VN_OPTS(name, ...) __extension__ vn__opts(vn_##name##_opts{.size = sizeof(vn_##name##_opts), __VA_ARGS__})

#endif
#endif
