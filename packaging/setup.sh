# Set-up of a checkout: read by ./tierscope when something is missing; POSIX sh. Uses its root, venv, stage, stamp,
# sum and ready(). Order: system packages, virtual environment, locked Python packages, the core; the stamp comes
# last, so that a set-up killed at any moment goes on at the next start. System packages are in setup_apt.sh, and what
# takes the core from a wheel instead of building it is in setup_wheel.sh.

log=$venv/setup.log
. "$root/packaging/setup_apt.sh"
. "$root/packaging/setup_wheel.sh"

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
  check_apt
  usable || discard
  find_python
  find_wheel
  [ -n "$wheel" ] || find_compiler
  announce
  [ -n "$python" ] && [ -n "$compiler$wheel" ] || install_missing
  if [ ! -e "$venv/made" ]; then
    step "virtual environment" "remove $venv and try again" make_venv
  fi
  [ "$stage" = run ] || install_lanes
  [ -n "$wheel" ] || each_wanted install_wanted
  sum=$(sources)  # they may have come
  install_packages
  cores=first_cores
  [ "$stage" = run ] || cores=cores
  case "$(cat "$venv/core" 2>/dev/null) for ${wheel:+wheel}" in
    "$sum wheel for wheel" | "$sum $compiler $cores for " | "$sum $compiler cores for ") ;;
    *" for wheel")
      step "native core of the wheel" "remove the wheel, or build the core with TIERSCOPE_WHEEL=no" install_wheel
      echo "$sum wheel" >"$venv/core"
      ;;
    *)
      step "native core ($compiler)" "mend the source, or choose another compiler with CXX=..." install_project
      echo "$sum $compiler $cores" >"$venv/core"
      ;;
  esac
  [ "$stage" = run ] || write_stamp "$venv/ready-run"  # tests need all that a run needs
  [ "$stage" != all ] || write_stamp "$venv/ready-test"
  write_stamp "$stamp"
}

write_stamp() {
  printf '%s\n' "$root" "$sum" "$(readlink -f "$venv/bin/python")" "${TIERSCOPE_PYTHON-}" "${CXX-}" \
    "${TIERSCOPE_WHEEL-}" >"$1.new"
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
  say "setting up: Python packages of requirements/ and the core go into $venv; about two minutes, once"
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

# --- Python packages and the core ---

install_packages() {
  case $stage in
    run) files="build run" ;;
    test) files="build run test" ;;
    all) files="build run test site" ;;
  esac
  changed=
  for file in $files; do [ "$(cat "$venv/packages-$file" 2>/dev/null)" = "$(lock_of "$file")" ] || changed=yes; done
  [ -n "$changed" ] || return 0
  wanted=$venv/requirements.txt
  for file in $files; do cat "$root/requirements/$file.txt"; done | one_a_line | without_system_tools |
    LC_ALL=C sort -u >"$wanted"
  step "Python packages" "check the network and pip's configuration" install_locked
  for file in $files; do lock_of "$file" >"$venv/packages-$file"; done
}

# What one file of requirements/ asks for, as a number: each stage skips the files that an earlier one installed.
lock_of() {
  printf '%s\n' "$(cksum <"$root/requirements/$1.txt")${wheel:+ wheel}"
}

# A requirement and its hashes, which stand on lines that end in a backslash.
one_a_line() {
  sed -e ':join' -e '/\\$/{' -e N -e 's/\\\n *//' -e 't join' -e '}'
}

# cmake 3.21 (presets) and ninja of the system save a download of 30 MB.
without_system_tools() {
  [ -z "$wheel" ] || { grep -Ev '^(cmake|ninja)==' && return; }  # nothing is built
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
  remove_later_cores
  CXX=$compiler pip_install --no-deps --no-build-isolation --config-settings=build-dir="$root/build/venv" \
    --config-settings=build.targets="$cores" \
    --editable "$root"
}

# What was built when it was needed, or came with a wheel: perhaps of other sources. It is built again when it is needed.
remove_later_cores() {
  for folder in "$venv/bin" "$root/build/venv"; do
    rm -f "$folder/tierscope-core-pmdk" "$folder/tierscope-core-traced" "$folder/libtierscope-shadow.so"
  done
  rm -f "$root/build/venv/tierscope-core-traced-static"
}
