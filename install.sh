#!/bin/sh
# Installs agent to ~/.local/bin (or $BINDIR) from a release whose checksum is right.
#   install.sh [VERSION]      AGENT_RELEASES overrides where releases are
set -eu
releases=${AGENT_RELEASES:-https://github.com/OWNER/agent/releases}
bindir=${BINDIR:-$HOME/.local/bin}
fail() { echo "install.sh: $*" >&2; exit 1; }
fetch() {
	if command -v curl >/dev/null; then curl -fsSL "$1" -o "$2"; else wget -qO "$2" "$1"; fi || fail "$1 cannot be fetched"
}
case $(uname -s) in
Linux) os=linux ;; Darwin) os=darwin ;; FreeBSD) os=freebsd ;;
*) fail "there is no release for $(uname -s); build it with Go: make build" ;;
esac
case $(uname -m) in
x86_64 | amd64) arch=amd64 ;; aarch64 | arm64) arch=arm64 ;;
*) fail "there is no release for $(uname -m); build it with Go: make build" ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
path=latest/download
[ $# -eq 0 ] || path=download/v${1#v}
fetch "$releases/$path/checksums.txt" "$work/checksums.txt"
archive=$(sed -n "s/^[0-9a-f]*  \(agent_[^ ]*_${os}_${arch}\.tar\.gz\)\$/\1/p" "$work/checksums.txt")
[ -n "$archive" ] || fail "the release holds nothing for $os on $arch"
fetch "$releases/$path/$archive" "$work/$archive"
cd "$work"
grep "  $archive\$" checksums.txt >one
if command -v sha256sum >/dev/null; then sha256sum -c one >/dev/null; else shasum -a 256 -c one >/dev/null; fi ||
	fail "$archive is not what the release says; nothing was installed"
tar -xzf "$archive" agent
mkdir -p "$bindir"
mv -f agent "$bindir/agent"
echo "installed $("$bindir/agent" --version) in $bindir"
case :$PATH: in *:"$bindir":*) ;; *) echo "add it to your PATH: export PATH=\"$bindir:\$PATH\"" ;; esac
