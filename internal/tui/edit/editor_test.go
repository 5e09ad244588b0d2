package edit

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"agent/internal/atcmd"
	"agent/internal/history"
	"pgregory.net/rapid"
)

// operations lists all methods that change an editor.
var operations = []func(*Editor){
	(*Editor).Left, (*Editor).Right, (*Editor).Home, (*Editor).End, (*Editor).WordLeft, (*Editor).WordRight,
	(*Editor).Backspace, (*Editor).Delete, (*Editor).KillWord, (*Editor).KillWordRight, (*Editor).KillToStart,
	(*Editor).KillToEnd, (*Editor).Yank,
	func(e *Editor) { e.Up() }, func(e *Editor) { e.Down() },
}

func typedText() *rapid.Generator[string] {
	return rapid.StringOf(rapid.SampledFrom([]rune("ab 9_\n\t日👍🏽\u200d\u0301é\r\x1b🇩🇪" + string(FirstPlaceholder))))
}

func TestEditorStaysBetweenClusters(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var e Editor
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				e.Insert(typedText().Draw(t, "typed"))
			case 1:
				e.InsertPaste(strings.Repeat(typedText().Draw(t, "pasted"), rapid.SampledFrom([]int{1, 200}).Draw(t, "times")))
			default:
				rapid.SampledFrom(operations).Draw(t, "operation")(&e)
			}
			checkEditor(t, &e)
			width, height := rapid.IntRange(2, 30).Draw(t, "width"), rapid.IntRange(1, 8).Draw(t, "height")
			checkEditorView(t, &e, width, height)
		}
	})
}

func checkEditor(t *rapid.T, e *Editor) {
	if !utf8.ValidString(e.Text) || strings.ContainsAny(e.Text, "\r\x1b") {
		t.Fatalf("the text holds what cannot be typed: %q", e.Text)
	}
	for at := e.lineStart(); at != e.Cursor; at += clusterLength(e.Text[at:]) {
		if at > e.Cursor {
			t.Fatalf("the cursor at %d is inside a cluster of %q", e.Cursor, e.Text)
		}
	}
}

func checkEditorView(t *rapid.T, e *Editor, width, height int) {
	rows, row, col := e.View(width, height)
	if len(rows) == 0 || len(rows) > height || row < 0 || row >= len(rows) || col < 0 || col > width {
		t.Fatalf("view(%d, %d) of %q at %d: %d rows, cursor at %d, %d", width, height, e.Text, e.Cursor, len(rows), row, col)
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
		do     func(*Editor)
		text   string
		at     int
	}{
		{"Ctrl+W takes the word with its hyphen", 13, (*Editor).KillWord, "one \nvier fünf", 4},
		{"Ctrl+W takes the space behind the word", 4, (*Editor).KillWord, "two-three\nvier fünf", 0},
		{"Ctrl+U stops at the start of the line", 18, (*Editor).KillToStart, "one two-three\n fünf", 14},
		{"Ctrl+K stops at the end of the line", 3, (*Editor).KillToEnd, "one\nvier fünf", 3},
		{"Ctrl+K at the end joins lines", 13, (*Editor).KillToEnd, "one two-threevier fünf", 13},
		{"Alt+B", 13, (*Editor).WordLeft, text, 8},
		{"Alt+F", 4, (*Editor).WordRight, text, 7},
		{"Up keeps the column", 18, func(e *Editor) { e.Up() }, text, 4},
		{"Down stops at the end of a shorter line", 12, func(e *Editor) { e.Down() }, text, len(text)},
		{"Backspace takes a letter", len(text), (*Editor).Backspace, "one two-three\nvier fün", len(text) - 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := Editor{Text: text, Cursor: tt.cursor}
			tt.do(&e)
			if e.Text != tt.text || e.Cursor != tt.at {
				t.Errorf("got %q at %d, want %q at %d", e.Text, e.Cursor, tt.text, tt.at)
			}
		})
	}
}

func TestEditorTreatsClustersAsOne(t *testing.T) {
	t.Parallel()
	for _, cluster := range []string{"👨‍👩‍👧", "🇩🇪", "e\u0301", "日", "👍🏽"} {
		e := Editor{}
		e.Insert("a" + cluster + "b")
		e.Left()
		e.Left()
		if e.Cursor != 1 {
			t.Errorf("%q: two steps to the left from its end stop at %d, want 1", cluster, e.Cursor)
		}
		e.Right()
		e.Backspace()
		if e.Text != "ab" {
			t.Errorf("%q: Backspace left %q", cluster, e.Text)
		}
	}
}

func TestEditorPastes(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("line\r\n", 120)
	e := Editor{}
	e.Insert("see ")
	e.InsertPaste(long)
	e.Insert(" ok")
	rows, _, _ := e.View(60, 3)
	if want := "see [pasted 120 lines] ok"; rows[0] != want {
		t.Errorf("shown as %q, want %q", rows[0], want)
	}
	if want := "see " + strings.Repeat("line\n", 120) + " ok"; e.Value() != want {
		t.Error("the paste is not in what would be sent")
	}
	for range 4 {
		e.Backspace()
	}
	if e.Value() != "see " {
		t.Errorf("Backspace did not remove the paste as a whole: %q", e.Value())
	}

	e = Editor{}
	e.InsertPaste("two\r\nlines")
	if e.Text != "two\nlines" {
		t.Errorf("a short paste became %q", e.Text)
	}
	e = Editor{}
	e.InsertPaste(strings.Repeat("x", 5000))
	if rows, _, _ := e.View(60, 3); rows[0] != "[pasted 5000 characters]" {
		t.Errorf("a long line is shown as %q", rows[0])
	}
}

// The time of the layout must not grow with the length of the text.
func BenchmarkEditorView(b *testing.B) {
	e := Editor{}
	e.Set(strings.Repeat("a line of some length that was typed\n", 5000))
	for b.Loop() {
		e.View(100, 10)
	}
}

// D-46: pasted text stays marked as pasted, however the text around it is edited. Text from an
// external editor counts as typed.
func TestPastedTextStaysMarked(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		edit func(*Editor)
		want atcmd.Message
	}{
		{"a decorator", func(e *Editor) { e.Insert("why "); e.InsertPaste("@app.route(1)\ndef x()"); e.Insert(" @a.go") }, atcmd.Message{{Text: "why "}, {Text: "@app.route(1)\ndef x()", Source: history.SourcePasted}, {Text: " @a.go"}}},
		{"a word", func(e *Editor) { e.InsertPaste("npm i @types/node"); e.Home(); e.Insert("run ") }, atcmd.Message{{Text: "run npm i "}, {Text: "@", Source: history.SourcePasted}, {Text: "types/node"}}},
		{"a command", func(e *Editor) { e.InsertPaste("/set x y") }, atcmd.Message{{Text: "/", Source: history.SourcePasted}, {Text: "set x y"}}},
		{"a shell line", func(e *Editor) { e.InsertPaste("!rm x") }, atcmd.Message{{Text: "!", Source: history.SourcePasted}, {Text: "rm x"}}},
		{"a slash within", func(e *Editor) { e.InsertPaste("a/b!") }, atcmd.Message{{Text: "a/b!"}}},
		{"lines without a sign", func(e *Editor) { e.InsertPaste("a\nb") }, atcmd.Message{{Text: "a\nb"}}},
		{"a long one", func(e *Editor) { e.InsertPaste(strings.Repeat("x\n", 9)) }, atcmd.Message{{Text: strings.Repeat("x\n", 9), Source: history.SourcePasted}}},
		{"from another editor", func(e *Editor) { e.InsertLong("@a.go\n" + strings.Repeat("x\n", 9)) }, atcmd.Message{{Text: "@a.go\n" + strings.Repeat("x\n", 9)}}},
		{"killed and yanked", func(e *Editor) { e.InsertPaste("@a"); e.KillToStart(); e.Yank() }, atcmd.Message{{Text: "@", Source: history.SourcePasted}, {Text: "a"}}},
		{"killed, and yanked into another prompt", func(e *Editor) {
			e.InsertPaste("@a")
			e.KillToStart()
			e.Restore(atcmd.Message{{Text: "/b", Source: history.SourcePasted}})
			e.Yank()
		}, atcmd.Message{{Text: "/", Source: history.SourcePasted}, {Text: "b"}, {Text: "@", Source: history.SourcePasted}, {Text: "a"}}},
		{"killed, and yanked into a prompt without pastes", func(e *Editor) { e.InsertPaste("@a"); e.KillToStart(); e.Set("b "); e.Yank() }, atcmd.Message{{Text: "b "}, {Text: "@", Source: history.SourcePasted}, {Text: "a"}}},
		{"killed, undone and yanked", func(e *Editor) {
			e.InsertPaste("@a")
			e.KillToStart()
			e.Undo()
			e.Undo()
			e.InsertPaste("/b")
			e.Yank()
		}, atcmd.Message{{Text: "/", Source: history.SourcePasted}, {Text: "b"}, {Text: "@", Source: history.SourcePasted}, {Text: "a"}}},
		{"killed, sent and yanked", func(e *Editor) { e.InsertPaste("@a"); e.KillToStart(); e.Clear(); e.Yank() }, atcmd.Message{{Text: "@", Source: history.SourcePasted}, {Text: "a"}}},
		{"nothing", func(e *Editor) {}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var e Editor
			test.edit(&e)
			if diff := cmp.Diff(test.want, e.Message(), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("parts (-want +got):\n%s", diff)
			}
			var again Editor
			again.Restore(e.Message())
			if diff := cmp.Diff(mergeParts(e.Message()), mergeParts(again.Message())); diff != "" || again.Value() != e.Value() {
				t.Errorf("given back (-want +got):\n%s", diff)
			}
		})
	}
}

// mergeParts merges adjacent parts of the same kind.
func mergeParts(parts atcmd.Message) atcmd.Message {
	var all atcmd.Message
	for _, part := range parts {
		if n := len(all); n > 0 && all[n-1].Source == part.Source {
			all[n-1].Text += part.Text
			continue
		}
		all = append(all, part)
	}
	return all
}

// A sent message looks like the prompt: an image is shown by its name, and a long paste by its
// size.
func TestShown(t *testing.T) {
	t.Parallel()
	parts := atcmd.Message{
		{Text: "[image shot.png]", Image: "/tmp/shot.png"},
		{Text: " says "},
		{Text: strings.Repeat("line\n", 20), Source: history.SourcePasted},
		{Text: "@", Source: history.SourcePasted},
	}
	if got, want := DisplayText(parts), "[image shot.png] says [pasted 20 lines]@"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
