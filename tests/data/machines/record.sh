#!/bin/sh
# Records the files that `tare doctor` and `tare run` read of this machine into a folder, for tests:
#   tests/data/machines/record.sh tests/data/machines/my-laptop
# Nothing personal is read. Paths of control groups are kept; look at proc/self/cgroup before sharing.
set -eu
target=${1:?usage: record.sh FOLDER}
for pattern in /proc/cpuinfo /proc/meminfo /proc/loadavg /proc/stat /proc/self/cgroup /proc/1/cgroup /proc/2/comm \
    /proc/pressure/cpu /proc/sys/kernel/osrelease /proc/sys/kernel/arch /proc/sys/kernel/randomize_va_space \
    /proc/sys/kernel/perf_event_paranoid /proc/sys/kernel/nmi_watchdog /proc/device-tree/model \
    /proc/driver/nvidia/gpus/*/information \
    /sys/devices/system/cpu/online /sys/devices/system/cpu/present /sys/devices/system/cpu/isolated \
    /sys/devices/system/cpu/cpu[0-9]*/topology/thread_siblings_list /sys/devices/system/cpu/smt/active \
    '/sys/devices/system/cpu/cpufreq/policy*/scaling_*' \
    '/sys/devices/system/cpu/cpufreq/policy*/energy_performance_*' /sys/devices/system/cpu/cpufreq/boost \
    /sys/devices/system/cpu/intel_pstate/no_turbo '/sys/devices/system/cpu/vulnerabilities/*' \
    /sys/devices/cpu_atom/cpus /sys/kernel/mm/transparent_hugepage/enabled \
    '/sys/devices/system/clocksource/clocksource0/*_clocksource' \
    '/sys/class/power_supply/*/type' '/sys/class/power_supply/*/online' \
    '/sys/class/drm/card[0-9]/device/vendor' '/sys/class/drm/card[0-9]/device/device' \
    /sys/class/dmi/id/sys_vendor /sys/class/dmi/id/product_name /sys/hypervisor/type \
    /sys/fs/cgroup/cpu.max /sys/fs/cgroup/cpu.stat /sys/fs/cgroup/memory.max \
    /sys/fs/cgroup/cpu/cpu.cfs_quota_us /sys/fs/cgroup/cpu/cpu.cfs_period_us /sys/fs/cgroup/cpu/cpu.stat \
    /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/cpuset/cpuset.effective_cpus; do
    for file in $pattern; do
        if [ ! -r "$file" ] || [ ! -f "$file" ]; then
            continue
        fi
        mkdir -p "$target$(dirname "$file")"
        cat "$file" >"$target$file" 2>/dev/null || rm -f "$target$file"
    done
done
