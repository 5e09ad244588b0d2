package history

// MetaEffect is the key of an entry's metadata that holds its Effect.
const MetaEffect = "deed"

// MetaHost is the key of a reply's metadata with the host that answered.
const MetaHost = "host"

// MetaCost is the key of a reply's metadata with the cost in USD of the session since the reply
// before it. It is missing where the prices are unknown.
const MetaCost = "cost"

// A Effect says what a call did to the machine, beside what the call and its answer say, so that the
// record of a conversation can be audited. Most calls that only look have none.
type Effect struct {
	// Ran is the command line that ran, and Profile the confinement in which it ran: "sandbox",
	// "none", or "outside" for one that was run outside the sandbox.
	Ran     string `json:"ran,omitempty"`
	Profile string `json:"profile,omitempty"`
	// Exit is the exit status of the command where no answer of a tool says it; nil if it did not end.
	Exit *int `json:"exit,omitempty"`
	// Agreed is the hash of the configuration of a server whose program ran, "" if a user need not
	// agree to it.
	Agreed string `json:"agreed,omitempty"`
	// Hosts lists the hosts that the call reached, and Served the tool of a server that it called,
	// as SERVER/TOOL.
	Hosts  []string `json:"hosts,omitempty"`
	Served string   `json:"served,omitempty"`
	// Looked describes a call that looked at more than single files, such as a search.
	Looked string `json:"looked,omitempty"`
	// Read lists the files that a call with several read.
	Read []View `json:"read,omitempty"`
	// Wrote lists the files that the call changed.
	Wrote []FileChange `json:"wrote,omitempty"`
	// Unlisted is set if the call may have created files that are not among them.
	Unlisted bool `json:"unlisted,omitempty"`
	// Asked is the decision about an approval prompt for the call. It is nil for calls that need no
	// approval.
	Asked *Decision `json:"asked,omitempty"`
}

// FileChange is a file that was changed. Before and After are hashes as "sha256:…" or "git:…"; they are
// empty where the file was not there, and "?" where the content is not known.
type FileChange struct {
	Path   string `json:"path"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// Decision is a decision about a call.
type Decision struct {
	// By is "person", "mode NAME", or the name of the gate that decided.
	By string `json:"by"`
	// Answer is "allowed", "refused" or "unanswered". Rule is what the answer allowed from then on,
	// or the reason of the refusal.
	Answer string `json:"answer"`
	Rule   string `json:"rule,omitempty"`
}

// Empty reports whether nothing is to be recorded.
func (d Effect) Empty() bool {
	return d.Ran == "" && d.Looked == "" && len(d.Hosts) == 0 && d.Served == "" && len(d.Read) == 0 && len(d.Wrote) == 0 && d.Asked == nil
}
