package app

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"agent/internal/app/sessionnotes"
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

// A place holds the fixed surroundings of a conversation: the process, the options of the interface, the
// folders, the settings and the workspace. It does not change.
type place struct {
	process  *Process
	options  Options
	folders  Folders
	settings *settings.Settings
	profiles *settings.Store
	log      *slog.Logger

	workspace *workspace.Workspace
	// where holds the configuration folders.
	where  trustedfile.Locations
	survey *sensitive.Survey
	// jobs runs commands.
	jobs *shell.Jobs

	// offered holds the program's own tools. known also has tools that may be added later, so that rules
	// can name them.
	offered []tools.Tool
	known   *tools.Registry
	// policy holds the rules of the flags.
	policy gate.Policy
	// notes are read while the other parts are created.
	notes *sessionnotes.Preload
	// notices are lines for the user.
	notices []string
}

// confirmed asks the user whether to work in the home folder or a folder above it. Keys and the start-up
// files of shells are stored there (D-61). If there is no user to ask, it only returns a notice. A script
// names its folder on purpose, and protected files are refused there anyway.
func (at *place) confirmed(ctx context.Context) (notices []string, err error) {
	root := at.workspace.Root()
	if !protect.ContainsHome(root, fsutil.ResolveLinks(at.process.Home)) {
		return nil, nil
	}
	if at.options.Ask == nil {
		return []string{"The workspace " + root + " contains your home folder. To work in another folder, add -C FOLDER"}, nil
	}
	yes, err := at.options.Ask(ctx, "The workspace "+root+" contains your home folder with all its files. Work there?")
	if err == nil && !yes {
		err = InputError{errors.New("you refused this workspace; start agent in a project folder, or name one with -C")}
	}
	return nil, err
}

// closers holds the steps that release the resources of a conversation, in the order in which they were
// added.
type closers []func() error

func (c *closers) add(step func() error) { *c = append(*c, step) }

// close runs the steps, the newest first. If a step takes long, it shows the user a line.
func (c *closers) close(say func(lines ...string)) {
	slow := time.AfterFunc(time.Second, func() {
		say("agent: stopping running commands; to quit without waiting for them, press Ctrl+C twice")
	})
	defer slow.Stop()
	for _, step := range slices.Backward(*c) {
		if err := step(); err != nil {
			say("agent: while closing: " + err.Error())
		}
	}
	*c = nil
}
