package streamjson

import (
	"strings"

	"agent/internal/tools"
	"agent/internal/toolspec"
)

// labelOf returns the label of a call of a real tool, from its name and subject.
func labelOf(title string) toolspec.Label {
	name, about, _ := strings.Cut(title, " ")
	s := tools.NewRegistry(tools.Default()...).Traits(name).DescribeName(name)
	s.Subject, s.Key = about, about
	return s
}
