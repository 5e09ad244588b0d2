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
// The number at the start is a checksum of the rest. A damaged line is ignored. A line is written
// in one call and only appended.
type journal struct {
	path string
	out  *os.File
	// torn is set if the last line has no line break.
	torn bool
}

// record is one line of a journal. Exactly one field is set.
type record struct {
	Head *header `json:"head,omitempty"`
	Node *node   `json:"node,omitempty"`
	// Drop is the ID of a node whose change failed.
	Drop int   `json:"drop,omitempty"`
	Move *move `json:"move,omitempty"`
	// Began is a command that is about to run. A later node or a record with Ended marks its end.
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

// header is the first record of a journal. Its id is part of every mark.
type header struct {
	Version int    `json:"v"`
	ID      string `json:"id"`
}

// move is the record of an undo, redo or restore. It is written at the start and at the end of the
// move.
type move struct {
	// To is the node with the target states of the files.
	To int `json:"to"`
	// Way is the command that started the move.
	Way  Operation `json:"way,omitempty"`
	Done bool      `json:"done,omitempty"`
	// Redo lists the target nodes of later redos after the move.
	Redo []int `json:"redo,omitempty"`
}

// journalVersion is the version of the format. A journal with a newer version is not changed.
const journalVersion = 1

// checksum returns the checksum of a line. The table of hash/crc32 is created at the first call,
// which takes 0.2 ms, instead of at program start.
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

// isThere returns an error if the open journal is no longer the file at its path. Nothing would
// then read what is written.
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

// read calls apply for each complete record and returns the number of damaged lines. A missing
// journal is treated as empty.
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
