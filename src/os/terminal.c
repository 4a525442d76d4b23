#include "os/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* What a terminal that does not tell its width is taken for, and the limits of a believable answer.
 */
enum { COLUMNS_DEFAULT = 80, COLUMNS_MAX = 10000 };

bool terminal_is(int fd)
{
    return isatty(fd) == 1;
}

int terminal_columns(int fd)
{
    struct winsize size;
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_col <= COLUMNS_MAX) {
        return size.ws_col;
    }
    const char *text = getenv("COLUMNS");
    if (text == NULL) {
        return COLUMNS_DEFAULT;
    }
    char *end = NULL;
    long columns = strtol(text, &end, 10);
    bool is_number = end != text && *end == '\0';
    return is_number && columns > 0 && columns <= COLUMNS_MAX ? (int)columns : COLUMNS_DEFAULT;
}

bool terminal_has_color(int fd)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    bool is_refused = no_color != NULL && no_color[0] != '\0'; /* no-color.org: set and not empty */
    bool is_dumb = term == NULL || strcmp(term, "dumb") == 0;
    return terminal_is(fd) && !is_refused && !is_dumb;
}
