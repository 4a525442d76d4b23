/* import_formats.h: one line per reader, for the table in import.c. */
#ifndef TARE_CODEC_IMPORT_FORMATS_H
#define TARE_CODEC_IMPORT_FORMATS_H

#include "codec/import.h"

extern const struct import_format import_gbench;    /* Google Benchmark's JSON */
extern const struct import_format import_hyperfine; /* hyperfine --export-json */

#endif
