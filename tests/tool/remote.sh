#!/bin/sh
# Load and origin on another host, as far as one machine can show it: two network namespaces joined by a
# pair of virtual cards, and an sshd of the test's own in one of them. That shows the control path, what
# becomes of its failures and where traffic goes, and no more than that: there is no second machine here, no
# second clock, and no network card whose soft interrupts would be counted.
. "$(dirname "$0")/lib.sh"
SERVER=hone-server-$$
LOAD=hone-load-$$
SSHD=

why_not() {
  if [ "$(id -u)" -ne 0 ]; then
    echo "network namespaces need root"
    return
  fi
  for program in ip ssh ssh-keygen nghttpx /usr/sbin/sshd; do
    command -v "$program" >/dev/null 2>&1 || echo "$program is not installed"
  done
  ip netns add "$SERVER" 2>/dev/null || echo "no network namespace can be made here"
}

take_down() {
  for name in "$SERVER" "$LOAD"; do
    for pid in $(ip netns pids "$name" 2>/dev/null); do kill -9 "$pid" 2>/dev/null; done
    ip netns del "$name" 2>/dev/null
  done
}
trap 'take_down; finish' EXIT
trap 'exit 1' HUP INT TERM # namespaces do not go by themselves

why=$(why_not | head -n 1)
if [ -n "$why" ]; then
  skip "load and origin on another host" "$why"
  exit 0
fi

# The addresses and names of docs/remote.md, whose commands are run below as they stand there.
set_up() {
  ip netns add "$LOAD" &&
    ip link add card0 netns "$SERVER" type veth peer name card1 netns "$LOAD" &&
    ip -n "$SERVER" addr add 10.0.0.1/24 dev card0 && ip -n "$LOAD" addr add 10.0.0.2/24 dev card1 &&
    ip -n "$SERVER" link set card0 up && ip -n "$LOAD" link set card1 up &&
    ip -n "$SERVER" link set lo up && ip -n "$LOAD" link set lo up
}

# hone there is another file, so that its processes can be told from those here.
mkdir -p "$WORK/far" "$WORK/bin" "$WORK/build/release" "$WORK/build/dev" /run/sshd
cp "$HONE" "$WORK/far/hone"
ln -s "$BIN" "$WORK/build/release/bin"
ln -s "$BIN" "$WORK/build/dev/bin"
for key in host_key key; do ssh-keygen -q -t ed25519 -N '' -C '' -f "$WORK/$key"; done
echo "load1,10.0.0.2 $(cat "$WORK/host_key.pub")" >"$WORK/known_hosts"
cat >"$WORK/sshd_config" <<CONF
Port 22
ListenAddress 10.0.0.2
HostKey $WORK/host_key
PidFile none
AuthorizedKeysFile $WORK/key.pub
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
SetEnv PATH=$WORK/far:/usr/bin:/bin
ClientAliveInterval 1
ClientAliveCountMax 3
CONF
cat >"$WORK/ssh_config" <<CONF
Host load1
  HostName 10.0.0.2
  HostKeyAlias load1
  User root
  IdentityFile $WORK/key
  IdentitiesOnly yes
  UserKnownHostsFile $WORK/known_hosts
  GlobalKnownHostsFile /dev/null
  StrictHostKeyChecking yes
CONF
printf '#!/bin/sh\nexec /usr/bin/ssh -F %s/ssh_config "$@"\n' "$WORK" >"$WORK/bin/ssh"
chmod 755 "$WORK/bin/ssh"
PATH=$WORK/bin:$PATH

# The far side keeps off the CPU of the arms, which is the last one that hone may use.
first_cpu=$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')
begin_sshd() {
  ip netns exec "$LOAD" taskset -c "$first_cpu" /usr/sbin/sshd -D -e -f "$WORK/sshd_config" >"$WORK/sshd.log" 2>&1 &
  SSHD=$!
  for _ in $(seq 50); do
    ip netns exec "$SERVER" ssh -o BatchMode=yes load1 true 2>/dev/null && return 0
    sleep 0.1
  done
  return 1
}
check "two namespaces are joined" set_up
check "an sshd listens in one of them" begin_sshd

# Of hone, on either side: by its program there, by its namespace here.
both_sides() {
  ip netns pids "$SERVER"
  for pid in $(ip netns pids "$LOAD"); do [ "$pid" = "$SSHD" ] || echo "$pid"; done
}
# nothing_on_either_side NAME: within ten seconds only sshd runs in the namespaces.
nothing_on_either_side() {
  for _ in $(seq 100); do
    left=$(both_sides)
    [ -z "$left" ] && break
    sleep 0.1
  done
  if [ -z "$left" ]; then pass "$1"; else
    flunk "$1" "still running: $(for pid in $left; do tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null && echo ";"; done)"
  fi
}

# What docs/remote.md shows, word for word.
awk '/^```sh/ {code = 1; next} /^```/ {code = 0} code {print}' "$ROOT/docs/remote.md" |
  sed -e ':join' -e '/\\$/N' -e 's/\\\n *//' -e 'tjoin' | grep -- "-via 'ssh " >"$WORK/commands"
check "docs/remote.md shows commands" test -s "$WORK/commands"
while read -r command; do
  proves "runs: $command" ip netns exec "$SERVER" sh -c "exec $command"
done <"$WORK/commands"

VIA='ssh -o BatchMode=yes load1'
PROXY="nghttpx --conf=/dev/null -n{workers} --accesslog-file={run}/access.log '--frontend={host},{port};no-tls' '--backend={origin_host},{origin_port}'"
URL='http://{host}:{port}/bytes/4096'
# far_compare STATUS NAME ARGUMENTS...: a proxy against itself.
far_compare() {
  wanted=$1
  name=$2
  shift 2
  exits "$name" "$wanted" ip netns exec "$SERVER" "$HONE" compare --a "$PROXY" --b "$PROXY" \
    --ready 'http://{host}:{port}/bytes/1' --url "$URL" --rate 3000 --arrivals burst:16 --rounds 2 \
    --duration 0.8 --no-checks --seed 5 "$@"
}
# tells NAME FOLDER TEXT...: the report in that folder holds every text.
tells() {
  name=$1
  report=$WORK/$2/report.md
  shift 2
  if [ -n "$refused" ]; then
    skip "$name" "$refused"
    return
  fi
  for text in "$@"; do
    grep -qF -- "$text" "$report" && continue
    flunk "$name" "does not say: $text" "$(head -n 20 "$report")"
    return
  done
  pass "$name"
}
HOSTS="--server-address 10.0.0.1 --origin-address 10.0.0.2"

# shellcheck disable=SC2086
far_compare "0 3 4 6 8" "load and origin on another host" $HOSTS --load-via "$VIA" --origin-via "$VIA" \
  --workers 2 --output "$WORK/report"
tells "the report says where load and origin ran" report \
  "**load from**: \`ssh -o BatchMode=yes load1\`, to \`10.0.0.1\` here; the clocks" \
  "**origin on**: \`ssh -o BatchMode=yes load1\`, at \`10.0.0.2\`"
off=$(grep -o 'the idle spinner is off: [^;]*' "$WORK/report/report.md" 2>/dev/null | head -n 1)
if [ -n "$off" ]; then skip "whole CPU is the headline, with the charged CPU beside it" "$off"; else
  tells "whole CPU is the headline, with the charged CPU beside it" report ", whole CPU counted" \
    "By the CPU charged to the arms' processes alone"
fi
nothing_on_either_side "nothing is left after a comparison"
cat >"$WORK/figures.py" <<'PY'
import glob, json, sys
work = sys.argv[1]
report = json.load(open(f"{work}/report/report.json"))
hosts = report["settings"]["hosts"]
assert hosts["load"]["via"][-1] == hosts["origin"]["via"][-1] == "load1", hosts
proof = next(c for c in report["comparisons"] if c["role"] == "proof")
if any(f["id"] == "prove.spinner-off" for f in report["findings"]):
    assert proof["metric"] == "cpu_per_request", proof["metric"]
else:
    assert proof["metric"] == "whole_cpu_per_request", proof["metric"]
    assert proof["us_a"] > 0 and proof["charged_cpu"]["us_a"] > 0, proof
counted = [t for t in report["trials"] if t["valid"]]
assert counted and not any(t["failure"] for t in counted)
for t in counted:
    # Every request went on to the origin, and asking it for its counters is none of them.
    assert t["counters"]["upstream_requests"] == t["ok"] > 300, t["counters"]
    # Which worker holds which connection is read here, by the ports of the other host.
    assert t["workers"]["connections"] == [16, 16], t["workers"]
peers = set()
for log in glob.glob(f"{work}/.hone/compare/seed-5/6-prove/work/round/arm*/run/access.log"):
    peers |= {line.split()[0] for line in open(log) if "/bytes/4096" in line}
assert peers == {"10.0.0.2"}, peers
PY
if [ -n "$refused" ]; then skip "requests come from the other host, and are counted there" "$refused"; else
  check "requests come from the other host, and are counted there" python3 "$WORK/figures.py" "$WORK"
fi

# shellcheck disable=SC2086
far_compare "0 3 4 6 8" "without the spinner" $HOSTS --load-via "$VIA" --origin-via "$VIA" --no-spinner \
  --output "$WORK/charged"
tells "without the spinner the charged CPU is the headline, with the reason" charged \
  "without the idle spinner in every round"

exits "a sweep" 0 ip netns exec "$SERVER" "$HONE" sweep --a "$HONE origin --listen {host}:{port}" \
  --ready 'http://{host}:{port}/bytes/1' --url 'http://{host}:{port}/bytes/4096' --rates 500,1000 \
  --repeats 1 --duration 0.4 --seed 5 --load-via "$VIA" --server-address 10.0.0.1 --output "$WORK/sweep"
tells "a sweep says where its load came from" sweep "**load from**: \`ssh -o BatchMode=yes load1\`" \
  "soft interrupts is not in it"

# What cannot work, each with its reason and the next step.
far_compare 12 "no hone on that host" --server-address 10.0.0.1 --load-via "$VIA" --load-hone /none/hone
says "no hone on that host: said" "/none/hone" "install hone on that host"
far_compare 12 "no hone on the origin's host" --origin-address 10.0.0.2 --origin-via "$VIA" --origin-hone none
says "no hone on the origin's host: said" "starting the origin on another host" "install hone on that host"
far_compare 28 "nobody listens there" --server-address 10.0.0.1 --load-via "ssh -o BatchMode=yes -p 23 load1"
says "nobody listens there: said" "Connection refused" "without a question"
far_compare 28 "a host that is not known" --server-address 10.0.0.1 \
  --load-via "ssh -o BatchMode=yes -o UserKnownHostsFile=/dev/null load1"
says "a host that is not known: said" "Host key verification failed"
far_compare 28 "a user who may not" --server-address 10.0.0.1 --load-via "ssh -o BatchMode=yes -l nobody load1"
says "a user who may not: said" "Permission denied"
printf '#!/bin/sh\necho "{\\"hone_load_control\\": 1}"\ncat >/dev/null\n' >"$WORK/far/older"
chmod 755 "$WORK/far/older"
far_compare 2 "a hone of another version" --server-address 10.0.0.1 --load-via "$VIA" --load-hone older
says "a hone of another version: said" "version 1" "the same version of hone at both ends"
far_compare 2 "an address that is another machine's" --server-address 10.0.0.9 --load-via "$VIA" --origin
says "an address that is another machine's: said" "10.0.0.9 is not an address of this machine"
URL='http://127.0.0.1:{port}/'
far_compare 2 "a URL that is another machine there" --server-address 10.0.0.1 --load-via "$VIA" --origin
says "a URL that is another machine there: said" "write {host} in the URL"
nothing_on_either_side "nothing is left after what could not work"

# begin ARGUMENTS...: a long comparison in the background, as $job, until its requests come in.
begin() {
  rm -rf "$WORK/.hone"
  (
    cd "$WORK" || exit
    # shellcheck disable=SC2086
    exec timeout 120 ip netns exec "$SERVER" "$HONE" compare --a "$PROXY" --b "$PROXY" \
      --ready 'http://{host}:{port}/bytes/1' --url 'http://{host}:{port}/bytes/4096' --rate 500 \
      --rounds 90 --duration 9 --no-checks --seed 6 $HOSTS --load-via "$VIA" --origin-via "$VIA"
  ) >"$WORK/out" 2>&1 </dev/null &
  job=$!
  for _ in $(seq 300); do
    grep -qs "^10.0.0.2 .*/bytes/4096" "$WORK"/.hone/compare/seed-6/6-prove/work/round/arm0/run/access.log && return
    sleep 0.1
  done
  flunk "a long comparison gets to its rounds" "$(tail -n 20 "$WORK/out")"
}
# ends NAME STATUS SECONDS: the job does so, within that time.
ends() {
  (sleep "$3" && kill "$job" 2>/dev/null) &
  watch=$!
  wait "$job"
  status=$?
  kill "$watch" 2>/dev/null
  if [ "$status" -eq "$2" ]; then pass "$1"; else
    flunk "$1" "exit status $status, not $2" "$(tail -n 20 "$WORK/out")"
  fi
}

begin
for pid in $(ip netns pids "$LOAD"); do [ "$pid" = "$SSHD" ] || kill -9 "$pid" 2>/dev/null; done
ends "the way is cut in the middle" 28 60
says "the way is cut in the middle: said" "ssh -o BatchMode=yes load1 hone" "ended"
nothing_on_either_side "nothing is left after a way that was cut"

begin
ip -n "$LOAD" link set card1 down
ends "the way falls silent" 28 90
says "the way falls silent: said" "no longer answers" "no answer within"
nothing_on_either_side "nothing is left after a way that fell silent"
ip -n "$LOAD" link set card1 up

begin
for pid in $(ip netns pids "$SERVER"); do
  tr '\0' ' ' <"/proc/$pid/cmdline" | grep -q "compare --a" && kill -9 "$pid"
done
ends "hone is killed" 137 60
nothing_on_either_side "nothing is left on either side after hone was killed"
