/* judge_words.c: changes, limits and dates in the words a judgement uses. */
#include "detect/judge_parts.h"

#include "base/unit.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

void judge_say(struct arena *arena, struct judge_texts *texts, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = arena_vprintf(arena, format, arguments);
    va_end(arguments);
    texts->items = arena_grow(arena, texts->items, &texts->capacity, texts->count + 1,
                              (ptrdiff_t)sizeof *texts->items);
    texts->items[texts->count++] = text;
}

const char *judge_bound(struct arena *arena, double value, const char *unit)
{
    char *text = unit_format(arena, value, unit, 3);
    char *end = text + strspn(text, "+-0123456789.");
    if (memchr(text, '.', (size_t)(end - text)) == NULL) {
        return text;
    }
    char *last = end;
    while (last[-1] == '0') {
        last--;
    }
    last -= last[-1] == '.';
    memmove(last, end, strlen(end) + 1);
    return text;
}

const char *judge_amount(struct arena *arena, const struct model_comparison *comparison,
                         bool is_absolute, double amount)
{
    if (is_absolute) {
        return judge_bound(arena, amount, comparison->unit);
    }
    double percent = amount * 100;
    return isinf(amount)     ? "from nothing"
           : percent >= 1000 ? arena_printf(arena, "%.0f %%", percent)
                             : arena_printf(arena, "%s %%", judge_bound(arena, percent, ""));
}

const char *judge_subject(struct arena *arena, const char *label, const char *metric)
{
    return arena_printf(arena, "%s %s", label, metric);
}

const char *judge_date(struct arena *arena, int32_t date)
{
    return arena_printf(arena, "%04d-%02d-%02d", date / 10000, date / 100 % 100, date % 100);
}

const char *judge_count(struct arena *arena, ptrdiff_t count, const char *singular)
{
    return arena_printf(arena, "%td %s%s", count, singular, count == 1 ? "" : "s");
}
