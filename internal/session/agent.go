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

// Agent is an agent of a session: a conversation with a log of its own, which a call began for
// one task.
type Agent struct {
	ID string `json:"id"`
	// Call is the id of the call that began the agent.
	Call  string `json:"call"`
	Agent string `json:"agent"`
	Title string `json:"title"`
	Model string `json:"model,omitempty"`
	// Status says how the agent ended, "" while it works. Changed names the changed files.
	Status  string `json:"status,omitempty"`
	Changed string `json:"changed,omitempty"`
	// Last is the hash of the last line of the agent's log when the agent ended, "" without a log.
	Last string `json:"last,omitempty"`
	// Figures holds the figures of the agent in the form that its conversation gives them.
	Figures json.RawMessage `json:"figures,omitempty"`

	// Recorded is the time of the record, for an agent that was read from a log, and Began that of
	// the first record of its latest task.
	Recorded, Began time.Time `json:"-"`
}

// AgentFolder returns the folder with the logs of the agents of the session whose log is at path.
func AgentFolder(path string) string { return strings.TrimSuffix(path, extension) }

// AgentPath returns the log of an agent of the session whose log is at path. An id comes from a
// record or from a model, so that its last element alone counts: the log is in the folder.
func AgentPath(path, id string) string {
	return filepath.Join(AgentFolder(path), filepath.Base(id)+extension)
}

// ParentOf returns the id of the session whose agent has its log at path, "" for another log.
func ParentOf(path string) string {
	folder := filepath.Dir(path)
	if _, err := os.Stat(folder + extension); err != nil {
		return ""
	}
	return filepath.Base(folder)
}

// copyAgents copies the logs of agents of the session from to the session at path. A log that is
// missing is omitted.
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

// Agent records the start of an agent, or its end if the status is set.
func (l *Log) Agent(a Agent) error { return l.record(TypeAgent, a) }

// takeAgent notes the start or the end of an agent.
func (s *State) takeAgent(a Agent) {
	a.Began = a.Recorded
	s.Agents = append(slices.DeleteFunc(s.Agents, func(other Agent) bool {
		if other.ID == a.ID && other.Status == "" {
			a.Began = other.Began
		}
		return other.ID == a.ID
	}), a)
}

// AgentsOf returns the agents of the session whose log is at path, the first started first.
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

// AgentNamed returns the agent with an id, of any of the sessions.
func AgentNamed(infos []Info, id string) (Info, bool) {
	for _, info := range infos {
		if agent, err := Inspect(AgentPath(info.Path, id)); err == nil {
			return agent, true
		}
	}
	return Info{}, false
}
