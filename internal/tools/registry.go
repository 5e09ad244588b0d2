package tools

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"agent/internal/base/suggest"
	"agent/internal/rules"
	"agent/internal/toolspec"
)

// A Registry holds the tools of a conversation. It joins the tools of its sources in a fixed order,
// which is also their order in requests. Tools may be added and removed later. A Registry is safe
// for parallel use.
type Registry struct {
	sources []Source

	mu sync.Mutex
	// revisions holds the revisions of the sources when current was joined.
	revisions []uint64
	current   Offer
	// known holds the latest traits of each tool, even of removed tools. The effect of a past call
	// thus does not change when its server ends.
	known map[string]Traits
}

// An Offer holds the tools of a registry at one time. It does not change.
type Offer struct {
	// Revision counts the changes of the registry.
	Revision uint64
	tools    []Tool
	index    map[string]int
}

// NewRegistry returns a registry of a fixed list of tools, in the order given. If two tools have
// the same name, the later tool replaces the earlier at its position.
func NewRegistry(tools ...Tool) *Registry { return Join(FixedSource(tools...)) }

// Join returns a registry of sources. If two sources have a tool of the same name, the earlier
// source has priority. So no server replaces a tool of this program.
func Join(sources ...Source) *Registry {
	return &Registry{sources: sources, revisions: make([]uint64, len(sources)), known: map[string]Traits{}}
}

// CurrentTools returns the tools that the registry has at present.
func (r *Registry) CurrentTools() Offer {
	r.mu.Lock()
	defer r.mu.Unlock()
	changed := false
	for i, s := range r.sources { // before the lists are read, so that no change in between is missed
		if now := s.revision(); now != r.revisions[i] {
			r.revisions[i], changed = now, true
		}
	}
	if changed {
		r.join()
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
				continue // an earlier source has a tool of this name
			}
			r.known[t.Name] = t.Traits
		}
	}
	r.current = now
}

// Default returns the tools that need only an [Env]. A new tool is a separate file and a line here.
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
		// Add a tool here.
	}
}

// WithoutRecord returns the tools for a conversation that is not recorded.
func WithoutRecord(tools []Tool) []Tool {
	return slices.DeleteFunc(slices.Clone(tools), func(t Tool) bool { return t.NeedsRecord })
}

// WithoutUser returns the tools of a non-interactive conversation. Tools that ask the user are
// not offered. Calls of them return that no user is present.
func WithoutUser(tools []Tool) []Tool {
	tools = slices.Clone(tools)
	for i := range tools {
		tools[i].Unoffered = tools[i].Unoffered || tools[i].Asks
	}
	return tools
}

// Get returns the present tool with that name, even if it is not offered to the model, or an
// *UnknownToolError.
func (r *Registry) Get(name string) (Tool, error) {
	now := r.CurrentTools()
	if i, ok := now.index[name]; ok {
		return now.tools[i], nil
	}
	var valid []string
	for _, t := range now.tools {
		if !t.Unoffered {
			valid = append(valid, t.Name)
		}
	}
	return Tool{}, &UnknownToolError{Name: name, Valid: valid}
}

// Traits returns the latest traits of the tool with that name, even if the tool was removed. For an
// unknown tool it returns the zero traits.
func (r *Registry) Traits(name string) Traits {
	r.CurrentTools()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known[name]
}

// All returns every present tool.
func (r *Registry) All() []Tool { return r.CurrentTools().All() }

// Names returns the names of all present tools, in order.
func (r *Registry) Names() []string { return r.CurrentTools().Names() }

// ToolsForFormat returns the tools to offer to a model that edits in a form. It omits the tools of other forms
// and the tools that are never offered. If no tool has the form, it returns the tools of the form
// Replace. The order is fixed, because a changed order would invalidate the provider's prefix
// cache.
func (r *Registry) ToolsForFormat(form toolspec.EditFormat) []Tool {
	all := r.All()
	if !slices.ContainsFunc(all, func(t Tool) bool { return t.Form == form }) {
		form = toolspec.EditReplace
	}
	return slices.DeleteFunc(all, func(t Tool) bool { return t.Unoffered || t.Form != "" && t.Form != form })
}

// CommonTools returns the tools without the rare ones, which can still be called (D-124).
func CommonTools(tools []Tool) []Tool {
	return slices.DeleteFunc(slices.Clone(tools), func(t Tool) bool { return t.Rare })
}

// EssentialTools returns the tools for a small context window, in order. It returns all tools if
// none is essential.
func EssentialTools(tools []Tool) []Tool {
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

// ParseRule parses a rule that allows calls of one of the tools. For a tool that a source may still
// add, the rule can only allow all calls.
func (r *Registry) ParseRule(text string) (rules.Rule, error) {
	return rules.Parse(text, func(name string) (rules.Subject, error) {
		if name == ServedRules {
			return rules.SubjectServed, nil
		}
		tool, err := r.Get(name)
		if err != nil && !slices.ContainsFunc(r.sources, func(s Source) bool { return s.Expects != nil && s.Expects(name) }) {
			return rules.SubjectNone, err
		}
		switch {
		case tool.Runs:
			return rules.SubjectCommands, nil
		case tool.Searches:
			return rules.SubjectHosts, nil
		case tool.Edits, tool.Reads && !tool.Network:
			return rules.SubjectFiles, nil
		}
		return rules.SubjectNone, nil
	})
}

// An UnknownToolError is returned for a call of a tool that does not exist.
type UnknownToolError struct {
	Name string
	// Valid lists the names of all tools that can be offered to a model.
	Valid []string
}

func (e *UnknownToolError) Error() string {
	return fmt.Sprintf("unknown tool %q%s (available: %s)", e.Name, suggest.Question(e.Name, e.Valid), strings.Join(e.Valid, ", "))
}
