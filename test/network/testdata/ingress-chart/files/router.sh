#!/bin/sh
# One request from a client on the standard input: handed on to the Service of the first route that fits.
IFS= read -r request
path=${request#* }
path=${path%% *}
head="$request
"
while IFS= read -r line; do
  [ "$line" = "$(printf '\r')" ] && break
  case $line in
    [Hh]ost:*) host=$(printf %s "${line#*:}" | tr -d ' \r'); host=${host%%:*} ;;
    [Cc]onnection:*) continue ;;
  esac
  head="$head$line
"
done
while read -r _ _ name prefix service port; do
  [ "$name" = "*" ] || [ "$name" = "$host" ] || continue
  case $path in
    "$prefix" | "${prefix%/}"/*)
      printf '%sX-Forwarded-For: %s\r\nConnection: close\r\n\r\n' "$head" "$SOCAT_PEERADDR" |
        socat -t 10 - "TCP:$service:$port,connect-timeout=5" && exit
      printf 'HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\nno answer from %s\n' "$service"
      exit
      ;;
  esac
done < /routes/table
printf 'HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\nno route\n'
