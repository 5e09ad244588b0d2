// Package link says to what a terminal may link of the addresses and files that a text
// names, and makes the sequences for it (OSC 8). A sequence that it did not make is none.
package link

import (
	"hash/maphash"
	"net/url"
	"strconv"
	"strings"
)

// Target is where a link leads; the zero value leads nowhere.
type Target struct{ url string }

// longest is the longest address that is linked, in bytes: terminals bound it too.
const longest = 2000

const (
	begins = "\x1b]8;"
	ends   = "\x1b\\"
	closes = begins + ";" + ends
)

// seed makes the names of links, so that no text from elsewhere can have them.
var seed = maphash.MakeSeed()

// name is the id of a link: what has the same one is one link, in however many rows.
func name(url string) string { return "id=" + strconv.FormatUint(maphash.String(seed, url), 36) }

// Around is text that leads to the target.
func (t Target) Around(text string) string {
	if t.url == "" || text == "" {
		return text
	}
	return begins + name(t.url) + ";" + t.url + ends + text + closes
}

// Length is the length of the sequence of this package that a text begins with, 0 for none.
func Length(text string) int {
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

// target is where an address leads, if a terminal may have it.
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

// Web is where an address of the web leads, and its host: nowhere for other schemes, for
// one with a name before its host or a character that is not shown as itself, and for one whose
// host has letters that look like others.
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
