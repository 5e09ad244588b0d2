package tools

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"agent/internal/nearest"
	"agent/internal/rules"
	"agent/internal/traits"
)

// Registry holds the tools of a conversation, joined from sources in a fixed order, in the
// order in which the model is offered them. Tools may come and go; it is safe for parallel
// use.
type Registry struct {
	sources []Source

	mu sync.Mutex
	// revisions are those of the sources that current was joined from.
	revisions []uint64
	current   Offer
	// known is what each tool declared last, those that are gone too: what a call did
	// does not change when its server ends.
	known map[string]Traits
}

// Offer is what a registry has at one time; it does not change.
type Offer struct {
	// Revision counts the changes of the registry.
	Revision uint64
	tools    []Tool
	index    map[string]int
}

// NewRegistry makes a registry of tools that stay, in the order given. Of two with one
// name the later replaces the earlier, in its place.
func NewRegistry(tools ...Tool) *Registry { return Join(Fixed("", tools...)) }

// Join makes a registry of sources. Of two tools with one name the one of the earlier
// source counts: no server replaces a tool of ours.
func Join(sources ...Source) *Registry {
	return &Registry{sources: sources, known: map[string]Traits{}}
}

// Now is what the registry has at present.
func (r *Registry) Now() Offer {
	r.mu.Lock()
	defer r.mu.Unlock()
	revisions := make([]uint64, len(r.sources))
	for i, s := range r.sources { // before the lists, so that no change in between is missed
		revisions[i] = s.revision()
	}
	if !slices.Equal(revisions, r.revisions) {
		r.join()
		r.revisions = revisions
	}
	return r.current
}

func (r *Registry) join() {
	now := Offer{Revision: r.current.Revision + 1, index: map[string]int{}}
	for _, s := range r.sources {
		from := map[string]bool{}
		for _, t := range s.List() {
			at, taken := now.index[t.Name]
			switch {
			case !taken:
				now.index[t.Name], from[t.Name] = len(now.tools), true
				now.tools = append(now.tools, t)
			case from[t.Name]:
				now.tools[at] = t
			default:
				continue // an earlier source has it
			}
			r.known[t.Name] = t.Traits
		}
	}
	r.current = now
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
		applyPatch(),
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
		askUser(),
		presentPlan(),
		listDirectory(),
	}
}

// WithoutRecord returns the tools that a conversation can have which is not recorded.
func WithoutRecord(tools []Tool) []Tool {
	return slices.DeleteFunc(slices.Clone(tools), func(t Tool) bool { return t.NeedsRecord })
}

// WithoutPerson returns the tools of a conversation in which nobody can answer: those that
// ask are not offered, and say so when they are called.
func WithoutPerson(tools []Tool) []Tool {
	tools = slices.Clone(tools)
	for i := range tools {
		tools[i].Unoffered = tools[i].Unoffered || tools[i].Asks
	}
	return tools
}

// Get returns the tool of that name that there is now, offered to the model or not, or an
// *UnknownToolError.
func (r *Registry) Get(name string) (Tool, error) {
	now := r.Now()
	if i, ok := now.index[name]; ok {
		return now.tools[i], nil
	}
	return Tool{}, &UnknownToolError{Name: name, Valid: now.Names()}
}

// Traits returns what the tool of that name declares or declared before it went, the zero
// traits for an unknown one.
func (r *Registry) Traits(name string) Traits {
	r.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known[name]
}

// All returns every tool there is now.
func (r *Registry) All() []Tool { return r.Now().All() }

// Names returns the names of all tools there are now, in order.
func (r *Registry) Names() []string { return r.Now().Names() }

// For returns the tools that a model is offered if it edits in a form: all but those of another
// form and those that are never offered. Where no tool is of the form, the model edits as the
// others do. The order is always the same: a changed order would cost the provider's prefix cache.
func (r *Registry) For(form traits.Form) []Tool {
	all := r.All()
	if !slices.ContainsFunc(all, func(t Tool) bool { return t.Form == form }) {
		form = traits.Replace
	}
	return slices.DeleteFunc(all, func(t Tool) bool { return t.Unoffered || t.Form != "" && t.Form != form })
}

// Few returns the tools without the rare ones, which can be called all the same (D-124).
func Few(tools []Tool) []Tool {
	return slices.DeleteFunc(slices.Clone(tools), func(t Tool) bool { return t.Rare })
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

// All returns every tool, in order.
func (o Offer) All() []Tool { return slices.Clone(o.tools) }

// Names returns the names of all tools, in order.
func (o Offer) Names() []string {
	names := make([]string, len(o.tools))
	for i, t := range o.tools {
		names[i] = t.Name
	}
	return names
}

// ParseRule reads a rule that allows calls of one of the tools beforehand. Of a tool that a
// source may yet bring, the rule can only allow all calls.
func (r *Registry) ParseRule(text string) (rules.Rule, error) {
	return rules.Parse(text, func(name string) (rules.Subject, error) {
		if name == ServedRules {
			return rules.Served, nil
		}
		tool, err := r.Get(name)
		if err != nil && !slices.ContainsFunc(r.sources, func(s Source) bool { return s.Expects != nil && s.Expects(name) }) {
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

// UnknownToolError is the answer to a tool name that does not exist.
type UnknownToolError struct {
	Name string
	// Valid are the names that exist.
	Valid []string
}

func (e *UnknownToolError) Error() string {
	return fmt.Sprintf("unknown tool %q%s (available: %s)", e.Name, nearest.Question(e.Name, e.Valid), strings.Join(e.Valid, ", "))
}
