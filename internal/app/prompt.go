package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"time"

	"agent/internal/app/extensions"
	"agent/internal/app/sessionnotes"
	"agent/internal/base/humanize"
	"agent/internal/chat"
	"agent/internal/git/gitcmd"
	"agent/internal/gitfiles/layout"
	"agent/internal/history"
	"agent/internal/sandbox"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/prompts"
)

const (
	// gitPatience limits the time for git to report the state of the workspace. After that the prompt
	// contains only the branch, which is read without git.
	gitPatience = 200 * time.Millisecond
	// latestCommits is the flag of git log for the number of commits to name. maxSubject limits the subject
	// of each, in characters.
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

// sessionStart holds the date and the state of the repository in the system prompt. A resumed session uses the
// recorded values again, so that the cached prompt and the bound reasoning stay valid.
type sessionStart struct {
	Date string       `json:"date"`
	Git  *prompts.Git `json:"git,omitempty"`
}

// startOf returns two functions. of returns the start of the session, and records a new start. news
// returns, once, a message about changes since a resumed session began.
func startOf(at *place, rec *record) (of func() sessionStart, news func() []history.Block) {
	root, today := at.workspace.Root(), at.process.Now().Format(time.DateOnly)
	repository := gitState(root)
	now := func() sessionStart { return sessionStart{today, repository()} }
	var recorded sessionStart
	if rec.resumed.Workspace != root || json.Unmarshal(rec.resumed.Start, &recorded) != nil || recorded.Date == "" {
		return sync.OnceValue(func() sessionStart {
			begun := now()
			rec.writeJSON(begun, (*session.Log).RecordStart)
			return begun
		}), func() []history.Block { return nil }
	}
	told := false
	return func() sessionStart { return recorded }, func() []history.Block {
		if told {
			return nil
		}
		told = true
		return changedSince(recorded, now())
	}
}

// changedSince returns a message about the differences between two starts, or nil if there are none.
func changedSince(then, now sessionStart) []history.Block {
	text := ""
	if now.Date != then.Date {
		text = "Today is " + now.Date + ". "
	}
	if git := now.Git; git != nil && !git.Late && !reflect.DeepEqual(git, then.Git) {
		text += fmt.Sprintf("Git now: branch %q, %d changed or new files; last commits (data): %q. ", git.Branch, git.Changed, git.Subjects)
	}
	if text == "" {
		return nil
	}
	return []history.Block{&history.Text{Text: "[The session was resumed. " + strings.TrimSpace(text) + "]", Source: history.SourceExtension}}
}

// promptSession returns a function that describes the session for the system prompt, with the
// model in use at the time of the call.
func promptSession(at *place, models *endpoints, texts *extensions.Extensions, notes *sessionnotes.Notes, start func() sessionStart) func() prompts.Session {
	begun := prompts.Session{
		Workspace: at.workspace.Root(),
		Platform:  runtime.GOOS + "/" + runtime.GOARCH,
		Shell:     at.jobs.Shell(),
	}
	return func() prompts.Session {
		session, begun := begun, start()
		session.Instructions = texts.Instructions()
		session.Notes = notes.Prompt()
		session.Date, session.Git = begun.Date, begun.Git
		session.Sandbox = promptSandbox(at)
		session.Model = settings.Model.Value(at.settings)
		session.Trailer = trailer(settings.CommitTrailer.Value(at.settings), session.Model)
		family, _ := models.own.Family(session.Model)
		session.Family = family.Name
		return session
	}
}

// promptSandbox describes the sandbox for the system prompt. It returns nil if there is no sandbox.
func promptSandbox(at *place) *prompts.Sandbox {
	if settings.Sandbox.Value(at.settings) == settings.SandboxOff || !sandbox.Detect().IsActive() {
		return nil
	}
	return &prompts.Sandbox{OwnTemp: at.workspace.MapsTemp(), Network: settings.SandboxAllowNetwork.Value(at.settings)}
}

// trailer returns the trailer line for commit messages, or "" for none. wanted is the value of the setting
// commit.trailer.
func trailer(wanted, model string) string {
	switch wanted {
	case "assisted-by":
		return "Assisted-by: agent (" + humanize.Line(model, 80) + ")"
	case "co-authored-by":
		return "Co-authored-by: agent (" + humanize.Line(model, 80) + ") <noreply@example.invalid>"
	}
	return ""
}

// gitState starts to read the state of the repository in dir. It returns a function that waits for the
// result, at most until gitPatience is over. The result is nil without a repository. If git fails or is
// late, the result contains only the branch.
func gitState(dir string) func() *prompts.Git {
	branch := layout.Branch(dir)
	if branch == "" {
		return func() *prompts.Git { return nil }
	}
	branch = humanize.Line(branch, maxSubject)
	answered := make(chan *prompts.Git, 2) // the first value is used
	ctx, cancel := context.WithTimeout(context.Background(), gitPatience)
	context.AfterFunc(ctx, func() { answered <- &prompts.Git{Branch: branch, Late: true} })
	go func() {
		defer cancel()
		answered <- askGit(ctx, dir, branch)
	}()
	return sync.OnceValue(func() *prompts.Git { return <-answered })
}

// askGit returns the state of a repository. If git fails or is late, the result contains only the branch.
func askGit(ctx context.Context, dir, branch string) *prompts.Git {
	state := &prompts.Git{Branch: branch}
	subjects := make(chan []string, 1)
	go func() {
		out, err := gitcmd.Output(ctx, dir, "log", latestCommits, "--format=%s")
		if err != nil {
			out = nil // git log fails in a repository without commits
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
