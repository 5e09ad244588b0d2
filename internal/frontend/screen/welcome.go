package screen

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync"
	"time"

	"agent/internal/app"
	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/chat"
	"agent/internal/git/diff"
	"agent/internal/gitfiles/layout"
	"agent/internal/provider"
	"agent/internal/settings"
)

// banner returns the first line of the greeting: program, model and host, folder and branch, and
// approval mode.
func banner(p *app.Process, c *app.Conversation) string {
	root := c.Root()
	place := fsutil.Tilde(root, p.Home)
	if branch := layout.Branch(root); branch != "" {
		place += " " + branch
	}
	return strings.Join([]string{"agent " + p.Version, modelAtHost(c.Settings(), c.Connection), place, string(c.Chat.Consent().Mode()), "/help"}, " · ")
}

// modelAtHost returns the model and its host. The model may be unknown until the endpoint has listed its
// models.
func modelAtHost(s *settings.Settings, connection *provider.Connection) string {
	model := cmp.Or(settings.Model.Value(s), "no model yet")
	if endpoint, err := connection.Endpoint(); err == nil {
		if address, err := url.Parse(endpoint.BaseURL); err == nil && address.Host != "" {
			model += " at " + address.Host
			if by := endpoint.CredentialText(); by != "" {
				model += ", " + by
			}
		}
	}
	return model
}

// lateModel returns nil if the model is known. Otherwise it returns a function that waits for the endpoint
// and returns the name of the model that was found. The function returns "" if the user has chosen a model
// in the meantime.
func lateModel(s *settings.Settings, connection *provider.Connection) func(context.Context) string {
	if settings.Model.Value(s) != "" {
		return nil
	}
	return func(context.Context) string {
		if _, err := connection.Provider(); err != nil {
			return "" // the first request reports the error
		}
		if _, source := s.Get(settings.Model.Key()); source != settings.LayerDetected {
			return ""
		}
		return "model " + modelAtHost(s, connection)
	}
}

// branchNow returns the branch that is checked out in dir, followed by a * if tracked files have
// changed since the last commit.
func branchNow(ctx context.Context, dir string) string {
	ctx, cancel := context.WithTimeout(ctx, branchLimit)
	defer cancel()
	branch := layout.Branch(dir)
	if branch != "" && diff.HasChanges(ctx, dir) {
		branch += "*"
	}
	return branch
}

// branchLimit limits the time for git to find changes.
const branchLimit = 5 * time.Second

// tally counts turns and changed files between the start and the end of the program.
type tally struct {
	mu    sync.Mutex
	turns int
	files map[string]bool
}

func (t *tally) take(e chat.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch e := e.(type) {
	case chat.UserMessage:
		t.turns++
	case chat.TurnEnded:
		for _, file := range e.Changes.Files {
			if t.files == nil {
				t.files = map[string]bool{}
			}
			t.files[file] = true
		}
	}
}

// sums returns the turns, tokens, cost and changed files of the run, as the beginning of a line. It returns
// "" if nothing was done.
func (t *tally) sums(stats chat.Stats) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.turns == 0 {
		return ""
	}
	parts := []string{humanize.Count(t.turns, "turn"), humanize.Tokens(stats.PromptTokens+stats.CompletionTokens) + " tokens"}
	if stats.Cost > 0 {
		parts = append(parts, humanize.Dollars(stats.Cost)+costWithout(stats))
	}
	if len(t.files) > 0 {
		parts = append(parts, humanize.Count(len(t.files), "file")+" changed")
	}
	return strings.Join(parts, ", ") + " · "
}

// costWithout returns the cost of the session without pruning, or "" if that is unknown or about the same.
func costWithout(stats chat.Stats) string {
	text := humanize.Dollars(stats.Cost + stats.Saving.Cost)
	if stats.Saving.Sign() == 0 || text == humanize.Dollars(stats.Cost) {
		return ""
	}
	return " (" + text + " without pruning)"
}

// stoppedAgents returns a text about the subagents that end with the program. For a session that can be
// resumed, it includes what happens to their work.
func stoppedAgents(ids, tasks []string, resumes bool) string {
	for i, id := range ids {
		tasks[i] = humanize.Line(tasks[i], 0) + " (" + id + ")"
	}
	text := humanize.Count(len(ids), "subagent") + " stopped: " + strings.Join(tasks, ", ")
	if resumes {
		text += "; if you resume the session, the model gets their progress and can continue them"
	}
	return text
}

// sayGoodbye prints which subagents are stopped, a summary of the session, and the command that resumes it.
// If there is nothing to resume, it omits that command. The turn loop is still running.
func sayGoodbye(ctx context.Context, out io.Writer, c *app.Conversation, sums *tally) {
	if c.History().Len() == 0 {
		return
	}
	name := c.ResumeName()
	if ids, tasks := c.Subagents.RunningAgents(); len(ids) > 0 {
		fmt.Fprintln(out, stoppedAgents(ids, tasks, name != ""))
	}
	if name == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	line := "to resume, run: agent -r " + name
	if stats, err := c.Chat.Stats(ctx); err == nil {
		line = sums.sums(stats) + line
	}
	fmt.Fprintln(out, line)
	sayForecast(ctx, out, c)
}

// sayForecast prints the cost of the next message before and after the provider's cache expires, if known.
func sayForecast(ctx context.Context, out io.Writer, c *app.Conversation) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if outlook, err := c.Chat.Warming.Forecast(ctx); err == nil && outlook != "" {
		fmt.Fprintln(out, outlook)
	}
}
