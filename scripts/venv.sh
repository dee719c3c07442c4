# For the other scripts to source, with root set to the project: a virtual environment with the project in it.
# VENV names the environment, PYTHON the interpreter to make it with.

# The first interpreter that is new enough; on Windows `python3` may be a stub that only opens a shop.
find_python() {
    for candidate in ${PYTHON:+"$PYTHON"} python3 python py; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
            printf '%s\n' "$candidate"
            return
        fi
        if [ -n "${PYTHON:-}" ]; then
            echo "PYTHON=$PYTHON: expected a Python >= 3.11; name another one" >&2
            exit 1
        fi
    done
    echo "no Python >= 3.11 among python3, python, py; install one, or name it: PYTHON=... sh $0" >&2
    exit 1
}

# enter DEFAULT: go to the project; make the environment if there is none; set bin to its programs.
enter() {
    venv=${VENV:-$1}
    if [ ! -d "$venv" ]; then
        python=$(find_python)
        echo "creating $venv" >&2
        "$python" -m venv "$venv" || { rm -rf "$venv"; exit 1; }
    fi
    venv=$(cd "$venv" && pwd)
    cd "$root"
    bin=$venv/bin
    [ -d "$bin" ] || bin=$venv/Scripts # Windows
}

# install FILES ARGUMENTS...: pip install ARGUMENTS, unless nothing in FILES is newer than the last time, so that a
# second run needs no network.
install() {
    files=$1
    shift
    stamp=$venv/.accord-align-$(printf '%s' "$*" | tr -c a-z _)
    # shellcheck disable=SC2086 # FILES are several words
    if [ ! -e "$stamp" ] || [ -n "$(find $files \( -name '*.py' -o -name '*.toml' \) -newer "$stamp")" ]; then
        echo "installing" >&2
        "$bin/python" -m pip install --quiet --disable-pip-version-check "$@"
        touch "$stamp"
    fi
}

run() {
    echo "\$ $*"
    "$@"
}
