package vim_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"agent/internal/tui/edit"
	"agent/internal/tui/edit/vim"
)

// press sends keys to the editor as the prompt does. Esc is written ␛, Ctrl+R ®, and Backspace ⌫.
// It returns the action of the last key.
func press(s *vim.State, e *edit.Editor, keys string) (action string) {
	for _, r := range keys {
		name, text := string(r), string(r)
		switch r {
		case '␛':
			name, text = "esc", ""
		case '®':
			name, text = "ctrl+r", ""
		case '⌫':
			name, text = "backspace", ""
		}
		var taken bool
		if action, taken = s.Key(e, name, text); !taken {
			e.Key(name, text)
		}
	}
	return action
}

// at returns a text with its cursor, written |.
func at(e *edit.Editor) string { return e.Text[:e.Cursor] + "|" + e.Text[e.Cursor:] }

func editorAt(text string) *edit.Editor {
	e := &edit.Editor{}
	before, after, _ := strings.Cut(text, "|")
	e.Set(before + after)
	e.Cursor = len(before)
	return e
}

func TestNormalMode(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ from, keys, want string }{
		// shifting
		{"one\nt|wo\n\nthree", ">>", "one\n    |two\n\nthree"},
		{"|one\n\ntwo\nthree", ">2j", "    |one\n\n    two\nthree"},
		{"|one\ntwo\nthree", "2>>", "    |one\n    two\nthree"},
		{"      one|\n  two", "<j", "  |one\ntwo"},
		{"|one\ntwo", ">>.", "        |one\ntwo"},
		{"|one\ntwo", ">>u", "|one\ntwo"},
		{"|one\ntwo\nthree", "Vj>", "    |one\n    two\nthree"},
		{"    |one\n    two", "vj<", "|one\ntwo"},
		// typing over
		{"|one two", "Rab␛", "a|be two"},
		{"on|e\ntwo", "Rabc␛", "onab|c\ntwo"},
		{"|one two", "Rab⌫x␛", "a|xe two"},
		{"|one two", "Rab␛w.", "abe a|bo"},
		{"|one two", "Rab␛u", "|one two"},
		{"|one", "R日␛ix␛", "|x日ne"},
		// marks
		{"one |two\nthree", "majw`a", "one |two\nthree"},
		{"  one t|wo\nthree", "maj'a", "  |one two\nthree"},
		{"one |two three", "maww`ad`a", "one |two three"},
		{"one |two three", "mawd`a", "one |three"},
		{"one\nt|wo\nthree\nfour", "maGkd'a", "one\n|four"},
		{"one |two", "`b", "one |two"},
		{"one two|", "ma0D`a", "|"},
		// motions
		{"one two| three", "0", "|one two three"},
		{"|  one", "^", "  |one"},
		{"|one two", "$", "one tw|o"},
		{"|one two three", "ww", "one two |three"},
		{"|one two three", "2w", "one two |three"},
		{"|a.b c", "w", "a|.b c"},
		{"|a.b c", "W", "a.b |c"},
		{"|one two", "e", "on|e two"},
		{"|one two", "ee", "one tw|o"},
		{"one tw|o", "b", "one |two"},
		{"one tw|o", "bb", "|one two"},
		{"one tw|o", "ge", "on|e two"},
		{"|one two", "fo", "one tw|o"},
		{"|one two", "ft", "one |two"},
		{"|one two", "tt", "one| two"},
		{"one tw|o", "Fn", "o|ne two"},
		{"one tw|o", "Tn", "on|e two"},
		{"|abcabc", "fc;", "abcab|c"},
		{"|abcabc", "fc;,", "ab|cabc"},
		{"|a,b,c", "t,;", "a,|b,c"},
		{"|f(a, (b))", "%", "f(a, (b)|)"},
		{"f(a, (b)|)", "%", "f|(a, (b))"},
		{"one\ntw|o\nthree", "gg", "|one\ntwo\nthree"},
		{"|one\ntwo\nthree", "G", "one\ntwo\n|three"},
		{"|one\ntwo\nthree", "2G", "one\n|two\nthree"},
		{"o|ne\ntwo", "j", "one\nt|wo"},
		{"one\ntw|o", "k", "on|e\ntwo"},
		{"|a\nb\n\nc", "}", "a\nb\n|\nc"},
		{"a\nb\n\n|c", "{", "a\nb\n|\nc"},
		{"日|本語", "l", "日本|語"},
		{"|one", "5l", "on|e"},
		{"on|e", "⌫", "o|ne"},
		// operators
		{"|one two", "dw", "|two"},
		{"one |two", "dw", "one| "},
		{"|one two three", "d2w", "|three"},
		{"|one two three", "2dw", "|three"},
		{"one |two\nthree", "dw", "one| \nthree"},
		{"|one two", "de", "| two"},
		{"one |two", "db", "|two"},
		{"one| two", "d$", "on|e"},
		{"one| two", "D", "on|e"},
		{"on|e two", "d0", "|e two"},
		{"|one two", "dtw", "|wo"},
		{"|f(a) b", "d%", "| b"},
		{"f|(a) b", "d%", "f| b"},
		{"one\nt|wo\nthree", "dd", "one\n|three"},
		{"one\ntwo\nth|ree", "dd", "one\n|two"},
		{"|one", "dd", "|"},
		{"|one\ntwo\nthree", "2dd", "|three"},
		{"|one\ntwo\nthree", "dj", "|three"},
		{"one\ntwo\n|three", "dgg", "|"},
		{"|one two", "cwthe␛", "th|e two"},
		{"on|e two", "cwx␛", "on|x two"},
		{"|one two", "Cx␛", "|x"},
		{"o|ne\ntwo", "ccx␛", "|x\ntwo"},
		{"one| two", "ylp", "one | two"},
		{"|one two", "yw$p", "one twoone| "},
		{"|one\ntwo", "yyp", "one\n|one\ntwo"},
		{"|one\ntwo", "yyjp", "one\ntwo\n|one"},
		{"one\n|two", "yykP", "|two\none\ntwo"},
		{"|ab", "xp", "b|a"},
		{"|abc", "x3p", "baa|ac"},
		{"abc|d", "X", "ab|d"},
		{"|abc", "rx", "|xbc"},
		{"|abc", "2r+", "|++c"},
		{"|abc", "9rx", "|abc"},
		{"|abc", "~~", "AB|c"},
		{"|one two", "gUw", "|ONE two"},
		{"ON|E TWO", "guu", "|one two"},
		{"one|\n  two", "J", "one| two"},
		{"|", "dw", "|"},
		{"|", "xpJ~", "|"},
		// text objects
		{"one t|wo three", "diw", "one | three"},
		{"one t|wo three", "daw", "one |three"},
		{"one t|wo", "daw", "on|e"},
		{`say "he|llo" now`, `ci"bye␛`, `say "by|e" now`},
		{`say "he|llo" now`, `da"`, `say | now`},
		{"f(a, g(|b), c)", "dib", "f(a, g(|), c)"},
		{"f(a, |g(b), c)", "di(", "f(|)"},
		{"f(a|)", "da(", "|f"},
		{"x[|1]", "ci]2␛", "x[|2]"},
		{"a\n|b\nc\n\nd", "dip", "|\nd"},
		// insert mode
		{"o|ne", "ix␛", "o|xne"},
		{"o|ne", "ax␛", "on|xe"},
		{"o|ne", "Ix␛", "|xone"},
		{"o|ne", "Ax␛", "one|x"},
		{"o|ne\ntwo", "ox␛", "one\n|x\ntwo"},
		{"one\nt|wo", "Ox␛", "one\n|x\ntwo"},
		{"o|ne", "sxy␛", "ox|ye"},
		// again, undo, redo
		{"|one two three", "dw.", "|three"},
		{"|one two three", "cwab␛w.", "ab a|b three"},
		{"|a", "Ax⌫y␛.", "ay|y"},
		{"|abcdef", "x3.", "|ef"},
		{"|one two", "dwu", "|one two"},
		{"|one two", "cwab cd␛u", "|one two"},
		{"|one two three", "dwdw2u", "|one two three"},
		{"|one two", "dwu®", "|two"},
		{"|one two", "dwu®®®", "|two"},
		// visual mode
		{"|one two", "vey", "|one two"},
		{"|one two", "ved", "| two"},
		{"one |two", "vbd", "|wo"},
		{"|one two", "viwcx␛", "|x two"},
		{"o|ne\ntwo", "Vd", "|two"},
		{"|one\ntwo\nthree", "Vjd", "|three"},
		{"|one two", "veU", "|ONE two"},
		{"|one two", "yiwwviwp", "one on|e"},
		{"a|bc", "vlod", "|a"},
		{"|one two", "v␛x", "|ne two"},
		// an unknown command has no effect
		{"|one", "dz", "|one"},
		{"|one", "2␛x", "|ne"},
		{"|one", "d␛x", "|ne"},
	} {
		var s vim.State
		e := editorAt(tc.from)
		s.Mode = vim.Normal
		press(&s, e, tc.keys)
		if got := at(e); got != tc.want {
			t.Errorf("%s after %s is %s, want %s", tc.from, tc.keys, got, tc.want)
		}
		if s.Mode != vim.Normal {
			t.Errorf("%s after %s: mode %v", tc.from, tc.keys, s.Mode)
		}
	}
}

// The prompt handles keys that Vim does not use: Enter, and moves beyond the text.
func TestActionsOfThePrompt(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]string{"␛/": "search", "␛k": "up", "␛j": "down", "␛x": ""} {
		var s vim.State
		if got := press(&s, editorAt("one|"), keys); got != want {
			t.Errorf("%s asks for %q, want %q", keys, got, want)
		}
	}
	var s vim.State
	e := editorAt("one|")
	takes := func(name string) bool { _, taken := s.Key(e, name, ""); return taken }
	if !takes("esc") || takes("esc") || takes("enter") {
		t.Error("the first Esc is Vim's, the second and Enter are not")
	}
	s.StartInsert()
	if press(&s, e, "dd"); e.Text != "ondde" {
		t.Errorf("a new prompt does not begin in insert mode: %q", e.Text)
	}
}

// For any keys, the editor does not panic, the cursor is at a valid position, and undo restores the
// text.
func FuzzKeys(f *testing.F) {
	f.Add("one two\nthree", "␛dwpu.2xiab␛.")
	f.Add("日本 é\n\n(a)", "␛gg%daw3.vjdP9pJ")
	f.Add("", "␛oVypp.uu®")
	f.Fuzz(func(t *testing.T, text, keys string) {
		if len(text) > 300 || len(keys) > 60 {
			return
		}
		var s vim.State
		e := &edit.Editor{}
		e.Set(text)
		first := e.Text
		for _, r := range keys {
			press(&s, e, string(r))
			if e.Cursor < 0 || e.Cursor > len(e.Text) || !utf8.ValidString(e.Text[:e.Cursor]) {
				t.Fatalf("the cursor is at %d of %q", e.Cursor, e.Text)
			}
			if s.Mode == vim.Normal && e.Cursor > 0 && e.Text[e.Cursor-1] != '\n' && (e.Cursor == len(e.Text) || e.Text[e.Cursor] == '\n') {
				t.Fatalf("the cursor of normal mode is behind its line: %q at %d", e.Text, e.Cursor)
			}
			if from, to := s.SelectedRange(e); from < 0 || to < from || to > len(e.Text) {
				t.Fatalf("%d to %d of %q is selected", from, to, e.Text)
			}
			if len(e.Text) > 4000 {
				return
			}
		}
		press(&s, e, "␛␛␛")
		for range 500 {
			e.Undo()
		}
		if e.Text != first {
			t.Fatalf("undone it is %q, not %q", e.Text, first)
		}
	})
}
