/* elf_note.c: a small ELF reader. Layout after the System V ABI, chapters 4 and 5 (ELF header,
 * program header, notes, dynamic section); every read is checked against the file's length. */
#include "codec/elf_note.h"

#include "base/assert.h"

#include <elf.h>
#include <string.h>

enum {
    ELF_HEADERS_MAX = 512, /* program or section headers looked at; real files have under 100 */
    ELF_NOTES_MAX = 256,   /* notes in one segment; real files have under 10 */
    ELF_DYNAMIC_MAX = 65536,
    NOTE_TYPE_TARE = 1,
};

static const char NOTE_NAME[] = "Tare";

struct elf {
    const unsigned char *bytes;
    uint64_t length;
    bool is_64;
    bool is_big_endian;
    uint64_t program_offset;
    uint64_t program_size;
    uint64_t program_count;
    uint64_t section_offset;
    uint64_t section_size;
    uint64_t section_count;
};

/* A stretch of the file, from a program or section header. */
struct elf_part {
    uint32_t type;
    uint32_t flags;
    uint64_t offset;
    uint64_t address;
    uint64_t size; /* cut to what the file holds */
    uint64_t alignment;
};

static bool elf_open(const void *bytes, ptrdiff_t length, struct elf *elf);
static bool elf_find_tare(const struct elf *elf, uint32_t *version);
static bool elf_needs_benchmark_library(const struct elf *elf);
static bool elf_has_benchmark_help(const struct elf *elf);

struct elf_note elf_note_read(const void *bytes, ptrdiff_t length)
{
    TARE_ASSERT(length >= 0);
    struct elf_note note = {.kind = ELF_OTHER};
    struct elf elf;
    if (!elf_open(bytes, length, &elf)) {
        return note;
    }
    note.is_elf = true;
    if (elf_find_tare(&elf, &note.protocol_version)) {
        note.kind = ELF_TARE;
    } else if (elf_needs_benchmark_library(&elf) || elf_has_benchmark_help(&elf)) {
        note.kind = ELF_GOOGLE_BENCHMARK;
    }
    return note;
}

static bool elf_section(const struct elf *elf, uint64_t i, struct elf_part *part);

struct elf_sizes elf_sizes_read(const void *bytes, ptrdiff_t length)
{
    TARE_ASSERT(length >= 0);
    struct elf_sizes sizes = {0};
    struct elf elf;
    /* Part of the sections would give a sum that looks like one. */
    if (!elf_open(bytes, length, &elf) || elf.section_count > ELF_HEADERS_MAX) {
        return sizes;
    }
    uint64_t read = 0;
    struct elf_part part;
    for (; elf_section(&elf, read, &part); read++) {
        if ((part.flags & SHF_ALLOC) == 0 || part.type == SHT_NOBITS || part.type == SHT_NULL) {
            continue;
        }
        uint64_t *sum = (part.flags & SHF_EXECINSTR) != 0 ? &sizes.code_bytes
                        : (part.flags & SHF_WRITE) != 0   ? &sizes.data_bytes
                                                          : &sizes.constant_bytes;
        *sum += part.size;
    }
    sizes.is_known = read > 0 && read == elf.section_count;
    return sizes.is_known ? sizes : (struct elf_sizes){0};
}

/* Numbers of `size` bytes in the file's byte order; 0 outside the file, which no caller believes.
 */
static uint64_t elf_number(const struct elf *elf, uint64_t offset, unsigned size)
{
    if (offset > elf->length || size > elf->length - offset) {
        return 0;
    }
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++) {
        unsigned place = elf->is_big_endian ? i : size - 1 - i;
        value = value << 8 | elf->bytes[offset + place];
    }
    return value;
}

static bool elf_open(const void *bytes, ptrdiff_t length, struct elf *elf)
{
    *elf = (struct elf){.bytes = bytes, .length = (uint64_t)length};
    if (length < (ptrdiff_t)sizeof(Elf32_Ehdr) || memcmp(bytes, ELFMAG, SELFMAG) != 0) {
        return false;
    }
    unsigned class = elf->bytes[EI_CLASS];
    unsigned order = elf->bytes[EI_DATA];
    if ((class != ELFCLASS32 && class != ELFCLASS64) ||
        (order != ELFDATA2LSB && order != ELFDATA2MSB)) {
        return false;
    }
    elf->is_64 = class == ELFCLASS64;
    elf->is_big_endian = order == ELFDATA2MSB;
    uint64_t type = elf_number(elf, offsetof(Elf64_Ehdr, e_type), 2);
    if (type != ET_EXEC && type != ET_DYN) {
        return false;
    }
#define ELF_FIELD(field)                                                                           \
    (elf->is_64 ? elf_number(elf, offsetof(Elf64_Ehdr, field), sizeof(((Elf64_Ehdr *)0)->field))   \
                : elf_number(elf, offsetof(Elf32_Ehdr, field), sizeof(((Elf32_Ehdr *)0)->field)))
    elf->program_offset = ELF_FIELD(e_phoff);
    elf->program_size = ELF_FIELD(e_phentsize);
    elf->program_count = ELF_FIELD(e_phnum);
    elf->section_offset = ELF_FIELD(e_shoff);
    elf->section_size = ELF_FIELD(e_shentsize);
    elf->section_count = ELF_FIELD(e_shnum);
#undef ELF_FIELD
    return true;
}

static struct elf_part elf_part_cut(const struct elf *elf, struct elf_part part)
{
    part.offset = part.offset < elf->length ? part.offset : elf->length;
    uint64_t rest = elf->length - part.offset;
    part.size = part.size < rest ? part.size : rest;
    return part;
}

/* The i-th program header; false beyond the last. */
static bool elf_segment(const struct elf *elf, uint64_t i, struct elf_part *part)
{
    uint64_t size_min = elf->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
    if (i >= elf->program_count || i >= ELF_HEADERS_MAX || elf->program_size < size_min ||
        elf->program_offset > elf->length) {
        return false;
    }
    uint64_t at = elf->program_offset + i * elf->program_size;
#define ELF_FIELD(field)                                                                           \
    (elf->is_64                                                                                    \
         ? elf_number(elf, at + offsetof(Elf64_Phdr, field), sizeof(((Elf64_Phdr *)0)->field))     \
         : elf_number(elf, at + offsetof(Elf32_Phdr, field), sizeof(((Elf32_Phdr *)0)->field)))
    *part = elf_part_cut(elf, (struct elf_part){.type = (uint32_t)ELF_FIELD(p_type),
                                                .flags = (uint32_t)ELF_FIELD(p_flags),
                                                .offset = ELF_FIELD(p_offset),
                                                .address = ELF_FIELD(p_vaddr),
                                                .size = ELF_FIELD(p_filesz),
                                                .alignment = ELF_FIELD(p_align)});
#undef ELF_FIELD
    return true;
}

/* The i-th section header; false beyond the last. */
static bool elf_section(const struct elf *elf, uint64_t i, struct elf_part *part)
{
    uint64_t size_min = elf->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
    if (i >= elf->section_count || i >= ELF_HEADERS_MAX || elf->section_size < size_min ||
        elf->section_offset > elf->length) {
        return false;
    }
    uint64_t at = elf->section_offset + i * elf->section_size;
#define ELF_FIELD(field)                                                                           \
    (elf->is_64                                                                                    \
         ? elf_number(elf, at + offsetof(Elf64_Shdr, field), sizeof(((Elf64_Shdr *)0)->field))     \
         : elf_number(elf, at + offsetof(Elf32_Shdr, field), sizeof(((Elf32_Shdr *)0)->field)))
    *part = elf_part_cut(elf, (struct elf_part){.type = (uint32_t)ELF_FIELD(sh_type),
                                                .flags = (uint32_t)ELF_FIELD(sh_flags),
                                                .offset = ELF_FIELD(sh_offset),
                                                .address = ELF_FIELD(sh_addr),
                                                .size = ELF_FIELD(sh_size),
                                                .alignment = ELF_FIELD(sh_addralign)});
#undef ELF_FIELD
    return true;
}

static uint64_t elf_align(uint64_t value, uint64_t alignment)
{
    return (value + alignment - 1) / alignment * alignment;
}

/* Walks the notes of one segment or section: name size, descriptor size, type, name, descriptor. */
static bool elf_notes_have_tare(const struct elf *elf, const struct elf_part *part,
                                uint32_t *version)
{
    uint64_t alignment = part->alignment == 8 ? 8 : 4;
    uint64_t end = part->offset + part->size;
    uint64_t at = part->offset;
    for (int i = 0; i < ELF_NOTES_MAX && at < end && end - at >= sizeof(Elf64_Nhdr); i++) {
        uint64_t name_size = elf_number(elf, at, 4);
        uint64_t descriptor_size = elf_number(elf, at + 4, 4);
        uint64_t type = elf_number(elf, at + 8, 4);
        uint64_t name_at = at + sizeof(Elf64_Nhdr);
        uint64_t descriptor_at = name_at + elf_align(name_size, alignment);
        at = descriptor_at + elf_align(descriptor_size, alignment);
        if (descriptor_at > end || descriptor_size > end - descriptor_at) {
            return false;
        }
        if (type == NOTE_TYPE_TARE && name_size == sizeof NOTE_NAME && descriptor_size == 4 &&
            memcmp(elf->bytes + name_at, NOTE_NAME, sizeof NOTE_NAME) == 0) {
            *version = (uint32_t)elf_number(elf, descriptor_at, 4);
            return true;
        }
    }
    return false;
}

static bool elf_find_tare(const struct elf *elf, uint32_t *version)
{
    struct elf_part part;
    for (uint64_t i = 0; elf_segment(elf, i, &part); i++) {
        if (part.type == PT_NOTE && elf_notes_have_tare(elf, &part, version)) {
            return true;
        }
    }
    for (uint64_t i = 0; elf_section(elf, i, &part); i++) {
        if (part.type == SHT_NOTE && elf_notes_have_tare(elf, &part, version)) {
            return true;
        }
    }
    return false;
}

/* Where in the file the byte at a virtual address lies; the file's length when nowhere. */
static uint64_t elf_offset_of_address(const struct elf *elf, uint64_t address)
{
    struct elf_part part;
    for (uint64_t i = 0; elf_segment(elf, i, &part); i++) {
        if (part.type == PT_LOAD && address >= part.address && address - part.address < part.size) {
            return part.offset + (address - part.address);
        }
    }
    return elf->length;
}

static bool elf_text_starts_with(const struct elf *elf, uint64_t offset, const char *prefix)
{
    size_t length = strlen(prefix);
    return offset <= elf->length && length <= elf->length - offset &&
           memcmp(elf->bytes + offset, prefix, length) == 0;
}

static bool elf_needs_benchmark_library(const struct elf *elf)
{
    struct elf_part dynamic = {0};
    struct elf_part part;
    for (uint64_t i = 0; elf_segment(elf, i, &part); i++) {
        if (part.type == PT_DYNAMIC) {
            dynamic = part;
        }
    }
    unsigned word = elf->is_64 ? 8 : 4;
    uint64_t count = dynamic.size / (2 * word);
    count = count < ELF_DYNAMIC_MAX ? count : ELF_DYNAMIC_MAX;
    uint64_t names_address = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t at = dynamic.offset + i * 2 * word;
        if (elf_number(elf, at, word) == DT_STRTAB) {
            names_address = elf_number(elf, at + word, word);
        }
    }
    uint64_t names = elf_offset_of_address(elf, names_address);
    for (uint64_t i = 0; i < count && names < elf->length; i++) {
        uint64_t at = dynamic.offset + i * 2 * word;
        uint64_t name = elf_number(elf, at + word, word);
        if (elf_number(elf, at, word) == DT_NEEDED && name < elf->length - names &&
            elf_text_starts_with(elf, names + name, "libbenchmark.so")) {
            return true;
        }
    }
    return false;
}

/* Linked statically the library leaves its help text. The words are put together here, so that a
 * tool that reads this file's constants does not take us for such a program. */
static bool elf_has_benchmark_help(const struct elf *elf)
{
    char words[64];
    strcpy(words, "[--benchmark_");
    strcat(words, "list_tests={true|false}]");
    uint64_t budget = elf->length; /* segments of a broken file may overlap without end */
    struct elf_part part;
    for (uint64_t i = 0; elf_segment(elf, i, &part); i++) {
        if (part.type != PT_LOAD || (part.flags & PF_W) != 0 || part.size > budget) {
            continue;
        }
        budget -= part.size;
        if (memmem(elf->bytes + part.offset, part.size, words, strlen(words)) != NULL) {
            return true;
        }
    }
    return false;
}
