package session

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Agent is a subagent of a session: a conversation with a separate log, which a call started for one task.
type Agent struct {
	ID string `json:"id"`
	// Call is the id of the call that started the subagent.
	Call  string `json:"call"`
	Agent string `json:"agent"`
	Title string `json:"title"`
	Model string `json:"model,omitempty"`
	// Status describes how the subagent ended, or is "" while it works. Changed names the changed files.
	Status  string `json:"status,omitempty"`
	Changed string `json:"changed,omitempty"`
	// Last is the hash of the last line of the subagent's log at the end of the subagent, or "" without a
	// log.
	Last string `json:"last,omitempty"`
	// Figures holds the figures of the subagent, in the form that its conversation reports them.
	Figures json.RawMessage `json:"figures,omitempty"`

	// Recorded is the time of the record, for a subagent that was read from a log. Began is the time of the
	// first record of its latest task.
	Recorded, Began time.Time `json:"-"`
}

// AgentFolder returns the folder with the logs of the subagents of the session whose log is at path.
func AgentFolder(path string) string { return strings.TrimSuffix(path, extension) }

// AgentPath returns the path of the log of a subagent of the session whose log is at path. Only the last
// element of id is used, because id may come from a record or from a model. So the log is always in the
// folder.
func AgentPath(path, id string) string {
	return filepath.Join(AgentFolder(path), filepath.Base(id)+extension)
}

// ParentOf returns the id of the session whose subagent has its log at path, or "" for any other log.
func ParentOf(path string) string {
	folder := filepath.Dir(path)
	if _, err := os.Stat(folder + extension); err != nil {
		return ""
	}
	return filepath.Base(folder)
}

// copyAgents copies the logs of subagents of the session from to the session at path. It omits a missing
// log.
func copyAgents(path, from string, agents []Agent) error {
	for _, agent := range agents {
		log, err := os.Stat(AgentPath(from, agent.ID))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.MkdirAll(AgentFolder(path), 0o700)
		}
		if err == nil {
			_, err = copyLog(AgentPath(path, agent.ID), AgentPath(from, agent.ID), log.Size(), nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// RecordAgent records the start of a subagent, or its end if the status is set.
func (l *Log) RecordAgent(a Agent) error { return l.record(TypeAgent, a) }

// takeAgent applies a record about the start or the end of a subagent.
func (s *State) takeAgent(a Agent) {
	a.Began = a.Recorded
	s.Agents = append(slices.DeleteFunc(s.Agents, func(other Agent) bool {
		if other.ID == a.ID && other.Status == "" {
			a.Began = other.Began
		}
		return other.ID == a.ID
	}), a)
}

// AgentsOf returns the subagents of the session whose log is at path, in the order of their start.
func AgentsOf(path string) (agents []Info) {
	logs, _ := filepath.Glob(filepath.Join(AgentFolder(path), "*"+extension)) // the pattern is well formed
	for _, log := range logs {
		if info, err := Inspect(log); err == nil && info.Entries > 0 {
			agents = append(agents, info)
		}
	}
	slices.SortStableFunc(agents, func(a, b Info) int { return a.Started.Compare(b.Started) })
	return agents
}

// FindAgent returns the subagent with an id, from any of the sessions.
func FindAgent(infos []Info, id string) (Info, bool) {
	for _, info := range infos {
		if agent, err := Inspect(AgentPath(info.Path, id)); err == nil {
			return agent, true
		}
	}
	return Info{}, false
}
