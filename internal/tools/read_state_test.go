package tools

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
)

func TestSeenDetectsChangesByContent(t *testing.T) {
	t.Parallel()
	s := NewSeenFiles()
	if _, changed := s.changed("/a", []byte("x")); changed || s.IsKnown("/a") {
		t.Error("a file never seen counts as changed or known")
	}
	s.Record("/a", []byte("x"))
	if _, changed := s.changed("/a", []byte("x")); changed || !s.IsKnown("/a") {
		t.Error("the content recorded counts as changed or unknown")
	}
	if before, changed := s.changed("/a", []byte("y")); !changed || string(before) != "x" {
		t.Errorf("another content: changed %v, before %q", changed, before)
	}
}

func TestSeenKeepsTextWithinItsBoundAndHashesAlways(t *testing.T) {
	t.Parallel()
	s := NewSeenFiles()
	large := bytes.Repeat([]byte("x"), seenTextBytes/4)
	for i := range 10 {
		s.Record(fmt.Sprint(i), large)
		s.Record(fmt.Sprint(i), large)
	}
	s.Record("huge", append(large, 'x'))
	if s.bytes > seenTextBytes {
		t.Errorf("%d bytes of text are kept", s.bytes)
	}
	for i := range 10 {
		before, changed := s.changed(fmt.Sprint(i), []byte("other"))
		if !changed || (before != nil) != (i >= 6) {
			t.Errorf("file %d: changed %v, text kept %v", i, changed, before != nil)
		}
	}
	if before, changed := s.changed("huge", []byte("other")); !changed || before != nil {
		t.Error("a huge text was kept, or its hash was not")
	}
}

func TestReadsRunInParallel(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{"a.go": goFile, "b.txt": numberedLines(1, 100)})
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			call(t, env, readFile(), params{"file_path": "a.go"})
			call(t, env, readManyFiles(), params{"paths": []string{"*.txt"}})
			call(t, env, astReadFile(), params{"file_path": "a.go"})
		})
	}
	group.Wait()
	mustRun(t, env, deleteLineRange(), params{"file_path": "b.txt", "start_line": 1, "end_line": 1})
}

// A forgotten file must be read again before an edit.
func TestForgottenFilesMustBeReadAgain(t *testing.T) {
	t.Parallel()
	seen := NewSeenFiles()
	seen.Record("/a", []byte("x"))
	seen.Record("/b", []byte("x"))
	if seen.Forget("/a"); seen.IsKnown("/a") || !seen.IsKnown("/b") {
		t.Errorf("a is known: %t, b is: %t", seen.IsKnown("/a"), seen.IsKnown("/b"))
	}
}
