/* test_elf_note.c: programs are told apart by their bytes, in both word sizes and byte orders, and
 * no garbage is believed. Files are made in memory: a header, program headers, and what they point
 * at. */
#include "codec/elf_note.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { FILE_BYTES = 1024, NOTE_AT = 256, DYNAMIC_AT = 320, NAMES_AT = 448, TEXT_AT = 600 };

struct image {
    unsigned char bytes[FILE_BYTES];
    bool is_64;
    bool is_big_endian;
    int segment_count;
};

static void put(struct image *image, size_t at, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++) {
        unsigned shift = 8 * (image->is_big_endian ? size - 1 - i : i);
        image->bytes[at + i] = (unsigned char)(value >> shift);
    }
}

static struct image image_new(bool is_64, bool is_big_endian)
{
    struct image image = {.is_64 = is_64, .is_big_endian = is_big_endian};
    memcpy(image.bytes, ELFMAG, SELFMAG);
    image.bytes[EI_CLASS] = is_64 ? ELFCLASS64 : ELFCLASS32;
    image.bytes[EI_DATA] = is_big_endian ? ELFDATA2MSB : ELFDATA2LSB;
    put(&image, offsetof(Elf64_Ehdr, e_type), ET_DYN, 2);
    if (is_64) {
        put(&image, offsetof(Elf64_Ehdr, e_phoff), sizeof(Elf64_Ehdr), 8);
        put(&image, offsetof(Elf64_Ehdr, e_phentsize), sizeof(Elf64_Phdr), 2);
    } else {
        put(&image, offsetof(Elf32_Ehdr, e_phoff), sizeof(Elf32_Ehdr), 4);
        put(&image, offsetof(Elf32_Ehdr, e_phentsize), sizeof(Elf32_Phdr), 2);
    }
    return image;
}

/* Its virtual address is its place in the file plus 0x10000. */
static void image_add_segment(struct image *image, uint32_t type, uint32_t flags, uint64_t at,
                              uint64_t size)
{
    int i = image->segment_count++;
    if (image->is_64) {
        size_t base = sizeof(Elf64_Ehdr) + (size_t)i * sizeof(Elf64_Phdr);
        put(image, base + offsetof(Elf64_Phdr, p_type), type, 4);
        put(image, base + offsetof(Elf64_Phdr, p_flags), flags, 4);
        put(image, base + offsetof(Elf64_Phdr, p_offset), at, 8);
        put(image, base + offsetof(Elf64_Phdr, p_vaddr), at + 0x10000, 8);
        put(image, base + offsetof(Elf64_Phdr, p_filesz), size, 8);
        put(image, base + offsetof(Elf64_Phdr, p_align), 4, 8);
        put(image, offsetof(Elf64_Ehdr, e_phnum), (uint64_t)image->segment_count, 2);
    } else {
        size_t base = sizeof(Elf32_Ehdr) + (size_t)i * sizeof(Elf32_Phdr);
        put(image, base + offsetof(Elf32_Phdr, p_type), type, 4);
        put(image, base + offsetof(Elf32_Phdr, p_flags), flags, 4);
        put(image, base + offsetof(Elf32_Phdr, p_offset), at, 4);
        put(image, base + offsetof(Elf32_Phdr, p_vaddr), at + 0x10000, 4);
        put(image, base + offsetof(Elf32_Phdr, p_filesz), size, 4);
        put(image, base + offsetof(Elf32_Phdr, p_align), 4, 4);
        put(image, offsetof(Elf32_Ehdr, e_phnum), (uint64_t)image->segment_count, 2);
    }
}

/* A GNU note, which must be stepped over, then one of the given name, type and descriptor size. */
static void image_add_note(struct image *image, const char *name, uint32_t type, uint32_t size)
{
    put(image, NOTE_AT, 4, 4);
    put(image, NOTE_AT + 4, 3, 4);
    put(image, NOTE_AT + 8, 1, 4);
    memcpy(image->bytes + NOTE_AT + 12, "GNU", 4);
    size_t at = NOTE_AT + 20;
    put(image, at, strlen(name) + 1, 4);
    put(image, at + 4, size, 4);
    put(image, at + 8, type, 4);
    memcpy(image->bytes + at + 12, name, strlen(name) + 1);
    put(image, at + 20, 1, 4);
    image_add_segment(image, PT_NOTE, PF_R, NOTE_AT, 44);
}

static enum elf_kind kind_of(const struct image *image)
{
    return elf_note_read(image->bytes, FILE_BYTES).kind;
}

/* Goal: the note is found behind another in all four layouts, and only the right one counts. */
static void tare_note(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct image image = image_new(i % 2 == 0, i / 2 == 0);
        assert_true(elf_note_read(image.bytes, FILE_BYTES).is_elf);
        assert_int_equal(kind_of(&image), ELF_OTHER);
        struct image right = image;
        image_add_note(&right, "Tare", 1, 4);
        assert_int_equal(kind_of(&right), ELF_TARE);
        assert_int_equal(elf_note_read(right.bytes, FILE_BYTES).protocol_version, 1);
        struct image other_name = image;
        image_add_note(&other_name, "Gnat", 1, 4);
        assert_int_equal(kind_of(&other_name), ELF_OTHER);
        struct image other_type = image;
        image_add_note(&other_type, "Tare", 2, 4);
        assert_int_equal(kind_of(&other_type), ELF_OTHER);
        struct image other_size = image;
        image_add_note(&other_size, "Tare", 1, 400);
        assert_int_equal(kind_of(&other_size), ELF_OTHER);
        struct image object = right;
        put(&object, offsetof(Elf64_Ehdr, e_type), ET_REL, 2);
        assert_false(elf_note_read(object.bytes, FILE_BYTES).is_elf);
    }
}

/* Goal: Google Benchmark is recognised by its library and by its help text. */
static void google_benchmark(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct image image = image_new(i % 2 == 0, i / 2 == 0);
        unsigned word = image.is_64 ? 8 : 4;
        image_add_segment(&image, PT_LOAD, PF_R, 0, FILE_BYTES);
        struct image dynamic = image;
        put(&dynamic, DYNAMIC_AT, DT_NEEDED, word);
        put(&dynamic, DYNAMIC_AT + word, 5, word);
        put(&dynamic, DYNAMIC_AT + 2 * word, DT_STRTAB, word);
        put(&dynamic, DYNAMIC_AT + 3 * word, NAMES_AT + 0x10000, word);
        memcpy(dynamic.bytes + NAMES_AT + 5, "libbenchmark.so.1", 18);
        image_add_segment(&dynamic, PT_DYNAMIC, PF_R | PF_W, DYNAMIC_AT, 4 * word);
        assert_int_equal(kind_of(&dynamic), ELF_GOOGLE_BENCHMARK);
        memcpy(dynamic.bytes + NAMES_AT + 5, "libbenchmork.so.1", 18);
        assert_int_equal(kind_of(&dynamic), ELF_OTHER);
        struct image fixed = image;
        memcpy(fixed.bytes + TEXT_AT, "x [--benchmark_list_tests={true|false}] y", 41);
        assert_int_equal(kind_of(&fixed), ELF_GOOGLE_BENCHMARK);
        image_add_note(&fixed, "Tare", 1, 4);
        assert_int_equal(kind_of(&fixed), ELF_TARE);
    }
}

/* Goal: nothing outside the bytes is read, nothing broken believed. Method: every length of a right
 * file, each of its first bytes replaced by 0xFF (the address sanitizer watches). */
static void broken_files(void **state)
{
    (void)state;
    assert_false(elf_note_read("", 0).is_elf);
    assert_false(elf_note_read("#!/bin/sh\n", 10).is_elf);
    for (int i = 0; i < 4; i++) {
        struct image image = image_new(i % 2 == 0, i / 2 == 0);
        image_add_note(&image, "Tare", 1, 4);
        for (ptrdiff_t length = 0; length < NOTE_AT + 20; length++) {
            assert_int_not_equal(elf_note_read(image.bytes, length).kind, ELF_TARE);
        }
        for (size_t at = 0; at < NOTE_AT + 44; at++) {
            struct image broken = image;
            broken.bytes[at] = 0xFF;
            (void)elf_note_read(broken.bytes, FILE_BYTES);
            memset(broken.bytes + at, 0xFF, 8);
            (void)elf_note_read(broken.bytes, FILE_BYTES);
        }
        put(&image, 4, 9, 1);
        assert_false(elf_note_read(image.bytes, FILE_BYTES).is_elf);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tare_note),
        cmocka_unit_test(google_benchmark),
        cmocka_unit_test(broken_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
