// Package safeout writes command output to a terminal, file or pipe. In output to a terminal it
// makes control characters visible, so that text from a model, file, server or session cannot
// control the terminal. Output to a file or pipe stays unchanged.
package safeout

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
)

// ErrReaderGone is the error of a write to a pipe whose reader has ended, as head does after enough
// lines. It is not an error of the program, and no message is printed.
var ErrReaderGone = errors.New("the program that read the output has ended")

// NewWriter returns a writer to f, which is a NewCleaner if f is a terminal.
func NewWriter(f *os.File) io.Writer {
	if !term.IsTerminal(int(f.Fd())) {
		return piped{f}
	}
	return NewCleaner(f)
}

// piped writes to a file or a pipe. Its ErrReaderGone distinguishes a closed output from a closed
// connection to a server.
type piped struct{ out *os.File }

// Write implements io.Writer.
func (p piped) Write(data []byte) (int, error) {
	n, err := p.out.Write(data)
	if fsutil.IsBrokenPipe(err) {
		err = fmt.Errorf("%w: %w", ErrReaderGone, err)
	}
	return n, err
}

// NewCleaner returns a writer to out that makes every character visible that a terminal would obey
// (humanize.EscapeInvisible). A character may be split over several writes. Cleaner is safe for concurrent
// use.
func NewCleaner(out io.Writer) io.Writer { return &cleaner{out: out} }

type cleaner struct {
	mu  sync.Mutex
	out io.Writer
	// held is the start of an incomplete character.
	held []byte
}

// Write implements io.Writer. It returns len(data) after it has written the cleaned form of data.
func (c *cleaner) Write(data []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := append(c.held, data...)
	whole := len(text) - unfinished(text)
	c.held = append([]byte(nil), text[whole:]...)
	if _, err := io.WriteString(c.out, humanize.EscapeInvisible(string(text[:whole]))); err != nil {
		return 0, err
	}
	return len(data), nil
}

// unfinished returns the length of the incomplete character at the end of text.
func unfinished(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if start := text[len(text)-n:]; utf8.RuneStart(start[0]) {
			if start[0] >= utf8.RuneSelf && !utf8.FullRune(start) {
				return n
			}
			return 0
		}
	}
	return 0
}

// ReadContext returns the result of read, or the cause of ctx if ctx ends first. A read of a terminal or
// pipe cannot be canceled.
func ReadContext[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := read()
		done <- outcome{value, err}
	}()
	select {
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	case o := <-done:
		return o.value, o.err
	}
}
