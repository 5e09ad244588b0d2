package safeout

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"agent/internal/base/humanize"
)

// A text may be written in portions of any size. The terminal receives the same text, without
// control sequences.
func TestCleaner(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"\x1b]52;c;eA==\x07", "\x1b[2J", "\u009b31m", "\u202e", "日本", "\r", "\n", "\x1bc", "\x1bP$q\x1b\\"}))
		text := strings.Join(rapid.SliceOf(piece).Draw(t, "text"), "")
		var out bytes.Buffer
		w := NewCleaner(&out)
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			if wrote, err := w.Write([]byte(rest[:n])); wrote != n || err != nil {
				t.Fatal(wrote, err)
			}
			rest = rest[n:]
		}
		for _, r := range out.String() {
			if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
				t.Fatalf("%q reached the terminal", out.String())
			}
		}
		// Emoji sequences that cross two writes have their joiners escaped. Everything else is
		// equal.
		if want := humanize.EscapeInvisible(text); !strings.ContainsAny(text, "\u200d\ufe0f") && out.String() != want {
			t.Fatalf("in pieces %q, at once %q", out.String(), want)
		}
	})
}

// A closed pipe is distinguished from any other write error. Text for a file is not changed.
func TestWriterOfAPipe(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	_ = r.Close()
	if _, err := NewWriter(w).Write([]byte("x")); !errors.Is(err, ErrReaderGone) {
		t.Errorf("error %v", err)
	}
	path := filepath.Join(t.TempDir(), "out")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	const text = "\x1b[2J\u202e"
	if _, err := NewWriter(file).Write([]byte(text)); err != nil {
		t.Error(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != text {
		t.Errorf("the file holds %q", got)
	}
	if _, err := NewWriter(file).Write([]byte("x")); err == nil || errors.Is(err, ErrReaderGone) {
		t.Errorf("error %v", err)
	}
}

// A read that never returns is abandoned once its context ends.
func TestAwait(t *testing.T) {
	t.Parallel()
	if got, err := ReadContext(t.Context(), func() (string, error) { return "line", io.EOF }); got != "line" || !errors.Is(err, io.EOF) {
		t.Errorf("%q, %v", got, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(io.ErrClosedPipe)
	held := make(chan struct{})
	defer close(held)
	if _, err := ReadContext(ctx, func() (string, error) { <-held; return "late", nil }); !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
}
