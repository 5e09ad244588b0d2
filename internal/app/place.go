package app

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"agent/internal/base/fsutil"
	"agent/internal/extend/setup/trustedfile"
	"agent/internal/gate"
	"agent/internal/protect"
	"agent/internal/protect/sensitive"
	"agent/internal/settings"
	"agent/internal/shell"
	"agent/internal/tools"
	"agent/internal/workspace"
)

// A place is where a conversation works: the process and the wishes of the interface, the folders,
// the settings and the workspace. It does not change.
type place struct {
	process  *Process
	options  Options
	folders  Folders
	settings *settings.Settings
	profiles *settings.Store
	log      *slog.Logger

	workspace *workspace.Workspace
	// where names the folders of the set-up.
	where  trustedfile.Locations
	survey *sensitive.Survey
	// jobs runs commands.
	jobs *shell.Jobs

	// offered holds the tools of the program itself. known also has the names of tools that may
	// come, for rules.
	offered []tools.Tool
	known   *tools.Registry
	// policy holds the rules of the flags.
	policy gate.Policy
	// look reads the notes of the workspace, while the rest is made.
	look *firstLook
	// notices are lines for the user.
	notices []string
}

// confirmed asks whether to work in the home folder or above it, beside keys and the start-up files
// of shells (D-61). If nobody can be asked, it only returns a notice: a script names its folder on
// purpose, and protected files are refused there anyway.
func (at *place) confirmed(ctx context.Context) (notices []string, err error) {
	root := at.workspace.Root()
	if !protect.Holds(root, fsutil.Real(at.process.Home)) {
		return nil, nil
	}
	if at.options.Ask == nil {
		return []string{"The workspace " + root + " contains the home folder. Name a project folder with -C"}, nil
	}
	yes, err := at.options.Ask(ctx, "The workspace "+root+" contains your home folder with all its files. Work there?")
	if err == nil && !yes {
		err = InputError{errors.New("start agent in a project folder, or name one with -C")}
	}
	return nil, err
}

// closers holds the steps that release the resources of a conversation, in the order in which they were
// added.
type closers []func() error

func (c *closers) add(step func() error) { *c = append(*c, step) }

// close takes the steps, the newest first, and tells a user who waits for long.
func (c *closers) close(say func(lines ...string)) {
	slow := time.AfterFunc(time.Second, func() {
		say("agent: stopping running commands; press Ctrl+C twice to stop at once")
	})
	defer slow.Stop()
	for _, step := range slices.Backward(*c) {
		if err := step(); err != nil {
			say("agent: while closing: " + err.Error())
		}
	}
	*c = nil
}
