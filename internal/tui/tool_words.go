package tui

import (
	"agent/internal/traits"
	"agent/internal/tui/style"
	"agent/internal/words"
)

// readVerb is the verb of calls that are shown together.
const readVerb = "read"

// describe makes a call's words safe to show: names and arguments come from others.
func describe(said traits.Said) traits.Said {
	clean := func(text string) string { return style.Reveal(words.FirstLine(text)).Text }
	said.Now, said.Done, said.Do = clean(said.Now), clean(said.Done), clean(said.Do)
	said.Subject = clean(said.Subject)
	return said
}
