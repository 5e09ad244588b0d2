// Package keymap maps keys to the names of actions in the prompt: the default keys, and the changes to them
// in a user's keys.json. It does not run actions.
package keymap

import (
	"agent/internal/tui/edit"
	"agent/internal/tui/term"
)

// Action is an action of keys in the prompt.
type Action struct {
	// Name is the name of the action in keys.json. Keys holds the names of its keys.
	Name string
	Keys []string
	// Fixed is set if keys.json cannot change the keys.
	Fixed bool
	// Own is set if keys.json has changed the keys.
	Own bool
}

// Row is a line of the help, with actions that belong together.
type Row struct {
	Actions []Action
	// Does is the text for ? and /help; if it is empty, they omit the row. Guide is the longer text for
	// docs/reference/keys.md, or "" if it is the same.
	Does, Guide string
}

func act(name string, keys ...string) Action { return Action{Name: name, Keys: keys} }

func fixed(name string, keys ...string) Action { return Action{Name: name, Keys: keys, Fixed: true} }

// rows returns the table of keys. The editor's actions are last.
func rows() []Row {
	row := func(does, guide string, actions ...Action) Row { return Row{actions, does, guide} }
	all := []Row{
		row("send, or queue during a turn", "", act("send", "enter")),
		row(`new line, also \ and Enter`, "", act("new-line", "alt+enter", "ctrl+j")),
		row("interrupt, or clear the draft", "interrupts the turn; otherwise clears the draft (Up restores it)", fixed("escape", "esc")),
		row("on an empty line: rewind", "on an empty line: returns to an earlier message", fixed("rewind", "alt+esc")),
		row("clear or interrupt; twice quits", "interrupts the turn; otherwise clears the draft; twice quits", fixed("interrupt", "ctrl+c")),
		row("on an empty line: quit", "quits on an empty line; asks first during a turn", act("quit", "ctrl+d")),
		row("on an empty line: running sessions", "on an empty line: shows the board of running sessions; in a session opened from the board, returns to it", act("board", "left")),
		row("earlier prompts; Up edits the queue", "earlier prompts of all sessions; Ctrl+R lists and searches them", act("up", "up"), act("down", "down"), act("search", "ctrl+r")),
		row("", "", act("older", "ctrl+p"), act("newer", "ctrl+n")),
		row("", "completes commands, settings, models, profiles, and files after `@`", act("complete", "tab")),
		row("full outputs and reasoning", "shows tool outputs, reasoning, messages and subagents' conversations in full, each as a page, with the keys of `less`; ← → show the previous or next page, `/` searches, q returns", act("outputs", "ctrl+o")),
		row("paste an image", "", act("image", "ctrl+v")),
		row("edit the prompt in $EDITOR", "edit the prompt in `$EDITOR`", act("editor", "ctrl+g")),
		row("stash the draft, or restore it", "stashes the draft, or restores it; it is also restored after you send another message", act("stash", "ctrl+s")),
		row("more or less reasoning", "raises or lowers the reasoning effort (`reasoning.effort`)", act("think-more", "alt+."), act("think-less", "alt+,")),
		row("run in the background, show jobs", "moves the running command or subagent to the background, the bottom one if several run (`/jobs`, `/agents`); on an empty line: shows the latest job, then earlier ones; otherwise moves left", act("background", "ctrl+b")),
		row("undo and redo in the prompt", "undo and redo in the prompt", editing("undo"), editing("redo")),
		row("redraw the screen", "redraws the screen", act("show-again", "ctrl+l")),
		row("suspend to your shell; fg returns", "", act("suspend", "ctrl+z")),
		row("next approval mode", "next approval mode", act("mode", "shift+tab")),
	}
	for _, a := range edit.Actions() {
		if a.Name != "undo" && a.Name != "redo" {
			all = append(all, row("", "", act(a.Name, a.Keys...)))
		}
	}
	return all
}

func editing(name string) Action {
	for _, a := range edit.Actions() {
		if a.Name == name {
			return act(name, a.Keys...)
		}
	}
	return Action{}
}

// Map maps each key to the names of its actions.
type Map struct {
	rows  []Row
	byKey map[string][]string
}

// Default returns the default keys.
func Default() *Map { return of(rows()) }

func of(rows []Row) *Map {
	m := &Map{rows, map[string][]string{}}
	for _, a := range m.Actions() {
		for _, key := range a.Keys {
			m.byKey[key] = append(m.byKey[key], a.Name)
		}
	}
	return m
}

// Rows returns the lines of the table, in order.
func (m *Map) Rows() []Row { return m.rows }

// Actions returns all actions, in the order of the table.
func (m *Map) Actions() (all []Action) {
	for _, row := range m.rows {
		all = append(all, row.Actions...)
	}
	return all
}

// ActionsOf returns the names of the actions of a key. The key runs the first action that applies.
func (m *Map) ActionsOf(key string) []string { return m.byKey[key] }

// Label returns the first key of an action in the form for users, or "" if the action has none.
func (m *Map) Label(action string) string {
	for _, a := range m.Actions() {
		if a.Name == action && len(a.Keys) > 0 {
			return term.KeyLabel(a.Keys[0])
		}
	}
	return ""
}

// Labels returns the keys of a line of the table in the form for users. For a single action it returns all
// keys, and for several actions the first key of each.
func (r Row) Labels() (labels []string) {
	for _, a := range r.Actions {
		for i, key := range a.Keys {
			if i == 0 || len(r.Actions) == 1 {
				labels = append(labels, term.KeyLabel(key))
			}
		}
	}
	return labels
}
