# What set-up installs with apt: read by setup.sh. `announce` prints all of it before anything is installed;
# TIERSCOPE_APT=no forbids it, and set-up then names the command to type and goes on with what is there.

apt="env DEBIAN_FRONTEND=noninteractive apt-get -y -o DPkg::Lock::Timeout=300"

check_apt() {
  case ${TIERSCOPE_APT-yes} in
    yes | no) ;;
    *) say "TIERSCOPE_APT=$TIERSCOPE_APT: expected yes or no; try TIERSCOPE_APT=no" && exit 2 ;;
  esac
}

# Sets privilege; may set-up install system packages?
may_install() {
  [ "${TIERSCOPE_APT-yes}" != no ] && command -v apt-get >/dev/null 2>&1 && become_root
}

# One line for each reason, before anything is installed; nothing where nothing is missing or it may not install.
announce() {
  may_install || return 0
  name_packages
  announced=
  [ -n "$python" ] && [ -n "$compiler$wheel" ] || announce_one "set-up cannot go on without" "$packages"
  [ -n "$wheel" ] || each_wanted announce_wanted
  [ "$stage" = run ] || ! lanes_missing || announce_one "for some tests" "$names$vm_kernel"
}

announce_one() {
  [ -n "$announced" ] || say "set-up installs these packages with apt, unless TIERSCOPE_APT=no forbids it:"
  announced=yes
  say "  $1: $2"
}

announce_wanted() {
  ! is_wanted "$@" || [ -z "$(candidate "$1")" ] || announce_one "for $3" "$1"
}

# The version that apt would install, without its epoch; "" when apt knows none.
candidate() {
  LC_ALL=C apt-cache policy "$1" 2>/dev/null | sed -n 's/^  Candidate: \([0-9]*:\)\{0,1\}\([0-9].*\)/\2/p'
}

# offered NAMES...: those that apt would install. One call of apt, since each call reads all package lists: half a second.
offered() {
  LC_ALL=C apt-cache policy "$@" 2>/dev/null |
    sed -n -e '/^[^ ]*:$/{' -e 's/:$//' -e h -e '}' -e '/^  Candidate: [0-9]/{' -e g -e p -e '}' |
    while read -r name; do printf ' %s' "$name"; done
}

python_package() {
  for name in python3 python3.14 python3.13 python3.12 python3.11; do
    version=$(candidate "$name-venv")
    minor=${version#3.}
    minor=${minor%%[!0-9]*}
    [ "${minor:-0}" -lt 11 ] || { echo "$name-venv" && return 0; }
  done
}

compiler_package() {
  for name in g++ g++-15 g++-14 g++-13 g++-12 clang-18 clang-17 clang-16 clang-15 clang-14; do
    version=$(candidate "$name")
    major=${version%%[!0-9]*}
    [ "${major:-0}" -lt 12 ] || { echo "$name" && return 0; }
  done
}

# Sets packages: what is missing, by the names of this distribution; unknown: those that its package lists do not have.
name_packages() {
  packages=
  unknown=
  [ -n "$compiler$wheel" ] || name_package g++ "$(compiler_package)"
  [ -n "$python" ] || name_package python3-venv "$(python_package)"
}

# name_package USUAL FOUND: FOUND is the name in the package lists, "" where they have none.
name_package() {
  packages="$packages${packages:+ }${2:-$1}"
  [ -n "$2" ] || unknown="$unknown${unknown:+ }$1"
}

# Sets privilege: the word before a command that needs root; false when there is no way.
become_root() {
  privilege=
  [ "$(id -u)" != 0 ] || return 0
  privilege="sudo -n"
  sudo -n true >/dev/null 2>&1
}

install_missing() {
  needs="needs Python 3.11 or newer with venv, and g++ 12 or clang++ 14 or newer"
  command -v apt-get >/dev/null 2>&1 || fail "$needs; install them with the package manager of this system"
  if ! may_install; then
    name_packages
    fail "something is missing; run: sudo apt-get install -y $packages"
  fi
  name_packages
  if [ -n "$unknown" ]; then
    step "package lists" "check the network and /etc/apt" $privilege $apt update
    name_packages
  fi
  [ -z "$unknown" ] ||
    fail "$needs; no package list of this system has $unknown: see /etc/apt (on Ubuntu it may be in universe), or take a newer release"
  step "system packages ($packages)" "try: sudo apt-get install -y $packages" apt_install $packages
  find_python
  [ -n "$wheel" ] || find_compiler
  [ -n "$python" ] && [ -n "$compiler$wheel" ] || fail "$needs; $packages did not bring them"
}

# A dpkg that was killed half-way is mended first; stale lists are renewed once.
apt_install() {
  [ -z "$(dpkg --audit)" ] || $privilege env DEBIAN_FRONTEND=noninteractive dpkg --configure -a || return 1
  $privilege $apt install --no-install-recommends "$@" ||
    { $privilege $apt update && $privilege $apt install --no-install-recommends "$@"; }
}

# each_wanted COMMAND: runs it with PACKAGE HEADER WHAT of each header that one part of the core is built with. Nothing
# else needs them, and nothing fails for want of them.
each_wanted() {
  "$1" liblemon-dev "$lemon" "the victim flow of run neighbors"
  "$1" libpmemobj-dev "$pmemobj" "targets named pool:"
  "$1" libtomlplusplus-dev "$toml" "targets named sim:"
  "$1" robin-map-dev "$robin_map" "the structure robin_map"
}

# Absent, and not tried before?
is_wanted() {
  [ ! -e "$2" ] && [ ! -e "$venv/wanted-$1" ]
}

# From the package lists that are there, and once; `./tierscope` notices when they come later.
install_wanted() {
  is_wanted "$@" || return 0
  if may_install && [ -n "$(candidate "$1")" ]; then
    (step "system packages ($1)" "going on without it" $privilege $apt -o Acquire::http::Timeout=20 \
      install --no-install-recommends "$1") || true
  fi
  [ "${TIERSCOPE_APT-yes}" = no ] || : >"$venv/wanted-$1"  # what was forbidden is tried when it is allowed
  [ -e "$2" ] || say "going on without $3: sudo apt-get install -y $1"
}

# Packages for some tests: a compiler with sanitizers, doctest, libraries with their tools, and checkers. `test all` adds
# a browser, a virtual machine with its kernel, and cross compilers. Only root installs them, and once for these names;
# without one, its tests are skipped, and the skip names the line to type. tests/unit/test_bootstrap_packages.py holds the names against the lines of the skips.
lanes_missing() {
  names="clang doctest-dev liblemon-dev libtomlplusplus-dev robin-map-dev libpmemobj-dev pmdk-tools shellcheck groff"
  names="$names libzydis-dev qemu-user" # for trace
  names="$names fio busybox-static e2fsprogs hwloc-nox openssh-client" # for run storage, the export that lstopo reads, and --host ssh:
  vm_kernel=
  [ "$stage" = test ] || slow_lanes
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 && [ "$(cat "$venv/lanes-$stage" 2>/dev/null)" != "$names" ]
}

slow_lanes() {
  names="$names chromium qemu-system-x86 xfsprogs ndctl daxctl" # for pages, and persistent memory of the virtual machine
  names="$names valgrind" # for benchmarks of trace
  names="$names iproute2 prometheus" # for fleets over several hosts, and their exports
  names="$names g++-aarch64-linux-gnu g++-riscv64-linux-gnu" # a core for another kind of CPU
  vm_kernel=", and a kernel for build/vm"
}

install_lanes() {
  lanes_missing || return 0
  if ! may_install; then
    say "going on without what some tests need: sudo apt-get install -y $names"
    return 0
  fi
  version=$(candidate clang)
  if [ -z "$version" ]; then
    $apt update >>"$log" 2>&1 || say "package lists cannot be renewed"
    version=$(candidate clang)
  fi
  lanes=$(offered $names "libclang-rt-${version%%[!0-9]*}-dev")
  (step "for some tests:$lanes" "the tests that need them are skipped" apt_install $lanes) || return 0
  [ -z "$vm_kernel" ] || [ -z "$(candidate linux-image-cloud-amd64)" ] || [ -e "$root/build/vm" ] ||
    (step "kernel of the virtual machine" "the tests that need it are skipped" "$root/packaging/vm-kernel") || true
  echo "$names" >"$venv/lanes-$stage"
}
