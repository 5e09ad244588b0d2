package app

import (
	"bytes"
	"context"
	"runtime"
	"strings"
	"sync"
	"time"

	"agent/internal/app/extensions"
	"agent/internal/base/humanize"
	"agent/internal/chat"
	"agent/internal/git/gitcmd"
	"agent/internal/gitfiles/layout"
	"agent/internal/sandbox"
	"agent/internal/settings"
	"agent/prompts"
)

const (
	// gitPatience bounds how long git may take to report the state of the workspace. After that
	// the prompt has the branch alone, which is read without git.
	gitPatience = 200 * time.Millisecond
	// latestCommits is the flag of git log for the number of commits to name. maxSubject bounds
	// the subject of each, in characters.
	latestCommits = "-3"
	maxSubject    = 72
)

// SystemPrompt returns a function that renders the system prompt. Each call renders the session
// as it is then.
func SystemPrompt(templates *prompts.Templates, now func() prompts.Session) chat.SystemPrompt {
	return func(lean bool, tools []string, fits func(string) bool) (string, bool) {
		session := now()
		session.Tools = strings.Join(tools, ", ")
		return templates.System(session, lean, fits)
	}
}

// promptSession returns a function that describes the session for the system prompt, with the
// model in use at the time of the call. The state of the repository is read once, when
// promptSession is called.
func promptSession(at *place, models *endpoints, texts *extensions.Extensions, notes *noting) func() prompts.Session {
	repository := gitState(at.workspace.Root())
	begun := prompts.Session{
		Workspace: at.workspace.Root(),
		Platform:  runtime.GOOS + "/" + runtime.GOARCH,
		Shell:     at.jobs.Shell(),
		Date:      at.process.Now().Format("2006-01-02"),
	}
	return func() prompts.Session {
		session := begun
		session.Instructions = texts.Instructions()
		session.Notes = notes.prompt()
		session.Git = repository()
		session.Sandbox = promptSandbox(at)
		session.Model = settings.Model.Of(at.settings)
		session.Trailer = trailer(settings.CommitTrailer.Of(at.settings), session.Model)
		family, _ := models.own.Family(session.Model)
		session.Family = family.Name
		return session
	}
}

// promptSandbox describes the sandbox for the system prompt, nil if there is no sandbox.
func promptSandbox(at *place) *prompts.Sandbox {
	if settings.Sandbox.Of(at.settings) == settings.SandboxOff || !sandbox.Detect().Active() {
		return nil
	}
	return &prompts.Sandbox{OwnTemp: at.workspace.MapsTemp(), Network: settings.SandboxAllowNetwork.Of(at.settings)}
}

// trailer returns the trailer line of commits that the setting wants, "" for none.
func trailer(wanted, model string) string {
	switch wanted {
	case "assisted-by":
		return "Assisted-by: agent (" + humanize.Line(model, 80) + ")"
	case "co-authored-by":
		return "Co-authored-by: agent (" + humanize.Line(model, 80) + ") <noreply@example.invalid>"
	}
	return ""
}

// gitState starts to read the state of the repository in dir, and returns a function that waits
// for the result until gitPatience is over. The result is nil without a repository. If git is
// late or fails, it has the branch only.
func gitState(dir string) func() *prompts.Git {
	branch := layout.Branch(dir)
	if branch == "" {
		return func() *prompts.Git { return nil }
	}
	branch = humanize.Line(branch, maxSubject)
	answered := make(chan *prompts.Git, 2) // the first counts
	ctx, cancel := context.WithTimeout(context.Background(), gitPatience)
	context.AfterFunc(ctx, func() { answered <- &prompts.Git{Branch: branch, Late: true} })
	go func() {
		defer cancel()
		answered <- askGit(ctx, dir, branch)
	}()
	return sync.OnceValue(func() *prompts.Git { return <-answered })
}

// askGit returns the state of a repository, with the branch only if git fails or is late.
func askGit(ctx context.Context, dir, branch string) *prompts.Git {
	state := &prompts.Git{Branch: branch}
	subjects := make(chan []string, 1)
	go func() {
		out, err := gitcmd.Output(ctx, dir, "log", latestCommits, "--format=%s")
		if err != nil {
			out = nil // a repository without commits
		}
		var latest []string
		for line := range strings.Lines(string(out)) {
			latest = append(latest, humanize.Line(strings.TrimSpace(line), maxSubject))
		}
		subjects <- latest
	}()
	changed, err := gitcmd.Output(ctx, dir, "status", "--porcelain", "--untracked-files=normal")
	state.Subjects = <-subjects
	if err != nil || ctx.Err() != nil {
		return &prompts.Git{Branch: branch, Late: true}
	}
	state.Changed = bytes.Count(changed, []byte("\n"))
	return state
}
