package catalogue

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// maxName bounds the name of a tool; providers take no more.
const maxName = 64

// prefix begins the name under which a tool of a server is offered directly.
const prefix = "mcp__"

// Direct is the name under which a tool is offered directly, by the name that is shown.
func Direct(server, shown string) string { return prefix + server + "__" + shown }

// Split returns the server and the tool that a direct name is of; ok is false for a name
// of another form.
func Split(direct string) (server, shown string, ok bool) {
	rest, ok := strings.CutPrefix(direct, prefix)
	if !ok {
		return "", "", false
	}
	server, shown, ok = strings.Cut(rest, "__")
	return server, shown, ok && server != "" && shown != ""
}

// short is the name by which the model calls a tool of a server: letters, digits, - and _
// only, so short that the direct name is at most 64 long. Digits of a hash keep it apart
// from others.
func short(server, name string, taken func(string) bool) string {
	plain := strings.Map(func(r rune) rune {
		if r < 0x80 && (r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_' || r == '-') {
			return r
		}
		return '_'
	}, name)
	room := maxName - len(Direct(server, ""))
	if len(plain) <= room && !taken(plain) {
		return plain
	}
	const digits = 8
	sum := sha256.Sum256([]byte(name))
	return plain[:min(len(plain), room-digits-1)] + "_" + hex.EncodeToString(sum[:])[:digits]
}
