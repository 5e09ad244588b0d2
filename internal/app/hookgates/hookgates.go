// Package hookgates lets people and projects stop, change or observe the planned calls of a
// conversation. Its gates come in addition to the mode, the loop guard and consent, which package
// gate has.
//
// Rules refuses calls that permission rules deny. Checks runs the project's checks around edits.
// Hooks runs the hooks of people and projects, around calls and at other events of a
// conversation. Package app owns one of each for a conversation; all three share a Host, through
// which they reach the conversation.
package hookgates

import (
	"context"
	"net/url"

	"agent/internal/base/fsutil"
	"agent/internal/extend/setup/consent"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/sandbox"
	"agent/internal/settings"
	"agent/internal/shell"
	"agent/internal/snapshot"
	"agent/internal/tools"
)

// Host gives the gates access to their conversation.
type Host struct {
	// Consent decides which calls may run. Loop is the turn loop.
	Consent *gate.Consent
	Loop    Loop
	Env     *tools.Env
	// Known has the tools of the program, and the names that rules may use besides.
	Known *tools.Registry
	// Home is the user's home folder, without symbolic links.
	Home     string
	Settings *settings.Settings
	// ID is the identifier of the conversation.
	ID string
	// Transcript returns the path of the file that records the conversation, "" for none.
	Transcript func() string
	// Trust has the user's decisions about the set-up of repositories.
	Trust *consent.Trust
	// Confinement returns the sandbox for commands by the present settings.
	Confinement func() sandbox.Confinement
	// Served reports whether a language server can check a file of the workspace, and Problems
	// returns what it finds, a line each.
	Served   func(file string) bool
	Problems func(ctx context.Context, file string) ([]string, error)
	// Say shows lines to the user after the turn loop has ended.
	Say func(lines ...string)
	// Record records the actions of programs.
	Record Record
}

// Loop is the turn loop of a conversation, as its gates speak to it.
type Loop interface {
	// WaitsFor reports that programs take long, or with "" that they have ended.
	WaitsFor(names string)
	// Note shows the user a notice.
	Note(text string)
}

// Workspace resolves the paths of calls.
type Workspace interface {
	Root() string
	// OnDisk returns an absolute path without symbolic links, and Rel the path to show for one.
	OnDisk(path string) string
	Rel(abs string) string
}

// Record passes what programs of hooks and checks did to the record of the conversation.
type Record struct {
	Did func(by string, did history.Effect)
}

// Ran implements hook.Record.
func (r Record) Ran(by, line, confined string, end shell.Ending) {
	if end.NotStarted == nil {
		r.Did(by, history.Effect{Ran: line, Profile: confined, Exit: end.Status()})
	}
}

// recordFiles records the files that such programs changed.
func (r Record) recordFiles(by string, env *tools.Env, change snapshot.Mark) {
	if files, unlisted := env.FileChanges(change); len(files) > 0 {
		r.Did(by, history.Effect{Wrote: files, Unlisted: unlisted})
	}
}

// Absolute returns the absolute path of a path in a call.
func (h *Host) Absolute(path string) string {
	return absolute(h.Env.Workspace, path)
}

func absolute(in Workspace, path string) string {
	return in.OnDisk(fsutil.At(in.Root(), path))
}

// ask returns a verdict that asks the user about a call, because of why. If no user is present, it
// refuses the call: the model reads refusal, the user notice.
func ask(consent *gate.Consent, k gate.Call, why, refusal, notice string) gate.Verdict {
	if consent.Unattended {
		return gate.Verdict{Refusal: refusal, Notice: k.Said.Title() + " was refused: " + notice, End: consent.Denied()}
	}
	preview := k.Preview
	preview.Title += " (" + why + ")"
	preview.Because = why
	return gate.Verdict{Ask: &gate.Question{Approval: gate.Approval{Tool: k.Name, Traits: k.Traits, Preview: preview}, Then: gate.VerdictOf}}
}

// PageHost returns the host of the address in a call's arguments, or "".
func PageHost(k gate.Call) string {
	address, err := url.Parse(k.Arguments.StringArg("url"))
	if err != nil {
		return ""
	}
	return address.Hostname()
}
