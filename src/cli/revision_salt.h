/* revision_salt.h: links with a salted layout.
 *
 * Where code lands in its cache lines and pages can change a benchmark by several per cent although
 * no instruction differs. To average that luck out, a revision is built several times, each time
 * with other padding in front of its code and data (the idea is Curtsinger and Berger's,
 * "Stabilizer", 2013, and Mytkowicz et al., "Producing wrong data without doing anything obviously
 * wrong", 2009, who varied the link order; here the build stays a plain one).
 *
 * How: the build finds wrappers of the compilers first in its PATH. A call that links gets one more
 * object in front, whose sections hold a pseudo-random number of bytes, multiples of 16 below
 * 4 KiB: pages are placed by the kernel, so the place within a page is all that a link decides.
 * Every other call passes through. The padding follows from the layout's number alone.
 *
 * Limits: objects keep their order, and functions their distances within one section; a compiler
 * called by an absolute path in the build itself, a linker called directly, and linkers inside
 * other compilers (Go) are not salted: the program then lacks the mark and is refused. */
#ifndef TARE_CLI_REVISION_SALT_H
#define TARE_CLI_REVISION_SALT_H

#include "base/arena.h"
#include "base/error.h"
#include "os/environment.h"

#include <stdbool.h>

enum { SALT_LAYOUT_MAX = 999 };

struct salt_links {
    int salted;
    int unsalted; /* a linker called past the wrappers, or padding that would not assemble */
};

/* Writes wrappers and padding for a layout (≥ 1) into a folder, and points PATH, CC and CXX of the
 * build's environment at them. */
tare_status salt_prepare(struct arena *arena, const char *folder, int layout,
                         struct environment *environment, struct tare_error *error);

/* What the wrappers did. */
struct salt_links salt_count(struct arena *arena, const char *folder);

/* True when the program carries the mark of that layout. */
bool salt_is_in(const char *program, int layout);

#endif
