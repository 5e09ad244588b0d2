// Package hooks reads the hooks of a workspace and its user: programs that run at events of a
// conversation, configured as in Claude Code and codex. It runs nothing.
package hooks

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/extend/setup/manifest"
	"agent/internal/extend/setup/trustedfile"
)

// Event is a point in a conversation at which hooks run.
type Event string

// The events of a conversation.
const (
	SessionStart       Event = "SessionStart"
	UserPromptSubmit   Event = "UserPromptSubmit"
	PreToolUse         Event = "PreToolUse"
	PermissionRequest  Event = "PermissionRequest"
	PostToolUse        Event = "PostToolUse"
	PostToolUseFailure Event = "PostToolUseFailure"
	PreCompact         Event = "PreCompact"
	PostCompact        Event = "PostCompact"
	Stop               Event = "Stop"
	Notification       Event = "Notification"
	SessionEnd         Event = "SessionEnd"
	SubagentStart      Event = "SubagentStart"
	SubagentStop       Event = "SubagentStop"
	PostDensity        Event = "PostDensity"
)

// Events lists the events in the order of a conversation.
func Events() []Event {
	return []Event{SessionStart, UserPromptSubmit, PreToolUse, PermissionRequest, PostToolUse, PostToolUseFailure, PreCompact, PostCompact, Stop, Notification, SessionEnd, SubagentStart, SubagentStop, PostDensity}
}

// IsToolEvent reports whether the event is about a call of a tool.
func (e Event) IsToolEvent() bool {
	switch e {
	case PreToolUse, PermissionRequest, PostToolUse, PostToolUseFailure:
		return true
	}
	return false
}

// Hook is a program that runs at an event.
type Hook struct {
	Event Event
	// Matcher restricts the hook to some cases of the event, such as calls of some tools.
	Matcher string
	// Command is a shell command or, if Args is set, a program.
	Command string
	Args    []string
	// Timeout is the time limit of a run. 0 means the default for the event.
	Timeout time.Duration
	// If is a permission rule that restricts the hook to some calls. Empty means all calls.
	If string
	// Async is set if the turn does not wait for the hook.
	Async bool
	// Once is set if the hook runs at most once in a conversation.
	Once bool
	// Blocks is set if a failure counts as a refusal.
	Blocks bool
	// File is the absolute path of the file that configures the hook.
	File string
	// Project is the folder of the project to which the file belongs, empty for the user's own
	// file.
	Project string
	// Plugin is set if Project is the folder of a plugin.
	Plugin bool
	// Raw is the JSON of the hook.
	Raw json.RawMessage

	matches func(name string) bool
}

// IsUserOwned reports whether the hook is in the user's own file. Such a hook needs no consent.
func (h Hook) IsUserOwned() bool { return h.Project == "" }

// Words returns the command and its arguments. A shell command is one word.
func (h Hook) Words() []string { return append([]string{h.Command}, h.Args...) }

// Name returns the name of the hook inside its file: "PreToolUse Bash".
func (h Hook) Name() string {
	if h.Matcher == "" {
		return string(h.Event)
	}
	return string(h.Event) + " " + h.Matcher
}

// String describes the hook in a line.
func (h Hook) String() string {
	return fmt.Sprintf("hook %s (%s)", h.Name(), humanize.Headline(h.Command))
}

// Listing holds the hooks of a workspace and its user.
type Listing struct {
	// Hooks are in the order of the configuration, the user's first.
	Hooks []Hook
	// Skipped has a line for each unused hook or file, with the reason.
	Skipped []string
}

// projectFiles lists the files of a project that may configure hooks.
var projectFiles = []string{".agents/hooks.json", ".codex/hooks.json", ".claude/settings.json", ".claude/settings.local.json"}

// Find reads the hooks of the user and of the project of a workspace. It ignores hooks of other
// programs in the home folder.
func Find(w trustedfile.Locations) Listing {
	var f Listing
	if w.Config != "" {
		f.read(trustedfile.ReadScope{Home: w.Home}, filepath.Join(w.Config, "hooks.json"), "")
	}
	for _, plugin := range w.Plugins {
		for _, file := range plugin.Hooks {
			before := len(f.Hooks)
			f.read(plugin.ReadScope(w.Home), file, plugin.Dir)
			for i := range f.Hooks[before:] {
				f.Hooks[before+i].Plugin = true
			}
		}
	}
	for _, folder := range slices.Backward(w.ProjectFolders()) {
		for _, name := range projectFiles {
			f.read(trustedfile.ReadScope{Root: folder}, filepath.Join(folder, name), folder)
		}
	}
	return f
}

// read reads the hooks of a file, if it exists.
func (f *Listing) read(from trustedfile.ReadScope, file, project string) {
	data, err := from.ReadSettings(file, trustedfile.MaxSettings)
	switch {
	case err != nil:
		f.leave("%v", err)
	case data != nil:
		f.parse(file, project, data)
	}
}

// leave adds a line to Skipped.
func (f *Listing) leave(format string, args ...any) {
	f.Skipped = append(f.Skipped, fmt.Sprintf(format, args...))
}

// Effects lists the command of the hook and its conditions, but not the event and the matcher.
func (h Hook) Effects() manifest.List {
	all := manifest.List{{Name: manifest.Command, Text: h.Command, Role: manifest.RoleLine}}
	if h.Args != nil {
		all[0].Role = manifest.RoleWord
	}
	for _, arg := range h.Args {
		all = append(all, manifest.Part{Name: manifest.Argument, Text: arg, Role: manifest.RoleWord})
	}
	if h.If != "" {
		all = append(all, manifest.Part{Name: "if", Text: h.If})
	}
	if h.Timeout != 0 {
		all = append(all, manifest.Part{Name: "timeout", Text: h.Timeout.String()})
	}
	for _, flag := range []struct {
		set  bool
		name string
	}{{h.Async, "nothing waits for it"}, {h.Once, "once in a session"}, {h.Blocks, "its failure refuses"}} {
		if flag.set {
			all = append(all, manifest.Part{Name: flag.name})
		}
	}
	return all
}
