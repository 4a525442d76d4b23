/* machine_virtual.c: hints of virtualisation, from the most to the least certain: the hypervisor's
 * own signature (CPUID leaf 0x40000000), Xen's /sys/hypervisor, the device tree, the firmware's
 * vendor (DMI), the clock sources a paravirtual guest has. On x86 the CPU's hypervisor flag decides
 * first: bare-metal cloud machines carry the cloud's DMI names as well. */
#include "os/machine_virtual.h"

#include "base/text.h"
#include "os/file.h"
#include "os/machine_parse.h"

#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

struct hint {
    const char *text; /* found in the place looked at */
    const char *kind;
};

static const struct hint signature_hints[] = {
    {"KVMKVMKVM", "kvm"},     {"VMwareVMware", "vmware"}, {"Microsoft Hv", "microsoft"},
    {"XenVMMXenVMM", "xen"},  {"TCGTCGTCGTCG", "qemu"},   {"VBoxVBoxVBox", "virtualbox"},
    {"bhyve bhyve", "bhyve"}, {"ACRNACRNACRN", "acrn"},   {NULL, NULL},
};

static const struct hint dmi_hints[] = {
    {"QEMU", "qemu"},
    {"KVM", "kvm"},
    {"Amazon EC2", "kvm"},
    {"Google Compute Engine", "kvm"},
    {"VMware", "vmware"},
    {"VirtualBox", "virtualbox"},
    {"innotek", "virtualbox"},
    {"Xen", "xen"},
    {"Microsoft Corporation Virtual Machine", "microsoft"},
    {"Parallels", "parallels"},
    {"Apple Virtualization", "apple"},
    {"OpenStack", "kvm"},
    {NULL, NULL},
};

static const struct hint clock_hints[] = {
    {"kvm-clock", "kvm"}, {"hyperv_clocksource", "microsoft"}, {"xen", "xen"}, {NULL, NULL}};

/* Parts of a cgroup path that only a process inside a container has ("docker.service" is the
 * host's). */
static const struct hint container_cgroup_hints[] = {
    {"kubepods", "kubernetes"},
    {"/docker/", "docker"},
    {"/docker-", "docker"},
    {"libpod", "podman"},
    {"/lxc/", "lxc"},
    {"/lxc.payload", "lxc"},
    {"cri-containerd", "containerd"},
    {NULL, NULL},
};

static const char *find_hint(const struct hint *hints, const char *text)
{
    for (const struct hint *hint = hints; text != NULL && hint->text != NULL; hint++) {
        if (strstr(text, hint->text) != NULL) {
            return hint->kind;
        }
    }
    return NULL;
}

/* Twelve letters the hypervisor puts into the registers; "" where there are none. */
static void read_signature(char signature[13])
{
    memset(signature, 0, 13);
#if defined(__x86_64__) || defined(__i386__)
    unsigned eax = 0;
    unsigned registers[3] = {0};
    __cpuid(0x40000000, eax, registers[0], registers[1], registers[2]);
    memcpy(signature, registers, 12);
#endif
}

static bool is_x86(struct arena *arena, struct machine_source source)
{
    const char *cpuinfo = machine_file(arena, source, "/proc/cpuinfo");
    return cpuinfo != NULL && strstr(cpuinfo, "\nflags") != NULL;
}

static const char *file_hint(struct arena *arena, struct machine_source source, const char *path,
                             const struct hint *hints)
{
    return find_hint(hints, machine_clean(arena, machine_file(arena, source, path)));
}

static const char *dmi_hint(struct arena *arena, struct machine_source source)
{
    const char *vendor =
        machine_clean(arena, machine_file(arena, source, "/sys/class/dmi/id/sys_vendor"));
    const char *product =
        machine_clean(arena, machine_file(arena, source, "/sys/class/dmi/id/product_name"));
    if (strstr(product, ".metal") != NULL) {
        return NULL;
    }
    return find_hint(dmi_hints, arena_printf(arena, "%s %s", vendor, product));
}

const char *machine_hypervisor(struct arena *arena, struct machine_source source, bool is_flag_set)
{
    const char *xen = machine_clean(arena, machine_file(arena, source, "/sys/hypervisor/type"));
    if (xen[0] != '\0') {
        return xen;
    }
    if (!is_flag_set && is_x86(arena, source)) {
        return "";
    }
    const char *kind = NULL;
    if (is_flag_set && source.root[0] == '\0') {
        char signature[13];
        read_signature(signature);
        kind = find_hint(signature_hints, signature);
    }
    static const struct hint tree_hints[] = {{"linux,kvm", "kvm"}, {"xen", "xen"}, {NULL, NULL}};
    kind = kind != NULL
               ? kind
               : file_hint(arena, source, "/proc/device-tree/hypervisor/compatible", tree_hints);
    kind = kind != NULL ? kind : dmi_hint(arena, source);
    kind = kind != NULL
               ? kind
               : file_hint(arena, source,
                           "/sys/devices/system/clocksource/clocksource0/available_clocksource",
                           clock_hints);
    return kind != NULL ? kind : is_flag_set ? "unknown kind" : "";
}

static bool has_file(struct arena *arena, struct machine_source source, const char *path)
{
    return file_exists(arena_printf(arena, "%s%s", source.root, path));
}

/* Files that container engines leave in the root folder. Virtual machines started from a
 * container's image have them too; those see the kernel's own threads, which a container does not.
 */
static const char *marker_hint(struct arena *arena, struct machine_source source)
{
    static const struct hint markers[] = {
        {"/.dockerenv", "docker"},
        {"/run/.containerenv", "podman"},
        {"/var/run/secrets/kubernetes.io", "kubernetes"},
        {NULL, NULL},
    };
    const char *second = machine_clean(arena, machine_file(arena, source, "/proc/2/comm"));
    for (const struct hint *marker = markers; marker->text != NULL; marker++) {
        if (strcmp(second, "kthreadd") != 0 && has_file(arena, source, marker->text)) {
            return marker->kind;
        }
    }
    return NULL;
}

const char *machine_container(struct arena *arena, struct machine_source source)
{
    static const struct hint wsl_hints[] = {
        {"microsoft", "wsl"}, {"Microsoft", "wsl"}, {NULL, NULL}};
    const char *named = machine_clean(arena, machine_file(arena, source, "/run/systemd/container"));
    if (named[0] != '\0') {
        return named;
    }
    const char *kind = file_hint(arena, source, "/proc/1/cgroup", container_cgroup_hints);
    kind =
        kind != NULL ? kind : file_hint(arena, source, "/proc/self/cgroup", container_cgroup_hints);
    if (kind != NULL) {
        return kind;
    }
    kind = marker_hint(arena, source);
    if (kind != NULL) {
        return kind;
    }
    kind = file_hint(arena, source, "/proc/sys/kernel/osrelease", wsl_hints);
    return kind != NULL ? kind : "";
}
