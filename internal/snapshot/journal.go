package snapshot

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"strconv"

	"agent/internal/base/fsutil"
	"agent/internal/base/rawjson"
)

// journal is the append-only log of a store, one record a line:
//
//	1f0c9a3e {"node":{"n":1,"up":0,…}}
//
// The number in front is a checksum of the rest: a damaged line is omitted and never
// obeyed. Lines are written at once and appended only.
type journal struct {
	path string
	out  *os.File
	// torn is set if the last line has no end.
	torn bool
}

// record is one line of a journal; one field is set.
type record struct {
	Head *header `json:"head,omitempty"`
	Node *node   `json:"node,omitempty"`
	// Drop is a node whose change failed.
	Drop int   `json:"drop,omitempty"`
	Move *move `json:"move,omitempty"`
	// Began is a command that is about to run. It ends with a node, or with Ended.
	Began *began `json:"began,omitempty"`
	// Ended is set if the command of the slot Of changed nothing.
	Ended bool `json:"ended,omitempty"`
	Of    int  `json:"of,omitempty"`
	// Beside is a program that was started in the background of a turn.
	Beside *beside `json:"beside,omitempty"`
}

// beside is a program that ran in the background during a turn.
type beside struct {
	Turn int    `json:"turn"`
	Name string `json:"name"`
}

// header opens a journal. The id is part of every mark.
type header struct {
	Version int    `json:"v"`
	ID      string `json:"id"`
}

// move records an undo, redo or restore: once when it begins and once when it is done.
type move struct {
	// To is the node whose states the files get.
	To int `json:"to"`
	// Way is the command that began the move.
	Way  Operation `json:"way,omitempty"`
	Done bool      `json:"done,omitempty"`
	// Redo has the nodes that redo goes to once the move is done.
	Redo []int `json:"redo,omitempty"`
}

// journalVersion is the version of the format. A journal with a newer version is left alone.
const journalVersion = 1

// checksum returns the checksum of a line. The table is made at the first call, which takes
// 0.2 ms, and not while the program starts; hash/crc32 keeps it.
func checksum(body []byte) uint32 {
	return crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli))
}

func (j *journal) append(r record) error {
	if j.out == nil {
		out, err := fsutil.OpenFile(j.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return err
		}
		j.out = out
	}
	if err := j.isThere(); err != nil {
		return err
	}
	line, err := r.line()
	if err != nil {
		return err
	}
	if j.torn {
		line = append([]byte("\n"), line...)
	}
	n, err := j.out.Write(line)
	j.torn = err != nil && n > 0
	return err
}

// isThere returns an error if the open journal is no longer the file at its path: then nobody would
// ever read what is written.
func (j *journal) isThere() error {
	own, err := j.out.Stat()
	if err != nil {
		return err
	}
	if !fsutil.IsAt(j.path, own) {
		return fmt.Errorf("another program has removed or replaced %s", j.path)
	}
	return nil
}

// line returns the line of a record in the journal.
func (r record) line() ([]byte, error) {
	body, err := rawjson.Marshal(r)
	return fmt.Appendf(nil, "%08x %s\n", checksum(body), body), err
}

func (j *journal) close() error {
	if j.out == nil {
		return nil
	}
	return j.out.Close()
}

// read calls apply for each whole record and returns how many lines are damaged. A
// journal that does not exist is empty.
func (j *journal) read(apply func(record) error) (damaged int, err error) {
	in, err := fsutil.Open(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer in.Close()
	if info, err := in.Stat(); err != nil || info.Size() > largestJournal {
		return 0, cmp.Or(err, error(&fsutil.SizeError{Most: largestJournal}))
	}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			j.torn = err != nil
			r, ok := parseLine(bytes.TrimSuffix(line, []byte("\n")))
			switch {
			case ok:
				if err := apply(r); err != nil {
					return damaged, err
				}
			case err == nil && len(line) > 1:
				damaged++
			}
		}
		if err == io.EOF {
			return damaged, nil
		}
		if err != nil {
			return damaged, err
		}
	}
}

func parseLine(line []byte) (record, bool) {
	var r record
	sum, body, ok := bytes.Cut(line, []byte(" "))
	if !ok {
		return r, false
	}
	want, err := strconv.ParseUint(string(sum), 16, 32)
	if err != nil || uint32(want) != checksum(body) {
		return r, false
	}
	return r, json.Unmarshal(body, &r) == nil
}
