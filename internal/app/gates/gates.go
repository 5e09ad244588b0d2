// Package gates has what a planned call of a conversation passes besides the mode, the loop
// guard and consent: the rules that people have set, the project's checks, and hooks, which
// also have a say at other moments. Each is a part of its own with its state.
package gates

import (
	"encoding/json"
	"net/url"

	"agent/internal/chat"
	"agent/internal/disk"
	"agent/internal/gate"
	"agent/internal/sandbox"
	"agent/internal/settings"
	"agent/internal/setup/consent"
	"agent/internal/setup/source"
	"agent/internal/tools"
)

// Host is the conversation whose calls pass the gates.
type Host struct {
	// Chat is the turn loop; nil until there is one.
	Chat     func() *chat.Chat
	Env      *tools.Env
	Registry *tools.Registry
	// Where is where the set-up is looked for, without symbolic links.
	source.Where
	Settings *settings.Settings
	// ID is that of the conversation, Transcript the file that keeps it, "" for none.
	ID, Transcript func() string
	// Trust is what the person said of what repositories bring.
	Trust func() *consent.Trust
	// Confinement is the sandbox of commands by the settings of the moment.
	Confinement func() sandbox.Confinement
	// Unattended means that nobody can answer.
	Unattended bool
	// Say shows lines to the person where no turn loop runs any more.
	Say func(lines ...string)
}

// Absolute is a path that a call names, absolute.
func (h *Host) Absolute(path string) string {
	return h.Env.Workspace.OnDisk(disk.At(h.Env.Workspace.Root(), path))
}

// ask asks about a call that needs it for a reason of its own. Where nobody is there, refusal
// says so to the model and notice to the person.
func (h *Host) ask(k gate.Call, why, refusal, notice string) gate.Verdict {
	if h.Unattended {
		return gate.Verdict{Refusal: refusal, Notice: k.Said.Title() + " was refused: " + notice, End: h.Chat().Consent().Denied()}
	}
	preview := k.Preview
	preview.Title += " (" + why + ")"
	return gate.Verdict{Ask: &gate.Question{Approval: gate.Approval{Tool: k.Name, Traits: k.Traits, Preview: preview}, Then: gate.Answered}}
}

// host is that of the address that a call names.
func host(arguments json.RawMessage) string {
	var named struct {
		URL string `json:"url"`
	}
	_ = json.Unmarshal(arguments, &named)
	address, err := url.Parse(named.URL)
	if err != nil {
		return ""
	}
	return address.Hostname()
}
