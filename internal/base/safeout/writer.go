// Package safeout writes the output of commands outside the interface. Output to a terminal is
// cleaned on the way, so that the terminal obeys no text from a model, a file, a server or a
// session. Output to a file or a pipe stays unchanged.
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

// ErrGone reports a write to a pipe whose reader has ended, as head does after enough lines. It is
// not an error of the program, and no message is printed.
var ErrGone = errors.New("nobody reads the output any more")

// Writer returns a writer to f, which is a Cleaner if f is a terminal.
func Writer(f *os.File) io.Writer {
	if !term.IsTerminal(int(f.Fd())) {
		return piped{f}
	}
	return Cleaner(f)
}

// piped writes to a file or a pipe. Its ErrGone distinguishes the reader of the output from a
// server that closed a connection.
type piped struct{ out *os.File }

// Write implements io.Writer.
func (p piped) Write(data []byte) (int, error) {
	n, err := p.out.Write(data)
	if fsutil.IsGone(err) {
		err = fmt.Errorf("%w: %w", ErrGone, err)
	}
	return n, err
}

// Cleaner returns a writer to out that makes every character visible that a terminal would obey
// (humanize.Visible). A character may be split over writes, and writes may come from any goroutine.
func Cleaner(out io.Writer) io.Writer { return &cleaner{out: out} }

type cleaner struct {
	mu  sync.Mutex
	out io.Writer
	// held is the beginning of an incomplete character.
	held []byte
}

// Write implements io.Writer. It returns len(data) once the cleaned form of data is written.
func (c *cleaner) Write(data []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := append(c.held, data...)
	whole := len(text) - unfinished(text)
	c.held = append([]byte(nil), text[whole:]...)
	if _, err := io.WriteString(c.out, humanize.Visible(string(text[:whole]))); err != nil {
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

// Await returns the result of read, or the cause if ctx ends first, because a read of a terminal
// or a pipe does not end by itself.
func Await[T any](ctx context.Context, read func() (T, error)) (T, error) {
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
