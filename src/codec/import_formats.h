/* import_formats.h: one line per reader, for the table in import.c. */
#ifndef TARE_CODEC_IMPORT_FORMATS_H
#define TARE_CODEC_IMPORT_FORMATS_H

#include "codec/import.h"

extern const struct import_format import_gbench;          /* Google Benchmark's JSON */
extern const struct import_format import_hyperfine;       /* hyperfine --export-json */
extern const struct import_format import_go;              /* Go's benchmark text */
extern const struct import_format import_criterion;       /* Criterion's folders */
extern const struct import_format import_cargo_criterion; /* cargo-criterion's lines of JSON */
extern const struct import_format import_pytest;          /* pytest-benchmark's JSON */
extern const struct import_format import_pyperf;          /* pyperf's JSON */
extern const struct import_format import_libtest;         /* `test NAME ... bench:` */
extern const struct import_format import_jmh;             /* JMH's JSON */
extern const struct import_format import_catch2;          /* Catch2's XML */
extern const struct import_format import_csv;             /* CSV of several tools, and our own */
extern const struct import_format import_bmf;             /* Bencher's metric format */
extern const struct import_format import_custom;          /* github-action-benchmark: custom */
extern const struct import_format import_history;         /* github-action-benchmark: data.js */
extern const struct import_format import_nanobench;       /* nanobench's JSON */
extern const struct import_format import_vitest;          /* vitest bench, tinybench */
extern const struct import_format import_mitata;          /* mitata's JSON */
extern const struct import_format import_dotnet;          /* BenchmarkDotNet's full JSON */
extern const struct import_format import_codspeed;        /* CodSpeed's walltime results */

#endif
