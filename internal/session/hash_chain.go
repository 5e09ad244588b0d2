package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"

	"agent/internal/base/fsutil"
)

// Each line of a log has the hash of the line before, so that a line that is changed, removed or
// put in later is noticed. A chain that somebody writes again from there on, or that ends early, is
// not noticed by itself. The log of a session therefore has the hash of the last line of each agent
// that ended.

// hashOf returns the hash of a line, without its line break.
func hashOf(line []byte) string {
	sum := sha256.Sum256(bytes.TrimSpace(line))
	return hex.EncodeToString(sum[:16])
}

// A Chain says whether the lines of a log follow each other as they were written.
type Chain struct {
	Records int `json:"records"`
	// Without is the number of records that have no hash of the line before: older programs wrote
	// none.
	Without int `json:"withoutHash"`
	// Broken holds the numbers of the lines before which something was changed, removed or put in.
	Broken []int `json:"broken"`
	// Missing is set if the log lacks a line that another log knows by its hash.
	Missing bool `json:"missing,omitempty"`
}

// LastHash returns the hash of the last line of the log at path, "" if there is none.
func LastHash(path string) string {
	var last []byte
	for line, err := range Lines(path) {
		if err != nil {
			return ""
		}
		last = append(last[:0], line.Text...)
	}
	if len(last) == 0 {
		return ""
	}
	return hashOf(last)
}

// Verify checks the chain of the log at path, and that the log has a line for each of the hashes. The
// log may be in use.
func Verify(path string, hashes ...string) (c Chain, err error) {
	c.Broken = []int{}
	unseen := map[string]bool{}
	for _, hash := range hashes {
		unseen[hash] = true
	}
	defer func() { c.Missing = len(unseen) > 0 }()
	file, err := fsutil.Open(path)
	if err != nil {
		return c, err
	}
	defer file.Close()
	lines, number := newLineReader(file, wholeLog), 0
	// before holds the hashes of the latest record and of the lines since that are none: a line
	// that was written in part, because the disk was full, is no record.
	before := map[string]bool{"": true}
	chained := false // the record before has a hash
	for !errors.Is(err, io.EOF) {
		var line []byte
		if line, err = lines.next(); err != nil && !errors.Is(err, io.EOF) {
			return c, unreadable(err)
		}
		number++
		body := bytes.TrimSpace(line)
		if len(body) == 0 {
			continue
		}
		hash := hashOf(body)
		delete(unseen, hash)
		r, wrong := parse(body)
		if wrong != nil {
			before[hash] = true
			continue
		}
		c.Records++
		switch {
		case r.Prev == nil && chained && r.Type != TypeSession: // an older program begins with that
			c.Broken = append(c.Broken, number)
			fallthrough
		case r.Prev == nil:
			c.Without++
		case !before[*r.Prev]:
			c.Broken = append(c.Broken, number)
		}
		chained = r.Prev != nil
		before = map[string]bool{hash: true}
	}
	return c, nil
}
