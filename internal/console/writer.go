// Package console is how every command writes outside the interface. What is written to a
// terminal is cleaned on the way: no text from a model, a file, a server or a session
// is obeyed by the terminal, whatever prints it. What is written to a file or a pipe stays
// as it is.
package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"unicode/utf8"

	"golang.org/x/term"

	"agent/internal/words"
)

// ErrGone is the error of writing to a pipe whose reader has gone, as head does when it
// has enough. It is nobody's mistake, and there is nobody to inform.
var ErrGone = errors.New("nobody reads the output any more")

// Writer returns what to write to f with: a Cleaner where it is a terminal.
func Writer(f *os.File) io.Writer {
	if !term.IsTerminal(int(f.Fd())) {
		return piped{f}
	}
	return Cleaner(f)
}

// piped is a file or a pipe. Its ErrGone distinguishes the reader of the output from a server
// that closed a connection.
type piped struct{ out *os.File }

// Write implements io.Writer.
func (p piped) Write(data []byte) (int, error) {
	n, err := p.out.Write(data)
	if errors.Is(err, syscall.EPIPE) {
		err = fmt.Errorf("%w: %w", ErrGone, err)
	}
	return n, err
}

// Cleaner returns a writer that makes everything visible which a terminal would obey
// (words.Visible) before it reaches out. A character may be split over writes, which
// may come from any goroutine.
func Cleaner(out io.Writer) io.Writer { return &cleaner{out: out} }

type cleaner struct {
	mu  sync.Mutex
	out io.Writer
	// held is the beginning of a character.
	held []byte
}

// Write implements io.Writer. It reports data as written when what represents it is.
func (c *cleaner) Write(data []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := append(c.held, data...)
	whole := len(text) - unfinished(text)
	c.held = append([]byte(nil), text[whole:]...)
	if _, err := io.WriteString(c.out, words.Visible(string(text[:whole]))); err != nil {
		return 0, err
	}
	return len(data), nil
}

// unfinished is the length of the character that text breaks off in.
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

// Await returns what read returns, or why ctx has ended before: a read of a terminal or a
// pipe does not end by itself.
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
