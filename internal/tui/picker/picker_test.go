package picker

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"agent/internal/command"
	"agent/internal/tui/style"
	"agent/internal/tui/term"
)

func sessions(n int) command.ChoiceList {
	pick := command.ChoiceList{Title: "session"}
	for i := range n {
		pick.Choices = append(pick.Choices, command.Choice{Name: fmt.Sprintf("s%d", i), Help: fmt.Sprintf("%d days ago", i), Line: fmt.Sprintf("/resume s%d", i)})
	}
	return pick
}

func typed(p *Picker, text string) {
	for _, r := range text {
		p.Key(term.Key{Name: string(r), Text: string(r)})
	}
}

func TestPickerSelects(t *testing.T) {
	t.Parallel()
	used := sessions(4)
	used.Choices[2].InUse = true
	for _, tt := range []struct {
		name string
		pick command.ChoiceList
		keys []string
		text string
		want string
	}{
		{name: "the first", pick: sessions(3), want: "s0"},
		{name: "what is in use", pick: used, want: "s2"},
		{name: "the first that fits, once something is typed", pick: used, text: "s", want: "s0"},
		{name: "words in any order, name and help", pick: sessions(12), text: "days 7", want: "s7"},
		{name: "a name before a help", pick: sessions(12), text: "1", want: "s1"},
		{name: "around the end", pick: sessions(3), keys: []string{"up"}, want: "s2"},
		{name: "a query that the list begins with", pick: command.ChoiceList{Query: "s2", Choices: used.Choices[:3]}, want: "s2"},
		{name: "and takes back", pick: command.ChoiceList{Query: "s1", Choices: sessions(3).Choices}, keys: []string{"ctrl+u"}, want: "s0"},
		{name: "down", pick: sessions(3), keys: []string{"down", "ctrl+n"}, want: "s2"},
		{name: "the text is edited", pick: sessions(3), text: "s2", keys: []string{"ctrl+u"}, want: "s0"},
		{name: "nothing fits", pick: sessions(3), text: "x", want: ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := Open(tt.pick)
			typed(p, tt.text)
			for _, key := range tt.keys {
				p.Key(term.Key{Name: key})
			}
			if got, _ := p.Selected(); got.Name != tt.want {
				t.Errorf("selected %q, want %q", got.Name, tt.want)
			}
			if result := p.Key(term.Key{Name: "enter"}); (result == ResultChosen) != (tt.want != "") {
				t.Errorf("Enter: %v", result)
			}
			if result := p.Key(term.Key{Name: "esc"}); result != ResultCanceled {
				t.Errorf("Esc: %v", result)
			}
		})
	}
}

// A preview is loaded once, and only for the selected choice.
func TestPickerPreview(t *testing.T) {
	t.Parallel()
	pick := sessions(3)
	for i := range pick.Choices {
		pick.Choices[i].Preview = func() string { return fmt.Sprintf("the end of s%d", i) }
	}
	p := Open(pick)
	jobs := p.DueJobs()
	if len(jobs) != 1 {
		t.Fatalf("%d jobs", len(jobs))
	}
	if again := p.DueJobs(); again != nil {
		t.Error("it is loaded twice")
	}
	jobs[0]()()
	theme := style.NewTheme(style.NoColors, style.Palettes[0])
	for width, shown := range map[int]bool{200: true, 60: false} {
		rows, _ := p.View(theme, width, 8)
		if got := strings.Contains(strings.Join(rows, "\n"), "the end of s0"); got != shown {
			t.Errorf("at %d columns shown = %v", width, got)
		}
	}
}

// The search texts of the choices are loaded once in the background. A key never waits for them,
// and the selection stays when they arrive.
func TestPickerSearchesTextsBeside(t *testing.T) {
	t.Parallel()
	pick, reads := sessions(4), 0
	for i := range pick.Choices {
		pick.Choices[i].Also = func() string { reads++; return fmt.Sprintf("Needle%d s1", i) }
	}
	theme := style.NewTheme(style.NoColors, style.Palettes[0])
	shown := func(p *Picker) string {
		rows, _ := p.View(theme, 60, 8)
		return strings.Join(rows, "\n")
	}
	p := Open(pick)
	if jobs := p.DueJobs(); jobs != nil {
		t.Fatal("something is read before somebody searches")
	}
	typed(p, "needle2")
	jobs := p.DueJobs()
	if reads > 0 || len(jobs) != 1 || !strings.Contains(shown(p), "searching the texts") {
		t.Fatalf("%d texts were read by keys, %d jobs:\n%s", reads, len(jobs), shown(p))
	}
	done := jobs[0]()
	p.Key(term.Key{Name: "ctrl+u"})
	typed(p, "s1")
	done()
	if got, _ := p.Selected(); got.Name != "s1" || !strings.Contains(shown(p), "1/4") {
		t.Errorf("selected %q:\n%s", got.Name, shown(p))
	}
	p.Key(term.Key{Name: "ctrl+u"})
	typed(p, "needle2")
	if got, _ := p.Selected(); got.Name != "s2" || reads != 4 || p.DueJobs() != nil {
		t.Errorf("selected %q after %d reads", got.Name, reads)
	}
}

// The selected row is always visible, and nothing exceeds the width or height.
func TestPickerFits(t *testing.T) {
	t.Parallel()
	theme := style.NewTheme(style.NoColors, style.Palettes[0])
	rapid.Check(t, func(t *rapid.T) {
		pick := sessions(rapid.IntRange(1, 40).Draw(t, "choices"))
		for i := range pick.Choices {
			pick.Choices[i].Name += rapid.StringMatching(`[a-z日🎉 \x1b]{0,60}`).Draw(t, "name")
			if rapid.Bool().Draw(t, "previewed") {
				pick.Choices[i].Preview = func() string { return strings.Repeat("long ", 200) }
			}
		}
		p := Open(pick)
		for range rapid.IntRange(0, 50).Draw(t, "downs") {
			p.Key(term.Key{Name: "down"})
		}
		for _, job := range p.DueJobs() {
			job()()
		}
		width, room := rapid.IntRange(8, 200).Draw(t, "width"), rapid.IntRange(2, 20).Draw(t, "room")
		rows, col := p.View(theme, width, room)
		if len(rows) > room || col >= width {
			t.Fatalf("%d rows in %d, cursor at %d of %d", len(rows), room, col, width)
		}
		seen := false
		for _, row := range rows {
			if style.Width(row) > width {
				t.Fatalf("%q is wider than %d", row, width)
			}
			seen = seen || strings.HasPrefix(row, "▸")
		}
		if !seen {
			t.Fatalf("the selected row is not seen:\n%s", strings.Join(rows, "\n"))
		}
	})
}

// ← and → change the selected choice. If it cannot be changed, they move the cursor in the query.
func TestPickerTurns(t *testing.T) {
	t.Parallel()
	pick := sessions(2)
	pick.Turns = "effort"
	pick.Choices[1].Turn = func(by int) command.Choice {
		return command.Choice{Name: "s1", Help: fmt.Sprint("by ", by), Line: "/resume s1 more"}
	}
	p := Open(pick)
	p.Key(term.Key{Name: "right"})
	p.Key(term.Key{Name: "down"})
	p.Key(term.Key{Name: "left"})
	rows, _ := p.View(style.NewSpoken(), 60, 6)
	if got, _ := p.Selected(); got.Line != "/resume s1 more" || got.Help != "by -1" || !strings.Contains(rows[len(rows)-1], "←→ effort") {
		t.Errorf("selected %+v in\n%s", got, strings.Join(rows, "\n"))
	}
	p = Open(sessions(12))
	typed(p, "s1")
	p.Key(term.Key{Name: "left"})
	typed(p, "x")
	if p.query.Text != "sx1" {
		t.Errorf("the query is %q", p.query.Text)
	}
}

// A list of themes shows a preview of the selected theme.
func TestPickerShowsThemes(t *testing.T) {
	t.Parallel()
	pick := command.ChoiceList{Title: "theme", Choices: []command.Choice{{Name: "auto", Theme: "auto"}, {Name: "dark", Theme: "dark"}, {Name: "light", Theme: "light"}}}
	p, theme := Open(pick), style.NewTheme(style.TrueColors, style.Palettes[0])
	shown := map[string]bool{}
	for _, c := range pick.Choices {
		rows, _ := p.View(theme, 100, 8)
		view := strings.Join(rows, "\n")
		if !strings.Contains(view, "what you say") || shown[view] {
			t.Errorf("%s shows\n%s", c.Name, view)
		}
		shown[view] = true
		for _, row := range rows {
			if w := style.Width(row); w > 100 {
				t.Errorf("a row of %d: %q", w, row)
			}
		}
		p.Key(term.Key{Name: "down"})
	}
	for height, want := range map[int]bool{14: true, 9: false} { // in a narrow window it is below the list
		rows, _ := p.View(theme, 60, height)
		if view := strings.Join(rows, "\n"); strings.Contains(view, "what you say") != want || len(rows) > height || !strings.Contains(view, "light") {
			t.Errorf("%d rows show\n%s", height, view)
		}
	}
}

// A remark starts at a column where it fits. The remark of the selected choice is shown completely
// below the list.
func TestRemarksGetTheirRoom(t *testing.T) {
	t.Parallel()
	const long = "it can be removed without loss; it waits until pruning pays"
	pick := command.ChoiceList{Choices: []command.Choice{
		{Name: "a name of thirty-two characters!", Help: "short"}, {Name: "b.go", Help: long}, {Name: "c.go", Help: strings.Repeat("word ", 40) + "end"},
	}}
	theme := style.NewTheme(style.NoColors, style.Palettes[0])
	view := func(width int, keys ...string) string {
		p := Open(pick)
		for _, key := range keys {
			p.Key(term.Key{Name: key})
		}
		rows, _ := p.View(theme, width, 11)
		for _, row := range rows {
			if style.Width(row) > width {
				t.Errorf("%d columns: %q", width, row)
			}
		}
		return strings.Join(rows, "\n")
	}
	if got := view(80); !strings.Contains(got, "  "+long) {
		t.Errorf("the remark is cut or stands elsewhere:\n%s", got)
	}
	if got := view(60, "down"); strings.Contains(got, "until pruning pays") {
		t.Errorf("told although the list does not tell:\n%s", got)
	}
	pick.Tells = true
	if got := view(60, "down"); !strings.Contains(got, "    it can be removed without loss; it waits until pruning") || !strings.Contains(got, "    pays") {
		t.Errorf("the remark is not told:\n%s", got)
	}
	if one, other := view(60), view(60, "down", "down"); strings.Count(one, "\n") != strings.Count(other, "\n") {
		t.Errorf("the list jumps:\n%s\n%s", one, other)
	}
}
