# What takes the core from a wheel instead of building it: read by setup.sh. A wheel records the sum of the sources that
# its cores were built from (packaging/core-sum); only the same sum is taken. Tests build the core: they test its sources.

# Sets wheel: one in dist/, or that of TIERSCOPE_WHEEL, with cores of these very sources; "" where there is none.
find_wheel() {
  compiler=
  wheel=
  [ "$stage" = run ] && [ "${TIERSCOPE_WHEEL-}" != no ] || return 0
  if [ -n "${TIERSCOPE_WHEEL-}" ]; then
    [ -f "$TIERSCOPE_WHEEL" ] ||
      fail "TIERSCOPE_WHEEL=$TIERSCOPE_WHEEL: no such file; name a wheel, or build the core with TIERSCOPE_WHEEL=no"
    try_wheel "$(readlink -f "$TIERSCOPE_WHEEL")"
  elif [ -z "${CXX-}" ]; then # who names a compiler wants its core
    for file in "$root"/dist/tierscope-*_"$(uname -m)".whl; do
      [ -n "$wheel" ] || [ ! -f "$file" ] || try_wheel "$file"
    done
  fi
}

# A wheel is read by Python, so Python comes first.
try_wheel() {
  if [ -z "$python" ]; then
    wheel=$1 compiler=
    announce
    install_missing
    wheel=
  fi
  recorded=$("$python" "$root/packaging/take_cores.py" "$1" 2>>"$log") || recorded=
  if [ "$recorded" = "$(sh "$root/packaging/core-sum")" ]; then
    wheel=$1
    say "taking the core of $1: it was built from these sources"
  elif [ -z "$recorded" ]; then
    say "$1 records no sum of its sources; building the core"
  else
    say "$1 was built from other sources; building the core"
  fi
}

# Editable, as install_project is, and without CMake: no compiler is needed.
install_wheel() {
  remove_later_cores
  pip_install --no-deps --no-build-isolation --config-settings=wheel.cmake=false --editable "$root" &&
    "$venv/bin/python" "$root/packaging/take_cores.py" "$wheel" "$venv/bin"
}
