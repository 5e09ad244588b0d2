package tools

// Served is a call of something that a server offers, such as an MCP server.
type Served struct {
	// Server and Tool are their names; Tool is "*" for what is no tool, such as reading.
	Server, Tool string
	// Definition identifies what the server says of the tool: a person allows it as it is.
	Definition string
	// Changed says how the definition differs from the one that was used before, a line
	// each with + or -; empty when it does not. Until a person allows it, nothing else does.
	Changed string
	// Allowed is set where the person's own configuration allows the call.
	Allowed bool
	// EachTime is set where the server says that the tool destroys something: it cannot be
	// allowed for more than one call.
	EachTime bool
}

// ServedRules is the name of the rules about calls of servers: mcp(SERVER/TOOL).
const ServedRules = "mcp"

// String names what is called as rules do.
func (s Served) String() string { return s.Server + "/" + s.Tool }

// HookName is the name by which other agents know the tool.
func (s Served) HookName() string { return "mcp__" + s.Server + "__" + s.Tool }
