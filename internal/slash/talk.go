package slash

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/base/table"
	"agent/internal/chat"
	"agent/internal/command"
)

func plain(run func(ctx context.Context) (command.Output, error)) []command.Form {
	return []command.Form{{Run: func(ctx context.Context, _ []string) (command.Output, error) { return run(ctx) }}}
}

// showOne returns the command that shows lines about the single argument of a form.
func showOne(lines func(ctx context.Context, value string) ([]string, error)) command.RunFunc {
	return command.ShowLines(func(ctx context.Context, values []string) ([]string, error) { return lines(ctx, values[0]) })
}

func quitCommand() command.Command {
	return command.Command{
		Name: "quit", Aliases: []string{"exit", "q"}, Help: "quit; agent -c resumes the session", Loses: true,
		Forms: plain(func(context.Context) (command.Output, error) { return command.Output{Quit: true}, nil }),
	}
}

func clearCommand(d Deps) command.Command {
	return command.Command{
		Name: "clear", Aliases: []string{"new"}, Help: "start over with an empty context", Loses: true,
		Forms: plain(func(ctx context.Context) (command.Output, error) {
			if err := d.Session.Clear(ctx); err != nil {
				return command.Output{}, err
			}
			said := "The context is empty."
			if d.Recorded {
				said = "The context is empty. The session log keeps the conversation."
			}
			return command.Output{Lines: []string{said}, NewConversation: true}, nil
		}),
	}
}

func retryCommand(d Deps) command.Command {
	return command.Command{
		Name: "retry", Help: "repeat the last request after a failure",
		Forms: plain(func(ctx context.Context) (command.Output, error) { return command.Output{}, d.Session.Retry(ctx) }),
	}
}

func asideCommand(d Deps) command.Command {
	return command.Command{
		Name: "btw", Aliases: []string{"aside"}, Help: "ask a side question that is not recorded", Raw: true,
		Forms: []command.Form{{Args: "QUESTION", Rest: true, Run: func(ctx context.Context, values []string) (command.Output, error) {
			answer, err := d.Session.AskAside(ctx, strings.Join(values, " "))
			if errors.Is(err, chat.ErrInterrupted) {
				return command.Output{Lines: []string{"Interrupted. The conversation is unchanged."}}, nil
			}
			return command.Output{Answer: answer}, err
		}}},
	}
}

func compressCommand(d Deps) command.Command {
	return command.Command{
		Name: "compress", Aliases: []string{"compact"}, Help: "make the context smaller now", Loses: true,
		Forms: plain(func(ctx context.Context) (command.Output, error) {
			done, err := d.Session.Compress(ctx)
			switch {
			case errors.Is(err, chat.ErrBusy):
				return command.Output{}, err
			case errors.Is(err, chat.ErrInterrupted):
				return command.Output{Lines: []string{"Compression interrupted. The context is unchanged."}}, nil
			case err != nil:
				return command.Output{}, fmt.Errorf("compression failed; the context is unchanged: %w", err)
			}
			return command.Output{Lines: []string{done.String()}}, nil
		}),
	}
}

func copyCommand(d Deps) command.Command {
	return command.Command{
		Name: "copy", Aliases: []string{"cp"}, Help: "copy the last answer to the clipboard",
		Forms: plain(func(ctx context.Context) (command.Output, error) {
			reply, err := d.Session.LastReply(ctx)
			if err == nil && reply == "" {
				err = errors.New("no answer to copy yet")
			}
			return command.Output{Copy: reply}, err
		}),
	}
}

func exportCommand(d Deps) command.Command {
	return command.Command{
		Name: "export", Help: "export the conversation to a file",
		Forms: []command.Form{
			{Does: "write to a new file in the workspace", Run: command.ShowLines(func(ctx context.Context, _ []string) ([]string, error) {
				return d.export(ctx, d.exportName())
			})},
			{Args: "FILE", Does: "write to a new FILE: Markdown, or .json for agent context, or .html like /share", Run: showOne(d.export), Complete: func([]string) []command.Completion {
				return []command.Completion{{Value: d.exportName(), Help: "in the workspace"}}
			}},
		},
	}
}

func (d Deps) exportName() string {
	return "conversation-" + d.Now().Format("20060102-150405") + ".md"
}

func (d Deps) export(ctx context.Context, path string) ([]string, error) {
	if strings.EqualFold(filepath.Ext(path), ".html") {
		return d.share(ctx, path)
	}
	path = fsutil.ResolveIn(d.Workspace, path)
	write := d.Transcript
	if strings.EqualFold(filepath.Ext(path), ".json") {
		write = d.Document
	}
	text, err := write(ctx)
	if err != nil {
		return nil, err
	}
	return written(path, text)
}

// written writes the conversation to a new file and returns lines about it.
func written(path, text string) ([]string, error) {
	err := fsutil.CreateNew(path, []byte(text), 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s already exists. Use another name", path)
	}
	if err != nil {
		return nil, fmt.Errorf("can't write the conversation to %s: %w", path, fsutil.Reason(err))
	}
	return []string{"written to " + path}, nil
}

func shareCommand(d Deps) command.Command {
	return command.Command{
		Name: "share", Help: "export the session as a web page",
		Forms: []command.Form{
			{Does: "list the secrets that the page replaces", Run: command.ShowLines(func(ctx context.Context, _ []string) ([]string, error) {
				_, replaced := d.Views.Page(ctx)
				return append(replaced, "To write the page, type /share FILE. It may contain secrets that were not recognized, so read it before you send it."), nil
			})},
			{Args: "FILE", Does: "write the page to a new FILE, and list the replaced secrets", Run: showOne(d.share), Complete: func([]string) []command.Completion {
				return []command.Completion{{Value: strings.TrimSuffix(d.exportName(), ".md") + ".html", Help: "in the workspace"}}
			}},
		},
	}
}

// share writes the HTML page of the conversation to a new file.
func (d Deps) share(ctx context.Context, path string) ([]string, error) {
	html, replaced := d.Views.Page(ctx)
	lines, err := written(fsutil.ResolveIn(d.Workspace, path), html)
	if err != nil {
		return nil, err
	}
	return append(replaced, lines...), nil
}

func diffCommand(d Deps) command.Command {
	return command.Command{
		Name: "diff", Help: "show changes since the last commit",
		Forms: plain(func(ctx context.Context) (command.Output, error) {
			diff, err := d.Diff(ctx)
			if err == nil && strings.TrimSpace(diff) == "" {
				return command.Output{Lines: []string{"No changes since the last commit."}}, nil
			}
			return command.Output{Diff: diff}, err
		}),
	}
}

func keysCommand(d Deps) command.Command {
	return command.Command{
		Name: "keys", Help: "list the keys, and test one",
		Forms: plain(func(context.Context) (command.Output, error) {
			if d.Keys.Read == nil {
				return command.Output{}, errors.New("/keys works only in an interactive session on a terminal")
			}
			bound, faults := d.Keys.Read()
			var rows [][]string
			for _, b := range bound {
				rows = append(rows, []string{b.Action, b.Keys, b.Note})
			}
			return command.Output{Lines: append(append(table.Lines("lll", rows), faults...), "",
				"To change keys, edit "+d.Keys.File+`: {"keys": {"stash": ["ctrl+x"]}}`,
				"Press a key to see what it does. To end, press Esc or type a message."), TestsKeys: true}, nil
		}),
	}
}

func debugCommand(d Deps) command.Command {
	at := func(set func()) command.RunFunc {
		return func(context.Context, []string) (command.Output, error) {
			set()
			state := "off"
			if d.Log.Level.Level() <= slog.LevelDebug {
				state = "on"
			}
			return command.Output{Lines: []string{"debug is " + state + "; log file: " + d.Log.Path}}, nil
		}
	}
	return command.Command{
		Name: "debug", Help: "show the log file, or set its level",
		Forms: []command.Form{
			{Does: "show the path of the log file", Run: at(func() {})},
			{Args: "on", Does: "log requests and decisions in detail", Run: at(func() { d.Log.Level.Set(slog.LevelDebug) })},
			{Args: "off", Does: "log warnings and errors only", Run: at(func() { d.Log.Level.Set(slog.LevelInfo) })},
		},
	}
}

// initPrompt asks the model to write AGENTS.md, the instructions that it receives at every start.
const initPrompt = `Look at this workspace and write AGENTS.md in its root, the instructions for coding agents that work here. If the file exists, improve it and keep what is still right. What CLAUDE.md, GEMINI.md, .cursorrules and the like say to agents goes into it as well; write no other file. If CLAUDE.md is there, end your answer by proposing the one line \@AGENTS.md for it, so that there is one text.

Find out by reading, not by guessing: what the project is, how it is built, tested and linted (the exact commands), where things are, the conventions of its code and commits, and what one must not do. Leave out what anybody would know and what the code says plainly. Keep it under 60 lines. Run a command only to check that it is right.

If the project has a quick command that finds errors of types or syntax, end your answer by proposing it as a check after edits, and set nothing: /set check-command COMMAND, or /set check-command auto for go vet, tsc, ruff and cargo check.`

func initCommand() command.Command {
	return command.Command{
		Name: "init", Help: "let the model write AGENTS.md",
		Forms: plain(func(context.Context) (command.Output, error) { return command.Output{Submit: initPrompt}, nil }),
	}
}
