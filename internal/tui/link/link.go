// Package link finds the addresses and files in a text that a terminal can link to, and makes the sequences
// for the links (OSC 8). It recognizes only sequences that it has made itself.
package link

import (
	"hash/maphash"
	"net/url"
	"strconv"
	"strings"
)

// Target is the address of a link. The zero value means no link.
type Target struct{ url string }

// longest limits the length of an address that is linked, in bytes, because terminals have a limit, too.
const longest = 2000

const (
	begins = "\x1b]8;"
	ends   = "\x1b\\"
	closes = begins + ";" + ends
)

// seed makes the ids of links unpredictable, so that external text cannot contain one.
var seed = maphash.MakeSeed()

// name returns the id of a link. A terminal treats all rows with the same id as one link.
func name(url string) string { return "id=" + strconv.FormatUint(maphash.String(seed, url), 36) }

// Link returns text as a link to the target.
func (t Target) Link(text string) string {
	if t.url == "" || text == "" {
		return text
	}
	return begins + name(t.url) + ";" + t.url + ends + text + closes
}

// SequenceLength returns the length of a link sequence of this package at the beginning of a text, or 0
// for none.
func SequenceLength(text string) int {
	if !strings.HasPrefix(text, begins) {
		return 0
	}
	end := strings.Index(text[:min(len(text), longest+64)], ends)
	if end < 0 {
		return 0
	}
	id, url, _ := strings.Cut(text[len(begins):end], ";")
	if url == "" && id != "" || url != "" && id != name(url) {
		return 0
	}
	return end + len(ends)
}

// target returns the link to an address, or no link if the address is unsafe for a terminal.
func target(address string) Target {
	if len(address) > longest {
		return Target{}
	}
	for i := range len(address) {
		if address[i] <= ' ' || address[i] >= 0x7f {
			return Target{}
		}
	}
	return Target{address}
}

// Web returns the link to a web address, and its host. It returns no link for other schemes, and for an
// address with a user name before its host. It also returns none for an address with a replacement
// character (U+FFFD), or with a host outside ASCII, which can look like another host.
func (l *Links) Web(address string) (t Target, host string) {
	if l == nil || !strings.HasPrefix(address, "http") || len(address) > longest || strings.Contains(address, "\ufffd") {
		return Target{}, ""
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || target(u.Host).url == "" {
		return Target{}, ""
	}
	return target(u.String()), u.Host
}
