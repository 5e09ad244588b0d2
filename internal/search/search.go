// Package search finds the lines of files that match a regular expression.
//
// It searches the given files in their order; the caller decides which files to search and how to
// read them. Files that are not text, or cannot be read, are skipped.
package search

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// A Reader reads the whole content of a file into buffer, or into a larger buffer instead. It must
// not block, and must not read outside of the searched folder. Several goroutines call it at once.
type Reader func(file string, buffer []byte) (content []byte, err error)

// ErrTooLarge is the error of a Reader for a file that is too large to be searched.
var ErrTooLarge = errors.New("the file is too large to be searched")

// A Match is a matching line.
type Match struct {
	// File is the path from the caller's list.
	File string
	Line int
	// Text is the line as valid UTF-8, without its line end.
	Text string
	// Foreign is set if the line, or a line around it, is not UTF-8.
	Foreign bool
	// At is the offset in Text at which the expression first matches, in bytes.
	At int
	// Before and After hold the lines around the match, in the form of Text.
	Before, After []string
	// Count is the number of matching lines in the file, if the Query counts them.
	Count int
}

// A Query describes the wanted results.
type Query struct {
	// Limit is the number of matches after which the search stops.
	Limit int
	// Around is the number of wanted lines before and after each match.
	Around int
	// First requests only the first match of each file.
	First bool
	// Count requests only the first match of each file, with the number of matching lines.
	Count bool
}

// searchBatch is the number of files that are searched between two checks of the limit. It is
// small, so that a search with many matches ends soon.
const searchBatch = 256

// Files searches files in the given order, using all processors, until it has found more matches
// than the limit. It also returns the names of files that were too large to be searched.
func Files(ctx context.Context, expression *Expression, files []string, read Reader, query Query) (matches []Match, tooLarge []string, err error) {
	buffers := make([][]byte, runtime.GOMAXPROCS(0))
	for begin := 0; begin < len(files) && len(matches) <= query.Limit; begin += searchBatch {
		batch := files[begin:min(begin+searchBatch, len(files))]
		found, large := make([][]Match, len(batch)), make([]bool, len(batch))
		var next atomic.Int64
		var workers sync.WaitGroup
		for worker := range min(len(buffers), len(batch)) {
			workers.Go(func() {
				buffer := buffers[worker]
				for i := int(next.Add(1)) - 1; i < len(batch) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
					content, err := read(batch[i], buffer)
					large[i] = errors.Is(err, ErrTooLarge)
					if err == nil && bytes.IndexByte(content, 0) < 0 {
						found[i] = expression.matches(batch[i], content, query)
					}
					if cap(content) > cap(buffer) && cap(content) <= maxKeptBuffer {
						buffer = content
					}
				}
				buffers[worker] = buffer
			})
		}
		workers.Wait()
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		for i, in := range found {
			matches = append(matches, in...)
			if large[i] {
				tooLarge = append(tooLarge, batch[i])
			}
		}
	}
	return matches, tooLarge, nil
}

// maxKeptBuffer limits the buffer that is reused for the next file, in bytes.
const maxKeptBuffer = 4 << 20

func (e *Expression) matches(file string, content []byte, query Query) []Match {
	var found []Match
	line, counted, count := 1, 0, 0
	candidates := newCandidates(e.literals, content)
	for begin := 0; begin < len(content) && !query.hasEnough(len(found)); {
		candidate := candidates.next(begin)
		if candidate < 0 {
			break
		}
		begin = bytes.LastIndexByte(content[:candidate], '\n') + 1
		text, end := lineAt(content, begin)
		if at := e.pattern.FindIndex(text); at != nil {
			count++
			if !query.Count || count == 1 {
				line += bytes.Count(content[counted:begin], []byte{'\n'})
				counted = begin
				one := Match{File: file, Line: line, Text: valid(text), Foreign: !utf8.Valid(text), At: at[0]}
				one.addContext(content, begin, end, query.Around)
				found = append(found, one)
			}
		}
		begin = end
	}
	if query.Count && count > 0 {
		found[0].Count = count
	}
	return found
}

// hasEnough reports whether a file needs no further matches after this number.
func (q Query) hasEnough(found int) bool {
	switch {
	case q.Count:
		return false
	case q.First:
		return found > 0
	}
	return found > q.Limit
}

// lineAt returns the line that begins at an offset, without its end, and the offset of the next
// line.
func lineAt(content []byte, begin int) (text []byte, next int) {
	end := len(content)
	if length := bytes.IndexByte(content[begin:], '\n'); length >= 0 {
		end = begin + length
	}
	return bytes.TrimSuffix(content[begin:end], []byte{'\r'}), end + 1
}

func (m *Match) addContext(content []byte, begin, next, lines int) {
	for at := begin; at > 0 && len(m.Before) < lines; {
		at = bytes.LastIndexByte(content[:at-1], '\n') + 1
		text, _ := lineAt(content, at)
		m.Before, m.Foreign = append(m.Before, valid(text)), m.Foreign || !utf8.Valid(text)
	}
	slices.Reverse(m.Before)
	for at := next; at < len(content) && len(m.After) < lines; {
		var text []byte
		text, at = lineAt(content, at)
		m.After, m.Foreign = append(m.After, valid(text)), m.Foreign || !utf8.Valid(text)
	}
}

func valid(text []byte) string { return string(bytes.ToValidUTF8(text, []byte("\uFFFD"))) }
