/* SPDX-License-Identifier: Apache-2.0 */
/* exif.h: the orientation that a camera noted in a photograph. */
#ifndef VN_EXIF_H
#define VN_EXIF_H

#include <stddef.h>

/* The orientation in an APP1 segment, 1 to 8 as EXIF numbers them: 1 is upright. 0: the segment does not have one. */
int exif_orientation(const unsigned char *segment, size_t bytes);

/* How the stored picture becomes the upright one: rows and columns from their ends, then changed for one another. */
static inline int exif_flips_rows(int orientation)
{
    return orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
}
static inline int exif_flips_columns(int orientation)
{
    return orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
}
static inline int exif_transposes(int orientation)
{
    return orientation >= 5;
}

#endif
