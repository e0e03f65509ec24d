#!/bin/sh
# Builds the server of Temporal that the tests here start, from Go's module proxy: `temporal-server` in a directory.
#
#   sh tests/temporal/build_server.sh ~/.local/bin
#   JACKFIELD_TEST_TEMPORAL=~/.local/bin/temporal-server tox run -e temporal
#
# It wants Go 1.25 or later, about 4 GB of disk for sources and objects, and some ten minutes of two cores once.
set -eu
directory=${1:?Name the directory for temporal-server.}
version=${2:-v1.29.1}
mkdir -p "$directory"
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
GOBIN=$place go install "go.temporal.io/server/cmd/server@$version"
mv "$place/server" "$directory/temporal-server"
"$directory/temporal-server" --version
