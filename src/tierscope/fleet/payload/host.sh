#!/bin/sh
# Measure this host by a plan and print a bundle (payload/bundle.py). Needs a POSIX shell, awk and sha256sum; no root.
# Usage: sh host.sh FOLDER SECONDS [OUT]: the core and the plan are in FOLDER; OUT receives the bundle, else stdout.
set -u
LC_ALL=C
export LC_ALL
umask 077
folder=$1 seconds=$2 out=${3:-}
name=${SLURMD_NODENAME:-host}
work=

refuse() {
  text="tierscope-refused $*"
  if [ -n "$out" ]; then printf '%s\n' "$text" >"$out/$name.part" && mv "$out/$name.part" "$out/$name"
  else printf '\n%s\n' "$text"; fi
  exit 3
}
trap '[ -z "$work" ] || rm -rf -- "$work"' EXIT
trap 'exit 1' HUP INT TERM

for place in "${TMPDIR:-/tmp}" /dev/shm "$folder"; do
  work=$(mktemp -d "$place/tierscope-fleet.XXXXXX" 2>/dev/null) && break
  work=
done
[ -n "$work" ] || refuse "no temporary folder can be written; free space in ${TMPDIR:-/tmp}"
if [ -z "${TIERSCOPE_FLEET_SHARED:-}" ] && command -v flock >/dev/null 2>&1; then
  exec 9>"$folder/lock-$(uname -n)" || refuse "no lock can be made in $folder"
  flock -n 9 || refuse "another measurement of Tierscope runs on this host; repeat it later"
fi

# --- facts of the host, as files below a root ---
mkdir "$work/parts" || refuse "$work cannot be written; free space there"
: >"$work/index"
number=0
keep() { # keep NAME FILE: at most 1 MiB of it
  number=$((number + 1))
  head -c 1048576 <"$2" >"$work/parts/$number" 2>/dev/null && printf '%s %s\n' "$number" "$1" >>"$work/index"
}
for file in /proc/cpuinfo /proc/meminfo /proc/stat /proc/loadavg /proc/uptime /proc/self/status \
  /proc/sys/kernel/osrelease /proc/sys/kernel/hostname /sys/firmware/dmi/tables/DMI \
  /sys/class/dmi/id/sys_vendor /sys/class/dmi/id/product_name /sys/class/dmi/id/bios_version \
  /sys/class/dmi/id/bios_date /sys/class/dmi/id/board_name \
  /sys/kernel/mm/transparent_hugepage/enabled /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor \
  /sys/devices/system/cpu/online /sys/devices/system/cpu/smt/active /sys/hypervisor/type \
  /sys/devices/system/edac/mc/mc*/dimm*/dimm_location /sys/devices/system/edac/mc/mc*/dimm*/dimm_mem_type \
  /sys/devices/system/edac/mc/mc*/dimm*/size /sys/devices/system/edac/mc/mc*/?e_count; do
  [ -r "$file" ] && keep "root$file" "$file"
done
for file in /etc/machine-id /sys/class/dmi/id/product_uuid; do # a digest alone leaves the host
  [ -s "$file" ] || continue
  { printf 'tierscope fleet '; cat "$file"; } 2>/dev/null | sha256sum | cut -c1-64 >"$work/digest"
  keep "identity${file}" "$work/digest"
  break
done
date +%s >"$work/began"
keep began "$work/began"

# --- the plan for this host ---
set -- /sys/devices/system/node/node[0-9]*/cpulist
[ -e "$1" ] || set --
for file in "$@"; do n=${file%/cpulist} && printf 'node %s %s\n' "${n##*node}" "$(cat "$file")"; done >"$work/known"
[ -s "$work/known" ] || printf 'node 0 %s\n' "$(cat /sys/devices/system/cpu/online)" >"$work/known"
sed -n 's/^Cpus_allowed_list:[[:space:]]*/allowed - /p' /proc/self/status >>"$work/known"
for cpu in /sys/devices/system/cpu/cpu[0-9]*/cache/index[0-9]*; do
  [ -r "$cpu/size" ] && printf 'cache %s %s %s %s\n' "$(cat "$cpu/level")" "$(cat "$cpu/size")" \
    "$(cat "$cpu/shared_cpu_list")" "$(cat "$cpu/type")"
done | sort -u >>"$work/known"
base=$(getconf PAGESIZE 2>/dev/null) || base=4096 # 16 or 64 KiB on some ARM hosts, which have no smaller pages
awk -v known="$work/known" -v base="$((base / 1024))k" '
  function list(text, set,   n, i, at, ends, parts) {
    n = split(text, parts, ",")
    for (i = 1; i <= n; i++) {
      split(parts[i], ends, "-"); if (ends[2] == "") ends[2] = ends[1]
      for (at = ends[1] + 0; at <= ends[2] + 0; at++) set[at] = 1
    }
  }
  function bytes(text) { return text ~ /M$/ ? text * 1024 : text ~ /G$/ ? text * 1048576 : text + 0 } # KiB
  function power(least,   size) { for (size = 256; size < least; size *= 2); return size "MiB" }
  function put(line, node, cpus) {
    gsub(/@node@/, node, line); gsub(/@cpus@/, cpus, line); gsub(/@cpu@/, first, line)
    gsub(/@base@/, base, line)
    gsub(/@far@/, power(4 * largest / 1024), line); gsub(/@large@/, power(4 * total / 1024), line)
    print line
  }
  BEGIN {
    while ((getline line < known) > 0) {
      split(line, w, " ")
      if (w[1] == "allowed") list(w[3], allowed)
      if (w[1] == "node") where[w[2]] = w[3]
      if (w[1] == "cache" && w[5] != "Instruction" && w[2] >= level) {
        if (w[2] > level) { level = w[2]; total = largest = 0 }
        total += bytes(w[3]); if (bytes(w[3]) > largest) largest = bytes(w[3])
      }
    }
    for (n = 0; n < 1024; n++) if (n in where && where[n] != "") {
      split("", mine); list(where[n], mine); cpus = ""
      for (at = 0; at < 8192; at++) if (at in mine && at in allowed) cpus = cpus (cpus == "" ? "" : ",") at
      if (cpus == "") continue
      nodes[++count] = n; of[count] = cpus
      if (count == 1) { split(cpus, one, ","); first = one[1] }
    }
  }
  /^each-node / { sub(/^each-node /, ""); for (i = 1; i <= count; i++) put($0, nodes[i], of[i]); next }
  { put($0, nodes[1], of[1]) }
' "$folder/plan" >"$work/plan" || refuse "awk cannot read the plan"
keep plan "$work/plan"

# --- measure ---
core=$folder/tierscope-core
"$core" topology >"$work/topology" 2>"$work/errors" || refuse "the core does not start: $(head -c 300 "$work/errors")"
keep topology "$work/topology"
limit=
command -v timeout >/dev/null 2>&1 && limit="timeout $seconds"
TIERSCOPE_PARENT=$$ $limit "$core" run "$work/plan" --samples "$work/samples" >"$work/output" 2>"$work/errors" 9>&-
status=$?
grep '^cpu ' /proc/stat >"$work/stat"
keep after "$work/stat"
keep errors "$work/errors"

bundle() {
  printf '\ntierscope-bundle 1\n'
  while read -r at path; do part "$path" "$work/parts/$at"; done <"$work/index"
  part output "$work/output"
  [ -f "$work/samples" ] && part samples "$work/samples"
  printf 'end %d\n' "$status"
}
part() {
  printf 'part %s %d\n' "$1" "$(wc -c <"$2")"
  cat "$2"
  printf '\n'
}
if [ -z "$out" ]; then bundle; exit 0; fi
bundle >"$out/$name.part" && mv "$out/$name.part" "$out/$name"
