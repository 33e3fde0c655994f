#!/bin/sh
# supervise.sh COMMAND...: runs it, and again with a growing pause whenever it fails. Ends when it is told to (SIGTERM is
# passed on), when the command ends well, and when the first run fails at once: whoever started it is there to be told.
# A shell, because a second Node.js process would take forty times its memory. Should it be killed, the command dies too:
# nothing runs on that no pid file names.
FIRST_RUN_SECONDS=5
STABLE_SECONDS=60
MAX_PAUSE_SECONDS=30

child=''
stopping=''
stop() {
  stopping=1
  [ -z "$child" ] || kill -TERM "$child" 2>/dev/null
}
trap stop TERM INT

# Of the boot: the time of day may jump.
seconds() {
  read -r uptime _ </proc/uptime
  echo "${uptime%%.*}"
}

# Waits for the child, also when a signal interrupts the waiting.
await_child() {
  [ -z "$stopping" ] || kill -TERM "$child" 2>/dev/null
  wait "$child"
  code=$?
  while kill -0 "$child" 2>/dev/null; do
    wait "$child"
    code=$?
  done
  child=''
}

pause=1
runs=0
while :; do
  began=$(seconds)
  setpriv --pdeathsig KILL -- "$@" &
  child=$!
  await_child
  if [ -n "$stopping" ] || [ "$code" -eq 0 ]; then exit 0; fi
  ran=$(($(seconds) - began))
  if [ "$runs" -eq 0 ] && [ "$ran" -lt "$FIRST_RUN_SECONDS" ]; then exit "$code"; fi
  runs=$((runs + 1))
  [ "$ran" -lt "$STABLE_SECONDS" ] || pause=1
  echo "$(date -u +%Y-%m-%dT%H:%M:%SZ) error it ended with code $code; starting it again in $pause s" >&2
  sleep "$pause" &
  child=$!
  await_child
  [ -z "$stopping" ] || exit 0
  pause=$((pause * 2))
  [ "$pause" -le "$MAX_PAUSE_SECONDS" ] || pause=$MAX_PAUSE_SECONDS
done
