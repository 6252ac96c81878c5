#!/bin/sh
# Makes the test authority and the server certificate anew (OpenSSL 3.0). Run it in this folder.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
export work
trap 'rm -rf "$work"' EXIT

cat > "$work/ca.cnf" <<'CNF'
[ca]
default_ca = test
[test]
database = $ENV::work/index.txt
serial = $ENV::work/serial
new_certs_dir = $ENV::work
policy = any
default_md = sha256
default_startdate = 20240101000000Z
default_enddate = 20460101000000Z
[any]
commonName = supplied
[authority]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign,cRLSign
subjectKeyIdentifier = hash
[server]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = serverAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
subjectAltName = DNS:localhost,IP:127.0.0.1,IP:::1
CNF
: > "$work/index.txt"
echo 01 > "$work/serial"

for name in ca server; do
  openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt -out "$name-key.pem"
  chmod 644 "$name-key.pem"
done
openssl req -new -key ca-key.pem -subj "/CN=Podflux Test CA" -out "$work/ca.csr"
openssl ca -batch -notext -config "$work/ca.cnf" -extensions authority -selfsign -keyfile ca-key.pem \
  -in "$work/ca.csr" -out ca.pem
openssl req -new -key server-key.pem -subj "/CN=localhost" -out "$work/server.csr"
openssl ca -batch -notext -config "$work/ca.cnf" -extensions server -cert ca.pem -keyfile ca-key.pem \
  -in "$work/server.csr" -out server.pem
openssl verify -CAfile ca.pem server.pem
