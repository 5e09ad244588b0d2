package picker

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"agent/internal/command"
	"agent/internal/tui/style"
	"agent/internal/tui/term"
)

// actionList returns a list with actions that record their calls.
func actionList(ran *[]string) command.ChoiceList {
	pick := sessions(3)
	run := func(c command.Choice, text string) (*command.ChoiceList, error) {
		*ran = append(*ran, c.Name+"="+text)
		if text == "bad" {
			return nil, errors.New("it is in use")
		}
		next := actionList(ran)
		next.Choices = next.Choices[1:]
		return &next, nil
	}
	pick.Actions = []command.ChoiceAction{
		{Key: "ctrl+t", Name: "rename", Edits: true, Run: run},
		{Key: "ctrl+x", Name: "delete", Asks: "delete", Run: run},
	}
	return pick
}

// A key of the list asks a question before its action runs. Only y is an approval.
func TestPickerActions(t *testing.T) {
	t.Parallel()
	theme := style.NewTheme(style.NoColors, style.Palettes[0])
	for _, tt := range []struct {
		name       string
		keys       string
		paste      string
		ran, shown string
	}{
		{name: "the keys are shown", shown: "Ctrl+T rename · Ctrl+X delete"},
		{name: "delete asks", keys: "ctrl+x", shown: "delete “s0”? y: yes · any other key: no"},
		{name: "yes", keys: "down ctrl+x y", ran: "s1=s1", shown: "▸ s1"},
		{name: "enter is no yes", keys: "ctrl+x enter", shown: "▸ s0"},
		{name: "a paste is no yes", keys: "ctrl+x", paste: "y", shown: "delete “s0”?"},
		{name: "escape", keys: "ctrl+x esc", shown: "▸ s0"},
		{name: "the name is edited", keys: "ctrl+t x", shown: "rename: s0x"},
		{name: "renamed", keys: "ctrl+t ctrl+u n enter", ran: "s0=n", shown: "▸ s1"},
		{name: "a failure is said", keys: "ctrl+t ctrl+u b a d enter", ran: "s0=bad", shown: "✗ it is in use"},
		{name: "nothing selected", keys: "z ctrl+x y", shown: "nothing fits"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var ran []string
			p := Open(actionList(&ran))
			for _, name := range strings.Fields(tt.keys) {
				text := ""
				if len(name) == 1 {
					text = name
				}
				if got := p.Key(term.Key{Name: name, Text: text}); got != ResultOpen {
					t.Fatalf("%s: %v", name, got)
				}
				for _, job := range p.DueJobs() {
					job()()
				}
			}
			if tt.paste != "" {
				p.Paste(tt.paste)
			}
			for _, width := range []int{60, 100} {
				rows, col := p.View(theme, width, 8)
				if all := strings.Join(rows, "\n"); !strings.Contains(all, tt.shown) || strings.Join(ran, " ") != tt.ran || col >= width || len(rows) > 8 {
					t.Errorf("ran %q:\n%s", ran, all)
				}
			}
		})
	}
}

// Texts of a replaced list are not used for the new one.
func TestPickerForgetsTextsOfBefore(t *testing.T) {
	t.Parallel()
	var ran []string
	pick := actionList(&ran)
	for i := range pick.Choices {
		pick.Choices[i].Also = func() string { return fmt.Sprint("text", i) }
	}
	p := Open(pick)
	typed(p, "s")
	late := p.DueJobs()[0]()
	p.Key(term.Key{Name: "ctrl+x"})
	p.Key(term.Key{Name: "y", Text: "y"})
	p.DueJobs()[0]()()
	late()
	p.Key(term.Key{Name: "ctrl+u"})
	typed(p, "text0")
	if got, ok := p.Selected(); ok {
		t.Errorf("%q has the text of another", got.Name)
	}
}
