package edit

import "slices"

// Action is an action of keys in every line editor.
type Action struct {
	Name string
	// Keys are the names of the default keys for the action.
	Keys []string
	do   func(*Editor)
}

// Actions returns all actions of the editor.
func Actions() []Action { return actions }

var actions = []Action{
	{"undo", []string{"ctrl+_"}, (*Editor).Undo},
	{"redo", []string{"alt+_", "alt+ctrl+_"}, (*Editor).Redo},
	{"left", []string{"left", "ctrl+b"}, (*Editor).Left},
	{"right", []string{"right", "ctrl+f"}, (*Editor).Right},
	{"line-start", []string{"home", "ctrl+a"}, (*Editor).Home},
	{"line-end", []string{"end", "ctrl+e"}, (*Editor).End},
	{"word-left", []string{"ctrl+left", "alt+left", "alt+b"}, (*Editor).WordLeft},
	{"word-right", []string{"ctrl+right", "alt+right", "alt+f"}, (*Editor).WordRight},
	{"delete-left", []string{"backspace", "ctrl+h"}, (*Editor).Backspace},
	{"delete-right", []string{"delete", "ctrl+d"}, (*Editor).Delete},
	{"cut-word-left", []string{"ctrl+w", "alt+backspace"}, (*Editor).KillWord},
	{"cut-word-right", []string{"alt+d", "alt+delete", "ctrl+delete"}, (*Editor).KillWordRight},
	{"cut-to-start", []string{"ctrl+u"}, (*Editor).KillToStart},
	{"cut-to-end", []string{"ctrl+k"}, (*Editor).KillToEnd},
	{"put-back", []string{"ctrl+y"}, (*Editor).Yank},
}

// Key types text, or runs the default action of the named key.
func (e *Editor) Key(name, text string) {
	if text != "" {
		before := e.state()
		e.Insert(text)
		e.record(before, text != " ")
		return
	}
	for _, a := range actions {
		if slices.Contains(a.Keys, name) {
			e.Do(a.Name)
		}
	}
}

// Do runs the named action. It returns false if the editor has no such action.
func (e *Editor) Do(name string) bool {
	i := slices.IndexFunc(actions, func(a Action) bool { return a.Name == name })
	if i < 0 {
		return false
	}
	before := e.state()
	actions[i].do(e)
	if name != "undo" && name != "redo" {
		e.record(before, false)
	}
	return true
}
