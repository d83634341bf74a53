/* SPDX-License-Identifier: Apache-2.0 */
/* exif.c: finds the orientation in EXIF data: a TIFF file in a segment of the JPEG file, whose first directory may have an entry for it.
 * Nothing in it is trusted: what does not fit is no orientation. */
#include "exif.h"
#include <stdint.h>
#include <string.h>

typedef struct {
    const unsigned char *data;
    size_t size;
    int big; /* endian */
} tiff;

/* A number of 2 or 4 bytes; 0 if it is not inside. */
static uint32_t number_at(const tiff *t, size_t at, size_t bytes)
{
    uint32_t x = 0;
    if (at > t->size || bytes > t->size - at) return 0;
    for (size_t i = 0; i < bytes; i++) x = x << 8 | t->data[at + (t->big ? i : bytes - 1 - i)];
    return x;
}

int exif_orientation(const unsigned char *segment, size_t bytes)
{
    static const char head[6] = "Exif\0";
    enum { ENTRY = 12, TAG = 0x112, SHORT = 3 };
    if (bytes < sizeof head + 8 || memcmp(segment, head, sizeof head) != 0) return 0;
    tiff t = {segment + sizeof head, bytes - sizeof head, segment[sizeof head] == 'M'};
    if (memcmp(t.data, t.big ? "MM\0*" : "II*\0", 4) != 0) return 0;
    const size_t directory = number_at(&t, 4, 4), n = number_at(&t, directory, 2);
    for (size_t i = 0; i < n; i++) {
        const size_t at = directory + 2 + i * ENTRY; /* no overflow: both are below 2^32 */
        if (at > t.size || ENTRY > t.size - at) return 0;
        if (number_at(&t, at, 2) != TAG) continue;
        const uint32_t value = number_at(&t, at + 8, 2);
        return number_at(&t, at + 2, 2) == SHORT && number_at(&t, at + 4, 4) == 1 && value >= 1 && value <= 8 ? (int)value : 0;
    }
    return 0;
}
