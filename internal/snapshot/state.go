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

// Kind is the kind of a file.
type Kind string

// The kinds of files.
const (
	KindMissing Kind = "missing"
	KindFile    Kind = "file"
	KindLink    Kind = "link"
	// KindOther is a pipe or a device, whose content is never stored. A folder exists only if it
	// contains files, and is treated as KindMissing.
	KindOther Kind = "other"
)

// FileState describes a file at some time.
type FileState struct {
	Kind Kind `json:"kind"`
	// Mode is the permissions of a file, 0 for the usual mode of new files.
	Mode fs.FileMode `json:"mode,omitempty"`
	Size int64       `json:"size,omitempty"`
	// Sum is the hash of the content: "sha256:…", or "git:…" for git's object name. It is empty if
	// the content was not read.
	Sum string `json:"sum,omitempty"`
	// Written is the modification time of a file without Sum.
	Written time.Time `json:"written,omitzero"`
	// LinkTarget is the target of a link.
	LinkTarget string `json:"leads,omitempty"`
	// NotKept is the reason why the content of a file was not stored, or "" if it was stored.
	NotKept string `json:"lost,omitempty"`
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

// hasher returns the hash function for sums of the same kind as sum. The hash of git includes the
// size of the content.
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

// hasSum reports whether the content from r has the sum.
func hasSum(r io.Reader, size int64, sum string) bool {
	h := hasher(sum, size)
	if _, err := io.Copy(h, r); err != nil {
		return false
	}
	_, name, _ := strings.Cut(sum, ":")
	return hex.EncodeToString(h.Sum(nil)) == name
}

// permissions is the set of mode bits that are stored.
const permissions = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// stateOf returns the state of a file without reading its content.
func stateOf(abs string, info fs.FileInfo, err error) FileState {
	switch {
	case err != nil || info.IsDir():
		return FileState{Kind: KindMissing}
	case info.Mode().IsRegular():
		return FileState{Kind: KindFile, Mode: info.Mode() & permissions, Size: info.Size(), Written: info.ModTime()}
	case info.Mode()&fs.ModeSymlink != 0:
		leads, _ := os.Readlink(abs)
		return FileState{Kind: KindLink, LinkTarget: leads}
	}
	return FileState{Kind: KindOther}
}

// is reports whether s describes a file with the present state now, apart from the mode. has
// reports whether the file's content has a sum.
func (s FileState) is(now FileState, has func(sum string) bool) bool {
	switch {
	case s.Kind != now.Kind || s.LinkTarget != now.LinkTarget:
		return false
	case s.Kind != KindFile:
		return true
	case s.Sum == "":
		return s.Size == now.Size && s.Written.Equal(now.Written)
	}
	return has(s.Sum)
}

// usualMode is the largest set of permissions of a new file. The system removes some of them.
const usualMode fs.FileMode = 0o666

// vague reports whether only the existence of the file is known.
func (s FileState) vague() bool { return s.Kind == KindFile && s.Sum == "" && s.Written.IsZero() }

// allowsMode reports whether two states may have the same permissions.
func (s FileState) allowsMode(other FileState) bool {
	return s.Kind != KindFile || s.Mode == 0 || other.Mode == 0 || s.Mode == other.Mode
}

// sameMode reports whether s allows the permissions of the present state now.
func (s FileState) sameMode(now FileState) bool {
	return s.Kind != KindFile || s.Mode == 0 || s.Mode == now.Mode
}
