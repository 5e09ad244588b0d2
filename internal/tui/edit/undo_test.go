package edit

import (
	"testing"

	"pgregory.net/rapid"
)

func typeInto(e *Editor, text string) {
	for _, r := range text {
		e.Key(string(r), string(r))
	}
}

func TestUndoTakesWordsBack(t *testing.T) {
	t.Parallel()
	var e Editor
	typeInto(&e, "one two")
	e.Key("ctrl+w", "")
	for _, want := range []string{"one two", "one ", "one", ""} {
		if e.Undo(); e.Text != want {
			t.Fatalf("undone to %q, want %q", e.Text, want)
		}
	}
	e.Undo()
	for _, want := range []string{"one", "one ", "one two", "one "} {
		if e.Redo(); e.Text != want {
			t.Fatalf("redone to %q, want %q", e.Text, want)
		}
	}
}

// One undo for each key restores the first text, and one redo for each restores the last.
func TestUndoIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := Editor{}
		e.Set("begin here")
		keys := rapid.SliceOfN(rapid.SampledFrom([]string{"a", " ", "日", "backspace", "left", "ctrl+w", "ctrl+y", "ctrl+u", "home", "alt+d"}), 0, 40).Draw(t, "keys")
		for _, name := range keys {
			text := ""
			if len([]rune(name)) == 1 {
				text = name
			}
			e.Key(name, text)
		}
		end := e.Text
		for range keys {
			e.Undo()
		}
		if e.Text != "begin here" {
			t.Fatalf("undone to %q", e.Text)
		}
		for range keys {
			e.Redo()
		}
		if e.Text != end {
			t.Fatalf("redone to %q, want %q", e.Text, end)
		}
	})
}
