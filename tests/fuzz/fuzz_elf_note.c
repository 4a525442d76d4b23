/* fuzz_elf_note.c: any bytes as a program. Only an ELF file is anything but "other". */
#include "base/assert.h"
#include "codec/elf_note.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct elf_note note = elf_note_read(data, (ptrdiff_t)size);
    TARE_ASSERT(note.is_elf || note.kind == ELF_OTHER);
    TARE_ASSERT(note.kind == ELF_TARE || note.protocol_version == 0);
    struct elf_sizes sizes = elf_sizes_read(data, (ptrdiff_t)size);
    TARE_ASSERT(note.is_elf || !sizes.is_known);
    TARE_ASSERT(sizes.is_known || sizes.code_bytes + sizes.constant_bytes + sizes.data_bytes == 0);
    return 0;
}
