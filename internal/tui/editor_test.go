package tui

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

// operations are all ways to change an editor.
var operations = []func(*editor){
	(*editor).left, (*editor).right, (*editor).home, (*editor).end, (*editor).wordLeft, (*editor).wordRight,
	(*editor).backspace, (*editor).del, (*editor).killWord, (*editor).killWordRight, (*editor).killToStart,
	(*editor).killToEnd, (*editor).yank,
	func(e *editor) { e.up() }, func(e *editor) { e.down() },
}

func typedText() *rapid.Generator[string] {
	return rapid.StringOf(rapid.SampledFrom([]rune("ab 9_\n\t日👍🏽\u200d\u0301é\r\x1b🇩🇪" + string(firstPlaceholder))))
}

func TestEditorStaysBetweenClusters(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var e editor
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				e.insert(typedText().Draw(t, "typed"))
			case 1:
				e.insertPaste(strings.Repeat(typedText().Draw(t, "pasted"), rapid.SampledFrom([]int{1, 200}).Draw(t, "times")))
			default:
				rapid.SampledFrom(operations).Draw(t, "operation")(&e)
			}
			checkEditor(t, &e)
			width, height := rapid.IntRange(2, 30).Draw(t, "width"), rapid.IntRange(1, 8).Draw(t, "height")
			checkEditorView(t, &e, width, height)
		}
	})
}

func checkEditor(t *rapid.T, e *editor) {
	if !utf8.ValidString(e.text) || strings.ContainsAny(e.text, "\r\x1b") {
		t.Fatalf("the text holds what cannot be typed: %q", e.text)
	}
	for at := e.lineStart(); at != e.cursor; at += clusterLength(e.text[at:]) {
		if at > e.cursor {
			t.Fatalf("the cursor at %d is inside a cluster of %q", e.cursor, e.text)
		}
	}
}

func checkEditorView(t *rapid.T, e *editor, width, height int) {
	rows, row, col := e.view(width, height)
	if len(rows) == 0 || len(rows) > height || row < 0 || row >= len(rows) || col < 0 || col > width {
		t.Fatalf("view(%d, %d) of %q at %d: %d rows, cursor at %d, %d", width, height, e.text, e.cursor, len(rows), row, col)
	}
	for _, line := range rows {
		if ansi.StringWidth(line) > width {
			t.Fatalf("view(%d, %d): %q is too wide", width, height, line)
		}
	}
}

func TestEditorKeysOfTheShell(t *testing.T) {
	t.Parallel()
	const text = "one two-three\nvier fünf"
	for _, tt := range []struct {
		name   string
		cursor int
		do     func(*editor)
		text   string
		at     int
	}{
		{"Ctrl+W takes the word with its hyphen", 13, (*editor).killWord, "one \nvier fünf", 4},
		{"Ctrl+W takes the space behind the word", 4, (*editor).killWord, "two-three\nvier fünf", 0},
		{"Ctrl+U stops at the start of the line", 18, (*editor).killToStart, "one two-three\n fünf", 14},
		{"Ctrl+K stops at the end of the line", 3, (*editor).killToEnd, "one\nvier fünf", 3},
		{"Ctrl+K at the end joins lines", 13, (*editor).killToEnd, "one two-threevier fünf", 13},
		{"Alt+B", 13, (*editor).wordLeft, text, 8},
		{"Alt+F", 4, (*editor).wordRight, text, 7},
		{"Up keeps the column", 18, func(e *editor) { e.up() }, text, 4},
		{"Down stops at the end of a shorter line", 12, func(e *editor) { e.down() }, text, len(text)},
		{"Backspace takes a letter", len(text), (*editor).backspace, "one two-three\nvier fün", len(text) - 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := editor{text: text, cursor: tt.cursor}
			tt.do(&e)
			if e.text != tt.text || e.cursor != tt.at {
				t.Errorf("got %q at %d, want %q at %d", e.text, e.cursor, tt.text, tt.at)
			}
		})
	}
}

func TestEditorTreatsClustersAsOne(t *testing.T) {
	t.Parallel()
	for _, cluster := range []string{"👨‍👩‍👧", "🇩🇪", "e\u0301", "日", "👍🏽"} {
		e := editor{}
		e.insert("a" + cluster + "b")
		e.left()
		e.left()
		if e.cursor != 1 {
			t.Errorf("%q: two steps to the left from its end stop at %d, want 1", cluster, e.cursor)
		}
		e.right()
		e.backspace()
		if e.text != "ab" {
			t.Errorf("%q: Backspace left %q", cluster, e.text)
		}
	}
}

func TestEditorPastes(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("line\r\n", 120)
	e := editor{}
	e.insert("see ")
	e.insertPaste(long)
	e.insert(" ok")
	rows, _, _ := e.view(60, 3)
	if want := "see [pasted 120 lines] ok"; rows[0] != want {
		t.Errorf("shown as %q, want %q", rows[0], want)
	}
	if want := "see " + strings.Repeat("line\n", 120) + " ok"; e.value() != want {
		t.Error("the paste is not in what would be sent")
	}
	for range 4 {
		e.backspace()
	}
	if e.value() != "see " {
		t.Errorf("Backspace did not remove the paste as a whole: %q", e.value())
	}

	e = editor{}
	e.insertPaste("two\r\nlines")
	if e.text != "two\nlines" {
		t.Errorf("a short paste became %q", e.text)
	}
	e = editor{}
	e.insertPaste(strings.Repeat("x", 5000))
	if rows, _, _ := e.view(60, 3); rows[0] != "[pasted 5000 characters]" {
		t.Errorf("a long line is shown as %q", rows[0])
	}
}

// What is laid out must not grow with what was typed.
func BenchmarkEditorView(b *testing.B) {
	e := editor{}
	e.set(strings.Repeat("a line of some length that was typed\n", 5000))
	for b.Loop() {
		e.view(100, 10)
	}
}
