// Package search finds the lines of files that match a regular expression.
//
// It searches the files it is handed, in their order and whatever they are: what
// belongs to the search is the caller's decision. Files that are not text, too
// large or not regular are skipped; how they are opened is the caller's decision too.
package search

import (
	"bytes"
	"context"
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
)

// MaxFileBytes is the size above which a file is not searched.
const MaxFileBytes = 32 << 20

// Match is one line that was found.
type Match struct {
	// File is the path as it was handed in.
	File string
	Line int
	// Text is the line without its end, valid UTF-8.
	Text string
	// At is where in Text the expression first matches, in bytes.
	At int
}

// searchBatch is how many files are searched before the matches are counted. It is
// small enough that a search with many matches ends soon.
const searchBatch = 256

// Files looks through files, in the order given and with the processors there are,
// until it has found more than limit lines. open opens one of them for reading, and
// neither waits for it nor leads out of where the search is about. The files that were
// too large to be searched are named too.
func Files(ctx context.Context, expression *Expression, files []string, open func(string) (*os.File, error), limit int) (matches []Match, tooLarge []string, err error) {
	for begin := 0; begin < len(files) && len(matches) <= limit; begin += searchBatch {
		batch := files[begin:min(begin+searchBatch, len(files))]
		found, large := make([][]Match, len(batch)), make([]bool, len(batch))
		var next atomic.Int64
		var workers sync.WaitGroup
		for range min(runtime.GOMAXPROCS(0), len(batch)) {
			workers.Go(func() {
				var content []byte
				for i := int(next.Add(1)) - 1; i < len(batch) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
					content, large[i] = readForSearch(open, batch[i], content)
					found[i] = expression.matches(batch[i], content, limit+1)
				}
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

// readForSearch reads a file into buffer, which it may replace by a larger one.
// What cannot be read, is too large, which it says, or is no text, is empty.
func readForSearch(open func(string) (*os.File, error), path string, buffer []byte) (content []byte, tooLarge bool) {
	file, err := open(path)
	if err != nil {
		return buffer[:0], false
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > MaxFileBytes {
		return buffer[:0], err == nil && info.Mode().IsRegular()
	}
	if int64(cap(buffer)) < info.Size() {
		buffer = make([]byte, info.Size())
	}
	n, err := io.ReadFull(file, buffer[:info.Size()])
	if err != nil && err != io.ErrUnexpectedEOF || bytes.IndexByte(buffer[:n], 0) >= 0 {
		return buffer[:0], false
	}
	return buffer[:n], false
}

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
			found = append(found, Match{File: file, Line: line, Text: string(bytes.ToValidUTF8(text, []byte("\uFFFD"))), At: at[0]})
		}
		begin = end + 1
	}
	return found
}
