# Shared by ./run, ./test and the other tools: install what is missing, configure and build, quietly.
# To be sourced by a bash script in strict mode. KARDAN_ROOT is the repository.

KARDAN_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

build_packages=(g++ cmake ninja-build ccache pkg-config libeigen3-dev libsuitesparse-dev
  libsundials-dev libyaml-cpp-dev libcli11-dev libfmt-dev nlohmann-json3-dev zlib1g-dev libhdf5-dev
  libgtest-dev libgmock-dev libbenchmark-dev pybind11-dev python3-dev)
# They build the viewer of HTML reports; often they come from elsewhere than Debian.
command -v npm >/dev/null || build_packages+=(nodejs npm)
# What only tests need: Python's libraries, the documentation's site, the browser that opens reports.
test_packages=(python3-numpy python3-h5py python3-pytest python3-sympy python3-matplotlib
  python3-pandas python3-scipy python3-setuptools python3-pip python3-wheel valgrind mkdocs)
command -v chromium >/dev/null || test_packages+=(chromium)

# Both are read by cmake and ctest; set them to use fewer or more cores.
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}
export CTEST_PARALLEL_LEVEL=${CTEST_PARALLEL_LEVEL:-$(nproc)}

# usage: prints the comment at the head of the calling script.
usage() { sed -n '2,/^[^#]/{s/^# \{0,1\}//p}' "$0"; }

# progress LABEL: shows what comes in as one moving line on the terminal, and clears it at the end.
progress() {
  local line columns
  columns=$(tput cols 2>/dev/null || echo 80)
  while IFS= read -r line; do printf '\r\e[K%.*s' $((columns - 1)) "$1: $line"; done >&2
  printf '\r\e[K' >&2
}

# quietly LABEL COMMAND...: prints the output of the command only if it fails.
quietly() {
  local label=$1 log status=0
  shift
  log=$(mktemp)
  if [[ -t 2 ]]; then
    "$@" 2>&1 </dev/null | tee "$log" | progress "$label" || status=${PIPESTATUS[0]}
  else
    "$@" >"$log" 2>&1 </dev/null || status=$?
  fi
  # Ninja's lines of progress hide the error: leave them out.
  if ((status)); then sed '/^\[[0-9]*\/[0-9]*\] /d' "$log" >&2; fi
  rm -f "$log"
  return "$status"
}

# install_packages NAME...: installs the Debian packages that are missing. On other systems it does
# nothing, and CMake says what it does not find.
install_packages() {
  (($#)) && command -v dpkg-query >/dev/null || return 0
  local name installed missing=() as_root=()
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true)
  for name in "$@"; do
    [[ $'\n'$installed$'\n' == *$'\n'"installed $name"$'\n'* ]] || missing+=("$name")
  done
  ((${#missing[@]})) || return 0

  if ((EUID != 0)); then
    # Without a terminal nobody can answer sudo's question for a password.
    if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || { [[ -t 0 && -t 2 ]] && sudo -v; }; }; then
      as_root=(sudo)
    else
      echo "Packages are missing, and installing them needs root or sudo. Run as root:" >&2
      echo "apt-get update && apt-get install -y --no-install-recommends ${missing[*]}" >&2
      exit 2
    fi
  fi
  echo "Installing ${missing[*]}" >&2
  as_root+=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
  quietly "apt-get update" "${as_root[@]}" update
  quietly "apt-get install" "${as_root[@]}" install -y --no-install-recommends "${missing[@]}"
}

# build PRESET [TARGET...]: builds everything, or the targets, in build/PRESET.
build() {
  local tree=$KARDAN_ROOT/build/$1 preset=$1 targets=()
  shift
  if (($#)); then targets=(--target "$@"); fi
  install_packages "${build_packages[@]}"
  if [[ ! -f $tree/build.ninja ]]; then
    # Processor minutes on a machine of 2022: of the program alone, and of everything.
    local work=16
    if ((${#targets[@]})); then work=6; fi
    echo "The first build takes about $(((work + CMAKE_BUILD_PARALLEL_LEVEL - 1) / CMAKE_BUILD_PARALLEL_LEVEL)) minutes" \
      "on $CMAKE_BUILD_PARALLEL_LEVEL cores; later ones take seconds." >&2
  fi
  if [[ ! -f $tree/build.ninja || $KARDAN_ROOT/CMakePresets.json -nt $tree/build.ninja ]]; then
    quietly configure cmake -S "$KARDAN_ROOT" --preset "$preset"
  fi
  quietly build cmake --build "$tree" "${targets[@]}"
}
