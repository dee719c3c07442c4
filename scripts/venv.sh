# Functions that make a virtual environment with the project installed. Other scripts source this file after they
# have set root to the project's folder. VENV names the environment, PYTHON the interpreter to create it with.

# Print the first interpreter that is Python 3.11 or newer.
# Each is run: on Windows, python3 may be a stub that opens the Microsoft Store.
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

# enter DEFAULT: change to the project's folder, create the environment if it does not exist, and set bin to the
# folder of its programs.
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

# install FILES ARGUMENTS...: run pip install ARGUMENTS if a file in FILES has changed since the last installation.
# A second run therefore needs no network.
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

# run COMMAND...: print a command, then run it.
run() {
    echo "\$ $*"
    "$@"
}
