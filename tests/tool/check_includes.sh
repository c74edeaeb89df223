#!/bin/sh
# script/check_includes lets through what the dependency rule allows and names what it forbids.
. "$(dirname "$0")/lib.sh"
CHECK=$ROOT/script/check_includes

check "the project keeps its own rule" "$CHECK"

# try NAME FILE INCLUDE [WORD]: a tree of one file; with a WORD it must be refused, saying that.
try() {
  rm -rf "$WORK/tree"
  mkdir -p "$WORK/tree/apps" "$WORK/tree/$(dirname "$2")"
  printf '// c\n#include "%s"\n' "$3" >"$WORK/tree/$2"
  if [ $# -eq 3 ]; then
    exits "allowed: $1" 0 "$CHECK" "$WORK/tree"
  else
    exits "refused: $1" 1 "$CHECK" "$WORK/tree"
    says "refused and named: $1" "$2:2" "$3" "$4"
  fi
}
try "system uses base" src/system/x.cc base/error.h
try "base uses system" src/base/x.cc system/files.h "base may not know system"
try "measure uses traffic" src/measure/x.h traffic/load/histogram.h "measure may not know traffic"
try "pipeline uses cli" src/pipeline/plan/x.cc cli/options.h "pipeline may not know cli"
try "apps use cli" apps/hone/main.cc cli/run.h
try "a parser uses sockets" src/traffic/wire/x.cc system/net/loop.h "system/net"
try "statistics use the system" src/measure/statistics/x.cc system/clock.h "measure/statistics"
try "a stage uses an earlier value" src/pipeline/train/x.cc pipeline/build/build.h
try "a stage uses a later one" src/pipeline/build/x.cc pipeline/train/train.h "comes after"
try "a stage uses another's inside" src/pipeline/report/x.cc pipeline/prove/round.h "not a value header"
try "a stage uses its own inside" src/pipeline/prove/x.cc pipeline/prove/round.h
try "the pipeline knows every stage" src/pipeline/pipeline.cc pipeline/prove/prove.h
try "a stage uses the whole pipeline" src/pipeline/plan/x.cc pipeline/pipeline.h "whole pipeline"
try "an include without its folder" src/system/x.cc files.h "write the path from src/"
try "a folder without a rule" src/new_part/x.cc base/error.h "no rule for the folder"
exits "refused: a folder with nothing to check" 1 sh -c "mkdir -p '$WORK/none/src' '$WORK/none/apps' && exec '$CHECK' '$WORK/none'"
