/* machine_virtual.h: is this a virtual machine or a container, and of which kind. */
#ifndef TARE_OS_MACHINE_VIRTUAL_H
#define TARE_OS_MACHINE_VIRTUAL_H

#include "os/machine.h"

/* "kvm", "xen", "vmware", …, "unknown kind" when only the CPU's flag tells; "" on metal. */
const char *machine_hypervisor(struct arena *arena, struct machine_source source, bool is_flag_set);
/* "docker", "podman", "kubernetes", "lxc", "systemd-nspawn", …; "" when nothing hints at one. */
const char *machine_container(struct arena *arena, struct machine_source source);

#endif
