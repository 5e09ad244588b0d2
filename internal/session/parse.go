package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"time"
)

// VersionError says that a log was written by a newer version of the program.
type VersionError struct {
	Version int
	Line    int
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("line %d was written by a newer version of this program (format %d, this one reads %d); update to open the session", e.Line, e.Version, version)
}

// parse reads one line. Lines as encode writes them are taken apart without a
// look at the payload, which is most of them; code that decodes the payload of such
// a line and fails has to ask parseAny, for the cut may be wrong.
func parse(line []byte) (Record, error) {
	if r, ok := parseOwn(line); ok {
		return r, nil
	}
	return parseAny(line)
}

// parseAny reads a line whose fields may come in any order. With a *VersionError comes
// what the line says besides.
func parseAny(line []byte) (Record, error) {
	var fields struct {
		V       int             `json:"v"`
		Seq     uint64          `json:"seq"`
		TS      time.Time       `json:"ts"`
		Type    Type            `json:"type"`
		N       [2]int          `json:"n"`
		Tokens  json.RawMessage `json:"tokens"`
		Payload json.RawMessage `json:"payload"`
	}
	if err := json.Unmarshal(line, &fields); err != nil {
		return Record{}, errors.New("it is not a record in JSON")
	}
	r := Record{fields.Seq, fields.TS, fields.Type, fields.Payload, Counts{fields.N[0], fields.N[1]}, fields.Tokens}
	switch {
	case fields.V > version:
		return r, &VersionError{Version: fields.V}
	case fields.V < 1 || fields.Seq == 0 || fields.Type == "" || len(fields.Payload) == 0:
		return Record{}, errors.New("v, seq, type or payload is missing")
	}
	return r, nil
}

// parseOwn cuts a line of this version at the places where encode puts things.
func parseOwn(line []byte) (Record, bool) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"v":1,"seq":`))
	if !ok {
		return Record{}, false
	}
	seq, rest, ok := bytes.Cut(rest, []byte(`,"ts":"`))
	if !ok {
		return Record{}, false
	}
	at, rest, ok := bytes.Cut(rest, []byte(`","type":"`))
	if !ok {
		return Record{}, false
	}
	kind, rest, ok := bytes.Cut(rest, []byte(`"`))
	if !ok {
		return Record{}, false
	}
	tokens, rest, ok := bytes.Cut(rest, []byte(`,"payload":`))
	if !ok || !bytes.HasSuffix(rest, []byte("}")) {
		return Record{}, false
	}
	number, err := strconv.ParseUint(string(seq), 10, 64)
	var when time.Time
	wrong := when.UnmarshalText(at) // as strict as for JSON
	if err != nil || wrong != nil || number == 0 || len(kind) == 0 || len(bytes.Trim(kind, "abcdefghijklmnopqrstuvwxyz")) > 0 {
		return Record{}, false
	}
	counts, tokens, ok := parseCounts(tokens)
	if !ok {
		return Record{}, false
	}
	tokens, counted := bytes.CutPrefix(tokens, []byte(`,"tokens":`))
	if counted && !json.Valid(tokens) || !counted && len(tokens) > 0 {
		return Record{}, false
	}
	return Record{number, when, Type(kind), json.RawMessage(rest[:len(rest)-1]), counts, tokens}, true
}

// parseCounts cuts off the counts with which text may begin.
func parseCounts(text []byte) (counts Counts, rest []byte, ok bool) {
	inner, found := bytes.CutPrefix(text, []byte(`,"n":[`))
	if !found {
		return Counts{}, text, true
	}
	inner, rest, ok = bytes.Cut(inner, []byte("]"))
	entries, messages, several := bytes.Cut(inner, []byte(","))
	var wrong [2]error
	counts.Entries, wrong[0] = strconv.Atoi(string(entries))
	counts.Messages, wrong[1] = strconv.Atoi(string(messages))
	return counts, rest, ok && several && wrong == [2]error{}
}

// parseTokens reads the counts of an entry's blocks by vocabulary; there are none in what
// is not understood. Most are of one vocabulary and as encode writes them.
func parseTokens(text []byte) iter.Seq2[string, []int] {
	return func(yield func(string, []int) bool) {
		if vocabulary, blocks, ok := parseOwnTokens(text); ok {
			yield(vocabulary, blocks)
			return
		}
		var counts map[string][]int
		if len(text) == 0 || json.Unmarshal(text, &counts) != nil {
			return
		}
		for vocabulary, blocks := range counts {
			if !yield(vocabulary, blocks) {
				return
			}
		}
	}
}

// parseOwnTokens reads {"NAME":[1,2]}.
func parseOwnTokens(text []byte) (vocabulary string, blocks []int, ok bool) {
	inner, begins := bytes.CutPrefix(text, []byte(`{"`))
	inner, ends := bytes.CutSuffix(inner, []byte("]}"))
	name, numbers, ok := bytes.Cut(inner, []byte(`":[`))
	if !begins || !ends || !ok || bytes.ContainsAny(name, `"\\`) {
		return "", nil, false
	}
	for number := range bytes.SplitSeq(numbers, []byte(",")) {
		count, err := strconv.Atoi(string(number))
		if err != nil {
			return "", nil, false
		}
		blocks = append(blocks, count)
	}
	return string(name), blocks, true
}
