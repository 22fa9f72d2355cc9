#!/bin/sh
# Checks docket's MCP surface with clients that other programs use. Usage: check.sh DOCKET_BINARY DATABASE
# The database must hold some indexed text. Needs npm and a registry; without npm it says SKIP and succeeds.
set -eu
if [ $# -ne 2 ]; then
	echo "usage: $0 DOCKET_BINARY DATABASE" >&2
	exit 2
fi
docket=$(realpath "$1")
database=$(realpath "$2")
cd "$(dirname "$0")"
if ! command -v npm >/dev/null || ! command -v node >/dev/null; then
	echo "SKIP: npm checks of the MCP surface (no npm here)"
	exit 0
fi
# As the lock file says, and without touching it. Not npm ci: that insists on an entry for an optional package for Windows which
# not every registry has.
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error

home=$(mktemp -d) # the inspector keeps files in its user's home
trap 'rm -rf "$home"' EXIT
for era in legacy modern; do
	# --strict fails on errors only; a warning is a schema that some host refuses, so it fails here too.
	if ! HOME=$home node_modules/.bin/mcp-inspector --cli -e "DOCKET_DB=$database" --protocol-era "$era" \
		--method tools/list --strict "$docket" serve >"$home/out" 2>"$home/err" ||
		grep -q '^Warning: tool' "$home/err" || ! grep -q '"name": "search_evidence"' "$home/out"; then
		cat "$home/out" "$home/err" >&2
		echo "inspector --strict ($era): not clean" >&2
		exit 1
	fi
	echo "inspector --strict ($era): clean"
done
node client.mjs "$docket" "$database"
