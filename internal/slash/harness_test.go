package slash_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agent/internal/chat"
	"agent/internal/chat/cachemiss"
	"agent/internal/chat/provenance"
	"agent/internal/command"
	"agent/internal/compression"
	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/settings"
	"agent/internal/slash"
	"agent/internal/snapshot"
	"agent/internal/tools"
	"agent/internal/toolspec"
)

// The packages chat and gate implement the interfaces of the commands.
var (
	_ slash.Session     = (*chat.Chat)(nil)
	_ slash.Context     = (*chat.Views)(nil)
	_ slash.Rewinder    = (*chat.Rewinder)(nil)
	_ slash.Permissions = (*gate.Consent)(nil)
)

// fakeSession is a conversation with fixed values. It records the calls of its methods.
type fakeSession struct {
	// actErr is the error of changes to the context.
	actErr     error
	usage      chat.ContextUsage
	ledger     []chat.PruneRecord
	held       []chat.PrunablePart
	story      chat.CostComparison
	upcoming   chat.NextRequest
	known      []string
	pinned     []string
	stats      chat.Stats
	reply      string
	grants     []gate.GrantEntry
	compressed chat.Compressed
	plan       *snapshot.Plan
	changed    []snapshot.ChangedFile
	err        error
	planErr    error
	points     []history.Point
	done       []string
	items      []chat.Item
	why        *provenance.Answer
	breaks     []cachemiss.Miss
	refreshes  []string
}

func (f *fakeSession) Items(context.Context) ([]chat.Item, error) { return f.items, f.err }

func (f *fakeSession) PruneItem(_ context.Context, item chat.Item) (int, error) {
	f.done = append(f.done, "let go "+item.Subject)
	return item.Tokens, f.err
}

func (f *fakeSession) AskAside(_ context.Context, question string) (string, error) {
	f.done = append(f.done, "aside "+question)
	return f.reply, f.err
}

func (f *fakeSession) CheckIdle(context.Context) error { return f.err }

func (f *fakeSession) Points(context.Context) ([]history.Point, error) { return f.points, f.err }

func (f *fakeSession) Rewind(_ context.Context, seq uint64, files bool) (history.Point, []snapshot.ChangedFile, error) {
	f.done = append(f.done, strings.TrimSuffix(fmt.Sprintf("rewind to %d, files %t", seq, files), ", files false"))
	i := slices.IndexFunc(f.points, func(p history.Point) bool { return p.Seq == seq })
	return f.points[i], nil, f.err
}

func (f *fakeSession) PlanRewind(context.Context, uint64) (*snapshot.Plan, error) {
	return f.plan, f.planErr
}

func (f *fakeSession) ContextUsage(context.Context) (chat.ContextUsage, error) {
	return f.usage, f.err
}

func (f *fakeSession) Ledger(context.Context) ([]chat.PruneRecord, error) { return f.ledger, f.err }

func (f *fakeSession) NextRequest(context.Context) (chat.NextRequest, error) { return f.upcoming, nil }

func (f *fakeSession) CostComparison(context.Context) (chat.CostComparison, error) {
	return f.story, nil
}

func (f *fakeSession) PrunableParts(_ context.Context, subject string) ([]chat.PrunablePart, error) {
	return slices.DeleteFunc(slices.Clone(f.held), func(h chat.PrunablePart) bool { return !strings.HasSuffix(h.Subject, subject) }), f.err
}

func (f *fakeSession) PrunedContent(_ context.Context, number int) (heading, text string, err error) {
	return fmt.Sprintf("%d: %s, as of turn 1", number, f.ledger[number-1].Subject), "PASS\n", f.err
}

func (f *fakeSession) RestoreContent(_ context.Context, number int) (int, error) {
	f.done = append(f.done, fmt.Sprintf("bring back %d", number))
	return f.ledger[number-1].Tokens, errors.Join(f.err, f.actErr)
}

func (f *fakeSession) KnownFiles(context.Context) (known, pinned []string, err error) {
	return f.known, f.pinned, f.err
}

func (f *fakeSession) Pin(_ context.Context, path string, pinned bool) (string, error) {
	f.done = append(f.done, fmt.Sprintf("pin %s %t", path, pinned))
	return path, errors.Join(f.err, f.actErr)
}

func (f *fakeSession) Stats(context.Context) (chat.Stats, error) { return f.stats, f.err }

func (f *fakeSession) LastReply(context.Context) (string, error) { return f.reply, f.err }

func (f *fakeSession) Grants() []gate.GrantEntry { return f.grants }

func (f *fakeSession) Revoke(number int) ([]string, error) {
	f.done = append(f.done, fmt.Sprintf("forget %d", number))
	var says []string
	for _, g := range f.grants {
		says = append(says, g.Says)
	}
	return says, f.err
}

func (f *fakeSession) Compress(context.Context) (chat.Compressed, error) {
	f.done = append(f.done, "compress")
	return f.compressed, f.err
}

func (f *fakeSession) Clear(context.Context) error {
	f.done = append(f.done, "clear")
	return f.err
}

func (f *fakeSession) PlanFiles(_ context.Context, way snapshot.Operation) (*snapshot.Plan, error) {
	f.done = append(f.done, "plan "+string(way))
	return f.plan, f.err
}

func (f *fakeSession) ApplyFilePlan(_ context.Context, plan *snapshot.Plan) ([]snapshot.ChangedFile, error) {
	f.done = append(f.done, "move "+string(plan.Kind))
	return f.changed, f.err
}

func (f *fakeSession) Retry(context.Context) error {
	f.done = append(f.done, "retry")
	return f.err
}

// world holds everything that commands use in a test.
type world struct {
	*command.Commands
	session  *fakeSession
	settings *settings.Settings
	store    *settings.Store
	deps     *slash.Deps
}

var testTime = time.Date(2026, 11, 21, 12, 30, 0, 0, time.UTC)

// newWorld returns a world. The change functions can replace its parts before the commands are
// created.
func newWorld(t *testing.T, change ...func(*slash.Deps)) *world {
	t.Helper()
	var modes []string
	for _, mode := range gate.Modes() {
		modes = append(modes, string(mode))
	}
	registry := settings.NewRegistry(settings.All(), settings.Choices{
		settings.CompressionStrategy.Key(): compression.Names(), settings.ApprovalMode.Key(): modes, settings.Theme.Key(): {"auto", "dark", "light"},
	})
	session := &fakeSession{}
	deps := &slash.Deps{
		Session:     session,
		Context:     session,
		Past:        session,
		Permissions: session,
		Settings:    settings.New(registry),
		Profiles:    settings.NewStore(filepath.Join(t.TempDir(), "agent"), registry),
		Views: slash.Views{
			Why: func(_ context.Context, question string) (*provenance.Answer, error) {
				session.why.Question = question
				return session.why, session.err
			},
			CacheBreaks: func() ([]cachemiss.Miss, error) { return session.breaks, session.err }, Refreshes: func(context.Context) ([]string, error) { return session.refreshes, nil }, Page: func(context.Context) (string, []string) { return "<html>", []string{"1 secret replaced"} },
		},
		Agents: fakeAgents{},
		Models: func(context.Context) ([]slash.Model, error) {
			return []slash.Model{{ID: "gpt-5", ContextLimit: 400000}, {ID: "gpt-4.1-mini"}, {ID: "qwen/qwen3:8b", ContextLimit: 40960}}, nil
		},
		Tools: func() []tools.Tool {
			return []tools.Tool{
				{Name: "read_file", Traits: toolspec.Traits{Reads: true}, Description: "Reads a file. Use it often."},
				{Name: "replace", Traits: toolspec.Traits{Edits: true}, Description: "Replaces text\nin a file."},
			}
		},
		Transcript: func(context.Context) (string, error) { return "# Conversation\n", nil },
		Document:   func(context.Context) (string, error) { return "{}\n", nil },
		Diff:       func(context.Context) (string, error) { return "--- a/x\n+++ b/x\n", nil },
		Keys:       slash.Keys{Shown: func() []command.Key { return []command.Key{{Name: "Esc", Does: "interrupt the turn"}} }},
		Recorded:   true,
		Workspace:  t.TempDir(),
		Log:        slash.Log{Path: "/state/agent.log", Level: new(slog.LevelVar)},
		Now:        func() time.Time { return testTime },
	}
	for _, c := range change {
		c(deps)
	}
	return &world{slash.New(t.Context(), *deps), session, deps.Settings, deps.Profiles, deps}
}

// run runs a command line that must succeed and returns its output.
func (w *world) run(t *testing.T, line string) command.Output {
	t.Helper()
	out, err := w.Run(t.Context(), line)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return out
}

// refused runs a command line that must fail with a one-line error that contains want.
func (w *world) refused(t *testing.T, line, want string) {
	t.Helper()
	out, err := w.Run(t.Context(), line)
	if err == nil {
		t.Fatalf("%s was accepted: %q", line, out.Lines)
	}
	if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%s: error %q does not say %q in a line", line, err, want)
	}
}

func text(out command.Output) string { return strings.Join(out.Lines, "\n") }

// values returns the proposals for a line.
func (w *world) values(line string) []string {
	_, proposals := w.Complete(line)
	var values []string
	for _, p := range proposals {
		values = append(values, p.Value)
	}
	return values
}
