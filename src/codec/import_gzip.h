/* import_gzip.h: a source that unpacks another one, packed with gzip, as it is read. */
#ifndef TARE_CODEC_IMPORT_GZIP_H
#define TARE_CODEC_IMPORT_GZIP_H

#include "codec/import_source.h"

/* Does the source begin like a file of gzip? It is rewound. */
tare_status import_gzip_is(struct import_source *source, bool *is_packed, struct tare_error *error);
/* Unpacked bytes of `packed`, which must outlive it. NULL: no memory. import_gzip_free ends it. */
struct import_gzip;
struct import_gzip *import_gzip_new(struct import_source *packed);
struct import_source *import_gzip_source(struct import_gzip *gzip);
void import_gzip_free(struct import_gzip *gzip);

#endif
