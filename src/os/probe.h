/* probe.h: the system calls behind the noise measurement: cheap calls, naps, fresh memory. */
#ifndef TARE_OS_PROBE_H
#define TARE_OS_PROBE_H

#include <stddef.h>
#include <stdint.h>

/* Enters and leaves the kernel so many times, by a call that does next to nothing there. */
void probe_system_calls(int64_t count);

/* Sleeps for about nap_ns and returns how much later than asked it was awake again. */
int64_t probe_wake_up_late_ns(int64_t nap_ns);

/* Memory straight from the kernel, so that each call gets other physical pages; NULL when there is
 * none. */
void *probe_pages_new(size_t size_bytes);
void probe_pages_free(void *pages, size_t size_bytes);

/* Free bytes on the file system that holds `path`, −1 when that cannot be told. */
int64_t probe_disk_free_bytes(const char *path);

#endif
