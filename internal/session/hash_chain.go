package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"

	"agent/internal/base/fsutil"
)

// Each line of a log contains the hash of the previous line, so that a changed, removed or inserted line is
// detected. The chain alone does not detect that somebody rewrote all lines from some line on, or that the
// log was truncated. The log of a session therefore also contains the hash of the last line of each
// subagent that ended.

// hashOf returns the hash of a line, without its line break.
func hashOf(line []byte) string {
	sum := sha256.Sum256(bytes.TrimSpace(line))
	return hex.EncodeToString(sum[:16])
}

// A Chain is the result of checking the hashes that link the lines of a log.
type Chain struct {
	Records int `json:"records"`
	// Without is the number of records without the hash of the previous line, because older programs wrote
	// none.
	Without int `json:"withoutHash"`
	// Broken holds the numbers of the lines before which something was changed, removed or inserted.
	Broken []int `json:"broken"`
	// Missing is set if the log lacks a line whose hash is in another log.
	Missing bool `json:"missing,omitempty"`
}

// LastHash returns the hash of the last line of the log at path, or "" if there is none.
func LastHash(path string) string {
	var last []byte
	for line, err := range ReadLines(path) {
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

// Verify checks the chain of the log at path, and that the log contains a line for each of the hashes. The
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
	// before holds the hash of the latest record, and the hashes of later lines that are not records. A
	// line is not a record if it was written in part, because the disk was full.
	before := map[string]bool{"": true}
	chained := false // the previous record has a hash
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
		case r.Prev == nil && chained && r.Type != TypeSession: // older programs begin with a session record
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
