/* elf_note.h: what kind of program is this file, told from its bytes.
 *
 * A program linked with libtare carries a note (docs/protocol.md, last section). A Google Benchmark
 * program needs libbenchmark.so, or has the library's own help text among its constants. Reads both
 * word sizes and byte orders, believes no offset in the file, and takes time linear in the file at
 * worst. */
#ifndef TARE_CODEC_ELF_NOTE_H
#define TARE_CODEC_ELF_NOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum elf_kind {
    ELF_OTHER,            /* any other program, a script, garbage */
    ELF_TARE,             /* speaks Tare's protocol */
    ELF_GOOGLE_BENCHMARK, /* is driven by Google Benchmark's own flags */
};

struct elf_note {
    enum elf_kind kind;
    bool is_elf;               /* an ELF executable or position-independent one */
    uint32_t protocol_version; /* ELF_TARE: what the note says */
};

struct elf_note elf_note_read(const void *bytes, ptrdiff_t length);

/* Bytes that the file brings into memory, by what they are for. Debug information and bytes that
 * are only zero when it starts are none of them. */
struct elf_sizes {
    bool is_known; /* an ELF file whose section headers are there */
    uint64_t code_bytes;
    uint64_t constant_bytes;
    uint64_t data_bytes;
};

struct elf_sizes elf_sizes_read(const void *bytes, ptrdiff_t length);

#endif
