package tools

// A Source provides tools: the program itself, a server, a file. Its functions are safe for
// parallel use and do not use the registry. A tool that is added later can be called at once, but
// requests declare it only after the next cache break (D-94).
type Source struct {
	// Revision returns a number that changes whenever the result of List changes. It is nil for a
	// fixed list.
	Revision func() uint64
	// List returns the present tools in a deterministic order.
	List func() []Tool
	// Expects reports whether a tool of that name may be added later, so that rules can already
	// name it. It is nil if no tool is added later.
	Expects func(name string) bool
}

// FixedSource returns a source of a fixed list of tools.
func FixedSource(tools ...Tool) Source {
	return Source{List: func() []Tool { return tools }}
}

// revision returns the revision of the list. It is never 0, so that a registry reads the list at
// first use.
func (s Source) revision() uint64 {
	if s.Revision == nil {
		return 1
	}
	return s.Revision() + 1
}
