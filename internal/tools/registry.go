package tools

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/nearest"
	"agent/internal/rules"
	"agent/internal/traits"
)

// Registry holds the tools of a conversation, in the order in which the model
// is offered them. It does not change once made, so it is safe for parallel use.
type Registry struct {
	tools []Tool
}

// NewRegistry makes a registry of the tools in the order given. Of two with one
// name the later replaces the earlier, in its place.
func NewRegistry(tools ...Tool) *Registry {
	r := &Registry{}
	for _, t := range tools {
		if i := r.index(t.Name); i >= 0 {
			r.tools[i] = t
			continue
		}
		r.tools = append(r.tools, t)
	}
	return r
}

// Default returns the tools that need nothing but an [Env]: a new tool is a file
// of its own and a line here.
func Default() []Tool {
	return []Tool{
		readFile(),
		readLineRange(),
		readManyFiles(),
		astReadFile(),
		writeFile(),
		replace(),
		astEdit(),
		insertAtLine(),
		deleteLineRange(),
		runShellCommand(),
		searchFileContent(),
		glob(),
		webFetch(),
		todoWrite(),
		todoRead(),
		recall(),
		listDirectory(),
	}
}

// WithoutRecord returns the tools that a conversation can have which is not recorded.
func WithoutRecord(tools []Tool) []Tool {
	return slices.DeleteFunc(slices.Clone(tools), func(t Tool) bool { return t.NeedsRecord })
}

// Get returns the tool of that name, or an *UnknownToolError.
func (r *Registry) Get(name string) (Tool, error) {
	if i := r.index(name); i >= 0 {
		return r.tools[i], nil
	}
	return Tool{}, &UnknownToolError{Name: name, Valid: r.Names()}
}

// Traits returns what the tool of that name declares, the zero traits for an unknown one.
func (r *Registry) Traits(name string) Traits {
	if i := r.index(name); i >= 0 {
		return r.tools[i].Traits
	}
	return Traits{}
}

// All returns every tool, always in the same order: a changed order would cost
// the provider's prefix cache.
func (r *Registry) All() []Tool { return slices.Clone(r.tools) }

// For returns the tools that a model is offered which edits in a form: all but those of
// another form. Where no tool is of the form, the model edits as the others do.
func (r *Registry) For(form traits.Form) []Tool {
	if !slices.ContainsFunc(r.tools, func(t Tool) bool { return t.Form == form }) {
		form = traits.Replace
	}
	return slices.DeleteFunc(r.All(), func(t Tool) bool { return t.Form != "" && t.Form != form })
}

// Essential returns the tools that a small window can afford, in order; all of them
// where none says that it is essential.
func Essential(tools []Tool) []Tool {
	essential := slices.DeleteFunc(slices.Clone(tools), func(t Tool) bool { return !t.Essential })
	if len(essential) == 0 {
		return tools
	}
	return essential
}

// Names returns the names of all tools, in order.
func (r *Registry) Names() []string {
	names := make([]string, len(r.tools))
	for i, t := range r.tools {
		names[i] = t.Name
	}
	return names
}

// ParseRule reads a rule that allows calls of one of the tools beforehand.
func (r *Registry) ParseRule(text string) (rules.Rule, error) {
	return rules.Parse(text, func(name string) (rules.Subject, error) {
		tool, err := r.Get(name)
		if err != nil {
			return rules.Nothing, err
		}
		switch {
		case tool.Runs:
			return rules.Commands, nil
		case tool.Edits, tool.Reads && !tool.Reaches:
			return rules.Files, nil
		}
		return rules.Nothing, nil
	})
}

func (r *Registry) index(name string) int {
	return slices.IndexFunc(r.tools, func(t Tool) bool { return t.Name == name })
}

// UnknownToolError is the answer to a tool name that does not exist.
type UnknownToolError struct {
	Name string
	// Valid are the names that exist.
	Valid []string
}

func (e *UnknownToolError) Error() string {
	return fmt.Sprintf("unknown tool %q%s (available: %s)", e.Name, nearest.Question(e.Name, e.Valid), strings.Join(e.Valid, ", "))
}
