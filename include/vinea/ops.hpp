/* SPDX-License-Identifier: Apache-2.0 */
/* ops.hpp: the ops of ops.h on vn::array, in namespace vn; errors are thrown. Printed from the table by `make ops`: do not edit. */
#ifndef VINEA_OPS_HPP
#define VINEA_OPS_HPP

#include <vinea/vinea.hpp>

namespace vn
{

/* ---- Creating arrays ---- */

inline array zeros(vn_shape shape, vn_dtype dtype = VN_F32) { return vn_zeros(shape, dtype); }
inline array ones(vn_shape shape, vn_dtype dtype = VN_F32) { return vn_ones(shape, dtype); }
inline array full(const array &value, vn_shape shape, vn_dtype dtype = VN_F32) { return vn_full(value, shape, dtype); }
inline array arange(double start, double stop, double step = 1, vn_dtype dtype = VN_F32) { return vn_arange(start, stop, step, dtype); }
inline array linspace(double start, double stop, int64_t n, vn_dtype dtype = VN_F32, const vn_linspace_opts *opts = NULL) { return vn_linspace(start, stop, n, dtype, opts); }
inline array eye(int64_t rows, int64_t columns, int64_t k = 0, vn_dtype dtype = VN_F32) { return vn_eye(rows, columns, k, dtype); }
inline array zeros_like(const array &x) { return vn_zeros_like(x); }
inline array ones_like(const array &x) { return vn_ones_like(x); }
inline array full_like(const array &x, const array &value) { return vn_full_like(x, value); }

/* ---- Arithmetic ---- */

inline array add(const array &x, const array &y) { return vn_add(x, y); }
inline array sub(const array &x, const array &y) { return vn_sub(x, y); }
inline array mul(const array &x, const array &y) { return vn_mul(x, y); }
inline array div(const array &x, const array &y) { return vn_div(x, y); }
inline array floor_divide(const array &x, const array &y) { return vn_floor_divide(x, y); }
inline array remainder(const array &x, const array &y) { return vn_remainder(x, y); }
inline array pow(const array &x, const array &y) { return vn_pow(x, y); }
inline array neg(const array &x) { return vn_neg(x); }
inline array positive(const array &x) { return vn_positive(x); }
inline array abs(const array &x) { return vn_abs(x); }
inline array sign(const array &x) { return vn_sign(x); }
inline array square(const array &x) { return vn_square(x); }
inline array sqrt(const array &x) { return vn_sqrt(x); }
inline array rsqrt(const array &x) { return vn_rsqrt(x); }
inline array reciprocal(const array &x) { return vn_reciprocal(x); }
inline array maximum(const array &x, const array &y) { return vn_maximum(x, y); }
inline array minimum(const array &x, const array &y) { return vn_minimum(x, y); }
inline array clip(const array &x, const array &min = VN_NONE, const array &max = VN_NONE) { return vn_clip(x, min, max); }
inline array where(const array &condition, const array &x, const array &y) { return vn_where(condition, x, y); }
inline array floor(const array &x) { return vn_floor(x); }
inline array ceil(const array &x) { return vn_ceil(x); }
inline array trunc(const array &x) { return vn_trunc(x); }
inline array round(const array &x) { return vn_round(x); }
inline array copysign(const array &x, const array &y) { return vn_copysign(x, y); }
inline array nextafter(const array &x, const array &y) { return vn_nextafter(x, y); }
inline array signbit(const array &x) { return vn_signbit(x); }

/* ---- Exponentials, logarithms, trigonometry ---- */

inline array exp(const array &x) { return vn_exp(x); }
inline array expm1(const array &x) { return vn_expm1(x); }
inline array log(const array &x) { return vn_log(x); }
inline array log1p(const array &x) { return vn_log1p(x); }
inline array log2(const array &x) { return vn_log2(x); }
inline array log10(const array &x) { return vn_log10(x); }
inline array logaddexp(const array &x, const array &y) { return vn_logaddexp(x, y); }
inline array hypot(const array &x, const array &y) { return vn_hypot(x, y); }
inline array sin(const array &x) { return vn_sin(x); }
inline array cos(const array &x) { return vn_cos(x); }
inline array tan(const array &x) { return vn_tan(x); }
inline array asin(const array &x) { return vn_asin(x); }
inline array acos(const array &x) { return vn_acos(x); }
inline array atan(const array &x) { return vn_atan(x); }
inline array atan2(const array &x, const array &y) { return vn_atan2(x, y); }
inline array sinh(const array &x) { return vn_sinh(x); }
inline array cosh(const array &x) { return vn_cosh(x); }
inline array tanh(const array &x) { return vn_tanh(x); }
inline array asinh(const array &x) { return vn_asinh(x); }
inline array acosh(const array &x) { return vn_acosh(x); }
inline array atanh(const array &x) { return vn_atanh(x); }

/* ---- Complex numbers ---- */

inline array complex(const array &re, const array &im) { return vn_complex(re, im); }
inline array real(const array &x) { return vn_real(x); }
inline array imag(const array &x) { return vn_imag(x); }
inline array conj(const array &x) { return vn_conj(x); }
inline array angle(const array &x) { return vn_angle(x); }

/* ---- Bits ---- */

inline array bitwise_and(const array &x, const array &y) { return vn_bitwise_and(x, y); }
inline array bitwise_or(const array &x, const array &y) { return vn_bitwise_or(x, y); }
inline array bitwise_xor(const array &x, const array &y) { return vn_bitwise_xor(x, y); }
inline array bitwise_invert(const array &x) { return vn_bitwise_invert(x); }
inline array bitwise_left_shift(const array &x, const array &y) { return vn_bitwise_left_shift(x, y); }
inline array bitwise_right_shift(const array &x, const array &y) { return vn_bitwise_right_shift(x, y); }

/* ---- Special functions ---- */

inline array erf(const array &x) { return vn_erf(x); }
inline array erfc(const array &x) { return vn_erfc(x); }
inline array erfinv(const array &x) { return vn_erfinv(x); }
inline array lgamma(const array &x) { return vn_lgamma(x); }
inline array digamma(const array &x) { return vn_digamma(x); }
inline array polygamma(const array &x, int64_t order = 0) { return vn_polygamma(x, order); }
inline array sinc(const array &x) { return vn_sinc(x); }
inline array i0(const array &x) { return vn_i0(x); }
inline array i0e(const array &x) { return vn_i0e(x); }
inline array i1(const array &x) { return vn_i1(x); }
inline array i1e(const array &x) { return vn_i1e(x); }
inline array zeta(const array &x, const array &q) { return vn_zeta(x, q); }
inline array gammainc(const array &a, const array &x) { return vn_gammainc(a, x); }
inline array gammaincc(const array &a, const array &x) { return vn_gammaincc(a, x); }
inline array betainc(const array &a, const array &b, const array &x) { return vn_betainc(a, b, x); }
inline array xlogy(const array &x, const array &y) { return vn_xlogy(x, y); }
inline array logit(const array &x, const vn_logit_opts *opts = NULL) { return vn_logit(x, opts); }
inline array logaddexp2(const array &x, const array &y) { return vn_logaddexp2(x, y); }
inline array cbrt(const array &x) { return vn_cbrt(x); }
inline array heaviside(const array &x, const array &y) { return vn_heaviside(x, y); }
inline array gcd(const array &x, const array &y) { return vn_gcd(x, y); }
inline array lcm(const array &x, const array &y) { return vn_lcm(x, y); }
inline array frexp(const array &x, vn_array **exponent) { return vn_frexp(x, exponent); }
inline array ldexp(const array &x, const array &exponent) { return vn_ldexp(x, exponent); }
inline array nan_to_num(const array &x, const vn_nan_to_num_opts *opts = NULL) { return vn_nan_to_num(x, opts); }

/* ---- Comparison and logic ---- */

inline array equal(const array &x, const array &y) { return vn_equal(x, y); }
inline array not_equal(const array &x, const array &y) { return vn_not_equal(x, y); }
inline array less(const array &x, const array &y) { return vn_less(x, y); }
inline array less_equal(const array &x, const array &y) { return vn_less_equal(x, y); }
inline array greater(const array &x, const array &y) { return vn_greater(x, y); }
inline array greater_equal(const array &x, const array &y) { return vn_greater_equal(x, y); }
inline array isnan(const array &x) { return vn_isnan(x); }
inline array isinf(const array &x) { return vn_isinf(x); }
inline array isfinite(const array &x) { return vn_isfinite(x); }
inline array isin(const array &x, const array &values, const vn_isin_opts *opts = NULL) { return vn_isin(x, values, opts); }
inline array logical_not(const array &x) { return vn_logical_not(x); }
inline array logical_and(const array &x, const array &y) { return vn_logical_and(x, y); }
inline array logical_or(const array &x, const array &y) { return vn_logical_or(x, y); }
inline array logical_xor(const array &x, const array &y) { return vn_logical_xor(x, y); }

/* ---- Sums, extremes, statistics ---- */

inline array sum(const array &x, vn_axes axes = VN_ALL) { return vn_sum(x, axes); }
inline array prod(const array &x, vn_axes axes = VN_ALL) { return vn_prod(x, axes); }
inline array max(const array &x, vn_axes axes = VN_ALL) { return vn_max(x, axes); }
inline array min(const array &x, vn_axes axes = VN_ALL) { return vn_min(x, axes); }
inline array mean(const array &x, vn_axes axes = VN_ALL) { return vn_mean(x, axes); }
inline array var(const array &x, vn_axes axes = VN_ALL, double correction = 0) { return vn_var(x, axes, correction); }
inline array std(const array &x, vn_axes axes = VN_ALL, double correction = 0) { return vn_std(x, axes, correction); }
inline array any(const array &x, vn_axes axes = VN_ALL) { return vn_any(x, axes); }
inline array all(const array &x, vn_axes axes = VN_ALL) { return vn_all(x, axes); }
inline array count_nonzero(const array &x, vn_axes axes = VN_ALL) { return vn_count_nonzero(x, axes); }
inline array logsumexp(const array &x, vn_axes axes = VN_ALL) { return vn_logsumexp(x, axes); }
inline array cumulative_sum(const array &x, int64_t axis, const vn_cumulative_sum_opts *opts = NULL) { return vn_cumulative_sum(x, axis, opts); }
inline array cumulative_prod(const array &x, int64_t axis, const vn_cumulative_prod_opts *opts = NULL) { return vn_cumulative_prod(x, axis, opts); }
inline array diff(const array &x, const array &prepend = VN_NONE, const array &append = VN_NONE, int64_t axis = -1, int64_t n = 1) { return vn_diff(x, prepend, append, axis, n); }
inline array argmax(const array &x, vn_axes axes = VN_ALL) { return vn_argmax(x, axes); }
inline array argmin(const array &x, vn_axes axes = VN_ALL) { return vn_argmin(x, axes); }
inline array norm(const array &x, vn_axes axes = VN_ALL, double order = 2) { return vn_norm(x, axes, order); }

/* ---- Shapes ---- */

inline array reshape(const array &x, vn_shape shape) { return vn_reshape(x, shape); }
inline array flatten(const array &x) { return vn_flatten(x); }
inline array expand_dims(const array &x, int64_t axis) { return vn_expand_dims(x, axis); }
inline array squeeze(const array &x, vn_axes axes) { return vn_squeeze(x, axes); }
inline array broadcast_to(const array &x, vn_shape shape) { return vn_broadcast_to(x, shape); }
inline array permute_dims(const array &x, vn_axes axes) { return vn_permute_dims(x, axes); }
inline array moveaxis(const array &x, vn_axes source, vn_axes destination) { return vn_moveaxis(x, source, destination); }
inline array swapaxes(const array &x, int64_t axis1, int64_t axis2) { return vn_swapaxes(x, axis1, axis2); }
inline array matrix_transpose(const array &x) { return vn_matrix_transpose(x); }
inline array flip(const array &x, vn_axes axes) { return vn_flip(x, axes); }
inline array roll(const array &x, vn_shape shift, vn_axes axes = VN_ALL) { return vn_roll(x, shift, axes); }
inline array concat(const list &xs, int64_t axis) { return vn_concat(xs.size(), xs.data(), axis); }
inline array stack(const list &xs, int64_t axis) { return vn_stack(xs.size(), xs.data(), axis); }
inline array pad(const array &x, vn_shape before, vn_shape after, const vn_pad_opts *opts = NULL) { return vn_pad(x, before, after, opts); }
inline array tile(const array &x, vn_shape repetitions) { return vn_tile(x, repetitions); }
inline array repeat(const array &x, int64_t repeats, int64_t axis) { return vn_repeat(x, repeats, axis); }
inline array repeat_counts(const array &x, const array &counts, int64_t axis) { return vn_repeat_counts(x, counts, axis); }
inline array repeat_counts_sized(const array &x, const array &counts, int64_t axis, int64_t size, double fill = 0) { return vn_repeat_counts_sized(x, counts, axis, size, fill); }
inline array dilate(const array &x, vn_shape steps) { return vn_dilate(x, steps); }
inline array slice(const array &x, const array &start, vn_shape size) { return vn_slice(x, start, size); }
inline array slice_set(const array &x, const array &y, const array &start) { return vn_slice_set(x, y, start); }
inline array slice_step(const array &x, vn_shape start, vn_shape stop, vn_shape step = VN_DEFAULT) { return vn_slice_step(x, start, stop, step); }
inline array slice_step_set(const array &x, const array &y, vn_shape start, vn_shape stop, vn_shape step = VN_DEFAULT, const vn_slice_step_set_opts *opts = NULL) { return vn_slice_step_set(x, y, start, stop, step, opts); }
inline array tril(const array &x, int64_t k = 0) { return vn_tril(x, k); }
inline array triu(const array &x, int64_t k = 0) { return vn_triu(x, k); }
inline array diag(const array &x, int64_t k = 0) { return vn_diag(x, k); }
inline array diagonal(const array &x, int64_t offset = 0) { return vn_diagonal(x, offset); }
inline array rearrange(const array &x, const char *pattern, const vn_rearrange_opts *opts = NULL) { return vn_rearrange(x, pattern, opts); }
inline array einops_reduce(const array &x, const char *pattern, const vn_einops_reduce_opts *opts = NULL) { return vn_einops_reduce(x, pattern, opts); }
inline array einops_repeat(const array &x, const char *pattern, const vn_einops_repeat_opts *opts = NULL) { return vn_einops_repeat(x, pattern, opts); }
inline array cast(const array &x, vn_dtype dtype) { return vn_cast(x, dtype); }

/* ---- Indexing, sorting, sets ---- */

inline array take(const array &x, const array &index, int64_t axis) { return vn_take(x, index, axis); }
inline array take_along_axis(const array &x, const array &index, int64_t axis = -1) { return vn_take_along_axis(x, index, axis); }
inline array put_along_axis(const array &x, const array &index, const array &y, int64_t axis = -1, const vn_put_along_axis_opts *opts = NULL) { return vn_put_along_axis(x, index, y, axis, opts); }
inline array index_add(const array &x, const array &index, const array &y, int64_t axis) { return vn_index_add(x, index, y, axis); }
inline array index_set(const array &x, const array &index, const array &y, int64_t axis) { return vn_index_set(x, index, y, axis); }
inline array gather_nd(const array &x, const array &index, vn_axes axes = VN_ALL) { return vn_gather_nd(x, index, axes); }
inline array scatter_nd(const array &x, const array &index, const array &y, vn_axes axes = VN_ALL, const vn_scatter_nd_opts *opts = NULL) { return vn_scatter_nd(x, index, y, axes, opts); }
inline array one_hot(const array &index, int64_t size, vn_dtype dtype = VN_F32) { return vn_one_hot(index, size, dtype); }
inline array bincount(const array &x, const array &weights, int64_t length, const vn_bincount_opts *opts = NULL) { return vn_bincount(x, weights, length, opts); }
inline array sort(const array &x, int64_t axis = -1, const vn_sort_opts *opts = NULL) { return vn_sort(x, axis, opts); }
inline array argsort(const array &x, int64_t axis = -1, const vn_argsort_opts *opts = NULL) { return vn_argsort(x, axis, opts); }
inline array topk(const array &x, int64_t k, int64_t axis, const vn_topk_opts *opts, vn_array **indices) { return vn_topk(x, k, axis, opts, indices); }
inline array searchsorted(const array &x, const array &values, const array &sorter = VN_NONE, const vn_searchsorted_opts *opts = NULL) { return vn_searchsorted(x, values, sorter, opts); }
inline array nonzero(const array &x) { return vn_nonzero(x); }
inline array nonzero_sized(const array &x, int64_t size, int64_t fill = -1) { return vn_nonzero_sized(x, size, fill); }
inline array mask(const array &x, const array &mask) { return vn_mask(x, mask); }
inline array mask_sized(const array &x, const array &mask, int64_t size, double fill = 0) { return vn_mask_sized(x, mask, size, fill); }
inline array unique(const array &x, vn_array **indices, vn_array **inverse, vn_array **counts) { return vn_unique(x, indices, inverse, counts); }
inline array unique_values(const array &x) { return vn_unique_values(x); }
inline array unique_counts(const array &x, vn_array **counts) { return vn_unique_counts(x, counts); }
inline array unique_inverse(const array &x, vn_array **inverse) { return vn_unique_inverse(x, inverse); }
inline array unique_sized(const array &x, int64_t size, double fill, vn_array **counts) { return vn_unique_sized(x, size, fill, counts); }

/* ---- Linear algebra ---- */

inline array matmul(const array &x, const array &y) { return vn_matmul(x, y); }
inline array outer(const array &x, const array &y) { return vn_outer(x, y); }
inline array vecdot(const array &x, const array &y, int64_t axis = -1) { return vn_vecdot(x, y, axis); }
inline array tensordot(const array &x, const array &y, vn_axes x_axes, vn_axes y_axes) { return vn_tensordot(x, y, x_axes, y_axes); }
inline array kron(const array &x, const array &y) { return vn_kron(x, y); }
inline array cross(const array &x, const array &y, int64_t axis = -1) { return vn_cross(x, y, axis); }
inline array einsum(const list &xs, const char *equation) { return vn_einsum(xs.size(), xs.data(), equation); }
inline array trace(const array &x, int64_t offset = 0) { return vn_trace(x, offset); }
inline array cholesky(const array &x, const vn_cholesky_opts *opts = NULL) { return vn_cholesky(x, opts); }
inline array solve_triangular(const array &a, const array &b, const vn_solve_triangular_opts *opts = NULL) { return vn_solve_triangular(a, b, opts); }
inline array solve(const array &a, const array &b) { return vn_solve(a, b); }
inline array inv(const array &x) { return vn_inv(x); }
inline array det(const array &x) { return vn_det(x); }
inline array slogdet(const array &x, vn_array **logabsdet) { return vn_slogdet(x, logabsdet); }
inline array matrix_power(const array &x, int64_t n) { return vn_matrix_power(x, n); }
inline array qr(const array &x, const vn_qr_opts *opts, vn_array **r) { return vn_qr(x, opts, r); }
inline array eigh(const array &x, vn_array **vectors) { return vn_eigh(x, vectors); }
inline array eigvalsh(const array &x) { return vn_eigvalsh(x); }
inline array eig(const array &x, vn_array **eigenvectors) { return vn_eig(x, eigenvectors); }
inline array eigvals(const array &x) { return vn_eigvals(x); }
inline array svd(const array &x, const vn_svd_opts *opts, vn_array **s, vn_array **vh) { return vn_svd(x, opts, s, vh); }
inline array svdvals(const array &x) { return vn_svdvals(x); }
inline array pinv(const array &x, const array &rtol = VN_NONE) { return vn_pinv(x, rtol); }
inline array matrix_rank(const array &x, const array &rtol = VN_NONE) { return vn_matrix_rank(x, rtol); }
inline array lstsq(const array &a, const array &b, const array &rtol, vn_array **residuals, vn_array **rank, vn_array **singular_values) { return vn_lstsq(a, b, rtol, residuals, rank, singular_values); }
inline array matrix_norm(const array &x, const vn_matrix_norm_opts *opts = NULL) { return vn_matrix_norm(x, opts); }

/* ---- Functions of matrices ---- */

inline array adjoint(const array &x) { return vn_adjoint(x); }
inline array lu(const array &x, vn_array **permutation) { return vn_lu(x, permutation); }
inline array lu_solve(const array &lu, const array &permutation, const array &b) { return vn_lu_solve(lu, permutation, b); }
inline array cholesky_inverse(const array &x, const vn_cholesky_inverse_opts *opts = NULL) { return vn_cholesky_inverse(x, opts); }
inline array matrix_exp(const array &x) { return vn_matrix_exp(x); }
inline array cond(const array &x, const vn_cond_opts *opts = NULL) { return vn_cond(x, opts); }
inline array multi_dot(const list &xs) { return vn_multi_dot(xs.size(), xs.data()); }
inline array khatri_rao(const list &xs) { return vn_khatri_rao(xs.size(), xs.data()); }
inline array mode_dot(const array &x, const array &y, int64_t mode) { return vn_mode_dot(x, y, mode); }
inline array cdist(const array &x, const array &y, double p = 2) { return vn_cdist(x, y, p); }
inline array eigh_tridiagonal(const array &diagonal, const array &beside, const vn_eigh_tridiagonal_opts *opts, vn_array **vectors) { return vn_eigh_tridiagonal(diagonal, beside, opts, vectors); }
inline array power_iteration(const array &x, const array &start, int64_t iterations, vn_array **vector) { return vn_power_iteration(x, start, iterations, vector); }
inline array inverse_pth_root(const array &x, int64_t p, double ridge = 1e-6) { return vn_inverse_pth_root(x, p, ridge); }
inline array block_masked_matmul(const array &x, const array &y, const array &mask = VN_NONE, const array &x_mask = VN_NONE, const array &y_mask = VN_NONE, int64_t block = 64) { return vn_block_masked_matmul(x, y, mask, x_mask, y_mask, block); }
inline array gather_matmul(const array &x, const array &y, const array &x_index = VN_NONE, const array &y_index = VN_NONE) { return vn_gather_matmul(x, y, x_index, y_index); }
inline array segment_matmul(const array &x, const array &y, const array &segments) { return vn_segment_matmul(x, y, segments); }
inline array bilinear(const array &x, const array &y, const array &w, const array &bias = VN_NONE) { return vn_bilinear(x, y, w, bias); }
inline array pairwise_distance(const array &x, const array &y, const vn_pairwise_distance_opts *opts = NULL) { return vn_pairwise_distance(x, y, opts); }
inline array batch_dot(const array &x, const array &y, int64_t axis_x = -1, int64_t axis_y = -1, const vn_batch_dot_opts *opts = NULL) { return vn_batch_dot(x, y, axis_x, axis_y, opts); }
inline array spectral_normalize(const array &w, const array &u, int64_t iterations, double epsilon, vn_array **vector) { return vn_spectral_normalize(w, u, iterations, epsilon, vector); }

/* ---- Fourier transforms ---- */

inline array fft(const array &x, int64_t axis = -1, const vn_fft_opts *opts = NULL) { return vn_fft(x, axis, opts); }
inline array ifft(const array &x, int64_t axis = -1, const vn_ifft_opts *opts = NULL) { return vn_ifft(x, axis, opts); }
inline array fftn(const array &x, vn_axes axes = VN_ALL, const vn_fftn_opts *opts = NULL) { return vn_fftn(x, axes, opts); }
inline array ifftn(const array &x, vn_axes axes = VN_ALL, const vn_ifftn_opts *opts = NULL) { return vn_ifftn(x, axes, opts); }
inline array rfft(const array &x, int64_t axis = -1, const vn_rfft_opts *opts = NULL) { return vn_rfft(x, axis, opts); }
inline array irfft(const array &x, int64_t axis = -1, const vn_irfft_opts *opts = NULL) { return vn_irfft(x, axis, opts); }
inline array rfftn(const array &x, vn_axes axes = VN_ALL, const vn_rfftn_opts *opts = NULL) { return vn_rfftn(x, axes, opts); }
inline array irfftn(const array &x, vn_axes axes = VN_ALL, const vn_irfftn_opts *opts = NULL) { return vn_irfftn(x, axes, opts); }
inline array hfft(const array &x, int64_t axis = -1, const vn_hfft_opts *opts = NULL) { return vn_hfft(x, axis, opts); }
inline array ihfft(const array &x, int64_t axis = -1, const vn_ihfft_opts *opts = NULL) { return vn_ihfft(x, axis, opts); }
inline array fftfreq(int64_t n, double d = 1, vn_dtype dtype = VN_F32) { return vn_fftfreq(n, d, dtype); }
inline array rfftfreq(int64_t n, double d = 1, vn_dtype dtype = VN_F32) { return vn_rfftfreq(n, d, dtype); }
inline array fftshift(const array &x, vn_axes axes = VN_ALL) { return vn_fftshift(x, axes); }
inline array ifftshift(const array &x, vn_axes axes = VN_ALL) { return vn_ifftshift(x, axes); }

/* ---- Signals ---- */

inline array dct(const array &x, int64_t type = 2, int64_t axis = -1, const vn_dct_opts *opts = NULL) { return vn_dct(x, type, axis, opts); }
inline array idct(const array &x, int64_t type = 2, int64_t axis = -1, const vn_idct_opts *opts = NULL) { return vn_idct(x, type, axis, opts); }
inline array stft(const array &x, const array &window, int64_t length, int64_t step, const vn_stft_opts *opts = NULL) { return vn_stft(x, window, length, step, opts); }
inline array istft(const array &x, const array &window, int64_t length, int64_t step, const vn_istft_opts *opts = NULL) { return vn_istft(x, window, length, step, opts); }
inline array convolve(const array &x, const array &y, const vn_convolve_opts *opts = NULL) { return vn_convolve(x, y, opts); }
inline array correlate(const array &x, const array &y, const vn_correlate_opts *opts = NULL) { return vn_correlate(x, y, opts); }
inline array hadamard_transform(const array &x, const vn_hadamard_transform_opts *opts = NULL) { return vn_hadamard_transform(x, opts); }
inline array hann_window(int64_t n, vn_dtype dtype = VN_F32, const vn_hann_window_opts *opts = NULL) { return vn_hann_window(n, dtype, opts); }
inline array hamming_window(int64_t n, vn_dtype dtype = VN_F32, const vn_hamming_window_opts *opts = NULL) { return vn_hamming_window(n, dtype, opts); }
inline array blackman_window(int64_t n, vn_dtype dtype = VN_F32, const vn_blackman_window_opts *opts = NULL) { return vn_blackman_window(n, dtype, opts); }
inline array bartlett_window(int64_t n, vn_dtype dtype = VN_F32, const vn_bartlett_window_opts *opts = NULL) { return vn_bartlett_window(n, dtype, opts); }
inline array kaiser_window(int64_t n, double beta = 12, vn_dtype dtype = VN_F32, const vn_kaiser_window_opts *opts = NULL) { return vn_kaiser_window(n, beta, dtype, opts); }
inline array kaiser_bessel_derived_window(int64_t n, double beta = 12, vn_dtype dtype = VN_F32) { return vn_kaiser_bessel_derived_window(n, beta, dtype); }
inline array vorbis_window(int64_t n, vn_dtype dtype = VN_F32) { return vn_vorbis_window(n, dtype); }
inline array mel_weights(int64_t bands, int64_t bins, double sample_rate, vn_dtype dtype = VN_F32, const vn_mel_weights_opts *opts = NULL) { return vn_mel_weights(bands, bins, sample_rate, dtype, opts); }

/* ---- Random numbers ---- */

inline array uniform(const array &key, const array &low, const array &high, vn_shape shape, vn_dtype dtype = VN_F32) { return vn_uniform(key, low, high, shape, dtype); }
inline array normal(const array &key, const array &mean, const array &std, vn_shape shape, vn_dtype dtype = VN_F32) { return vn_normal(key, mean, std, shape, dtype); }
inline array truncated_normal(const array &key, const array &low, const array &high, vn_shape shape, vn_dtype dtype = VN_F32) { return vn_truncated_normal(key, low, high, shape, dtype); }
inline array exponential(const array &key, vn_shape shape, vn_dtype dtype = VN_F32) { return vn_exponential(key, shape, dtype); }
inline array gumbel(const array &key, vn_shape shape, vn_dtype dtype = VN_F32) { return vn_gumbel(key, shape, dtype); }
inline array laplace(const array &key, const array &mean, const array &scale, vn_shape shape, vn_dtype dtype = VN_F32) { return vn_laplace(key, mean, scale, shape, dtype); }
inline array gamma(const array &key, const array &alpha, vn_shape shape, vn_dtype dtype = VN_F32) { return vn_gamma(key, alpha, shape, dtype); }
inline array beta(const array &key, const array &a, const array &b, vn_shape shape, vn_dtype dtype = VN_F32) { return vn_beta(key, a, b, shape, dtype); }
inline array dirichlet(const array &key, const array &alpha, vn_shape shape, vn_dtype dtype = VN_F32) { return vn_dirichlet(key, alpha, shape, dtype); }
inline array multivariate_normal(const array &key, const array &mean, const array &cov, vn_shape shape, vn_dtype dtype = VN_F32) { return vn_multivariate_normal(key, mean, cov, shape, dtype); }
inline array bernoulli(const array &key, const array &p, vn_shape shape, vn_dtype dtype = VN_BOOL) { return vn_bernoulli(key, p, shape, dtype); }
inline array poisson(const array &key, const array &rate, vn_shape shape, vn_dtype dtype = VN_I64) { return vn_poisson(key, rate, shape, dtype); }
inline array binomial(const array &key, const array &count, const array &p, vn_shape shape, vn_dtype dtype = VN_I64) { return vn_binomial(key, count, p, shape, dtype); }
inline array randint(const array &key, const array &low, const array &high, vn_shape shape, vn_dtype dtype = VN_I64) { return vn_randint(key, low, high, shape, dtype); }
inline array random_bits(const array &key, vn_shape shape, vn_dtype dtype = VN_U32, const vn_random_bits_opts *opts = NULL) { return vn_random_bits(key, shape, dtype, opts); }
inline array multinomial(const array &key, const array &weights, int64_t samples, const vn_multinomial_opts *opts = NULL) { return vn_multinomial(key, weights, samples, opts); }
inline array categorical(const array &key, const array &logits, int64_t samples = 0) { return vn_categorical(key, logits, samples); }
inline array permutation(const array &key, int64_t n) { return vn_permutation(key, n); }
inline array shuffle(const array &key, const array &x, int64_t axis = 0, const vn_shuffle_opts *opts = NULL) { return vn_shuffle(key, x, axis, opts); }
inline array random_split(const array &key, int64_t n) { return vn_random_split(key, n); }
inline array random_fold(const array &key, const array &data) { return vn_random_fold(key, data); }

/* ---- Activations ---- */

inline array relu(const array &x) { return vn_relu(x); }
inline array relu6(const array &x) { return vn_relu6(x); }
inline array leaky_relu(const array &x, double slope = 0.01) { return vn_leaky_relu(x, slope); }
inline array prelu(const array &x, const array &weight) { return vn_prelu(x, weight); }
inline array elu(const array &x, double alpha = 1) { return vn_elu(x, alpha); }
inline array selu(const array &x) { return vn_selu(x); }
inline array celu(const array &x, double alpha = 1) { return vn_celu(x, alpha); }
inline array gelu(const array &x, const vn_gelu_opts *opts = NULL) { return vn_gelu(x, opts); }
inline array silu(const array &x) { return vn_silu(x); }
inline array mish(const array &x) { return vn_mish(x); }
inline array sigmoid(const array &x) { return vn_sigmoid(x); }
inline array log_sigmoid(const array &x) { return vn_log_sigmoid(x); }
inline array softplus(const array &x, double beta = 1) { return vn_softplus(x, beta); }
inline array softsign(const array &x) { return vn_softsign(x); }
inline array hardtanh(const array &x, double min = -1, double max = 1) { return vn_hardtanh(x, min, max); }
inline array hardsigmoid(const array &x) { return vn_hardsigmoid(x); }
inline array hardswish(const array &x) { return vn_hardswish(x); }
inline array tanhshrink(const array &x) { return vn_tanhshrink(x); }
inline array softshrink(const array &x, double bound = 0.5) { return vn_softshrink(x, bound); }
inline array hardshrink(const array &x, double bound = 0.5) { return vn_hardshrink(x, bound); }
inline array threshold(const array &x, double threshold, double value = 0) { return vn_threshold(x, threshold, value); }
inline array glu(const array &x, int64_t axis = -1) { return vn_glu(x, axis); }
inline array squareplus(const array &x, double b = 4) { return vn_squareplus(x, b); }
inline array sparse_plus(const array &x) { return vn_sparse_plus(x); }
inline array sparsemax(const array &x, int64_t axis = -1) { return vn_sparsemax(x, axis); }
inline array quiet_softmax(const array &x, int64_t axis = -1) { return vn_quiet_softmax(x, axis); }
inline array softmax(const array &x, int64_t axis) { return vn_softmax(x, axis); }
inline array softmin(const array &x, int64_t axis) { return vn_softmin(x, axis); }
inline array log_softmax(const array &x, int64_t axis) { return vn_log_softmax(x, axis); }

/* ---- Normalisation ---- */

inline array layer_norm(const array &x, const array &weight, const array &bias, vn_axes axes, double epsilon = 1e-5) { return vn_layer_norm(x, weight, bias, axes, epsilon); }
inline array rms_norm(const array &x, const array &weight, vn_axes axes, double epsilon = 1e-5) { return vn_rms_norm(x, weight, axes, epsilon); }
inline array l2_normalize(const array &x, vn_axes axes, double epsilon = 1e-12) { return vn_l2_normalize(x, axes, epsilon); }
inline array group_norm(const array &x, const array &weight, const array &bias, int64_t groups, int64_t axis = -1, double epsilon = 1e-5) { return vn_group_norm(x, weight, bias, groups, axis, epsilon); }
inline array batch_norm(const array &x, const array &mean, const array &variance, const array &weight = VN_NONE, const array &bias = VN_NONE, int64_t axis = -1, double epsilon = 1e-5) { return vn_batch_norm(x, mean, variance, weight, bias, axis, epsilon); }
inline array batch_norm_training(const array &x, const array &weight, const array &bias, int64_t axis, double epsilon, vn_array **mean, vn_array **variance) { return vn_batch_norm_training(x, weight, bias, axis, epsilon, mean, variance); }
inline array instance_norm(const array &x, const array &weight, const array &bias, int64_t axis, double epsilon, vn_array **mean, vn_array **variance) { return vn_instance_norm(x, weight, bias, axis, epsilon, mean, variance); }

/* ---- Convolution and pooling ---- */

inline array conv(const array &x, const array &w, const vn_conv_opts *opts = NULL) { return vn_conv(x, w, opts); }
inline array conv1d(const array &x, const array &filters, const array &bias = VN_NONE, const vn_conv1d_opts *opts = NULL) { return vn_conv1d(x, filters, bias, opts); }
inline array conv2d(const array &x, const array &filters, const array &bias = VN_NONE, const vn_conv2d_opts *opts = NULL) { return vn_conv2d(x, filters, bias, opts); }
inline array conv3d(const array &x, const array &filters, const array &bias = VN_NONE, const vn_conv3d_opts *opts = NULL) { return vn_conv3d(x, filters, bias, opts); }
inline array conv_general_dilated(const array &x, const array &filters, const array &bias = VN_NONE, const vn_conv_general_dilated_opts *opts = NULL) { return vn_conv_general_dilated(x, filters, bias, opts); }
inline array depthwise_conv2d(const array &x, const array &filters, const array &bias = VN_NONE, const vn_depthwise_conv2d_opts *opts = NULL) { return vn_depthwise_conv2d(x, filters, bias, opts); }
inline array separable_conv1d(const array &x, const array &depthwise, const array &pointwise, const array &bias = VN_NONE, const vn_separable_conv1d_opts *opts = NULL) { return vn_separable_conv1d(x, depthwise, pointwise, bias, opts); }
inline array separable_conv2d(const array &x, const array &depthwise, const array &pointwise, const array &bias = VN_NONE, const vn_separable_conv2d_opts *opts = NULL) { return vn_separable_conv2d(x, depthwise, pointwise, bias, opts); }
inline array conv1d_transpose(const array &x, const array &filters, const array &bias = VN_NONE, const vn_conv1d_transpose_opts *opts = NULL) { return vn_conv1d_transpose(x, filters, bias, opts); }
inline array conv2d_transpose(const array &x, const array &filters, const array &bias = VN_NONE, const vn_conv2d_transpose_opts *opts = NULL) { return vn_conv2d_transpose(x, filters, bias, opts); }
inline array conv3d_transpose(const array &x, const array &filters, const array &bias = VN_NONE, const vn_conv3d_transpose_opts *opts = NULL) { return vn_conv3d_transpose(x, filters, bias, opts); }
inline array conv_general_transpose(const array &x, const array &filters, const array &bias = VN_NONE, const vn_conv_general_transpose_opts *opts = NULL) { return vn_conv_general_transpose(x, filters, bias, opts); }
inline array max_pool(const array &x, vn_shape window, const vn_max_pool_opts *opts = NULL) { return vn_max_pool(x, window, opts); }
inline array sum_pool(const array &x, vn_shape window, const vn_sum_pool_opts *opts = NULL) { return vn_sum_pool(x, window, opts); }
inline array avg_pool(const array &x, vn_shape window, const vn_avg_pool_opts *opts = NULL) { return vn_avg_pool(x, window, opts); }
inline array max_pool1d(const array &x, vn_shape window, const vn_max_pool1d_opts *opts = NULL) { return vn_max_pool1d(x, window, opts); }
inline array max_pool2d(const array &x, vn_shape window, const vn_max_pool2d_opts *opts = NULL) { return vn_max_pool2d(x, window, opts); }
inline array max_pool3d(const array &x, vn_shape window, const vn_max_pool3d_opts *opts = NULL) { return vn_max_pool3d(x, window, opts); }
inline array max_pool_with_indices(const array &x, vn_shape window, const vn_max_pool_with_indices_opts *opts, vn_array **index) { return vn_max_pool_with_indices(x, window, opts, index); }
inline array reduce_window(const array &x, vn_shape window, const vn_reduce_window_opts *opts = NULL) { return vn_reduce_window(x, window, opts); }
inline array avg_pool1d(const array &x, vn_shape window, const vn_avg_pool1d_opts *opts = NULL) { return vn_avg_pool1d(x, window, opts); }
inline array avg_pool2d(const array &x, vn_shape window, const vn_avg_pool2d_opts *opts = NULL) { return vn_avg_pool2d(x, window, opts); }
inline array avg_pool3d(const array &x, vn_shape window, const vn_avg_pool3d_opts *opts = NULL) { return vn_avg_pool3d(x, window, opts); }
inline array adaptive_avg_pool(const array &x, vn_shape size, const vn_adaptive_avg_pool_opts *opts = NULL) { return vn_adaptive_avg_pool(x, size, opts); }
inline array adaptive_max_pool(const array &x, vn_shape size, const vn_adaptive_max_pool_opts *opts = NULL) { return vn_adaptive_max_pool(x, size, opts); }
inline array max_unpool(const array &x, const array &index, vn_shape size, const vn_max_unpool_opts *opts = NULL) { return vn_max_unpool(x, index, size, opts); }
inline array global_avg_pool(const array &x, const vn_global_avg_pool_opts *opts = NULL) { return vn_global_avg_pool(x, opts); }
inline array global_max_pool(const array &x, const vn_global_max_pool_opts *opts = NULL) { return vn_global_max_pool(x, opts); }
inline array interpolate(const array &x, vn_shape size, const vn_interpolate_opts *opts = NULL) { return vn_interpolate(x, size, opts); }
inline array scale_and_translate(const array &x, const array &scale, const array &translation, vn_shape shape, vn_axes axes = VN_ALL, const vn_scale_and_translate_opts *opts = NULL) { return vn_scale_and_translate(x, scale, translation, shape, axes, opts); }

/* ---- Images ---- */

inline array rgb_to_grayscale(const array &x) { return vn_rgb_to_grayscale(x); }
inline array rgb_to_hsv(const array &x) { return vn_rgb_to_hsv(x); }
inline array hsv_to_rgb(const array &x) { return vn_hsv_to_rgb(x); }
inline array rgb_to_yuv(const array &x) { return vn_rgb_to_yuv(x); }
inline array yuv_to_rgb(const array &x) { return vn_yuv_to_rgb(x); }
inline array solarize(const array &x, double threshold = 0.5, double max_val = 1) { return vn_solarize(x, threshold, max_val); }
inline array posterize(const array &x, int64_t bits = 4, double max_val = 1) { return vn_posterize(x, bits, max_val); }
inline array auto_contrast(const array &x, double max_val = 1) { return vn_auto_contrast(x, max_val); }
inline array equalize(const array &x, int64_t bins = 256, double max_val = 1) { return vn_equalize(x, bins, max_val); }
inline array adjust_sharpness(const array &x, double factor = 2, double max_val = 1) { return vn_adjust_sharpness(x, factor, max_val); }
inline array map_coordinates(const array &x, const array &at, const vn_map_coordinates_opts *opts = NULL) { return vn_map_coordinates(x, at, opts); }
inline array grid_sample(const array &x, const array &grid, const vn_grid_sample_opts *opts = NULL) { return vn_grid_sample(x, grid, opts); }
inline array affine_grid(const array &theta, int64_t height, int64_t width, const vn_affine_grid_opts *opts = NULL) { return vn_affine_grid(theta, height, width, opts); }
inline array affine_transform(const array &x, const array &transform, const vn_affine_transform_opts *opts = NULL) { return vn_affine_transform(x, transform, opts); }
inline array perspective_transform(const array &x, const array &start, const array &end, const vn_perspective_transform_opts *opts = NULL) { return vn_perspective_transform(x, start, end, opts); }
inline array elastic_transform(const array &x, const array &displacement, const vn_elastic_transform_opts *opts = NULL) { return vn_elastic_transform(x, displacement, opts); }
inline array roi_align(const array &x, const array &boxes, const array &image, int64_t height, int64_t width, const vn_roi_align_opts *opts = NULL) { return vn_roi_align(x, boxes, image, height, width, opts); }
inline array deform_conv2d(const array &x, const array &offset, const array &filters, const array &mask = VN_NONE, const array &bias = VN_NONE, const vn_deform_conv2d_opts *opts = NULL) { return vn_deform_conv2d(x, offset, filters, mask, bias, opts); }
inline array filter2d(const array &x, const array &filter, const vn_filter2d_opts *opts = NULL) { return vn_filter2d(x, filter, opts); }
inline array gaussian_blur(const array &x, int64_t height = 3, int64_t width = 3, double sigma = 1, const vn_gaussian_blur_opts *opts = NULL) { return vn_gaussian_blur(x, height, width, sigma, opts); }
inline array psnr(const array &x, const array &y, double max_val = 1) { return vn_psnr(x, y, max_val); }
inline array ssim(const array &x, const array &y, double max_val = 1, const vn_ssim_opts *opts = NULL) { return vn_ssim(x, y, max_val, opts); }
inline array ms_ssim(const array &x, const array &y, double max_val = 1, const vn_ms_ssim_opts *opts = NULL) { return vn_ms_ssim(x, y, max_val, opts); }
inline array sobel_edges(const array &x) { return vn_sobel_edges(x); }
inline array local_response_norm(const array &x, int64_t size = 5, int64_t axis = -1, const vn_local_response_norm_opts *opts = NULL) { return vn_local_response_norm(x, size, axis, opts); }
inline array grey_dilation(const array &x, const array &kernel) { return vn_grey_dilation(x, kernel); }
inline array grey_erosion(const array &x, const array &kernel) { return vn_grey_erosion(x, kernel); }
inline array median_filter(const array &x, int64_t height = 3, int64_t width = 3) { return vn_median_filter(x, height, width); }
inline array extract_patches(const array &x, vn_shape size, const vn_extract_patches_opts *opts = NULL) { return vn_extract_patches(x, size, opts); }
inline array reconstruct_patches(const array &x, vn_shape shape, vn_shape size, const vn_reconstruct_patches_opts *opts = NULL) { return vn_reconstruct_patches(x, shape, size, opts); }
inline array non_max_suppression(const array &boxes, const array &scores, const array &classes = VN_NONE, double iou = 0.5, const vn_non_max_suppression_opts *opts = NULL) { return vn_non_max_suppression(boxes, scores, classes, iou, opts); }
inline array connected_components(const array &x, const vn_connected_components_opts *opts = NULL) { return vn_connected_components(x, opts); }
inline array connected_components_with_stats(const array &x, int64_t components, const vn_connected_components_with_stats_opts *opts, vn_array **stats) { return vn_connected_components_with_stats(x, components, opts, stats); }

/* ---- Recurrent layers ---- */

inline array lstm(const array &x, const array &h, const array &c, const array &w_input, const array &w_recurrent, const array &bias, const vn_lstm_opts *opts, vn_array **last_h, vn_array **last_c) { return vn_lstm(x, h, c, w_input, w_recurrent, bias, opts, last_h, last_c); }
inline array lstm_update(const array &x, const array &init_h, const array &init_c, const array &kernel, const array &recurrent_kernel, const array &bias, const array &recurrent_bias, const vn_lstm_update_opts *opts, vn_array **last_h, vn_array **last_c) { return vn_lstm_update(x, init_h, init_c, kernel, recurrent_kernel, bias, recurrent_bias, opts, last_h, last_c); }
inline array gru(const array &x, const array &h, const array &w_input, const array &w_recurrent, const array &bias_input, const array &bias_recurrent, const vn_gru_opts *opts, vn_array **last_h) { return vn_gru(x, h, w_input, w_recurrent, bias_input, bias_recurrent, opts, last_h); }
inline array gru_update(const array &x, const array &init_h, const array &kernel, const array &recurrent_kernel, const array &bias, const array &recurrent_bias, const vn_gru_update_opts *opts, vn_array **last_h) { return vn_gru_update(x, init_h, kernel, recurrent_kernel, bias, recurrent_bias, opts, last_h); }

/* ---- Attention and layers ---- */

inline array attention(const array &q, const array &k, const array &v, const array &mask = VN_NONE, const vn_attention_opts *opts = NULL) { return vn_attention(q, k, v, mask, opts); }
inline array scaled_dot_product_attention(const array &q, const array &k, const array &v, const array &mask = VN_NONE, const vn_scaled_dot_product_attention_opts *opts = NULL) { return vn_scaled_dot_product_attention(q, k, v, mask, opts); }
inline array rotary_embedding(const array &x, const vn_rotary_embedding_opts *opts = NULL) { return vn_rotary_embedding(x, opts); }
inline array additive_attention(const array &q, const array &k, const array &v, const array &scale = VN_NONE, const array &mask = VN_NONE) { return vn_additive_attention(q, k, v, scale, mask); }
inline array padding_mask(const array &lengths, int64_t size) { return vn_padding_mask(lengths, size); }
inline array linear(const array &x, const array &weight, const array &bias = VN_NONE) { return vn_linear(x, weight, bias); }
inline array dropout(const array &x, const array &key = VN_NONE, double prob = 0.5, const vn_dropout_opts *opts = NULL) { return vn_dropout(x, key, prob, opts); }
inline array embedding(const array &index, const array &table, const vn_embedding_opts *opts = NULL) { return vn_embedding(index, table, opts); }

/* ---- Positions ---- */

inline array sinusoidal_encoding(const array &x, int64_t size, const vn_sinusoidal_encoding_opts *opts = NULL) { return vn_sinusoidal_encoding(x, size, opts); }
inline array fourier_features(const array &x, double max_freq = 10, int64_t bands = 4, const vn_fourier_features_opts *opts = NULL) { return vn_fourier_features(x, max_freq, bands, opts); }
inline array alibi(int64_t heads, int64_t queries, int64_t keys, vn_dtype dtype = VN_F32, const vn_alibi_opts *opts = NULL) { return vn_alibi(heads, queries, keys, dtype, opts); }
inline array sliding_window_mask(int64_t queries, int64_t keys, int64_t window, const vn_sliding_window_mask_opts *opts = NULL) { return vn_sliding_window_mask(queries, keys, window, opts); }

/* ---- Losses ---- */

inline array mse_loss(const array &x, const array &target, const array &weight = VN_NONE, const vn_mse_loss_opts *opts = NULL) { return vn_mse_loss(x, target, weight, opts); }
inline array mae_loss(const array &x, const array &target, const array &weight = VN_NONE, const vn_mae_loss_opts *opts = NULL) { return vn_mae_loss(x, target, weight, opts); }
inline array huber_loss(const array &x, const array &target, const array &weight = VN_NONE, double delta = 1, const vn_huber_loss_opts *opts = NULL) { return vn_huber_loss(x, target, weight, delta, opts); }
inline array smooth_l1_loss(const array &x, const array &target, const array &weight = VN_NONE, double beta = 1, const vn_smooth_l1_loss_opts *opts = NULL) { return vn_smooth_l1_loss(x, target, weight, beta, opts); }
inline array cross_entropy(const array &x, const array &target, const array &weight = VN_NONE, int64_t axis = -1, const vn_cross_entropy_opts *opts = NULL) { return vn_cross_entropy(x, target, weight, axis, opts); }
inline array nll_loss(const array &log_probs, const array &index, const array &weight = VN_NONE, int64_t axis = -1, const vn_nll_loss_opts *opts = NULL) { return vn_nll_loss(log_probs, index, weight, axis, opts); }
inline array binary_cross_entropy(const array &x, const array &target, const array &weight = VN_NONE, const vn_binary_cross_entropy_opts *opts = NULL) { return vn_binary_cross_entropy(x, target, weight, opts); }
inline array binary_cross_entropy_with_logits(const array &x, const array &target, const array &weight = VN_NONE, const array &pos_weight = VN_NONE, const vn_binary_cross_entropy_with_logits_opts *opts = NULL) { return vn_binary_cross_entropy_with_logits(x, target, weight, pos_weight, opts); }
inline array kl_div(const array &log_probs, const array &target, const vn_kl_div_opts *opts = NULL) { return vn_kl_div(log_probs, target, opts); }
inline array poisson_nll_loss(const array &x, const array &target, const vn_poisson_nll_loss_opts *opts = NULL) { return vn_poisson_nll_loss(x, target, opts); }
inline array log_poisson_loss(const array &x, const array &target, const vn_log_poisson_loss_opts *opts = NULL) { return vn_log_poisson_loss(x, target, opts); }
inline array gaussian_nll_loss(const array &x, const array &target, const array &variance, const vn_gaussian_nll_loss_opts *opts = NULL) { return vn_gaussian_nll_loss(x, target, variance, opts); }
inline array hinge_loss(const array &x, const array &target, const array &weight = VN_NONE, const vn_hinge_loss_opts *opts = NULL) { return vn_hinge_loss(x, target, weight, opts); }
inline array squared_hinge_loss(const array &x, const array &target, const array &weight = VN_NONE, const vn_squared_hinge_loss_opts *opts = NULL) { return vn_squared_hinge_loss(x, target, weight, opts); }
inline array cosine_similarity(const array &x, const array &y, int64_t axis = -1, const vn_cosine_similarity_opts *opts = NULL) { return vn_cosine_similarity(x, y, axis, opts); }
inline array cosine_embedding_loss(const array &x, const array &y, const array &target, int64_t axis = -1, const vn_cosine_embedding_loss_opts *opts = NULL) { return vn_cosine_embedding_loss(x, y, target, axis, opts); }
inline array triplet_margin_loss(const array &anchor, const array &positive, const array &negative, int64_t axis = -1, const vn_triplet_margin_loss_opts *opts = NULL) { return vn_triplet_margin_loss(anchor, positive, negative, axis, opts); }
inline array ctc_loss(const array &log_probs, const array &targets, const array &input_lengths, const array &target_lengths, const vn_ctc_loss_opts *opts = NULL) { return vn_ctc_loss(log_probs, targets, input_lengths, target_lengths, opts); }

/* ---- More losses ---- */

inline array log_cosh_loss(const array &x, const array &target, const array &weight = VN_NONE, const vn_log_cosh_loss_opts *opts = NULL) { return vn_log_cosh_loss(x, target, weight, opts); }
inline array lp_loss(const array &x, const array &target, const array &weight = VN_NONE, double p = 2, const vn_lp_loss_opts *opts = NULL) { return vn_lp_loss(x, target, weight, p, opts); }
inline array mape_loss(const array &x, const array &target, const array &weight = VN_NONE, const vn_mape_loss_opts *opts = NULL) { return vn_mape_loss(x, target, weight, opts); }
inline array msle_loss(const array &x, const array &target, const array &weight = VN_NONE, const vn_msle_loss_opts *opts = NULL) { return vn_msle_loss(x, target, weight, opts); }
inline array soft_margin_loss(const array &x, const array &target, const array &weight = VN_NONE, const vn_soft_margin_loss_opts *opts = NULL) { return vn_soft_margin_loss(x, target, weight, opts); }
inline array hinge_embedding_loss(const array &x, const array &target, const array &weight = VN_NONE, double margin = 1, const vn_hinge_embedding_loss_opts *opts = NULL) { return vn_hinge_embedding_loss(x, target, weight, margin, opts); }
inline array margin_ranking_loss(const array &x, const array &y, const array &target, double margin = 0, const vn_margin_ranking_loss_opts *opts = NULL) { return vn_margin_ranking_loss(x, y, target, margin, opts); }
inline array perceptron_loss(const array &x, const array &target, const array &weight = VN_NONE, const vn_perceptron_loss_opts *opts = NULL) { return vn_perceptron_loss(x, target, weight, opts); }
inline array sparsemax_loss(const array &x, const array &target, const array &weight = VN_NONE, const vn_sparsemax_loss_opts *opts = NULL) { return vn_sparsemax_loss(x, target, weight, opts); }
inline array sigmoid_focal_loss(const array &x, const array &target, const array &weight = VN_NONE, double gamma = 2, const vn_sigmoid_focal_loss_opts *opts = NULL) { return vn_sigmoid_focal_loss(x, target, weight, gamma, opts); }
inline array binary_focal_loss(const array &x, const array &target, const array &weight = VN_NONE, double gamma = 2, const vn_binary_focal_loss_opts *opts = NULL) { return vn_binary_focal_loss(x, target, weight, gamma, opts); }
inline array categorical_focal_loss(const array &x, const array &target, const array &weight = VN_NONE, double gamma = 2, const vn_categorical_focal_loss_opts *opts = NULL) { return vn_categorical_focal_loss(x, target, weight, gamma, opts); }
inline array categorical_hinge_loss(const array &x, const array &target, const array &weight = VN_NONE, const vn_categorical_hinge_loss_opts *opts = NULL) { return vn_categorical_hinge_loss(x, target, weight, opts); }
inline array multiclass_hinge_loss(const array &x, const array &target, const array &weight = VN_NONE, const vn_multiclass_hinge_loss_opts *opts = NULL) { return vn_multiclass_hinge_loss(x, target, weight, opts); }
inline array multiclass_perceptron_loss(const array &x, const array &target, const array &weight = VN_NONE, const vn_multiclass_perceptron_loss_opts *opts = NULL) { return vn_multiclass_perceptron_loss(x, target, weight, opts); }
inline array multiclass_sparsemax_loss(const array &x, const array &target, const array &weight = VN_NONE, const vn_multiclass_sparsemax_loss_opts *opts = NULL) { return vn_multiclass_sparsemax_loss(x, target, weight, opts); }
inline array multi_margin_loss(const array &x, const array &target, const array &weight = VN_NONE, double margin = 1, const vn_multi_margin_loss_opts *opts = NULL) { return vn_multi_margin_loss(x, target, weight, margin, opts); }
inline array generalized_cross_entropy(const array &x, const array &target, const array &weight = VN_NONE, double q = 0.5, const vn_generalized_cross_entropy_opts *opts = NULL) { return vn_generalized_cross_entropy(x, target, weight, q, opts); }
inline array poly_loss(const array &x, const array &target, const array &weight = VN_NONE, double epsilon = 2, const vn_poly_loss_opts *opts = NULL) { return vn_poly_loss(x, target, weight, epsilon, opts); }
inline array dice_loss(const array &x, const array &target, const array &weight = VN_NONE, vn_axes axes = VN_ALL, const vn_dice_loss_opts *opts = NULL) { return vn_dice_loss(x, target, weight, axes, opts); }
inline array tversky_loss(const array &x, const array &target, const array &weight = VN_NONE, vn_axes axes = VN_ALL, const vn_tversky_loss_opts *opts = NULL) { return vn_tversky_loss(x, target, weight, axes, opts); }
inline array generalized_dice_loss(const array &x, const array &target, const array &weight = VN_NONE, const vn_generalized_dice_loss_opts *opts = NULL) { return vn_generalized_dice_loss(x, target, weight, opts); }
inline array ntxent_loss(const array &x, const array &index, double temperature = 0.07) { return vn_ntxent_loss(x, index, temperature); }
inline array circle_loss(const array &x, const array &index, const vn_circle_loss_opts *opts = NULL) { return vn_circle_loss(x, index, opts); }
inline array ranking_softmax_loss(const array &x, const array &target, const array &weight = VN_NONE, const array &mask = VN_NONE, const vn_ranking_softmax_loss_opts *opts = NULL) { return vn_ranking_softmax_loss(x, target, weight, mask, opts); }
inline array generalized_kl_div(const array &log_probs, const array &target, int64_t axis = -1, const vn_generalized_kl_div_opts *opts = NULL) { return vn_generalized_kl_div(log_probs, target, axis, opts); }
inline array cosine_distance(const array &x, const array &y, int64_t axis = -1, const vn_cosine_distance_opts *opts = NULL) { return vn_cosine_distance(x, y, axis, opts); }
inline array smooth_labels(const array &x, double share = 0.1, int64_t axis = -1) { return vn_smooth_labels(x, share, axis); }
inline array gram_matrix_loss(const array &x, const array &y, const vn_gram_matrix_loss_opts *opts = NULL) { return vn_gram_matrix_loss(x, y, opts); }
inline array lpips(const array &x, const array &y, const array &weight = VN_NONE, const vn_lpips_opts *opts = NULL) { return vn_lpips(x, y, weight, opts); }
inline array dists(const array &x, const array &y, const array &alpha = VN_NONE, const array &beta = VN_NONE, const vn_dists_opts *opts = NULL) { return vn_dists(x, y, alpha, beta, opts); }
inline array frechet_distance(const array &x, const array &y) { return vn_frechet_distance(x, y); }
inline array rnnt_loss(const array &x, const array &targets, const array &input_lengths, const array &target_lengths, const vn_rnnt_loss_opts *opts = NULL) { return vn_rnnt_loss(x, targets, input_lengths, target_lengths, opts); }

/* ---- Metrics ---- */

inline array accuracy(const array &x, const array &index) { return vn_accuracy(x, index); }
inline array top_k_accuracy(const array &x, const array &index, int64_t k) { return vn_top_k_accuracy(x, index, k); }
inline array confusion_matrix(const array &x, const array &target, int64_t classes) { return vn_confusion_matrix(x, target, classes); }
inline array precision(const array &x, const array &target, int64_t classes, const vn_precision_opts *opts = NULL) { return vn_precision(x, target, classes, opts); }
inline array recall(const array &x, const array &target, int64_t classes, const vn_recall_opts *opts = NULL) { return vn_recall(x, target, classes, opts); }
inline array f1(const array &x, const array &target, int64_t classes, const vn_f1_opts *opts = NULL) { return vn_f1(x, target, classes, opts); }
inline array iou(const array &x, const array &target, int64_t classes, const vn_iou_opts *opts = NULL) { return vn_iou(x, target, classes, opts); }
inline array roc_auc(const array &x, const array &target) { return vn_roc_auc(x, target); }

/* ---- Counts for metrics ---- */

inline array edit_distance(const array &x, const array &target, const vn_edit_distance_opts *opts = NULL) { return vn_edit_distance(x, target, opts); }
inline array bleu_counts(const array &x, const array &target, const vn_bleu_counts_opts *opts = NULL) { return vn_bleu_counts(x, target, opts); }
inline array score_counts(const array &x, const array &target, int64_t bins = 200) { return vn_score_counts(x, target, bins); }
inline array calibration_counts(const array &x, const array &index, int64_t bins = 15) { return vn_calibration_counts(x, index, bins); }

/* ---- Optimizer steps ---- */

inline array adam_step(const array &dcdw, const array &mw, const array &vw, const array &step, const vn_adam_step_opts *opts, vn_array **m, vn_array **v) { return vn_adam_step(dcdw, mw, vw, step, opts, m, v); }
inline array optimizer_update(const array &w, const array &effective_grad, const array &lr, const vn_optimizer_update_opts *opts = NULL) { return vn_optimizer_update(w, effective_grad, lr, opts); }
inline array gradient_descent_update(const array &w, const array &dcdw, const array &lr, const vn_gradient_descent_update_opts *opts = NULL) { return vn_gradient_descent_update(w, dcdw, lr, opts); }
inline array adam_update(const array &w, const array &dcdw, const array &lr, const array &mw_tm1, const array &vw_tm1, const array &step, const vn_adam_update_opts *opts, vn_array **m, vn_array **v) { return vn_adam_update(w, dcdw, lr, mw_tm1, vw_tm1, step, opts, m, v); }
inline array lars_update(const array &w, const array &dcdw, const array &lr, const vn_lars_update_opts *opts = NULL) { return vn_lars_update(w, dcdw, lr, opts); }
inline array lamb_update(const array &w, const array &dcdw, const array &lr, const array &mw_tm1, const array &vw_tm1, const array &step, const vn_lamb_update_opts *opts, vn_array **m, vn_array **v) { return vn_lamb_update(w, dcdw, lr, mw_tm1, vw_tm1, step, opts, m, v); }

/* ---- Statistics and tolerance ---- */

inline array quantile(const array &x, const array &q, vn_axes axes = VN_ALL, const vn_quantile_opts *opts = NULL) { return vn_quantile(x, q, axes, opts); }
inline array percentile(const array &x, const array &q, vn_axes axes = VN_ALL, const vn_percentile_opts *opts = NULL) { return vn_percentile(x, q, axes, opts); }
inline array median(const array &x, vn_axes axes = VN_ALL) { return vn_median(x, axes); }
inline array nansum(const array &x, vn_axes axes = VN_ALL) { return vn_nansum(x, axes); }
inline array nanprod(const array &x, vn_axes axes = VN_ALL) { return vn_nanprod(x, axes); }
inline array nanmean(const array &x, vn_axes axes = VN_ALL) { return vn_nanmean(x, axes); }
inline array nanvar(const array &x, vn_axes axes = VN_ALL, double correction = 0) { return vn_nanvar(x, axes, correction); }
inline array nanstd(const array &x, vn_axes axes = VN_ALL, double correction = 0) { return vn_nanstd(x, axes, correction); }
inline array nanmax(const array &x, vn_axes axes = VN_ALL) { return vn_nanmax(x, axes); }
inline array nanmin(const array &x, vn_axes axes = VN_ALL) { return vn_nanmin(x, axes); }
inline array nanmedian(const array &x, vn_axes axes = VN_ALL) { return vn_nanmedian(x, axes); }
inline array nanquantile(const array &x, const array &q, vn_axes axes = VN_ALL, const vn_nanquantile_opts *opts = NULL) { return vn_nanquantile(x, q, axes, opts); }
inline array nanpercentile(const array &x, const array &q, vn_axes axes = VN_ALL, const vn_nanpercentile_opts *opts = NULL) { return vn_nanpercentile(x, q, axes, opts); }
inline array nancumsum(const array &x, int64_t axis, const vn_nancumsum_opts *opts = NULL) { return vn_nancumsum(x, axis, opts); }
inline array nancumprod(const array &x, int64_t axis, const vn_nancumprod_opts *opts = NULL) { return vn_nancumprod(x, axis, opts); }
inline array cummax(const array &x, int64_t axis, const vn_cummax_opts *opts, vn_array **indices) { return vn_cummax(x, axis, opts, indices); }
inline array cummin(const array &x, int64_t axis, const vn_cummin_opts *opts, vn_array **indices) { return vn_cummin(x, axis, opts, indices); }
inline array logcumsumexp(const array &x, int64_t axis, const vn_logcumsumexp_opts *opts = NULL) { return vn_logcumsumexp(x, axis, opts); }
inline array fmax(const array &x, const array &y) { return vn_fmax(x, y); }
inline array fmin(const array &x, const array &y) { return vn_fmin(x, y); }
inline array isclose(const array &x, const array &y, const vn_isclose_opts *opts = NULL) { return vn_isclose(x, y, opts); }
inline array allclose(const array &x, const array &y, const vn_allclose_opts *opts = NULL) { return vn_allclose(x, y, opts); }
inline array cov(const array &x, const array &y = VN_NONE, const array &fweights = VN_NONE, const array &aweights = VN_NONE, double correction = 1, const vn_cov_opts *opts = NULL) { return vn_cov(x, y, fweights, aweights, correction, opts); }
inline array corrcoef(const array &x, const array &y = VN_NONE, const vn_corrcoef_opts *opts = NULL) { return vn_corrcoef(x, y, opts); }
inline array histogram(const array &x, const array &edges, const array &weights, int64_t bins, const vn_histogram_opts *opts, vn_array **limits) { return vn_histogram(x, edges, weights, bins, opts, limits); }
inline array interp(const array &x, const array &xp, const array &fp, const array &left = VN_NONE, const array &right = VN_NONE, const vn_interp_opts *opts = NULL) { return vn_interp(x, xp, fp, left, right, opts); }
inline array gradient(const array &x, const array &at = VN_NONE, int64_t axis = -1, double spacing = 1, const vn_gradient_opts *opts = NULL) { return vn_gradient(x, at, axis, spacing, opts); }
inline array trapezoid(const array &y, const array &x = VN_NONE, int64_t axis = -1, double dx = 1) { return vn_trapezoid(y, x, axis, dx); }
inline array lexsort(const list &keys, int64_t axis) { return vn_lexsort(keys.size(), keys.data(), axis); }
inline array unique_consecutive(const array &x, vn_axes axes, vn_array **inverse, vn_array **counts) { return vn_unique_consecutive(x, axes, inverse, counts); }
inline array trim_zeros(const array &x, const vn_trim_zeros_opts *opts = NULL) { return vn_trim_zeros(x, opts); }

/* ---- Windows, segments, bits ---- */

inline array bitcast(const array &x, vn_dtype dtype) { return vn_bitcast(x, dtype); }
inline array as_strided(const array &x, vn_shape shape, vn_shape strides, int64_t offset = 0) { return vn_as_strided(x, shape, strides, offset); }
inline array sliding_window_view(const array &x, vn_shape window, vn_axes axes = VN_ALL, const vn_sliding_window_view_opts *opts = NULL) { return vn_sliding_window_view(x, window, axes, opts); }
inline array unfold(const array &x, vn_shape window, const vn_unfold_opts *opts = NULL) { return vn_unfold(x, window, opts); }
inline array fold(const array &x, vn_shape size, vn_shape window, const vn_fold_opts *opts = NULL) { return vn_fold(x, size, window, opts); }
inline array segment_sum(const array &x, const array &id, int64_t segments) { return vn_segment_sum(x, id, segments); }
inline array segment_mean(const array &x, const array &id, int64_t segments) { return vn_segment_mean(x, id, segments); }
inline array segment_prod(const array &x, const array &id, int64_t segments) { return vn_segment_prod(x, id, segments); }
inline array segment_max(const array &x, const array &id, int64_t segments) { return vn_segment_max(x, id, segments); }
inline array segment_min(const array &x, const array &id, int64_t segments) { return vn_segment_min(x, id, segments); }

/* ---- More functions of numbers ---- */

inline array fmod(const array &x, const array &y) { return vn_fmod(x, y); }
inline array trunc_divide(const array &x, const array &y) { return vn_trunc_divide(x, y); }
inline array divmod(const array &x, const array &y, vn_array **rest) { return vn_divmod(x, y, rest); }
inline array lerp(const array &x, const array &y, const array &weight) { return vn_lerp(x, y, weight); }
inline array modf(const array &x, vn_array **whole) { return vn_modf(x, whole); }
inline array float_power(const array &x, const array &y) { return vn_float_power(x, y); }
inline array divide_no_nan(const array &x, const array &y) { return vn_divide_no_nan(x, y); }
inline array stable_divide(const array &x, const array &y, double min_base = 1e-5) { return vn_stable_divide(x, y, min_base); }
inline array stable_pow(const array &x, const array &y, double min_base = 1e-5) { return vn_stable_pow(x, y, min_base); }
inline array binarize(const array &x, double threshold = 0) { return vn_binarize(x, threshold); }
inline array scaled_tanh(const array &x, double alpha = 1.7159, double beta = 0.67) { return vn_scaled_tanh(x, alpha, beta); }
inline array sparse_sigmoid(const array &x) { return vn_sparse_sigmoid(x); }
inline array relu_squared(const array &x) { return vn_relu_squared(x); }
inline array quick_gelu(const array &x) { return vn_quick_gelu(x); }
inline array shrink(const array &x, double bound = 0.5, double bias = 0) { return vn_shrink(x, bound, bias); }
inline array polyval(const array &coefficients, const array &x) { return vn_polyval(coefficients, x); }
inline array polar(const array &length, const array &angle) { return vn_polar(length, angle); }
inline array view_as_complex(const array &x) { return vn_view_as_complex(x); }
inline array view_as_real(const array &x) { return vn_view_as_real(x); }
inline array saturate_cast(const array &x, vn_dtype dtype) { return vn_saturate_cast(x, dtype); }
inline array isreal(const array &x) { return vn_isreal(x); }
inline array isposinf(const array &x) { return vn_isposinf(x); }
inline array isneginf(const array &x) { return vn_isneginf(x); }
inline array has_nans(const array &x, const vn_has_nans_opts *opts = NULL) { return vn_has_nans(x, opts); }
inline array array_equal(const list &xs) { return vn_array_equal(xs.size(), xs.data()); }
inline array ptp(const array &x, vn_axes axes = VN_ALL) { return vn_ptp(x, axes); }
inline array mean_of(const list &xs) { return vn_mean_of(xs.size(), xs.data()); }
inline array average(const array &x, const array &weights = VN_NONE, vn_axes axes = VN_ALL) { return vn_average(x, weights, axes); }
inline array var_mean(const array &x, vn_axes axes, double correction, vn_array **mean) { return vn_var_mean(x, axes, correction, mean); }
inline array nanargmax(const array &x, vn_axes axes = VN_ALL) { return vn_nanargmax(x, axes); }
inline array nanargmin(const array &x, vn_axes axes = VN_ALL) { return vn_nanargmin(x, axes); }
inline array max_with_index(const array &x, int64_t axis, vn_array **indices) { return vn_max_with_index(x, axis, indices); }
inline array min_with_index(const array &x, int64_t axis, vn_array **indices) { return vn_min_with_index(x, axis, indices); }
inline array median_with_index(const array &x, int64_t axis, vn_array **indices) { return vn_median_with_index(x, axis, indices); }
inline array lp_normalize(const array &x, vn_axes axes, double p = 2, double epsilon = 1e-12) { return vn_lp_normalize(x, axes, p, epsilon); }
inline array clip_vector_norm(const array &x, double max_norm, double p = 2) { return vn_clip_vector_norm(x, max_norm, p); }
inline array clip_matrix_norm(const array &x, double max_norm, const vn_clip_matrix_norm_opts *opts = NULL) { return vn_clip_matrix_norm(x, max_norm, opts); }
inline array sparsify(const array &x, int64_t count) { return vn_sparsify(x, count); }
inline array higher_order_moment(const array &x, int64_t order) { return vn_higher_order_moment(x, order); }
inline array safe_root_mean_square(const array &x, double min_rms = 0) { return vn_safe_root_mean_square(x, min_rms); }
inline array unitwise_norm(const array &x) { return vn_unitwise_norm(x); }
inline array unitwise_clip(const array &x, const array &norm, const array &max_norm) { return vn_unitwise_clip(x, norm, max_norm); }
inline array l1_l2_penalty(const array &x, double l1 = 0.01, double l2 = 0.01) { return vn_l1_l2_penalty(x, l1, l2); }
inline array orthogonal_penalty(const array &x, double factor = 0.01, const vn_orthogonal_penalty_opts *opts = NULL) { return vn_orthogonal_penalty(x, factor, opts); }
inline array min_max_norm(const array &x, vn_axes axes, const vn_min_max_norm_opts *opts = NULL) { return vn_min_max_norm(x, axes, opts); }

/* ---- Grids, positions, choices ---- */

inline array logspace(double start, double stop, int64_t n, vn_dtype dtype = VN_F32, const vn_logspace_opts *opts = NULL) { return vn_logspace(start, stop, n, dtype, opts); }
inline array geomspace(double start, double stop, int64_t n, vn_dtype dtype = VN_F32) { return vn_geomspace(start, stop, n, dtype); }
inline array tri(int64_t rows, int64_t columns, int64_t k = 0, vn_dtype dtype = VN_F32, const vn_tri_opts *opts = NULL) { return vn_tri(rows, columns, k, dtype, opts); }
inline array eye_like(const array &x, int64_t k = 0) { return vn_eye_like(x, k); }
inline array indices(vn_shape shape, const vn_indices_opts *opts = NULL) { return vn_indices(shape, opts); }
inline array tril_indices(int64_t rows, int64_t columns, int64_t k = 0) { return vn_tril_indices(rows, columns, k); }
inline array triu_indices(int64_t rows, int64_t columns, int64_t k = 0) { return vn_triu_indices(rows, columns, k); }
inline array unravel_index(const array &index, vn_shape shape) { return vn_unravel_index(index, shape); }
inline array meshgrid_stack(const list &xs) { return vn_meshgrid_stack(xs.size(), xs.data()); }
inline array rot90(const array &x, int64_t k = 1, int64_t axis1 = 0, int64_t axis2 = 1) { return vn_rot90(x, k, axis1, axis2); }
inline array fill_diagonal(const array &x, const array &value) { return vn_fill_diagonal(x, value); }
inline array vander(const array &x, const vn_vander_opts *opts = NULL) { return vn_vander(x, opts); }
inline array skew_symmetric(const array &x) { return vn_skew_symmetric(x); }
inline array choose(const array &index, const array &choices) { return vn_choose(index, choices); }
inline array select(const array &conditions, const array &choices, const array &otherwise) { return vn_select(conditions, choices, otherwise); }
inline array multi_hot(const array &index, int64_t size, vn_dtype dtype = VN_F32) { return vn_multi_hot(index, size, dtype); }
inline array one_hot_fill(const array &index, int64_t size, double on = 1, double off = 0, vn_dtype dtype = VN_F32) { return vn_one_hot_fill(index, size, on, off, dtype); }

/* ---- Tensors as matrices ---- */

inline array tensor_unfold(const array &x, int64_t mode = 0, const vn_tensor_unfold_opts *opts = NULL) { return vn_tensor_unfold(x, mode, opts); }
inline array tensor_fold(const array &x, vn_shape shape, int64_t mode = 0, const vn_tensor_fold_opts *opts = NULL) { return vn_tensor_fold(x, shape, mode, opts); }
inline array matricize(const array &x, vn_axes rows, vn_axes columns = VN_ALL) { return vn_matricize(x, rows, columns); }
inline array multi_mode_dot(const list &xs, const vn_multi_mode_dot_opts *opts = nullptr) { return vn_multi_mode_dot(xs.size(), xs.data(), opts); }
inline array general_inner_product(const array &x, const array &y, const vn_general_inner_product_opts *opts = NULL) { return vn_general_inner_product(x, y, opts); }
inline array tensorsolve(const array &a, const array &b) { return vn_tensorsolve(a, b); }
inline array addmm(const array &c, const array &a, const array &b, double alpha = 1, double beta = 1) { return vn_addmm(c, a, b, alpha, beta); }
inline array tri_inv(const array &x, const vn_tri_inv_opts *opts = NULL) { return vn_tri_inv(x, opts); }
inline array truncated_svd(const array &x, int64_t count, vn_array **s, vn_array **vh) { return vn_truncated_svd(x, count, s, vh); }
inline array nonnegative_svd(const array &u, const array &s, const array &vh, vn_array **h) { return vn_nonnegative_svd(u, s, vh, h); }
inline array nnls(const array &a, const array &b, const vn_nnls_opts *opts, vn_array **residual) { return vn_nnls(a, b, opts, residual); }

/* ---- Projections and assignment ---- */

inline array projection_simplex(const array &x, double total = 1) { return vn_projection_simplex(x, total); }
inline array projection_l1_sphere(const array &x, double length = 1) { return vn_projection_l1_sphere(x, length); }
inline array projection_l1_ball(const array &x, double length = 1) { return vn_projection_l1_ball(x, length); }
inline array projection_l2_sphere(const array &x, double length = 1) { return vn_projection_l2_sphere(x, length); }
inline array projection_l2_ball(const array &x, double length = 1) { return vn_projection_l2_ball(x, length); }
inline array projection_linf_ball(const array &x, double length = 1) { return vn_projection_linf_ball(x, length); }
inline array projection_box(const array &x, const array &lower, const array &upper) { return vn_projection_box(x, lower, upper); }
inline array projection_hypercube(const array &x, double size = 1) { return vn_projection_hypercube(x, size); }
inline array projection_hyperplane(const array &x, const array &a, double b = 0) { return vn_projection_hyperplane(x, a, b); }
inline array projection_halfspace(const array &x, const array &a, double b = 0) { return vn_projection_halfspace(x, a, b); }
inline array projection_vector(const array &x, const array &a) { return vn_projection_vector(x, a); }
inline array linear_sum_assignment(const array &costs, const vn_linear_sum_assignment_opts *opts, vn_array **columns) { return vn_linear_sum_assignment(costs, opts, columns); }

/* ---- Sparse matrices ---- */

inline array coo_indices(const array &x, int64_t count = -1) { return vn_coo_indices(x, count); }
inline array coo_values(const array &x, const array &indices) { return vn_coo_values(x, indices); }
inline array coo_to_dense(const array &indices, const array &values, vn_shape shape) { return vn_coo_to_dense(indices, values, shape); }
inline array coo_matmul(const array &indices, const array &values, const array &y, int64_t rows) { return vn_coo_matmul(indices, values, y, rows); }
inline array csr_pointers(const array &indices, int64_t rows) { return vn_csr_pointers(indices, rows); }
inline array csr_indices(const array &pointers, const array &columns) { return vn_csr_indices(pointers, columns); }
inline array csr_to_dense(const array &pointers, const array &columns, const array &values, int64_t width) { return vn_csr_to_dense(pointers, columns, values, width); }
inline array csr_matmul(const array &pointers, const array &columns, const array &values, const array &y) { return vn_csr_matmul(pointers, columns, values, y); }

/* ---- Features and noise ---- */

inline array lookup(const array &x, const array &vocabulary, const vn_lookup_opts *opts = NULL) { return vn_lookup(x, vocabulary, opts); }
inline array hash_bins(const array &x, int64_t bins, int64_t salt = 0) { return vn_hash_bins(x, bins, salt); }
inline array hashed_cross(const list &xs, int64_t bins, int64_t salt) { return vn_hashed_cross(xs.size(), xs.data(), bins, salt); }
inline array category_encoding(const array &index, const array &weights, int64_t size, vn_dtype dtype = VN_F32, const vn_category_encoding_opts *opts = NULL) { return vn_category_encoding(index, weights, size, dtype, opts); }
inline array rescale(const array &x, double scale, double offset = 0) { return vn_rescale(x, scale, offset); }
inline array masked_steps(const array &x, double value = 0) { return vn_masked_steps(x, value); }
inline array gaussian_noise(const array &x, const array &key = VN_NONE, double std = 0.1) { return vn_gaussian_noise(x, key, std); }
inline array gaussian_dropout(const array &x, const array &key = VN_NONE, double prob = 0.5) { return vn_gaussian_dropout(x, key, prob); }
inline array alpha_dropout(const array &x, const array &key = VN_NONE, double prob = 0.5) { return vn_alpha_dropout(x, key, prob); }
inline array rrelu(const array &x, const array &key = VN_NONE, double low = 0.125, double high = 0.3333333333333333) { return vn_rrelu(x, key, low, high); }

/* ---- Gradients and engines ---- */

inline array stop_gradient(const array &x) { return vn_stop_gradient(x); }
inline array variable(const array &x) { return vn_variable(x); }

} // namespace vn
#endif
