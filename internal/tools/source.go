package tools

// Source is where tools come from: the program itself, a server, a file. Its functions are
// safe for parallel use and do not use the registry. A tool that comes later can be called at
// once, but requests declare it only from the next break on (D-94).
type Source struct {
	// Name distinguishes the source from others.
	Name string
	// Revision changes whenever List returns something else; nil for a list that stays.
	Revision func() uint64
	// List returns the tools there are now, in an order that depends on nothing else.
	List func() []Tool
	// Expects reports whether a tool of that name may come later, so that a rule may
	// name it already; nil for never.
	Expects func(name string) bool
}

// Fixed is a source of tools that stay.
func Fixed(name string, tools ...Tool) Source {
	return Source{Name: name, List: func() []Tool { return tools }}
}

// revision is that of the list; the first is not 0, so that nothing counts as joined.
func (s Source) revision() uint64 {
	if s.Revision == nil {
		return 1
	}
	return s.Revision() + 1
}
