#!/bin/sh
# The scripts themselves: they parse, and their package table is whole.
. "$(dirname "$0")/lib.sh"

for script in setup build test demo format check_includes; do
  check "script/$script is a shell program" sh -n "$ROOT/script/$script"
  check "script/$script is executable" test -x "$ROOT/script/$script"
done
check ".ci/run is a shell program" sh -n "$ROOT/.ci/run"

TABLE=$ROOT/script/packages.tsv
check "every package line has a purpose and two names" awk -F '\t' '
  /^#/ { next }
  NF != 3 || $1 !~ /^(build|hone|test|all)$/ || $2 == "" || $3 == "" { print FILENAME ":" FNR ": " $0; bad = 1 }
  END { exit bad }' "$TABLE"
check "no package is listed twice" sh -c "test -z \"\$(grep -v '^#' '$TABLE' | cut -f2 | grep -v '^-\$' | sort | uniq -d)\""
# What a recipe says its build needs, script/setup --demo must bring.
for package in $(sed -n 's/^packages = \[\(.*\)\]/\1/p' "$ROOT/subjects/nghttpx/recipe.toml" | tr -d '",'); do
  check "packages.tsv has nghttpx's $package" grep -q "	$package	" "$TABLE"
done

exits "script/setup refuses an unknown option" 2 "$ROOT/script/setup" --everything
exits "script/test refuses an unknown option" 2 "$ROOT/script/test" --some
exits "script/demo refuses an unknown option" 2 "$ROOT/script/demo" --fast
exits "script/demo wants a folder" 2 "$ROOT/script/demo" --output
# Nothing is missing here, or script/test would not have come so far: no apt, no network.
mkdir -p "$WORK/bin"
printf '#!/bin/sh\necho apt-get was called >&2\nexit 1\n' >"$WORK/bin/apt-get"
chmod +x "$WORK/bin/apt-get"
exits "script/setup does nothing when nothing is missing" 0 env PATH="$WORK/bin:$PATH" "$ROOT/script/setup" --test
# An empty dpkg database: everything is missing; apt-get is a stand-in that writes down what it is asked.
printf '#!/bin/sh\nexit 1\n' >"$WORK/bin/dpkg-query"
printf '#!/bin/sh\necho "asked: $*"\n' >"$WORK/bin/apt-get"
printf '#!/bin/sh\nexec "$@"\n' >"$WORK/bin/sudo"
chmod +x "$WORK"/bin/*
exits "script/setup installs what is missing" 0 env PATH="$WORK/bin:$PATH" "$ROOT/script/setup"
says "script/setup asks apt for the compiler, and for no test package" "asked: -q" "install -y" " g++ " "libcli11-dev"
if grep -q "libgtest-dev" "$WORK/out"; then flunk "script/setup alone leaves the tests' packages out"; else
  pass "script/setup alone leaves the tests' packages out"
fi
