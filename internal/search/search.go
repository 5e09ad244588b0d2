// Package search finds the lines of files that match a regular expression.
//
// It searches the files it is handed, in their order and whatever they are: what
// belongs to the search is the caller's decision. Files that are not text, or cannot
// be read, are skipped; how they are read is the caller's decision too.
package search

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// A Reader reads the whole content of a file into buffer, or into a larger one in its
// place. It neither waits for a file nor leads out of where the search is about, and is
// called by several goroutines at once.
type Reader func(file string, buffer []byte) (content []byte, err error)

// ErrTooLarge is the error of a Reader for a file that is too large to be searched.
var ErrTooLarge = errors.New("the file is too large to be searched")

// Match is one line that was found.
type Match struct {
	// File is the path as it was handed in.
	File string
	Line int
	// Text is the line without its end, valid UTF-8.
	Text string
	// Foreign says that the line is not UTF-8.
	Foreign bool
	// At is where in Text the expression first matches, in bytes.
	At int
}

// searchBatch is how many files are searched before the matches are counted. It is
// small enough that a search with many matches ends soon.
const searchBatch = 256

// Files looks through files, in the order given and with the processors there are,
// until it has found more than limit lines. The files that were too large to be searched
// are named too.
func Files(ctx context.Context, expression *Expression, files []string, read Reader, limit int) (matches []Match, tooLarge []string, err error) {
	buffers := make([][]byte, runtime.GOMAXPROCS(0))
	for begin := 0; begin < len(files) && len(matches) <= limit; begin += searchBatch {
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
						found[i] = expression.matches(batch[i], content, limit+1)
					}
					if cap(content) > cap(buffer) && cap(content) <= mostKept {
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

// mostKept is the size of the largest buffer that is kept for the next file.
const mostKept = 4 << 20

// matches returns the lines of a file that match, up to limit.
func (e *Expression) matches(file string, content []byte, limit int) []Match {
	var found []Match
	line, counted := 1, 0
	candidates := newCandidates(e.literals)
	for begin := 0; begin < len(content) && len(found) < limit; {
		candidate := candidates.next(content, begin)
		if candidate < 0 {
			break
		}
		begin = bytes.LastIndexByte(content[:candidate], '\n') + 1
		end := len(content)
		if length := bytes.IndexByte(content[begin:], '\n'); length >= 0 {
			end = begin + length
		}
		text := bytes.TrimSuffix(content[begin:end], []byte{'\r'})
		if at := e.pattern.FindIndex(text); at != nil {
			line += bytes.Count(content[counted:begin], []byte{'\n'})
			counted = begin
			found = append(found, Match{File: file, Line: line, Text: string(bytes.ToValidUTF8(text, []byte("\uFFFD"))), Foreign: !utf8.Valid(text), At: at[0]})
		}
		begin = end + 1
	}
	return found
}
