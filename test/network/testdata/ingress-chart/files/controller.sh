#!/bin/sh
# Watches Ingresses, writes for the router which host and path leads to which Service, and into each Ingress's status the
# addresses of the router's own Service. Environment: NAMESPACE, SERVICE, CLASS.
account=/var/run/secrets/kubernetes.io/serviceaccount
routes=/routes/table
name=kubernetes.default.svc
all=/apis/networking.k8s.io/v1/ingresses

# method, path, accepted type, body: prints the answer with its head. HTTP/1.0, so that it comes in one piece.
ask() {
  {
    printf '%s %s HTTP/1.0\r\nHost: %s\r\n' "$1" "$2" "$name"
    printf 'Authorization: Bearer %s\r\nAccept: %s\r\n' "$(cat $account/token)" "$3"
    printf 'Content-Type: application/merge-patch+json\r\nContent-Length: %s\r\n\r\n%s' "${#4}" "$4"
  } | socat -,ignoreeof "OPENSSL:$KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT,cafile=$account/ca.crt,openssl-commonname=$name"
}

# Lines of: namespace, Ingress, host, path, Service, port.
read_rules() {
  ask GET $all application/yaml | tr -d '\r' | awk -v class="$CLASS" '
    /^- / { part = ""; namespace = ""; ingress = ""; mine = 0 }
    /^(- |  )metadata:/ { part = "metadata"; next }
    /^  spec:/ { part = "spec"; host = "*"; next }
    /^  status:/ { part = "status"; next }
    part == "metadata" && /^    name:/ { ingress = $2 }
    part == "metadata" && /^    namespace:/ { namespace = $2 }
    part == "spec" && /^    ingressClassName:/ { mine = $2 == class }
    part == "spec" && /^    - / { host = "*" }
    part == "spec" && /host:/ { host = $NF }
    part == "spec" && / service:/ { service = "" }
    part == "spec" && / name:/ && service == "" { service = $2 }
    part == "spec" && / number:/ { port = $2 }
    part == "spec" && / path:/ && mine { print namespace, ingress, host, $2, service, port }'
}

# The same with the Service's address in the place of its name.
read_routes() {
  read_rules | while read -r namespace ingress host path service port; do
    address=$(ask GET "/api/v1/namespaces/$namespace/services/$service" application/yaml | tr -d '\r' |
      awk '/^  clusterIP:/ { print $2 }')
    echo "$namespace $ingress $host $path ${address:-none} $port"
  done
}

own_addresses() {
  ask GET "/api/v1/namespaces/$NAMESPACE/services/$SERVICE" application/yaml | tr -d '\r' |
    awk '/^status:/ { status = 1 } status && /ip:/ { gsub(/["'"'"']/, "", $NF); printf "%s{\"ip\":\"%s\"}", comma, $NF; comma = "," }'
}

sync() {
  read_routes > $routes.next && mv $routes.next $routes
  addresses=$(own_addresses)
  [ -n "$addresses" ] && cut -d ' ' -f 1,2 $routes | sort -u | while read -r namespace ingress; do
    body="{\"status\":{\"loadBalancer\":{\"ingress\":[$addresses]}}}"
    ask PATCH "/apis/networking.k8s.io/v1/namespaces/$namespace/ingresses/$ingress/status" application/json "$body" \
      > /dev/null
  done
  echo "routes: $(wc -l < $routes)"
}

touch $routes
socat TCP-LISTEN:8080,fork,reuseaddr EXEC:/scripts/router.sh &
while :; do
  sync
  # Every event is a reason to look again, also what our own write of a status brings: it changes nothing then.
  ask GET "$all?watch=1&timeoutSeconds=300" application/json | while read -r event; do
    case $event in *'"type":'*) sync ;; esac
  done
  sleep 1
done
