# Set-up of a checkout: read by ./tierscope when something is missing; POSIX sh. Uses its root, venv, stage, stamp,
# sum and ready(). Order: system packages, virtual environment, locked Python packages, the core; the stamp comes
# last, so that a set-up killed at any moment goes on at the next start.

log=$venv/setup.log
apt="env DEBIAN_FRONTEND=noninteractive apt-get -y -o DPkg::Lock::Timeout=300"

say() { printf 'tierscope: %s\n' "$*" >&2; }

fail() {
  say "$*"
  exit 3
}

# locked COMMAND...: one set-up of this folder at a time; who waited may find the work done.
locked() {
  (: >>"$root/.venv.lock") 2>/dev/null || fail "cannot write to $root; clone to a folder of your own"
  (
    if command -v flock >/dev/null 2>&1 && ! flock -n 9; then
      say "another set-up works in $root; waiting for it"
      flock 9
    fi
    ready || "$@"
  ) 9>>"$root/.venv.lock"
}

# step NAME HINT COMMAND...: one line with its time; upon failure the end of the log and what to try.
step() {
  name=$1 hint=$2
  shift 2
  begun=$(date +%s)
  printf 'tierscope: %-36s' "$name" >&2
  printf '\n## %s: %s\n' "$name" "$*" >>"$log"
  if "$@" >>"$log" 2>&1 </dev/null; then
    printf '%4d s\n' "$(($(date +%s) - begun))" >&2
    return 0
  fi
  printf 'failed\n' >&2
  tail -n 15 "$log" | sed 's/^/  | /' >&2
  fail "$name failed; $hint; the whole log: $log"
}

prepare() {
  trap 'echo >&2; say "interrupted; the next start goes on"; exit 130' INT TERM
  usable || discard
  find_python
  find_compiler
  [ -n "$python" ] && [ -n "$compiler" ] || install_missing
  if [ ! -e "$venv/made" ]; then
    step "virtual environment" "remove $venv and try again" make_venv
  fi
  [ "$stage" = run ] || install_lanes
  install_wanted liblemon-dev "$lemon" "the victim flow of run neighbors"
  install_wanted libpmemobj-dev "$pmemobj" "targets named pool:"
  install_wanted libtomlplusplus-dev "$toml" "targets named sim:"
  install_wanted robin-map-dev "$robin_map" "the structure robin_map"
  sum=$(sources)  # they may have come
  install_packages
  cores=first_cores
  [ "$stage" = run ] || cores=cores
  case $(cat "$venv/core" 2>/dev/null) in
    "$sum $compiler $cores" | "$sum $compiler cores") ;;
    *)
      step "native core ($compiler)" "mend the source, or choose another compiler with CXX=..." install_project
      echo "$sum $compiler $cores" >"$venv/core"
      ;;
  esac
  [ "$stage" = run ] || write_stamp "$venv/ready-run"  # tests need all that a run needs
  write_stamp "$stamp"
}

write_stamp() {
  printf '%s\n' "$root" "$sum" "$(readlink -f "$venv/bin/python")" "${TIERSCOPE_PYTHON-}" "${CXX-}" >"$1.new"
  mv "$1.new" "$1"
}

# --- the virtual environment ---

# Whole, made in this folder, by an interpreter that is still the same?
usable() {
  [ -x "$venv/bin/python" ] && [ ! -e "$venv/unfinished" ] && [ -r "$venv/made" ] || return 1
  { IFS= read -r made_root && IFS= read -r made_interpreter && IFS= read -r made_python; } <"$venv/made" || return 1
  [ "$made_root" = "$root" ] && [ "$made_interpreter" = "$(readlink -f "$venv/bin/python")" ] &&
    [ "${TIERSCOPE_PYTHON:-$made_python}" = "$made_python" ]
}

# Only what this script made: it leaves its log in it before anything else.
discard() {
  if [ -e "$venv" ] && [ ! -e "$log" ] && [ -n "$(ls -A "$venv")" ]; then
    fail "$venv was not made by ./tierscope; move it away and try again"
  fi
  say "setting up in $venv: about two minutes, once"
  rm -rf "$venv" || fail "cannot remove the half-made $venv; remove it and try again"
  mkdir -p "$venv" && : >"$log" || fail "cannot write to $venv; clone to a folder of your own"
}

make_venv() {
  "$python" -m venv "$venv" || return 1
  printf '%s\n' "$root" "$(readlink -f "$venv/bin/python")" "${TIERSCOPE_PYTHON-}" >"$venv/made"
}

# Sets python: 3.11 or newer, with all that a virtual environment needs; "" when there is none.
find_python() {
  python=
  for name in ${TIERSCOPE_PYTHON:+"$TIERSCOPE_PYTHON"} python3 python3.14 python3.13 python3.12 python3.11; do
    if "$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
      python=$name
      return 0
    fi
    [ -z "${TIERSCOPE_PYTHON-}" ] ||
      fail "TIERSCOPE_PYTHON=$TIERSCOPE_PYTHON is no Python 3.11 or newer with venv and ensurepip; unset it or name another"
  done
}

# --- the compiler ---

# Sets compiler: it must be new enough and find a C++20 standard library; "" when there is none.
find_compiler() {
  compiler=
  for name in ${CXX:+"$CXX"} g++ clang++ g++-15 g++-14 g++-13 g++-12 clang++-20 clang++-19 clang++-18 clang++-17 \
    clang++-16 clang++-15 clang++-14; do
    if compiles "$name"; then
      compiler=$name
      return 0
    fi
    [ -z "${CXX-}" ] || fail "CXX=$CXX compiles no C++20; it takes g++ 12 or clang++ 14 or newer: unset it or name another"
  done
}

# $1 may be a path with spaces, or several words as in CXX="ccache g++".
compiles() {
  command -v "$1" >/dev/null 2>&1 || set -- $1
  command -v "$1" >/dev/null 2>&1 || return 1
  "$@" -std=c++20 -fsyntax-only -x c++ - >/dev/null 2>&1 <<'END'
#include <concepts>
#include <span>
#if defined(__clang__) ? __clang_major__ < 14 : __GNUC__ < 12
#error "too old"
#endif
END
}

# --- system packages ---

# The version that apt would install, without its epoch; "" when apt knows none.
candidate() {
  LC_ALL=C apt-cache policy "$1" 2>/dev/null | sed -n 's/^  Candidate: \([0-9]*:\)\{0,1\}\([0-9].*\)/\2/p'
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

# Sets packages: what is missing, by the names of this distribution.
name_packages() {
  packages=
  [ -n "$compiler" ] || packages=$(compiler_package)
  [ -n "$python" ] || packages="$packages $(python_package)"
  packages=${packages# }
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
  if ! become_root; then
    name_packages
    fail "something is missing; run: sudo apt-get install -y ${packages:-g++ python3-venv}"
  fi
  if [ -z "$(candidate g++)" ]; then
    step "package lists" "check the network and /etc/apt" $privilege $apt update
  fi
  name_packages
  [ -n "$packages" ] || fail "$needs; this system's package lists have none: see /etc/apt, or take a newer release"
  step "system packages ($packages)" "try: sudo apt-get install -y $packages" apt_install $packages
  find_python
  find_compiler
  [ -n "$python" ] && [ -n "$compiler" ] || fail "$needs; $packages did not bring them"
}

# A dpkg that was killed half-way is mended first; stale lists are renewed once.
apt_install() {
  [ -z "$(dpkg --audit)" ] || $privilege env DEBIAN_FRONTEND=noninteractive dpkg --configure -a || return 1
  $privilege $apt install --no-install-recommends "$@" ||
    { $privilege $apt update && $privilege $apt install --no-install-recommends "$@"; }
}

# install_wanted PACKAGE HEADER WHAT: headers that one part of the core is built with; nothing else needs them, and
# nothing fails for want of them. From the package lists that are there, and once; `./tierscope` notices when they come
# later.
install_wanted() {
  [ ! -e "$2" ] && [ ! -e "$venv/wanted-$1" ] || return 0
  : >"$venv/wanted-$1"
  if [ -n "$(candidate "$1")" ] && become_root; then
    (step "system packages ($1)" "going on without it" $privilege $apt -o Acquire::http::Timeout=20 \
      install --no-install-recommends "$1") || true
  fi
  [ -e "$2" ] || say "going on without $3: sudo apt-get install -y $1"
}

# What only some tests need: a second compiler with its sanitizers, a cross compiler with an emulator, doctest, LEMON,
# toml++, robin_map, libpmemobj and its tools, a browser, checkers, and a virtual machine with its kernel. As root alone,
# and once for these names; else, or where it fails, those tests are skipped by name, with the line that would bring them.
# tests/unit/test_bootstrap_packages.py holds the names against the lines of the skips.
install_lanes() {
  names="clang doctest-dev liblemon-dev libtomlplusplus-dev robin-map-dev libpmemobj-dev pmdk-tools shellcheck groff chromium qemu-system-x86 busybox-static"
  names="$names e2fsprogs xfsprogs ndctl daxctl" # for persistent memory of the virtual machine
  names="$names fio valgrind hwloc-nox" # for run storage, for trace, and for the export that lstopo reads
  names="$names g++-aarch64-linux-gnu qemu-user" # a core for another kind of CPU, and what runs it
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 && [ "$(cat "$venv/lanes" 2>/dev/null)" != "$names" ] ||
    return 0
  privilege=
  [ -n "$(candidate clang)" ] || $apt update >>"$log" 2>&1 || say "package lists cannot be renewed"
  version=$(candidate clang)
  version=${version%%[!0-9]*}
  lanes=
  for name in $names "libclang-rt-$version-dev"; do
    [ -z "$(candidate "$name")" ] || lanes="$lanes $name"
  done
  (step "for some tests:$lanes" "the tests that need them are skipped" apt_install $lanes) || return 0
  [ -z "$(candidate linux-image-cloud-amd64)" ] || [ -e "$root/build/vm" ] ||
    (step "kernel of the virtual machine" "the tests that need it are skipped" "$root/packaging/vm-kernel") || true
  echo "$names" >"$venv/lanes"
}

# --- Python packages and the core ---

install_packages() {
  files="build run"
  [ "$stage" = run ] || files="build run test"
  lock=$(cd "$root/requirements" && for file in $files; do cat "$file.txt"; done | cksum)
  [ "$(cat "$venv/packages-$stage" 2>/dev/null)" != "$lock" ] || return 0
  wanted=$venv/requirements.txt
  for file in $files; do cat "$root/requirements/$file.txt"; done | one_a_line | without_system_tools |
    LC_ALL=C sort -u >"$wanted"
  step "Python packages" "check the network and pip's configuration" install_locked
  printf '%s\n' "$lock" >"$venv/packages-$stage"
}

# A requirement and its hashes, which stand on lines that end in a backslash.
one_a_line() {
  sed -e ':join' -e '/\\$/{' -e N -e 's/\\\n *//' -e 't join' -e '}'
}

# cmake 3.21 (presets) and ninja of the system save a download of 30 MB.
without_system_tools() {
  version=$(cmake --version 2>/dev/null | sed -n '1s/[^0-9]*\([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
  if [ "$(printf '%d%03d' ${version:-0 0})" -ge 3021 ] && ninja --version >/dev/null 2>&1; then
    grep -Ev '^(cmake|ninja)=='
  else
    cat
  fi
}

# The lock names every package, so nothing is resolved, and the hashes of its files, so nothing else is installed under its
# name. uv is faster, but knows no pip.conf: pip has the last word.
# Who kills this leaves the mark; pip that fails by itself leaves the environment as it was.
install_locked() {
  : >"$venv/unfinished"
  { command -v uv >/dev/null 2>&1 && uv pip install --python "$venv/bin/python" --no-deps --require-hashes \
    -r "$wanted"; } ||
    pip_install --no-compile --no-deps --require-hashes -r "$wanted"
  status=$?
  [ "$status" -gt 128 ] || rm "$venv/unfinished"
  return "$status"
}

pip_install() {
  "$venv/bin/python" -m pip --disable-pip-version-check --no-input install --no-user "$@"
}

# Editable: Python edits need no set-up. Not isolated and in a kept build folder: a change of the core is built
# offline, and only what changed. CMake keeps the compiler of its first configuration: another one starts anew.
install_project() {
  [ "$(cat "$root/build/venv.compiler" 2>/dev/null)" = "$compiler" ] || rm -rf "$root/build/venv"
  mkdir -p "$root/build" && echo "$compiler" >"$root/build/venv.compiler" || return 1
  # what was built when it was needed, perhaps of other sources; it is built again when it is needed again
  for folder in "$venv/bin" "$root/build/venv"; do
    rm -f "$folder/tierscope-core-pmdk" "$folder/tierscope-core-traced" "$folder/libtierscope-shadow.so"
  done
  CXX=$compiler pip_install --no-deps --no-build-isolation --config-settings=build-dir="$root/build/venv" \
    --config-settings=build.targets="$cores" \
    --editable "$root"
}
