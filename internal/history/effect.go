package history

// MetaEffect is the metadata key for the Effect of an entry.
const MetaEffect = "deed"

// MetaHost is the metadata key for the host that sent a reply.
const MetaHost = "host"

// MetaCost is the metadata key for the cost of the session in USD since the previous reply. It is
// missing if the prices are unknown.
const MetaCost = "cost"

// An Effect describes what a call did to the machine, so that the log of a conversation can be audited.
// It adds to the call and its answer. Most read-only calls have none.
type Effect struct {
	// Ran is the command that ran. Profile is the confinement in which it ran: "sandbox", "none", or
	// "outside" if it ran outside the sandbox.
	Ran     string `json:"ran,omitempty"`
	Profile string `json:"profile,omitempty"`
	// Exit is the exit status of the command if no answer of a tool contains it. It is nil if the
	// command did not end.
	Exit *int `json:"exit,omitempty"`
	// ApprovedHash is the hash of the configuration of a server whose program ran. It is "" if the
	// configuration needs no approval.
	ApprovedHash string `json:"agreed,omitempty"`
	// Hosts lists the hosts to which the call connected. Served is the server tool that it called, as
	// SERVER/TOOL.
	Hosts  []string `json:"hosts,omitempty"`
	Served string   `json:"served,omitempty"`
	// Looked describes a call that read more than single files, such as a search.
	Looked string `json:"looked,omitempty"`
	// Read lists the files that a call with several files read.
	Read []View `json:"read,omitempty"`
	// Wrote lists the files that the call changed.
	Wrote []FileChange `json:"wrote,omitempty"`
	// Unlisted is set if the call may have created files that are not in Wrote.
	Unlisted bool `json:"unlisted,omitempty"`
	// Asked is the decision about an approval prompt for the call. It is nil for calls that need no
	// approval.
	Asked *Decision `json:"asked,omitempty"`
}

// FileChange is a file that was changed. Before and After are hashes such as "sha256:…" or "git:…".
// They are "" if the file did not exist, and "?" if the content is unknown.
type FileChange struct {
	Path   string `json:"path"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// Decision is a decision about a call.
type Decision struct {
	// By is "person", "mode NAME", or the name of the gate that decided.
	By string `json:"by"`
	// Answer is "allowed", "refused" or "unanswered". Rule is what the answer allowed permanently or
	// for the session, or the reason of the refusal.
	Answer string `json:"answer"`
	Rule   string `json:"rule,omitempty"`
}

// Empty reports whether there is nothing to record.
func (d Effect) Empty() bool {
	return d.Ran == "" && d.Looked == "" && len(d.Hosts) == 0 && d.Served == "" && len(d.Read) == 0 && len(d.Wrote) == 0 && d.Asked == nil
}
