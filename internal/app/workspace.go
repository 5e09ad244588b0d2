package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"agent/internal/app/gates"
	"agent/internal/chat"
	"agent/internal/disk"
	"agent/internal/gate"
	"agent/internal/llm/vendor"
	"agent/internal/protect"
	"agent/internal/protect/survey"
	"agent/internal/sandbox"
	"agent/internal/settings"
	"agent/internal/setup/consent"
	"agent/internal/shell"
	"agent/internal/tempdir"
	"agent/internal/tools"
	"agent/internal/workspace"
)

// OpenWorkspace opens the folder to work in. It also arranges two temporary folders: the folder
// of the workspace, and a folder that confined commands see as /tmp. remove removes both.
func (p *Process) OpenWorkspace(dir string, s *settings.Settings) (opened *workspace.Workspace, remove func() error, err error) {
	if !filepath.IsAbs(dir) && p.Dir == "" {
		return nil, nil, InputError{errors.New("the current folder was deleted; change to another one, or name one with -C")}
	}
	if dir == "" {
		dir = p.Dir
	}
	dir = p.Path(dir)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, nil, InputError{fmt.Errorf("the workspace %s is not a folder that can be read", dir)}
	}
	confined, err := workspace.New(dir, "")
	if err != nil {
		return nil, nil, err
	}
	temp := tempdir.New(tempParent(confined.Root()), p.Now())
	confined.MakeTemp(temp.Path(), temp.Make)
	own := temp.Beside()
	p.mapTemp(confined, s, own)
	return confined, func() error { return errors.Join(temp.Remove(), own.Remove()) }, nil
}

// tempParent returns the folder in which temporary folders are created. It avoids a system folder
// inside the workspace, where commands could replace the temporary folders.
func tempParent(root string) string {
	parent := os.TempDir()
	if disk.Within(disk.Real(parent), root) && !disk.Within(sandbox.SystemTemp, root) {
		return sandbox.SystemTemp
	}
	return parent
}

// mapTemp makes confined commands, and the tools with them, see a folder below own as /tmp.
// Commands cannot reach own itself, which holds the lock.
func (p *Process) mapTemp(w *workspace.Workspace, s *settings.Settings, own *tempdir.Dir) {
	const everybody = fs.ModeSticky | 0o777 // as the mode of the system's /tmp: root may run commands as others
	folder := filepath.Join(own.Path(), "tmp")
	w.MapTemp(workspace.Mapped{
		Folder: func() string {
			writable := append(p.userPaths(settings.SandboxAllowWrite.Of(s)), w.Root())
			reached := func(writable string) bool { return disk.Within(folder, writable) }
			if settings.Sandbox.Of(s) == settings.SandboxOff || slices.ContainsFunc(writable, reached) || !sandbox.Detect().OwnTemp(writable...) {
				return ""
			}
			return folder
		},
		Make: func() error {
			if err := own.Make(); err != nil {
				return err
			}
			err := os.Mkdir(folder, 0o700)
			if errors.Is(err, fs.ErrExist) {
				return nil
			}
			return errors.Join(err, os.Chmod(folder, everybody))
		},
		Shown: sandbox.ShownBelowTemp(w.Root(), p.Environ),
	})
}

// openWorkspace opens the folder to work in, with its temporary folders and the means to run
// commands.
func (c *Conversation) openWorkspace(policy *gate.Policy) error {
	confined, remove, err := c.process.OpenWorkspace(c.options.Workspace, c.settings)
	if err != nil {
		return err
	}
	c.workspace, c.survey = confined, survey.New(confined.Root(), survey.MaxFolders)
	jobs := shell.NewJobs(c.process.Environ, []string{vendor.EnvKey})
	jobs.Preferred = shell.Kind(settings.Shell.Of(c.settings))
	forget := c.process.OnEndAtOnce(func() { jobs.Kill(); _ = remove() })
	c.onClose(func() error { forget(); return nil })
	c.onClose(remove)
	sweeping, stop := context.WithCancel(context.Background())
	swept := make(chan struct{})
	go func() { defer close(swept); confined.Sweep(sweeping, c.process.Now()) }()
	c.onClose(func() error { stop(); <-swept; return nil })
	c.onClose(func() error { jobs.Close(); return nil })
	c.env = &tools.Env{
		Workspace:   confined,
		Seen:        tools.NewSeen(),
		Jobs:        jobs,
		Confinement: c.confinement,
		Named:       c.options.Named,
		Hosts:       c.mayReach,
		Documents:   func() bool { return c.Connection.Documents(settings.Model.Of(c.settings)) },
		Protected: protect.Places{
			Home: disk.Real(c.process.Home), Own: c.process.ownFiles(c.folders, c.settings), Denied: c.process.realPaths(settings.SandboxDenyRead.Of(c.settings)),
			Agreed:  c.isGuarded,
			GitRuns: func(abs string) bool { return sandbox.GitRuns(abs, c.process.gitConfigurations()) },
		},
	}
	where := c.process.Where(c.folders, confined.Root())
	c.keepPermissions(policy, where)
	c.line, c.consent = chat.NewLine(), gate.NewConsent(policy, c.settings)
	c.agents = chat.NewAgents(c.line, c.consent)
	c.host = &gates.Host{
		Consent: c.consent, Loop: c.line, Env: c.env, Registry: c.registry, Where: where,
		Settings: c.settings, ID: c.ID, Transcript: c.transcriptPath, Trust: func() *consent.Trust { return c.Trust },
		Confinement: c.confinement, Unattended: c.options.Unattended, Say: c.process.say, Record: gates.Record{Did: c.acts.did},
	}
	return c.prepareSandbox()
}

// confirmWorkspace asks whether to work in the home folder or above it, beside keys and the
// start-up files of shells (D-61). If nobody can be asked, it only adds a notice: a script names
// its folder on purpose, and protected files are refused there anyway.
func (c *Conversation) confirmWorkspace(ctx context.Context) error {
	root := c.workspace.Root()
	if !protect.Holds(root, disk.Real(c.process.Home)) {
		return nil
	}
	if c.options.Ask == nil {
		c.Notices = append(c.Notices, "The workspace "+root+" holds the home folder; -C names a folder of a project")
		return nil
	}
	yes, err := c.options.Ask(ctx, "The workspace "+root+" holds your home folder, with all that is in it. Work there?")
	if err == nil && !yes {
		err = InputError{errors.New("start in the folder of a project, or name it with -C")}
	}
	return err
}
