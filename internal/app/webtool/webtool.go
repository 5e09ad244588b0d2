// Package webtool offers web search to the model of a conversation, and web search and pages to its user.
package webtool

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"agent/internal/app/hookgates"
	"agent/internal/chat"
	"agent/internal/provider"
	"agent/internal/settings"
	"agent/internal/shell"
	"agent/internal/tools"
	"agent/internal/websearch"
)

// Config holds the dependencies of Web.
type Config struct {
	Settings *settings.Settings
	// Search configures the services. New adds the user's search command and the model's server.
	Search websearch.Config
	// Connection connects to the model's server.
	Connection *provider.Connection
	Rules      *hookgates.Rules
	// Known finds the tool that reads pages for the user.
	Known *tools.Registry
	// Env is the environment of that tool.
	Env *tools.Env
	// State is the folder that records whether the user was told about searches by the model's server.
	State string
	// Root is the folder in which the user's search command runs. Jobs runs it, and Ran records that.
	Root string
	Jobs *shell.Jobs
	Ran  func(line string, end shell.ExitInfo)
}

// Web is the web search of a conversation.
type Web struct {
	// Searcher asks the service in use.
	Searcher *websearch.Searcher
	config   Config
}

// New returns the web search of a conversation.
func New(config Config) *Web {
	w := &Web{config: config}
	config.Search.Run, config.Search.Server = w.run, w.byServer
	w.Searcher = websearch.New(config.Search)
	return w
}

// IsTool reports whether a name is the name of the tool that searches the web.
func IsTool(name string) bool { return name == tools.WebSearchName }

// Source returns the source of the web search tool. The source is empty while the setting is off.
func (w *Web) Source() tools.Source {
	way := func() string { return settings.WebSearch.Value(w.config.Settings) }
	return tools.Source{
		Revision: func() uint64 {
			revision := 2 * uint64(slices.Index(websearch.SettingValues(), way())+1)
			if (way() == websearch.Provider || way() == websearch.Auto) && w.Searcher.IsByServer() {
				revision++
			}
			return revision
		},
		List: func() []tools.Tool {
			switch {
			case way() == websearch.Off:
			case w.Searcher.IsByServer():
				return []tools.Tool{tools.ServerSearchTool(w.config.Rules.BlockedHosts())}
			case w.Searcher.Service() != "":
				return []tools.Tool{tools.WebSearchTool(w.Searcher)}
			}
			return nil
		},
	}
}

// byServer returns the reason why the model's server does not search the web itself, or nil if it does. No
// approval is possible before such a search. So rules that limit searches turn it off, unless the server
// omits the hosts that they deny.
func (w *Web) byServer() error {
	if rule := w.config.Rules.SearchLimitRule(w.config.Connection.ExcludesHosts(settings.Model.Value(w.config.Settings))); rule != "" {
		return errors.New("web-search is provider, but the model's server can't enforce " + rule + ". Choose a service with /set web-search")
	}
	return w.config.Connection.SearchesWeb(settings.Model.Value(w.config.Settings))
}

// searchToldFile exists if the user has read the notice about searches by the model's server.
const searchToldFile = "server-search-told"

// FirstNotice returns a notice in the first session in which the model's server searches the web, because
// such a search needs no approval. It also returns a notice if the setting requires such a search and it is
// not possible.
func (w *Web) FirstNotice() (notice string) {
	way := settings.WebSearch.Value(w.config.Settings)
	if way != websearch.Provider && way != websearch.Auto {
		return ""
	}
	err := w.Searcher.CheckSettings()
	told := filepath.Join(w.config.State, searchToldFile)
	switch _, missing := os.Stat(told); {
	case err != nil && way == websearch.Provider:
		return "no web search: " + err.Error()
	case err == nil && w.Searcher.IsByServer() && missing != nil:
		if os.MkdirAll(w.config.State, 0o700) == nil {
			_ = os.WriteFile(told, nil, 0o600) // if this fails, the notice is printed again
		}
		return "The model's server searches the web by itself (web-search is " + way + "). Its searches need no approval, and queries are not checked for API keys."
	}
	return ""
}

// HandleEvent resets the count of searches when a turn begins.
func (w *Web) HandleEvent(e chat.Event) {
	if _, begins := e.(chat.TurnStarted); begins && settings.WebSearch.Value(w.config.Settings) != websearch.Off {
		w.Searcher.BeginTurn()
	}
}

// run runs the user's search command.
func (w *Web) run(ctx context.Context, line string, input []byte, limit time.Duration, most int) (string, error) {
	command := shell.Command{Line: line, Dir: w.config.Root, Input: input, Environ: []string{"AGENT=agent"}}
	printed, end, err := w.config.Jobs.RunProgram(ctx, settings.WebSearchCommand.Key(), command, limit, most)
	w.config.Ran(line, end)
	return printed, err
}
