package snapshot

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"
)

// Kind says what is at a path.
type Kind string

// What can be at a path.
const (
	Missing Kind = "missing"
	File    Kind = "file"
	Link    Kind = "link"
	// Other is a pipe or a device, of which nothing is kept. Folders are there as long as
	// something is in them, and count as missing.
	Other Kind = "other"
)

// State is what stood at a path at some time.
type State struct {
	Kind Kind `json:"kind"`
	// Mode are the permissions of a file, 0 for those that a new file gets.
	Mode fs.FileMode `json:"mode,omitempty"`
	Size int64       `json:"size,omitempty"`
	// Sum names the content of a file: "sha256:…", or "git:…" for the name that git
	// has for it. It is empty for content that was not looked at.
	Sum string `json:"sum,omitempty"`
	// Written is when a file without Sum was last written, by which it is known.
	Written time.Time `json:"written,omitzero"`
	// Leads is where a link leads.
	Leads string `json:"leads,omitempty"`
	// Lost says why the content of a file was not kept, empty when it was.
	Lost string `json:"lost,omitempty"`
}

// The prefixes of sums.
const (
	ownSum = "sha256:"
	gitSum = "git:"
)

func sumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return ownSum + hex.EncodeToString(sum[:])
}

// hasher returns what computes a sum of the kind of sum for a content of this size.
func hasher(sum string, size int64) hash.Hash {
	name, git := strings.CutPrefix(sum, gitSum)
	if !git {
		return sha256.New()
	}
	h := sha1.New()
	if len(name) == hex.EncodedLen(sha256.Size) {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00", size)
	return h
}

// hasSum reports whether what is read has the sum.
func hasSum(r io.Reader, size int64, sum string) bool {
	h := hasher(sum, size)
	if _, err := io.Copy(h, r); err != nil {
		return false
	}
	_, name, _ := strings.Cut(sum, ":")
	return hex.EncodeToString(h.Sum(nil)) == name
}

// permissions are the mode bits that are kept.
const permissions = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// stateOf describes a file by what is known without reading it.
func stateOf(abs string, info fs.FileInfo, err error) State {
	switch {
	case err != nil || info.IsDir():
		return State{Kind: Missing}
	case info.Mode().IsRegular():
		return State{Kind: File, Mode: info.Mode() & permissions, Size: info.Size(), Written: info.ModTime()}
	case info.Mode()&fs.ModeSymlink != 0:
		leads, _ := os.Readlink(abs)
		return State{Kind: Link, Leads: leads}
	}
	return State{Kind: Other}
}

// is reports whether a file as it was found is the one described, its mode aside.
// sum computes the sum of its content in the given kind.
func (s State) is(found State, has func(sum string) bool) bool {
	switch {
	case s.Kind != found.Kind || s.Leads != found.Leads:
		return false
	case s.Kind != File:
		return true
	case s.Sum == "":
		return s.Size == found.Size && s.Written.Equal(found.Written)
	}
	return has(s.Sum)
}

// sameMode reports whether the permissions are those described.
func (s State) sameMode(found State) bool {
	return s.Kind != File || s.Mode == 0 || s.Mode == found.Mode
}
