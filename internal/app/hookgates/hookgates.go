// Package hookgates contains the gates with which users and projects stop, change or observe the
// planned calls of a conversation. Package gate contains the approval mode, the loop guard and consent.
//
// Rules refuses calls that permission rules deny. Checks runs the project's checks around edits.
// Hooks runs the hooks of the user and the project, around calls and at other events of a conversation.
// Package app creates one of each for a conversation. All three access the conversation through a
// shared Host.
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
	"agent/internal/workspace"
)

// Host connects the gates to their conversation.
type Host struct {
	// Consent decides which calls may run. Loop is the turn loop.
	Consent *gate.Consent
	Loop    Loop
	Env     *tools.Env
	// Known holds the tools of the program, and the other names that rules may use.
	Known *tools.Registry
	// Home is the user's home folder, without symbolic links.
	Home     string
	Settings *settings.Settings
	// ID is the identifier of the conversation.
	ID string
	// Transcript returns the path of the file that records the conversation, "" for none.
	Transcript func() string
	// Trust holds the user's decisions about the configuration of repositories.
	Trust *consent.Trust
	// Confinement returns the sandbox for commands by the current settings.
	Confinement func() sandbox.Confinement
	// Served reports whether a language server can check a file of the workspace. Problems returns the
	// problems that the server finds, one per line.
	Served   func(file string) bool
	Problems func(ctx context.Context, file string) ([]string, error)
	// Say shows lines to the user after the turn loop has ended.
	Say func(lines ...string)
	// Did records an action of a program. by is the kind of the program.
	Did func(by string, did history.Effect)
}

// Loop is the part of the turn loop that gates use.
type Loop interface {
	// ReportWaiting reports that the named programs take long. With "" it reports that they have ended.
	ReportWaiting(names string)
	// Notify shows the user a notice.
	Notify(text string)
}

// ran records that a program ran, unless it was not started.
func (h *Host) ran(by, line, confined string, end shell.ExitInfo) {
	if end.NotStarted == nil {
		h.Did(by, history.Effect{Ran: line, Profile: confined, Exit: end.ExitCode()})
	}
}

// recordFiles records the files that hook and check programs changed.
func (h *Host) recordFiles(by string, change snapshot.Mark) {
	if files, unlisted := h.Env.FileChanges(change); len(files) > 0 {
		h.Did(by, history.Effect{Wrote: files, Unlisted: unlisted})
	}
}

// Absolute returns the absolute path of a path in a call.
func (h *Host) Absolute(path string) string {
	return absolute(h.Env.Workspace, path)
}

func absolute(in *workspace.Workspace, path string) string {
	return in.DiskPath(fsutil.ResolveIn(in.Root(), path))
}

// ask returns a verdict that asks the user about a call, for the reason why. If there is no user to ask, it
// refuses the call: the model receives refusal, and the user sees notice.
func ask(consent *gate.Consent, k gate.Call, why, refusal, notice string) gate.Verdict {
	if consent.Unattended {
		return gate.Verdict{Refusal: refusal, Notice: k.Said.Title() + " was refused: " + notice, End: consent.DenialError()}
	}
	preview := k.Preview
	preview.Title += " (" + why + ")"
	preview.Because = why
	return gate.Verdict{Ask: &gate.Question{Approval: gate.Approval{Tool: k.Name, Traits: k.Traits, Preview: preview}, Then: gate.VerdictOf}}
}

// PageHost returns the host of the address in a call's arguments, or "" for none.
func PageHost(k gate.Call) string {
	address, err := url.Parse(k.Arguments.StringArg("url"))
	if err != nil {
		return ""
	}
	return address.Hostname()
}
