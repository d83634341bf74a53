/* SPDX-License-Identifier: Apache-2.0 */
/* stats.h: how long the nodes of a graph took. */
#ifndef TENSORFLOW_STATS_H
#define TENSORFLOW_STATS_H

#include <stddef.h>
#include <stdint.h>

/* Reads TensorFlow's RunMetadata into vn_launch.times, of n instructions: the nodes of instruction k are numbered from first[k] to first[k + 1] - 1. */
void stats_read(const void *metadata, size_t size, const int32_t *first, int32_t n, int64_t *times);

#endif
