package edit

// Key does what a key of every line editor does, by the key's name and what it
// types. It reports false for other keys.
func (e *Editor) Key(name, text string) bool {
	switch name {
	case "ctrl+_":
		e.Undo()
		return true
	case "alt+_", "alt+ctrl+_":
		e.Redo()
		return true
	}
	before := e.state()
	known := e.key(name, text)
	e.record(before, text != "" && text != " ")
	return known
}

func (e *Editor) key(name, text string) bool {
	if text != "" {
		e.Insert(text)
		return true
	}
	switch name {
	case "left", "ctrl+b":
		e.Left()
	case "right", "ctrl+f":
		e.Right()
	case "home", "ctrl+a":
		e.Home()
	case "end", "ctrl+e":
		e.End()
	case "ctrl+left", "alt+left", "alt+b":
		e.WordLeft()
	case "ctrl+right", "alt+right", "alt+f":
		e.WordRight()
	case "backspace", "ctrl+h":
		e.Backspace()
	case "delete", "ctrl+d":
		e.Delete()
	case "ctrl+w", "alt+backspace":
		e.KillWord()
	case "alt+d", "alt+delete", "ctrl+delete":
		e.KillWordRight()
	case "ctrl+u":
		e.KillToStart()
	case "ctrl+k":
		e.KillToEnd()
	case "ctrl+y":
		e.Yank()
	default:
		return false
	}
	return true
}
