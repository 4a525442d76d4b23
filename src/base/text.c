#include "base/text.h"

#include "base/assert.h"
#include "base/buffer.h"

#include <stdint.h>
#include <string.h>

/* Decodes one character; returns its length in bytes, or 0 when the bytes are not UTF-8. */
static int utf8_decode(const unsigned char *bytes, ptrdiff_t left, uint32_t *character)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (left <= 0) {
        return 0;
    }
    if (bytes[0] < 0x80) {
        *character = bytes[0];
        return 1;
    }
    int length = bytes[0] >= 0xF0 && bytes[0] < 0xF5   ? 4
                 : bytes[0] >= 0xE0 && bytes[0] < 0xF0 ? 3
                 : bytes[0] >= 0xC2 && bytes[0] < 0xE0 ? 2
                                                       : 0;
    if (length == 0 || length > left) {
        return 0;
    }
    uint32_t value = bytes[0] & (0xFFu >> (length + 1));
    for (int i = 1; i < length; i++) {
        if ((bytes[i] & 0xC0) != 0x80) {
            return 0;
        }
        value = value << 6 | (bytes[i] & 0x3Fu);
    }
    if (value < smallest[length] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) {
        return 0;
    }
    *character = value;
    return length;
}

struct character_range {
    uint32_t first;
    uint32_t last;
};

/* Bidirectional overrides and zero-width characters can make a name look like another one. */
static bool is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x200B || (c >= 0x200E && c <= 0x200F) ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF;
}

static int character_columns(uint32_t c)
{
    static const struct character_range combining[] = {{0x300, 0x36F},   {0x1AB0, 0x1AFF},
                                                       {0x1DC0, 0x1DFF}, {0x20D0, 0x20FF},
                                                       {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};
    static const struct character_range wide[] = {
        {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},   {0xAC00, 0xD7A3},
        {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
        {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
    for (size_t i = 0; i < sizeof combining / sizeof *combining; i++) {
        if (c >= combining[i].first && c <= combining[i].last) {
            return 0;
        }
    }
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        if (c >= wide[i].first && c <= wide[i].last) {
            return 2;
        }
    }
    return 1;
}

static void append_escaped(struct buffer *out, const unsigned char *bytes, int length)
{
    static const char *const names[] = {['\n'] = "\\n", ['\r'] = "\\r", ['\t'] = "\\t"};
    if (length == 1 && bytes[0] < sizeof names / sizeof *names && names[bytes[0]] != NULL) {
        buffer_text(out, names[bytes[0]]);
        return;
    }
    for (int i = 0; i < length; i++) {
        buffer_printf(out, "\\x%02x", bytes[i]);
    }
}

char *text_printable(struct arena *arena, const char *text, ptrdiff_t columns_max)
{
    const unsigned char *bytes = (const unsigned char *)text;
    ptrdiff_t left = (ptrdiff_t)strlen(text);
    struct buffer out = buffer_new(arena, BUFFER_LENGTH_MAX);
    ptrdiff_t columns = 0;
    ptrdiff_t cut_at = 0; /* length of the output that leaves room for the ellipsis */
    while (left > 0) {
        uint32_t character = 0;
        int length = utf8_decode(bytes, left, &character);
        ptrdiff_t before = out.length;
        if (length == 0 || is_control(character)) {
            length = length == 0 ? 1 : length;
            append_escaped(&out, bytes, length);
            columns += out.length - before;
        } else {
            buffer_append(&out, bytes, length);
            columns += character_columns(character);
        }
        if (columns_max > 0 && columns <= columns_max - 1) {
            cut_at = out.length;
        }
        if (columns_max > 0 && columns > columns_max) {
            out.length = cut_at;
            buffer_text(&out, "…");
            break;
        }
        bytes += length;
        left -= length;
    }
    return arena_strdup(arena, buffer_string(&out));
}

bool text_is_utf8(const char *text, ptrdiff_t length)
{
    const unsigned char *bytes = (const unsigned char *)text;
    while (length > 0) {
        uint32_t character = 0;
        int step = utf8_decode(bytes, length, &character);
        if (step == 0) {
            return false;
        }
        bytes += step;
        length -= step;
    }
    return true;
}

ptrdiff_t text_columns(const char *text)
{
    const unsigned char *bytes = (const unsigned char *)text;
    ptrdiff_t left = (ptrdiff_t)strlen(text);
    ptrdiff_t columns = 0;
    while (left > 0) {
        uint32_t character = 0;
        int step = utf8_decode(bytes, left, &character);
        columns += step == 0 ? 1 : character_columns(character);
        step = step == 0 ? 1 : step;
        bytes += step;
        left -= step;
    }
    return columns;
}

/* Bytes of the character that starts here; a byte that is no UTF-8 stands for itself. */
static ptrdiff_t character_bytes(const char *text, const char *end)
{
    uint32_t character = 0;
    ptrdiff_t left = end - text < 4 ? end - text : 4;
    int length = utf8_decode((const unsigned char *)text, left, &character);
    return length > 0 ? length : 1;
}

/* Only the last star is ever gone back to, so the cost is at most pattern × text. */
bool text_glob_part(const char *pattern, const char *text, ptrdiff_t length)
{
    const char *end = text + length;
    const char *star = NULL;
    const char *star_text = NULL;
    while (text < end) {
        if (*pattern == '*') {
            star = pattern++;
            star_text = text;
        } else if (*pattern == '?') {
            pattern++;
            text += character_bytes(text, end);
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star != NULL) {
            pattern = star + 1;
            star_text += character_bytes(star_text, end);
            text = star_text;
        } else {
            return false;
        }
    }
    while (*pattern == '*') {
        pattern++;
    }
    return *pattern == '\0';
}

bool text_glob(const char *pattern, const char *text)
{
    return text_glob_part(pattern, text, (ptrdiff_t)strlen(text));
}

/* Words longer than this are never a typing error of a known name. */
enum { NEAREST_WORD_MAX = 40 };

static int edit_distance(const char *a, const char *b)
{
    int row[NEAREST_WORD_MAX + 1];
    int length_b = (int)strlen(b);
    for (int j = 0; j <= length_b; j++) {
        row[j] = j;
    }
    for (int i = 1; a[i - 1] != '\0'; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= length_b; j++) {
            int replace = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            int least = row[j] + 1 < row[j - 1] + 1 ? row[j] + 1 : row[j - 1] + 1;
            row[j] = replace < least ? replace : least;
        }
    }
    return row[length_b];
}

const char *text_nearest(const char *word, const char *const *candidates)
{
    if (strlen(word) > NEAREST_WORD_MAX) {
        return NULL;
    }
    const char *best = NULL;
    int best_distance = (int)(strlen(word) / 3) + 1;
    for (; *candidates != NULL; candidates++) {
        if (strlen(*candidates) > NEAREST_WORD_MAX) {
            continue;
        }
        int distance = edit_distance(word, *candidates);
        /* A word of which every letter had to change is no typing error. */
        if (distance >= (int)strlen(word)) {
            continue;
        }
        if (distance <= best_distance && (best == NULL || distance < best_distance)) {
            best = *candidates;
            best_distance = distance;
        }
    }
    return best;
}

bool text_starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}
