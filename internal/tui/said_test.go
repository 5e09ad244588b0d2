package tui

import (
	"strings"
	"sync"

	"agent/internal/tools"
	"agent/internal/toolspec"
)

// registry returns the registry of the real tools.
var registry = sync.OnceValue(func() *tools.Registry { return tools.NewRegistry(tools.Default()...) })

// labelOf returns the label of a call of a real tool, from its name and subject.
func labelOf(title string) toolspec.Label {
	name, about, _ := strings.Cut(title, " ")
	s := registry().Traits(name).DescribeName(name)
	s.Subject, s.Key = about, about
	return s
}

// reading are the traits of a tool that shows a file.
var reading = toolspec.Traits{Reads: true, File: toolspec.FileNames}
